import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asDouble,
  average,
  compare,
  difference,
  magnitude,
  product,
  quotient,
  roundTo,
  sum,
  Total,
} from '../../src/core/decimal.ts';
import { ExactNumber, type Numeric, numeric } from '../../src/core/json.ts';

const text = (value: unknown) => String(value);

describe('the size of results', () => {
  const square = (value: Numeric) => product(value, value);

  it('is bounded: squares of squares are refused, whatever their exponents', () => {
    for (const start of ['1e400', '1e-400', '1.0000001', '123456789012345678901234567890']) {
      let value = numeric(start);
      expect(() => {
        for (let times = 0; times < 64; times += 1) value = square(value);
      }, start).toThrow('a result has more than 5000 digits');
    }
  });

  it('is no limit for what doubles give', () => {
    expect(text(difference(product(1e308, 1e308), product(1e308, 1e308)))).toBe('0');
    expect(text(compare(sum([numeric('1e400'), 5e-324, numeric('-1e400')]), 5e-324))).toBe('0');
    expect(text(quotient(numeric('1e400'), numeric('1e-400')))).toBe(`1${'0'.repeat(800)}`);
  });

  it('holds for literals of many digits, which are compared and added all the same', () => {
    const long = numeric('7'.repeat(100_000));
    expect(() => product(long, long)).toThrow('digits');
    expect(() => quotient(1, long)).toThrow('digits');
    expect(compare(long, 7)).toBe(1);
  });
});

describe('a quotient', () => {
  it.each([
    ['1', '3', '0.333333333333333'],
    ['2', '3', '0.666666666666667'],
    ['143.558', '3', '47.8526666666667'],
    ['-143.558', '3', '-47.8526666666667'],
    ['1', '8', '0.125'],
    ['1', '3000', '0.000333333333333333'],
    ['0', '7', '0'],
    // Sixteen digits, of which the last is a five.
    ['32769', '65536', '0.500015258789063'],
    ['-32769', '65536', '-0.500015258789063'],
    ['327690', '65536', '5.000152587890625'],
    // Exact ones keep every digit, and no digit before the point is lost.
    ['24691357802469135781', '2', '12345678901234567890.5'],
    ['1000000000000000001', '3', '333333333333333334'],
  ])('%s / %s is %s', (a, b, expected) => {
    expect(text(quotient(numeric(a), numeric(b)))).toBe(expected);
  });

  it('is null by zero', () => {
    expect(quotient(1, 0)).toBeNull();
  });

  it('of doubles that has no end is a double, so that no format makes text of it', () => {
    const amount = fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100);
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 12 }), (values) => {
        const found = average(values);
        expect(found).not.toBeInstanceOf(ExactNumber);
        const near = values.reduce((total, value) => total + value, 0) / values.length;
        expect(Math.abs(Number(found) - near)).toBeLessThan(1e-5);
      }),
    );
  });
});

/** The same operations digit by digit, as they are defined. */
const digitByDigit = {
  quotient(a: Numeric, b: Numeric): Numeric | null {
    const [over, under] = [big(a), big(b)];
    if (under.eq(0)) return null;
    const Precise = Big();
    const divided = (digitsAfterPoint: number) => {
      Precise.DP = Math.max(0, digitsAfterPoint);
      return new Precise(String(a)).div(String(b));
    };
    const near = divided(Math.max(15, 15 + under.e - over.e));
    return written(near.times(under).eq(over) ? near : divided(14 - near.e));
  },
  difference: (a: Numeric, b: Numeric) => written(big(a).minus(big(b))),
  product: (a: Numeric, b: Numeric) => written(big(a).times(big(b))),
  sum: (values: readonly Numeric[]) =>
    written(values.reduce((total: Big, value) => total.plus(big(value)), new Big(0))),
  magnitude: (value: Numeric) => written(big(value).abs()),
  rounded: (value: Numeric, digits: number) => written(big(value).round(digits, Big.roundHalfUp)),
  compare: (a: Numeric, b: Numeric) => big(a).cmp(big(b)),
};

function big(value: Numeric): Big {
  return new Big(String(value));
}

function written(value: Big): Numeric {
  const double = value.toNumber();
  return Number.isFinite(double) && value.eq(String(double)) ? double : new ExactNumber(value.toFixed());
}

