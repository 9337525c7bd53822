import { describe, expect, it } from 'vitest';
import { compareLists, differencesOf, impactText } from '../../../src/domain/list-code/difference.ts';
import type { AttributeSpec, ExistingAttribute, ExistingList, ListSpec } from '../../../src/domain/list-code/spec.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const options = [
  { id: 'o1', label: 'Open', tone: 'sand' as const },
  { id: 'o2', label: 'Won' },
];
const stage: ExistingAttribute = { id: id(1), slug: 'stage', name: 'Stage', type: 'status', required: false, options };
const size: ExistingAttribute = { id: id(2), slug: 'size', name: 'Size', type: 'number', required: false, min: 0 };
const list: ExistingList = { id: id(9), slug: 'deals', name: 'Deals', attributes: [stage, size] };
const wanted = { stage: { name: 'Stage', type: 'status' }, size: { name: 'Size', type: 'number' } } as const;

const differences = (spec: ListSpec, there = list) => differencesOf(compareLists(spec, there));
const ofAttributes = (...attributes: AttributeSpec[]) => differences({ name: 'Deals', attributes });

describe('what is different', () => {
  it('is nothing where the file says less, or the same in other words', () => {
    expect(differences({ name: 'Deals' })).toEqual([]);
    expect(ofAttributes(wanted.stage, { ...wanted.size, min: 0 })).toEqual([]);
    expect(differences({ name: 'Deals', icon: null })).toEqual([]);
  });

  it('of a list is each of its fields, under its slug or name', () => {
    expect(differences({ name: 'Pipeline', icon: 'x' })).toEqual([
      { action: 'update', kind: 'list', target: 'deals', field: 'name', from: 'Deals', to: 'Pipeline', path: 'name' },
      { action: 'update', kind: 'list', target: 'deals', field: 'icon', from: null, to: 'x', path: 'icon' },
    ]);
    expect(differences({ name: 'B' }, { name: 'A', attributes: [] })).toMatchObject([{ target: 'A' }]);
  });

  it('is a new attribute with its type, whether it is required, and its options', () => {
    const fresh = { name: 'Phase', type: 'select', required: true, options: [{ label: 'A' }, { label: 'B' }] } as const;
    const [difference, ...others] = ofAttributes(wanted.stage, wanted.size, { ...fresh, options: [...fresh.options] });
    expect(difference).toEqual({
      ...{ action: 'create', kind: 'attribute', target: 'Phase', to: 'select, required, A; B', path: 'attributes.2' },
    });
    expect(others).toEqual([]);
    expect(ofAttributes(wanted.stage, wanted.size, { name: 'N', slug: 'n', type: 'text' })).toMatchObject([
      { target: 'n', to: 'text' },
    ]);
  });

  it('is an attribute that is gone, with the affected which entries fill it', () => {
    expect(ofAttributes(wanted.stage)).toEqual([
      {
        ...{ action: 'delete', kind: 'attribute', target: 'size', from: 'number', path: 'attributes' },
        affected: { is: 'filled', slug: 'size' },
      },
    ]);
    const { slug: _, ...bare } = size;
    const [gone] = differences({ name: 'Deals', attributes: [] }, { ...list, attributes: [bare] });
    expect(gone).toEqual({ action: 'delete', kind: 'attribute', target: 'Size', from: 'number', path: 'attributes' });
  });

  it('is refused for a type, and only for the slug of the same attribute', () => {
    const [type] = ofAttributes(wanted.stage, { ...wanted.size, id: id(2).toUpperCase(), type: 'text' });
    expect(type?.refused?.why).toBe('the API cannot change number to text');
    const [slug] = ofAttributes(wanted.stage, { ...wanted.size, id: id(2).toUpperCase(), slug: 'other' });
    expect(slug).toMatchObject({ field: 'slug', from: 'size', to: 'other' });
    expect(slug?.refused?.why).toBe("a slug never changes, and this attribute's is size");
    expect(ofAttributes(wanted.stage, { ...wanted.size, id: id(7), slug: 'size' })).toEqual([]);
  });

  it('asks the entries where a requirement gets narrower', () => {
    const changed = ofAttributes(wanted.stage, { ...wanted.size, required: true, min: 1, max: 5 });
    expect(changed.map(({ field, from, to, affected }) => [field, from, to, affected])).toEqual([
      ['required', false, true, { is: 'empty', slug: 'size' }],
      ['min', 0, 1, undefined],
      ['max', null, 5, undefined],
    ]);
    const free = { ...list, attributes: [stage, { ...size, required: true }] };
    const [wider] = differences(
      { name: 'Deals', attributes: [wanted.stage, { ...wanted.size, required: false }] },
      free,
    );
    expect(wider).toEqual({
      ...{ action: 'update', kind: 'attribute', target: 'size', field: 'required', from: true, to: false },
      path: 'attributes.1.required',
    });
  });

  it('of options is what they are called, what is new, their order, and what is gone', () => {
    const said = (some: NonNullable<AttributeSpec['options']>) =>
      ofAttributes({ ...wanted.stage, options: some }, wanted.size);
    expect(said([{ id: 'o1', label: 'Opened', tone: 'sage' }, { label: 'Won' }])).toMatchObject([
      {
        kind: 'option',
        target: 'stage: Open',
        field: 'label',
        from: 'Open',
        to: 'Opened',
        path: 'attributes.0.options.0.label',
      },
      { kind: 'option', target: 'stage: Open', field: 'tone', from: 'sand', to: 'sage' },
    ]);
    expect(said([{ label: 'Won' }, { label: 'Open' }, { label: 'New', tone: 'mint' }])).toEqual([
      { action: 'create', kind: 'option', target: 'stage: New', to: 'mint', path: 'attributes.0.options.2' },
      {
        ...{ action: 'update', kind: 'attribute', target: 'stage', field: 'option order' },
        ...{ from: 'Open, Won', to: 'Won, Open', path: 'attributes.0.options' },
      },
    ]);
    expect(said([{ label: 'Won' }])).toEqual([
      {
        ...{ action: 'delete', kind: 'option', target: 'stage: Open', path: 'attributes.0.options' },
        affected: { is: 'option', slug: 'stage', id: 'o1' },
      },
    ]);
  });

  it('is the order of the attributes that are in both', () => {
    expect(ofAttributes(wanted.size, { name: 'New', type: 'text' }, wanted.stage)).toMatchObject([
      { action: 'create', target: 'New' },
      { kind: 'list', target: 'deals', field: 'attribute order', from: 'stage, size', to: 'size, stage' },
    ]);
  });
});

describe('impactText', () => {
  const of = (entries: number, affected: { is: 'filled' | 'empty' | 'option' } | undefined, more = {}) =>
    impactText(
      {
        ...{ action: 'update', kind: 'attribute', target: 'size', path: '' },
        ...(affected && { affected: { slug: 'size', ...affected } }),
        ...more,
      },
      entries,
    );

  it('counts in the singular and the plural', () => {
    expect([of(1, { is: 'empty' }), of(2, { is: 'empty' })]).toEqual([
      '1 entry has no value',
      '2 entries have no value',
    ]);
  });

  it('tells of what goes even where it isAffected no entry, and else of nothing', () => {
    expect(of(0, { is: 'filled' }, { action: 'delete' })).toBe('deleting attribute size drops 0 values');
    const option = { action: 'delete', kind: 'option', target: 'stage: Won: late' };
    expect(of(1, { is: 'option' }, option)).toBe('removing option Won: late touches 1 entry');
    expect([of(0, { is: 'empty' }), of(3, undefined), of(3, { is: 'filled' })]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});
