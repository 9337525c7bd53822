/** Rows in a temporary file, numbers found by hashed keys, and the elements of long JSON texts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numeric, parseJson, stringifyJson } from '../../src/core/json.ts';
import { JsonElements } from '../../src/core/json-stream.ts';
import { KeyIndex } from '../../src/core/key-index.ts';
import { mapRows, Spool } from '../../src/core/spool.ts';

/** A text cut at random places. */
const pieces = (text: string, cuts: readonly number[]) => {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};

describe('Spool', () => {
  it.each([[3], [2000], [2001], [9000]])('gives %d items back, in order and at any place', (count) => {
    const spool = new Spool<unknown>();
    const item = (n: number) => ({
      n,
      text: n % 700 === 0 ? 'ä'.repeat(90_000) : `ü${n}\n`,
      exact: numeric(`${n}.10`),
    });
    for (let n = 0; n < count; n += 1) {
      spool.push(item(n));
      if (n % 1500 === 0) expect(spool.at(n)).toEqual(item(n));
    }
    expect([spool.length, spool.at(-1), spool.at(count)]).toEqual([count, undefined, undefined]);
    let n = 0;
    for (const found of spool) {
      if (stringifyJson(found) !== stringifyJson(item(n))) expect(found).toEqual(item(n));
      n += 1;
    }
    expect(n).toBe(count);
    expect(mapRows(spool, (one, index) => [one, index]).at(2)).toEqual([item(2), 2]);
    spool.close();
    expect([...spool]).toEqual([]);
  });
});

describe('KeyIndex', () => {
  it('finds every number of a key, the lowest first', () => {
    const index = new KeyIndex();
    const count = 20_000;
    for (let n = 0; n < count; n += 1) index.add(`key ${n % 15_000}`, n);
    for (let n = 0; n < count; n += 777) {
      const wanted = [n % 15_000, (n % 15_000) + 15_000].filter((one) => one < count);
      const found = index.find(`key ${n % 15_000}`).filter((one) => one % 15_000 === n % 15_000);
      expect(found).toEqual(wanted);
    }
    expect(new KeyIndex().find('')).toEqual([]);
  });
});

describe('JsonElements', () => {
  it('gives the elements of an array as JSON.parse does, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.constantFrom(undefined, 1),
        fc.array(fc.nat()),
        (value, indent, cuts) => {
          const found: unknown[] = [];
          const elements = new JsonElements((text) => found.push(parseJson(text)));
          for (const piece of pieces(stringifyJson(value, indent), cuts)) elements.write(piece);
          expect(stringifyJson(found)).toBe(stringifyJson(value));
          expect(parseJson(elements.left())).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives those of the members that are named, and leaves the others', () => {
    fc.assert(
      fc.property(
        fc.record({
          a: fc.array(fc.jsonValue()),
          b: fc.jsonValue(),
          list: fc.array(fc.jsonValue()),
          z: fc.jsonValue(),
        }),
        fc.array(fc.nat()),
        (value, cuts) => {
          const found: Record<string, unknown[]> = { a: [], list: [] };
          const elements = new JsonElements((text, key) => found[key ?? '']?.push(parseJson(text)), ['a', 'list']);
          for (const piece of pieces(stringifyJson(value), cuts)) elements.write(piece);
          expect(stringifyJson(parseJson(elements.left()))).toBe(stringifyJson({ ...value, a: [], list: [] }));
          expect(stringifyJson(found)).toBe(stringifyJson({ a: value.a, list: value.list }));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(['[1,]', '[,1]', '[1 2]', '[1}', '[1', '[1,,2]', '{"a":1}', '[1]]', ''])('leaves %j broken', (text) => {
    const whole = () => {
      const elements = new JsonElements((element) => parseJson(element));
      elements.write(text);
      const left = parseJson(elements.left());
      if (!Array.isArray(left)) throw new Error('no array');
    };
    expect(whole).toThrow();
  });
});