it('drops the zeros at the end of a number that is divided by one', () => {
  expect(quotient(numeric('1.10'), 1)).toBe(1.1);
  expect(quotient(numeric('0.0'), 1)).toBe(0);
});

describe('an operation on any numbers', () => {
  const places = (digits: number) => fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map((units) => units / 10 ** digits);
  const literal = fc
    .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: 0, max: 25 }))
    .map(([isBelow, digits, point]) => {
      const all = String(digits).padStart(point + 1, '0');
      const text = point === 0 ? all : `${all.slice(0, -point)}.${all.slice(-point)}`;
      return numeric((isBelow ? '-' : '') + text);
    });
  const border = fc.constantFrom<Numeric>(
    ...[0, -0, 1, 2, 3, 7, 9, 10, 100, 1000, 0.1, 0.01, 0.001, 0.3, 1e15, 1e15 - 1, 1e14, 2 ** 53, 1e21, 1e22, 1e300],
    ...[5e-324, 1e-7, 1e-8, 999999.995, 0.125, 12345678901234.5, 99999999999.9999, 1 / 3, 2 / 3, 0.1 + 0.2],
    ...['-0', '0.00', '-0.00', '1.10', '-1.10', '1e400', '1E-400', '1.0e2', '0.5000', '999999999999999.9'].map(numeric),
  );
  const amounts = [places(0), places(2), places(2), places(4), places(7)];
  const any = fc.oneof(...amounts, literal, border, fc.double({ noNaN: true, noDefaultInfinity: true }));
  const runs = { numRuns: 3000 };
  /** Of zeros the sign too. */
  const same = (found: Numeric | null, expected: Numeric | null) => {
    expect(found instanceof ExactNumber).toBe(expected instanceof ExactNumber);
    if (found instanceof ExactNumber) expect(text(found)).toBe(text(expected));
    else expect(found).toBe(expected);
  };

  it.each(['quotient', 'difference', 'product'] as const)('gives the %s that is defined digit by digit', (name) => {
    const operation = { quotient, difference, product }[name];
    fc.assert(
      fc.property(any, any, (a, b) => same(operation(a, b), digitByDigit[name](a, b))),
      runs,
    );
  });

  it('gives the percentage and the change of it', () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        const ratio = quotient(difference(a, b), magnitude(b));
        if (ratio !== null) same(product(ratio, 100), digitByDigit.product(ratio, 100));
      }),
      runs,
    );
  });

  it('gives the magnitude, the order, the double and what is rounded', () => {
    fc.assert(
      fc.property(any, any, fc.integer({ min: 0, max: 20 }), (a, b, digits) => {
        same(magnitude(a), digitByDigit.magnitude(a));
        same(roundTo(a, digits), digitByDigit.rounded(a, digits));
        expect(Math.sign(compare(a, b)) + 0).toBe(digitByDigit.compare(a, b) + 0);
        const double = asDouble(a);
        if (a instanceof ExactNumber) expect(double === undefined).toBe(written(big(a)) instanceof ExactNumber);
        if (double !== undefined) expect(text(written(big(a)))).toBe(text(double));
      }),
      runs,
    );
  });

  it('gives the sum', () => {
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), (values) => same(sum(values), digitByDigit.sum(values))),
      runs,
    );
  });

  it('rounds quotients that end after fifteen digits or soon after', () => {
    const power = fc.tuple(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 17 }),
      fc.integer({ min: 0, max: 4 }),
    );
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), power, (over, [twos, fives, point]) => {
        const under = (2 ** twos * 5 ** fives) / 10 ** point;
        same(quotient(over, under), digitByDigit.quotient(over, under));
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('a total', () => {
  const amount = fc.oneof(
    fc.integer({ min: -1e12, max: 1e12 }).map((cents) => cents / 100),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }),
    fc.constantFrom(
      0.1,
      0.30000000000000004,
      99999999999.9999,
      -1e15,
      2 ** 53,
      numeric('1.10'),
      numeric('0.1234567890123456789'),
    ),
  );

  it('is the sum, with all digits', () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 40 }), (values) => {
        const total = new Total();
        for (const value of values) total.add(value);
        expect(text(total.value())).toBe(text(sum(values)));
      }),
    );
  });

  it('of whole units is exact beyond what a double counts', () => {
    const total = new Total();
    for (let count = 0; count < 200_000; count += 1) total.add(99_999_999_999.9999);
    expect(text(total.value())).toBe('19999999999999980');
  });
});
