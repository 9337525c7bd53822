import { describe, expect, it } from 'vitest';
import { entryColumns } from '../../../src/commands/entries/columns.ts';
import type { CustomListEntry } from '../../../src/contract/lists.ts';
import type { Attribute } from '../../../src/domain/entries/options.ts';

const attributes: Attribute[] = [
  { slug: 'stage', name: 'Stage', attribute_type: 'select', config: { options: [{ id: 'o1', label: 'Won' }] } },
  {
    slug: 'tags',
    name: 'Tags',
    attribute_type: 'multi_select',
    config: {
      options: [
        { id: 't1', label: 'A' },
        { id: 't2', label: 'B' },
      ],
    },
  },
  { slug: 'amount', name: 'Amount', attribute_type: 'currency', config: { currency: 'EUR' } },
  { slug: 'position', name: 'Position in table', attribute_type: 'number' },
  { slug: 'values.position', name: 'Odd', attribute_type: 'text' },
  { slug: 'stage', name: 'Stage again', attribute_type: 'text' },
  { name: 'Without slug' },
  { slug: 'constructor', name: 'C', attribute_type: 'text' },
];

function cells(entry: CustomListEntry, options = {}): Record<string, unknown> {
  return Object.fromEntries(entryColumns(attributes, options).map(({ key, get }) => [key, get(entry)]));
}

describe('entryColumns', () => {
  it('has fixed columns around one for each slug, none of them twice', () => {
    expect(entryColumns(attributes).map(({ key }) => key)).toEqual([
      ...['id', 'title', 'stage', 'tags', 'amount', 'values.position', 'values.values.position', 'constructor'],
      ...['position', 'archived', 'created_at', 'updated_at'],
    ]);
  });

  it('names, types and units come from the attributes; --fields knows values.SLUG', () => {
    const amount = entryColumns(attributes).find(({ key }) => key === 'amount');
    expect(amount).toMatchObject({
      heading: 'Amount',
      type: 'currency',
      unit: 'EUR',
      aliases: ['values.amount'],
      own: { key: 'values.amount', path: ['values', 'amount'], unit: 'EUR' },
    });
  });

  it('shows labels, joined with semicolons, or ids', () => {
    const entry = { values: { stage: 'o1', tags: ['t1', 't2'], position: 3 }, position: 9 };
    expect(cells(entry)).toMatchObject({ stage: 'Won', tags: 'A; B', 'values.position': 3, position: 9 });
    expect(cells(entry, { optionIds: true })).toMatchObject({ stage: 'o1', tags: 't1; t2' });
  });

  it('shows what the attribute does not expect as it is', () => {
    const odd = { values: { stage: 'o9', tags: 't2', amount: { a: 1 } } };
    expect(cells(odd)).toMatchObject({ stage: 'o9', tags: 'B', amount: { a: 1 } });
    expect(cells({ values: { stage: { id: 'o1' }, tags: [1, null] } })).toMatchObject({
      stage: { id: 'o1' },
      tags: [1, null],
    });
    expect(cells({ values: { stage: null } })).toMatchObject({ stage: null });
    expect(cells({ values: {} }).constructor).toBeUndefined();
    expect(cells({}).stage).toBeUndefined();
  });
});
