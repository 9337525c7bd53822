import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PageBody } from '../../src/client/answer.ts';
import { parseJson } from '../../src/core/json.ts';

const parseWithout = (text: string, without: string) =>
  new PageBody(Buffer.from(text), { without }).read((bytes) => parseJson(Buffer.from(bytes).toString('utf8')));

describe('a page without an array that nobody looks at', () => {
  it('leaves the array unread, and keeps everything else to the digit', () => {
    const text = '{"items":[{"metrics":{"mrr":1.10}}],"observations":[{"value":1.10},{"value":2}],"truncated":false}';
    expect(parseWithout(text, 'observations')).toEqual(
      parseJson('{"items":[{"metrics":{"mrr":1.10}}],"observations":[],"truncated":false}'),
    );
  });

  it.each([
    '{"observations":[{"source":"a]b","more":["]"]}],"n":1}',
    '{"observations":[{"source":"],"},{"x":"}"}],"n":1}',
    '{"observations": [1], "n": 1}',
    '{"items":[{"observations":[1]}],"n":1}',
    '{"items":[{"observations":[1]}],"observations":[2],"n":1}',
    '{"items":"\\"observations\\":[1]","observations":[{"a":[1]}]}',
    '[{"observations":[1]}]',
    '{"n":1}',
  ])('reads the whole of %s, or all but the array', (text) => {
    const whole = JSON.parse(text);
    const found = parseWithout(text, 'observations') as Record<string, unknown>;
    if (Array.isArray(found) || found.observations === undefined) expect(found).toEqual(whole);
    else expect({ ...found, observations: undefined }).toEqual({ ...whole, observations: undefined });
  });

  it('changes nothing but the array, whatever the body', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom('],', '"]', '}]', '"observations":[', ']', '\\"],"x":"'));
    const value = fc.dictionary(fc.string(), fc.oneof(word, fc.array(word), fc.integer()));
    const body = fc.record({ items: fc.array(value), observations: fc.array(value), more: value });
    fc.assert(
      fc.property(body, (whole) => {
        const found = parseWithout(JSON.stringify(whole), 'observations') as typeof whole;
        const plain = JSON.parse(JSON.stringify(whole));
        expect(found.items).toEqual(plain.items);
        expect(found.more).toEqual(plain.more);
        if (found.observations.length > 0) expect(found.observations).toEqual(plain.observations);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what is not JSON', () => {
    expect(() => parseWithout('{"observations":[1]', 'observations')).toThrow(SyntaxError);
  });
});

describe('where the next page starts', () => {
  const parts = { without: 'observations', rows: 'items' };
  const next = (text: string, given = parts) => new PageBody(Buffer.from(text), given).nextCursor();

  it('is found before a row is read', () => {
    expect(
      next('{"items":[{"metrics":{"mrr":1.10}}],"observations":[{"n":1}],"nextCursor":"b","truncated":true}'),
    ).toBe('b');
    expect(next('{"nextCursor":"b","items":[{"a":1}],"observations":[]}')).toBe('b');
    expect(next('{"items":[nonsense],"observations":[],"nextCursor":"b"}')).toBe('b');
  });

  it.each([
    ['{"items":[{"tags":["a"]}],"observations":[],"nextCursor":"b"}', 'an array within a row'],
    ['{"items":[{"a":"]"}],"observations":[],"nextCursor":"b"}', 'a bracket in a text'],
  ])('is known of %s: %s', (text) => {
    expect(next(text)).toBe('b');
  });

  it.each([
    ['{"rows":{"items":[{"a":1}]},"observations":[],"nextCursor":"b"}', 'rows elsewhere'],
    ['{"observations":[],"nextCursor":"b"}', 'no rows'],
    ['{"items":[],"observations":[],"nextCursor":7}', 'a number'],
    ['{"items":[],"observations":[],"nextCursor":""}', 'nothing'],
    ['{"items":[],"observations":[],"nextCursor":"b"', 'half a body'],
    ['<html>"items":[]</html>', 'no JSON'],
  ])('is not known of %s: %s', (text) => {
    expect(next(text)).toBeUndefined();
  });

  it('is that of the whole body, whatever the body', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom('],', '"items":[', '"nextCursor":"x"', '"observations":[', ']'));
    const value = fc.dictionary(fc.string(), fc.oneof(word, fc.array(word), fc.integer()));
    const body = fc.record(
      { items: fc.array(value), observations: fc.array(value), nextCursor: word, more: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(body, (whole) => {
        const found = next(JSON.stringify(whole));
        if (found !== undefined) expect(found).toBe(whole.nextCursor);
      }),
      { numRuns: 1000 },
    );
  });
});
