import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTooDeep as bytesAreTooDeep, mostLevels } from '../../src/core/json-depth.ts';

const isTooDeep = (text: string) => bytesAreTooDeep(Buffer.from(text));

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
  expect(isTooDeep('')).toBe(false);
});
