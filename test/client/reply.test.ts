import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWithout as parseBytesWithout } from '../../src/client/paging.ts';
import { parseJson } from '../../src/core/json.ts';

const parseWithout = (text: string, name: string) =>
  parseBytesWithout(Buffer.from(text), name, (bytes) => parseJson(Buffer.from(bytes).toString('utf8')));

describe('parseWithout', () => {
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
