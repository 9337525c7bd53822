import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { average, quotient, sum, Total } from '../../src/core/decimal.ts';
import { ExactNumber, numeric } from '../../src/core/json.ts';

const text = (value: unknown) => String(value);

describe('a quotient', () => {
  it.each([
    ['1', '3', '0.333333333333333'],
    ['2', '3', '0.666666666666667'],
    ['143.558', '3', '47.8526666666667'],
    ['-143.558', '3', '-47.8526666666667'],
    ['1', '8', '0.125'],
    ['1', '3000', '0.000333333333333333'],
    ['0', '7', '0'],
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
