import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detached } from '../../src/client/paging.ts';
import { IdSet } from '../../src/core/id-set.ts';

test('tells each id once, as a Set would, whatever the ids are', () => {
  const close = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map(([a, b, c]) => {
    const hex = (value: number, width: number) => value.toString(16).padStart(width, '0');
    return `${hex(a, 8)}-0000-${hex(b, 4)}-0000-${hex(c, 12)}`;
  });
  const id = fc.oneof(
    fc.uuid(),
    close,
    fc.string(),
    fc.integer(),
    fc.uuid().map((text) => text.toUpperCase()),
    // Of the length and the form of a uuid, but for one character.
    fc
      .tuple(close, fc.nat(35), fc.constantFrom('g', '/', ':', '-', '0', 'F', '\u00e9', '\u0430', '\ud83d'))
      .map(([text, at, letter]) => text.slice(0, at) + letter + text.slice(at + 1)),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), (ids) => {
      const mine = new IdSet();
      const set = new Set<unknown>();
      for (const one of [...ids, ...ids]) {
        expect(mine.add(one)).toBe(!set.has(one));
        set.add(one);
      }
    }),
  );
});

test('keeps them apart while it grows', () => {
  const set = new IdSet();
  const id = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
  for (let n = 0; n < 50_000; n += 1) expect(set.add(id(n))).toBe(true);
  for (let n = 0; n < 50_000; n += 1) expect(set.add(id(n))).toBe(false);
  expect(set.add(id(50_000))).toBe(true);
});

test('a detached string is the same text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => detached(text) === text));
  expect(detached('\ud800 alone')).toBe('\ud800 alone');
});
