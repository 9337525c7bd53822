import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from '../../src/core/json.ts';
import { JsonItems, scanJson } from '../../src/core/json-scanner.ts';
import { mostLevels } from '../../src/core/limits.ts';

const scan = (text: string) => scanJson(Buffer.from(text));
const isTooDeep = (text: string) => scan(text).isTooDeep;

const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ['[', ']', 1],
  ['{"a":', '}', 1],
  ['[{"a\\"[":', '}]', 2],
  [' [ ', ' ]\n', 1],
])('%s is counted by levels', (open, close, levels) => {
  const most = mostLevels / levels;
  expect(isTooDeep(nested(open, close, most))).toBe(false);
  expect(isTooDeep(nested(open, close, most + 1))).toBe(true);
});

it('siblings hide no level of a long text', () => {
  const rest = `,"rest":"${'x'.repeat(1024 * 1024)}"`;
  expect(isTooDeep(`{"deep":${nested('{"a":', ',"b":[]}', mostLevels + 1)}${rest}}`)).toBe(true);
  expect(isTooDeep(`{"deep":${nested('{"a":', ',"b":[]}', mostLevels - 2)}${rest}}`)).toBe(false);
});

it('brackets within texts do not count', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a') })), (texts) => {
      expect(isTooDeep(JSON.stringify([texts, '['.repeat(2000), ']'.repeat(2000)]))).toBe(false);
    }),
  );
});

it('a byte order mark hides nothing', () => {
  expect(isTooDeep(`\uFEFF ${nested('[', ']', mostLevels + 1)}`)).toBe(true);
});

it('text that is not data has no levels', () => {
  expect(isTooDeep(`<p>"${'['.repeat(2000)}`)).toBe(false);
  for (const blank of ['', ' ', '\n\t', '\u0001']) expect(scan(blank).isExact).toBe(true);
});

/** Literals as JSON has them, many of them at the border of what a double keeps. */
const literal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constantFrom('0', '9', '100', '999999999', '1000000000'), fc.bigInt(0n, 10n ** 18n).map(String)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,9}$/), fc.constantFrom('.0', '.5', '.000001', '.0000001')),
    fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.stringMatching(/^[eE][+-]?[0-9]{1,2}$/)),
  )
  .map((parts) => parts.join(''));

it('is inexact where a double prints another literal', () => {
  fc.assert(
    fc.property(literal, fc.constantFrom('', ' ', '\n'), (number, blank) => {
      const expected = String(Number(number)) === number;
      for (const text of [
        number,
        `[${number}]`,
        `{"a":1,"b" :${blank}${number}${blank},"c":[2,"x"]}`,
        `[0,${number}`,
      ]) {
        expect(scan(text).isExact, text).toBe(expected);
      }
    }),
    { numRuns: 2000 },
  );
});

it('numbers within texts do not count', () => {
  expect(scan('{"a 1.50":"1.50, -0, 1e5","b\\"":" 1.0"}').isExact).toBe(true);
  expect(scan('{"a":"\\\\","b":1.50}').isExact).toBe(false);
});

/** Bytes cut at random places. */
const pieces = (text: string, cuts: readonly number[]) => {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
};

it.each([
  ['[1,2,3]', 3],
  ['[{},{}]', 4],
  ['{"a":1,"b":[]}', 3],
  ['["a,{[\\"", "b"]', 2],
])('%s has about %i values', (text, values) => {
  expect(scan(text).values).toBe(values);
});

describe('the arrays of an object', () => {
  it('give their items one by one, however the text is cut, and leave the others', () => {
    const value = fc.record({
      a: fc.array(fc.jsonValue()),
      b: fc.jsonValue(),
      list: fc.array(fc.jsonValue()),
      z: fc.jsonValue(),
    });
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1), fc.array(fc.nat()), (whole, indent, cuts) => {
        const found: Record<string, unknown[]> = { a: [], list: [] };
        const items = new JsonItems(['a', 'list'], (text, name) => found[name]?.push(parseJson(text)));
        for (const piece of pieces(stringifyJson(whole, indent), cuts)) items.write(piece);
        expect(stringifyJson(parseJson(items.left()))).toBe(stringifyJson({ ...whole, a: [], list: [] }));
        expect(stringifyJson(found)).toBe(stringifyJson({ a: whole.a, list: whole.list }));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['[1,]', '[,1]', '[1 2]', '[1}', '[1', '[1,,2]', '{"a":1}', '[1]]', ''])('stay broken as %j', (text) => {
    const read = () => {
      const items = new JsonItems(['a'], (item) => parseJson(item));
      items.write(Buffer.from(`{"a":${text}}`));
      const { a } = parseJson(items.left()) as { a: unknown };
      if (!Array.isArray(a)) throw new Error('no array');
    };
    expect(read).toThrow();
  });
});
