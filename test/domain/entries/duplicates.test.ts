import { describe, expect, it } from 'vitest';
import {
  duplicatesIn,
  type Entry,
  likenessKeys,
  mergeOf,
  webKey,
  wordKey,
} from '../../../src/domain/entries/duplicates.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';

describe('the domain of an address', () => {
  it.each([
    ['https://www.Acme.com/about?x=1#y', 'acme.com'],
    ['http://acme.com:8080', 'acme.com'],
    ['acme.com', 'acme.com'],
    ['ACME.COM.', 'acme.com'],
    ['https://shop.acme.com', 'shop.acme.com'],
    ['https://www2.acme.com', 'acme.com'],
    ['https://münchen.de', 'xn--mnchen-3ya.de'],
    ['https://www.linkedin.com/company/Acme/', 'linkedin.com/company/acme'],
    ['https://de.linkedin.com/company/acme', 'de.linkedin.com/company/acme'],
    ['https://user:secret@acme.com', 'acme.com'],
    ['acme', undefined],
    ['3.5', undefined],
    ['', undefined],
    ['mailto:a@acme.com', undefined],
    ['ann@acme.com', undefined],
    ['https://', undefined],
    ['Acme. And more', undefined],
    ['javascript:alert(1)', undefined],
  ])('%s is %s', (text, key) => {
    expect(webKey(text)).toBe(key);
  });
});

describe('titles', () => {
  it.each([
    ['Acme Inc.', 'ACME'],
    ['Acme GmbH & Co. KG', 'acme gmbh and co kg'],
    ['Café Zürich AG', 'cafe zurich'],
    ['Müller & Söhne AG', 'Mueller & Soehne'],
    ['Müller & Söhne AG', 'Muller & Sohne'],
    ['Capital, Northgate', 'Northgate Capital'],
    ['The Browser Company', 'Browser'],
    ['Straße 12', 'strasse 12'],
  ])('%s and %s have the same words', (a, b) => {
    expect(wordKey(a)).toBe(wordKey(b));
  });

  it.each([
    ['Fund I', 'Fund II'],
    ['Series A', 'Series B'],
    ['Acme 2023', 'Acme 2024'],
    ['Acme', 'Acne'],
    ['Inc', 'GmbH'],
    ['Acme Labs', 'Acme'],
  ])('%s and %s do not', (a, b) => {
    expect(wordKey(a)).not.toBe(wordKey(b));
  });
});

const attributes: Attribute[] = [
  { slug: 'website', attribute_type: 'url' },
  { slug: 'notes', attribute_type: 'text' },
  { slug: 'tags', attribute_type: 'multi_select' },
  { slug: 'hot', attribute_type: 'checkbox' },
  { slug: 'amount', attribute_type: 'number' },
];
const entry = (id: string, title: string, values: Record<string, unknown>, created_at?: string) =>
  ({ id, title, values, created_at }) as Entry;
const found = (entries: Entry[], ...keys: string[]) =>
  duplicatesIn(entries, likenessKeys(keys, attributes)).map(({ keeper: kept, others, keys: by }) => [
    kept.id,
    others.map(({ id }) => id),
    by,
  ]);

describe('duplicates', () => {
  it('agree in any key, also through another one', () => {
    const entries = [
      entry('a', 'Acme', { website: 'https://acme.com' }, '2024-03-01T00:00:00Z'),
      entry('b', 'Else', {}),
      entry('c', 'Acme Rockets', { website: 'http://www.acme.com/x' }, '2024-01-01T00:00:00Z'),
      entry('d', 'ACME', {}, '2024-02-01T00:00:00Z'),
    ];
    expect(found(entries, 'website,title~')).toEqual([['c', ['d', 'a'], ['website', 'title~']]]);
    expect(found(entries, 'website|title~')).toEqual(found(entries, 'website', 'title~'));
    expect(found(entries, 'website')).toEqual([['c', ['a'], ['website']]]);
    expect(found(entries, 'title')).toEqual([['d', ['a'], ['title']]]);
  });

  it('are not those without a value', () => {
    const entries = [entry('a', '???', {}), entry('b', '!!!', { website: '' }), entry('c', '', {})];
    expect(found(entries, 'website', 'notes', 'title~')).toEqual([]);
  });

  it('are found in linear time, also when all are alike', () => {
    const same = Array.from({ length: 20_000 }, (_, at) => entry(String(at), 'Northgate Capital Partners', {}));
    const [group] = duplicatesIn(same, likenessKeys(['title~'], attributes));
    expect([group?.keeper.id, group?.others.length]).toEqual(['0', 19_999]);
    const numbered = Array.from({ length: 20_000 }, (_, at) => entry(String(at), `Northgate Capital ${at}`, {}));
    expect(found(numbered, 'title~')).toEqual([]);
  });

  it.each([
    ['webiste', 'did you mean website?'],
    ['hot', undefined],
    ['tags', undefined],
    ['website~', 'compare website itself'],
    ['', undefined],
  ])('--key %j is refused', (key, hint) => {
    expect(() => likenessKeys([key], attributes)).toThrow(expect.objectContaining({ kind: 'usage', hint }));
  });
});

describe('merged values', () => {
  it('are those of the oldest, filled from the others, with what differs', () => {
    const kept = entry('a', 'A', { notes: 'first', tags: ['x'], amount: 1.5 });
    const others = [
      entry('b', 'B', { notes: 'second', tags: ['y', 'x'], website: 'https://b.com' }),
      entry('c', 'C', { notes: 'first', website: 'https://c.com', hot: false, amount: 1.5 }),
    ];
    expect(mergeOf({ keeper: kept, others, keys: [] }, attributes)).toEqual({
      values: { website: 'https://b.com', tags: ['x', 'y'], hot: false },
      conflicts: [
        { slug: 'website', value: 'https://b.com', others: [{ entry: others[1], value: 'https://c.com' }] },
        { slug: 'notes', value: 'first', others: [{ entry: others[0], value: 'second' }] },
      ],
    });
  });
});
