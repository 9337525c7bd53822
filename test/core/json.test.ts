import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError } from '../../src/core/errors.ts';
import {
  ExactNumber,
  isInteger,
  type Numeric,
  numeric,
  parseJson,
  plainDecimal,
  stringifyJson,
} from '../../src/core/json.ts';

/** Forces the scanner: with this literal in the text, `JSON.parse` would not be enough. */
const inexact = '1.10';

const value = fc.jsonValue({ noUnicodeString: false });
const literal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/)),
    fc.option(fc.stringMatching(/^\d{1,25}$/), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 400 })), {
      nil: undefined,
    }),
  )
  .map(
    ([sign, whole, fraction, exponent]) => sign + whole + (fraction ? `.${fraction}` : '') + (exponent?.join('') ?? ''),
  );

describe('plainDecimal of a plain number', () => {
  it('is what String gives, digit by digit', () => {
    const near = (number: number) => fc.integer({ min: -3, max: 3 }).map((steps) => number + steps * 2 ** -30);
    const amount = fc.tuple(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.constantFrom(1, 10, 100, 1000));
    const number = fc.oneof(
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.maxSafeInteger(),
      amount.map(([units, parts]) => units / parts),
      fc.constantFrom(0, -0, 0.1, 0.29, 0.995, 1.005, 2 ** 31, 2 ** 31 - 0.01).chain(near),
    );
    fc.assert(
      fc.property(number, (given) => {
        const text = String(given);
        if (!text.includes('e')) expect(plainDecimal(given)).toBe(text);
      }),
      { numRuns: 2000 },
    );
    const amounts = Array.from({ length: 60_001 }, (_, at) => (at - 30_000) / 100);
    expect(amounts.map(plainDecimal)).toEqual(amounts.map(String));
  });
});

describe('parseJson', () => {
  it('keeps the literals that a double would not print back', () => {
    for (const text of [
      '1.10',
      '12345678901234567890',
      '1e400',
      '0.1000000000000000055',
      '-0',
      '1.0',
      '1E5',
      '0.0000001',
    ]) {
      expect(parseJson(text), text).toEqual(new ExactNumber(text));
      expect(parseJson(`{"a":[0, ${text}]}`), text).toEqual({ a: [0, new ExactNumber(text)] });
    }
  });

  it('gives plain numbers for all others', () => {
    for (const text of [
      '0',
      '-1',
      '1.5',
      '0.1',
      '123456789012345',
      '0.30000000000000004',
      '9007199254740991',
      '1e+21',
      '5e-324',
    ]) {
      expect(parseJson(text), text).toBe(Number(text));
    }
  });

  it('keeps any number literal, anywhere', () => {
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1 }), (literals) => {
        const text = `[${literals.join(',')}]`;
        const parsed = parseJson(text) as Numeric[];
        expect(parsed.map(String)).toEqual(literals);
        expect(stringifyJson(parsed)).toBe(text);
      }),
    );
  });

  it('equals JSON.parse on every JSON text, on both of its ways', () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 3 }), (json, indent) => {
        const text = JSON.stringify(json, undefined, indent);
        // -0 prints as 0, so what JSON.parse gives is the measure, not `json`.
        expect(parseJson(text)).toEqual(JSON.parse(text));
        expect((parseJson(`[${inexact},${text}]`) as unknown[])[1]).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what JSON.parse refuses, and nothing else', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      'a',
      '\\',
      '\\u00',
      '\n',
      '\t',
      ' ',
      '\u0001',
      '\u00a0',
      '0',
      '01',
      '-',
      '1.',
      '.5',
      '1e',
      '"k"',
      'true',
      'nul',
      inexact,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        for (const text of [pieces.join(''), `[${inexact},${pieces.join('')}]`]) {
          let wrong = false;
          try {
            JSON.parse(text);
          } catch {
            wrong = true;
          }
          if (wrong) expect(() => parseJson(text), text).toThrow(JsonSyntaxError);
          else expect(() => parseJson(text), text).not.toThrow();
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('says line and column of what is wrong', () => {
    const cases: [string, string][] = [
      ['{"a":1,}', 'expected a key in double quotes, found "}" at line 1, column 8'],
      ['[1.10', "expected ',' or ']', the text ends at line 1, column 6"],
      ['', 'expected a value, the text ends at line 1, column 1'],
      ['{\n  "é": 1\n  "b": 2\n}', "expected ',' or '}', found \"\\\"\" at line 3, column 3"],
      ['["😀", x]', 'expected a value, found "x" at line 1, column 7'],
      ['"a\u0001"', 'expected a character that a string may contain, found "\\u0001" at line 1, column 3'],
      ['1 2', 'expected the end, found "2" at line 1, column 3'],
    ];
    for (const [text, message] of cases) expect(() => parseJson(text), text).toThrow(message);
  });

  it('keeps __proto__ a key, the last of duplicate keys, and 500 levels', () => {
    const parsed = parseJson('{"__proto__":{"x":1.0},"a":1,"a":2.0}') as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(parsed.a).toEqual(new ExactNumber('2.0'));
    const depth = 500;
    let inner = parseJson('['.repeat(depth) + inexact + ']'.repeat(depth));
    for (let level = 0; level < depth; level += 1) inner = (inner as unknown[])[0];
    expect(inner).toEqual(new ExactNumber(inexact));
    const deep = `{"a":1,\n "b":${'['.repeat(200_000)}`;
    expect(() => parseJson(deep)).toThrow('nested deeper than 500 levels at line 2, column 505');
    expect(() => parseJson(`[${deep}`)).toThrow('nested deeper than 500 levels');
  });
});

