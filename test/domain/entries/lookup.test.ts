import { expect, it } from 'vitest';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { entryScope, valueReader } from '../../../src/domain/entries/scope.ts';

const options = [{ id: 'o1', label: 'Won' }, { id: 'o2' }, { label: 'without an id' }];
const attributes: Attribute[] = [
  { slug: 'stage', attribute_type: 'status', config: { options } },
  { slug: 'tags', attribute_type: 'multi_select', config: { options } },
  { slug: 'title', attribute_type: 'text' },
  { slug: 'size', attribute_type: 'number' },
  { attribute_type: 'select', config: { options } },
];
const scope = entryScope(attributes, () => new Date(0));
const values = { stage: 'o1', tags: ['o2', 'gone'], title: 'of the attribute', size: 3 };
const read = (name: string, entry: object = { id: 'e1', title: 'of the entry', values }) =>
  valueReader(scope, name)(entry);

it('a slug equal to a fixed field is named behind `values.`', () => {
  expect(scope.names.slice(-4)).toEqual(['stage', 'tags', 'values.title', 'size']);
  expect([read('title'), read('values.title'), read('values.size'), read('size')]).toEqual([
    ...['of the entry', 'of the attribute', 3, 3],
  ]);
});

it('options are read by their labels, and stay what they are where the list does not know them', () => {
  expect([read('stage'), read('tags')]).toEqual(['Won', ['o2', 'gone']]);
  const odd = { values: { stage: 5, tags: null } };
  expect([read('stage', odd), read('tags', odd)]).toEqual([5, null]);
});

it('reads the fields of the entry, and nothing that is only inherited', () => {
  expect([read('id'), read('created_by')]).toEqual(['e1', undefined]);
  expect([read('toString'), read('values.constructor')]).toEqual([undefined, undefined]);
  expect(read('stage', { values: {} })).toBeUndefined();
  expect(() => read('stage', { id: 'e1' })).toThrow('comem needs values of the entry e1');
});
