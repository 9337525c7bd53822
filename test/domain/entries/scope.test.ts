import { expect, it } from 'vitest';
import { entryScope, openScope } from '../../../src/domain/entries/scope.ts';

const now = new Date('2026-03-05T12:00:00Z');
const scope = entryScope(
  [
    {
      slug: 'stage',
      attribute_type: 'status',
      config: { options: [{ id: 'o1', label: 'A' }, { id: 'o2' }, { label: 'B' }] },
    },
    { slug: 'score', attribute_type: 'rating', config: { max: 10 } },
    { slug: 'size', attribute_type: 'number', config: { min: 3 } },
    { slug: 'title', attribute_type: 'text' },
    { slug: 'odd' },
    { attribute_type: 'text' },
  ],
  () => now,
);

it('every fixed field has its type', () => {
  const fields = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];
  const types = ['text', 'text', 'number', 'boolean', 'time', 'time'];
  expect(fields.map((name) => scope.column(name)?.type)).toEqual(types);
});

it('a slug equal to a fixed field is named behind `values.`, every other one may be', () => {
  expect(scope.names.slice(-5)).toEqual(['stage', 'score', 'size', 'values.title', 'odd']);
  const entry = { title: 'of the entry', values: { title: 'of the attribute', size: 4 } };
  const read = (name: string) => scope.column(name)?.get(entry);
  expect(['title', 'values.title', 'size', 'values.size'].map(read)).toEqual([
    ...['of the entry', 'of the attribute', 4, 4],
  ]);
  expect(scope.column('values.id')).toBeUndefined();
});

it('the name of an attribute finds it in any letter case, unless it is a field or a slug', () => {
  const named = entryScope(
    [
      { slug: 'gics-sector', name: 'GICS Sector', attribute_type: 'text' },
      { slug: 'size', name: 'Gics-Sector', attribute_type: 'number' },
      { slug: 'heading', name: 'Title', attribute_type: 'number' },
    ],
    () => now,
  );
  const types = ['GICS Sector', 'gics sector', 'Gics-Sector', 'gics-sector', 'Title', 'heading', 'x'];
  expect(types.map((name) => named.column(name)?.type)).toEqual([
    ...['text', 'text', 'number', 'text', 'text', 'number', undefined],
  ]);
  expect(named.column('GICS Sector')?.name).toBe('gics-sector');
});

it('options have ids, and labels or ids for labels', () => {
  expect(scope.column('stage')?.options).toEqual([
    { id: 'o1', label: 'A' },
    { id: 'o2', label: 'o2' },
  ]);
});

it('reads no value that is only inherited', () => {
  const odd = entryScope([{ slug: 'toString', attribute_type: 'text' }], () => now).column('values.toString');
  expect(odd?.get({ values: {} })).toBeUndefined();
});

it('without a list any name but a time is a column of unknown type', () => {
  const open = openScope(() => now);
  expect([open.column('position')?.type, open.column('anything')?.type]).toEqual(['number', 'unknown']);
  expect(open.column('today')).toBeUndefined();
});
