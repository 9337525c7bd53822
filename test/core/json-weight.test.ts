/** What values take in memory beside their characters: held against the engine's own numbers, and the same in any pieces. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonWeight } from '../../src/core/json-weight.ts';

const weight = (text: string, pieces = [text.length]) => {
  const weighed = new JsonWeight();
  const bytes = Buffer.from(text);
  let at = 0;
  for (const length of [...pieces, bytes.length]) {
    weighed.add(bytes.subarray(at, at + length));
    at += length;
  }
  return weighed.bytes;
};

const many = (value: string | ((n: number) => string), count = 10_000) =>
  `[${Array.from({ length: count }, (_, n) => (typeof value === 'string' ? value : value(n))).join()}]`;

describe('10,000 small values', () => {
  // Bytes in memory, as the heap of Node says after `JSON.parse` of a million of them.
  test.each<[string, string | ((n: number) => string), number]>([
    ['numbers', '1', 8],
    ['empty objects', '{}', 64],
    ['empty arrays', '[]', 40],
    ['arrays of one', '[1]', 64],
    ['texts', (n) => `"k${n}"`, 32],
    ['objects of new keys', (n) => `{"k${n}":1}`, 180],
    ['objects of one form', '{"a":1,"b":2,"c":3,"d":4,"e":5}', 76],
  ])('%s weigh what they take', (_, value, taken) => {
    const each = weight(many(value)) / 10_000;
    expect(each).toBeGreaterThanOrEqual(taken * 0.9);
    expect(each).toBeLessThanOrEqual(taken * 2.2);
  });

  test.each(['1.10', '-0', '1e5', '1E5', '12345678901234567'])(
    '%s weighs what a number with its text takes',
    (value) => {
      expect(weight(many(value)) / 10_000).toBeGreaterThanOrEqual(56);
    },
  );
});

test('200,000 lists as the API shows them weigh less than half of the default limit', () => {
  const row =
    '{"id":"84b76fe6-b840-5763-a0e1-6ac931dcfda1","network_id":null,"company_id":"c0ffee00-0000-4000-8000-000000000001","name":"Deal pipeline","slug":"deal-pipeline","description":"Every company that was looked at","icon":"funnel","color":"cobalt","entity_type":"deal","context_type":null,"position":0,"created_by":"3696e1c3-cc34-5247-8511-6ff0158558c8","created_at":"2023-01-04T09:00:00.000Z","updated_at":"2023-01-04T09:00:00.000Z","is_system":false,"list_attributes_count":17}';
  expect((weight(many(row, 2000)) * 100) / 1024 / 1024).toBeLessThan(128);
});

test.each(['<p class="a,b,{[">', 'a, b, c', '', '   '])('%j weighs nothing', (text) => {
  expect(weight(text)).toBe(0);
});

test('a text weighs the same in any pieces, and its characters weigh nothing', () => {
  fc.assert(
    fc.property(fc.json(), fc.array(fc.nat(20)), (json, pieces) => {
      expect(weight(`[${json}]`, pieces)).toBe(weight(`[${json}]`));
    }),
  );
  expect(weight('["[{,:\\"[{,:.-15"]')).toBe(weight('["a"]'));
});

test('a text longer than any value of the API weighs its copies', () => {
  const text = (length: number) => `["${'a'.repeat(length)}"]`;
  expect(weight(text(1024 * 1024))).toBeLessThan(1000);
  expect(weight(text(3 * 1024 * 1024))).toBeGreaterThan(4 * 1024 * 1024);
  // Several of the longest that a server stores are data.
  expect(weight(many(`"${'a'.repeat(256 * 1024)}"`, 20))).toBeLessThan(2000);
});
