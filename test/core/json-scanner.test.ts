import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scanJson } from '../../src/core/json-scanner.ts';
import { maxLevels } from '../../src/core/limits.ts';

const scan = (text: string) => scanJson(Buffer.from(text));
const isTooDeep = (text: string) => scan(text).isTooDeep;

const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ['[', ']', 1],
  ['{"a":', '}', 1],
  ['[{"a\\"[":', '}]', 2],
  [' [ ', ' ]\n', 1],
])('%s is counted by levels', (open, close, levels) => {
  const most = maxLevels / levels;
  expect(isTooDeep(nested(open, close, most))).toBe(false);
  expect(isTooDeep(nested(open, close, most + 1))).toBe(true);
});

it('siblings hide no level of a long text', () => {
  const rest = `,"rest":"${'x'.repeat(1024 * 1024)}"`;
  expect(isTooDeep(`{"deep":${nested('{"a":', ',"b":[]}', maxLevels + 1)}${rest}}`)).toBe(true);
  expect(isTooDeep(`{"deep":${nested('{"a":', ',"b":[]}', maxLevels - 2)}${rest}}`)).toBe(false);
});

it('brackets within texts do not count', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a') })), (texts) => {
      expect(isTooDeep(JSON.stringify([texts, '['.repeat(2000), ']'.repeat(2000)]))).toBe(false);
    }),
  );
});

it('a byte order mark hides nothing', () => {
  expect(isTooDeep(`\uFEFF ${nested('[', ']', maxLevels + 1)}`)).toBe(true);
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

it.each([
  ['[1,2,3]', 3],
  ['[{},{}]', 4],
  ['{"a":1,"b":[]}', 3],
  ['["a,{[\\"", "b"]', 2],
])('%s has about %i values', (text, values) => {
  expect(scan(text).values).toBe(values);
});

it.each([
  ['{"a":[[1],"]"],"b":{"list":[2]},"list" : [ {"x":"]"} ],"z":1}', ' {"x":"]"} '],
  ['{"b":"list","c":[1]}', undefined],
  ['{"list":{"a":[1]}}', undefined],
  ['{"list":[1', undefined],
])('the array that is named is found in %s', (text, items) => {
  const { array } = scanJson(Buffer.from(text), 'list');
  expect(array && text.slice(array.start, array.end)).toBe(items);
});
