import { expect, it } from 'vitest';
import { numeric, parseJson } from '../../../src/core/json.ts';
import { bodyOfChanges, changesOf } from '../../../src/domain/entries/changes.ts';

const entry = { title: 'T', archived: false, values: { a: numeric('1.50'), b: ['x', 'y'], c: null } };
const body = (change: Record<string, unknown>) => bodyOfChanges(changesOf(entry, change));

it('is only what differs: numbers by size, options as a set, empty as empty', () => {
  expect(body({ title: 'T', archived: false, values: { a: 1.5, b: ['y', 'x'], c: '', d: null } })).toEqual({});
  expect(body({ archived: true, values: { a: 1.5, b: ['x'] } })).toEqual({ archived: true, values: { b: ['x'] } });
  expect(body({ values: { c: 0 } })).toEqual({ values: { c: 0 } });
});

it('says what it was, and takes no slug for anything special', () => {
  expect(changesOf(entry, { title: 'U' })).toEqual([{ name: 'title', from: 'T', to: 'U' }]);
  const change = { values: parseJson('{"__proto__": 1}') as Record<string, unknown> };
  expect(Object.keys(body(change).values ?? {})).toEqual(['__proto__']);
});

it('reads no value that an entry only inherits, and none of an entry without values', () => {
  expect(changesOf({ values: {} }, { values: { toString: 'a' } })).toEqual([
    { name: 'values.toString', from: undefined, to: 'a' },
  ]);
  expect(changesOf({}, { values: { a: 1 } })).toEqual([{ name: 'values.a', from: undefined, to: 1 }]);
});