describe('parseJson on large texts', () => {
  it('takes strings and numbers of any length', () => {
    for (const text of ['x'.repeat(9_000_000), '\\n'.repeat(4_000_000)]) {
      const [, read] = parseJson(`[1.10,"${text}"]`) as [unknown, string];
      expect(read.length).toBe(text.startsWith('x') ? 9_000_000 : 4_000_000);
    }
    const digits = '1'.repeat(5_000_000);
    expect(String(parseJson(digits))).toBe(digits);
  });
});

describe('stringifyJson', () => {
  it('prints the bytes of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true }), fc.integer({ min: 0, max: 4 }), (any, indent) => {
        let expected: string | undefined;
        try {
          expected = JSON.stringify(any, undefined, indent);
        } catch {
          return;
        }
        expect(stringifyJson(any, indent)).toBe(expected ?? 'null');
      }),
    );
  });

  it('prints exact numbers as their literal among texts of any kind', () => {
    const text = fc.string({ unit: fc.constantFrom('\uE000', '\uE001', '0', '1', '"', 'a') });
    fc.assert(
      fc.property(fc.array(text), text, (texts, key) => {
        const json = { [`k${key}`]: texts, n: new ExactNumber('1.10') };
        const strings = JSON.stringify({ [`k${key}`]: texts });
        expect(stringifyJson(json)).toBe(`${strings.slice(0, -1)},"n":1.10}`);
      }),
    );
  });

  it('leaves other printers the nearest double', () => {
    stringifyJson(new ExactNumber('1.10'));
    expect(JSON.stringify({ n: new ExactNumber('1.10') })).toBe('{"n":1.1}');
  });
});

describe('plainDecimal', () => {
  it('never uses an exponent and loses no digit', () => {
    expect(plainDecimal(1e21)).toBe('1000000000000000000000');
    expect(plainDecimal(1e-7)).toBe('0.0000001');
    expect(plainDecimal(5e-324)).toBe(`0.${'0'.repeat(323)}5`);
    const cases: [string, string][] = [
      ['1.5e3', '1500'],
      ['1.10', '1.10'],
      ['1.25E-2', '0.0125'],
      ['-12.5e-1', '-1.25'],
      ['0.05e1', '0.5'],
      ['1.50e1', '15.0'],
      ['0e400', '0'],
    ];
    for (const [text, plain] of cases) expect(plainDecimal(numeric(text)), text).toBe(plain);
  });

  it('is the same number, exactly', () => {
    const scaled = (text: string): [bigint, number] => {
      const [, sign = '', whole = '', fraction = '', exponent = '0'] =
        /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
      let digits = BigInt(sign + whole + fraction);
      let power = Number(exponent) - fraction.length;
      while (digits !== 0n && digits % 10n === 0n) {
        digits /= 10n;
        power += 1;
      }
      // `1e-0` has the power -0, which is 0.
      return [digits, digits === 0n ? 0 : power + 0];
    };
    fc.assert(
      fc.property(literal, (text) => {
        const plain = plainDecimal(numeric(text));
        expect(plain).not.toMatch(/e/i);
        expect(plain).not.toMatch(/^-?0\d/);
        expect(scaled(plain)).toEqual(scaled(text));
      }),
    );
  });
});

describe('the bound of exponents', () => {
  const says = 'is out of range: an exponent is from -400 to 400';

  it('takes every double, and numbers somewhat beyond', () => {
    for (const text of ['1e308', '1.7976931348623157e+308', '5e-324', '2.2250738585072014e-308', '1e400', '1.5E-400']) {
      expect(String(parseJson(`[${text}]`)), text).toBe(String(numeric(text)));
    }
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (double) => numeric(String(double)) === double || Object.is(double, -0),
      ),
    );
  });

  it.each(['1e401', '-1e-401', '1e999999999', '0e999999999', '1.5E+99999999999999999999', `1e${'9'.repeat(5000)}`])(
    'refuses %s in every JSON text and as a literal',
    (text) => {
      expect(() => numeric(text)).toThrow(says);
      expect(() => new ExactNumber(text)).toThrow(says);
      for (const json of [text, `[1, ${text}]`, `{"a":{"b":[${text}]}}`]) expect(() => parseJson(json)).toThrow(says);
    },
  );

  it('leaves texts alone', () => {
    expect(parseJson('["1e999999999", {"1e999999999": 1.10}]')).toEqual([
      '1e999999999',
      { '1e999999999': new ExactNumber('1.10') },
    ]);
  });
});

describe('isInteger', () => {
  it('goes by the literal', () => {
    for (const text of ['3', '3.0', '1.5e3', '12345678901234567890', '-0', '0.0', '1e400', '0.05e2']) {
      expect(isInteger(numeric(text)), text).toBe(true);
    }
    for (const text of ['3.5', '1e-1', '12345678901234567890.5', '1.55e1', '0.05e1']) {
      expect(isInteger(numeric(text)), text).toBe(false);
    }
  });
});
