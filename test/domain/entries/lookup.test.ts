import { expect, it } from 'vitest';
import type { Attribute } from '../../../src/domain/entries/options.ts';
import { entryLookup, entryNames, OptionValue } from '../../../src/domain/entries/scope.ts';

const options = [{ id: 'o1', label: 'Won' }, { id: 'o2' }, { label: 'without an id' }];
const attributes: Attribute[] = [
  { slug: 'stage', attribute_type: 'status', config: { options } },
  { slug: 'tags', attribute_type: 'multi_select', config: { options } },
  { slug: 'title', attribute_type: 'text' },
  { attribute_type: 'select', config: { options } },
];
const values = { stage: 'o1', tags: ['o2', 'gone'], title: 'of the attribute', size: 3 };
const read = entryLookup(attributes)({ id: 'e1', title: 'of the entry', values });

it('a slug equal to a fixed field is named behind `values.`', () => {
  expect(entryNames(attributes).slice(-3)).toEqual(['stage', 'tags', 'values.title']);
  expect([read('title'), read('values.title'), read('values.size'), read('size')]).toEqual([
    ...['of the entry', 'of the attribute', 3, 3],
  ]);
});

it('options are read with id and label, and stay what they are where the list does not know them', () => {
  expect(read('stage')).toEqual(new OptionValue('o1', 'Won'));
  expect(read('tags')).toEqual([new OptionValue('o2', 'o2'), 'gone']);
  const odd = entryLookup(attributes)({ values: { stage: 5, tags: null } });
  expect([odd('stage'), odd('tags')]).toEqual([5, null]);
});

it('reads the fields of the entry, and nothing that is only inherited', () => {
  expect([read('id'), read('created_at')]).toEqual(['e1', undefined]);
  expect([read('toString'), read('values.constructor')]).toEqual([undefined, undefined]);
  expect(entryLookup(attributes)({})('stage')).toBeUndefined();
});
