/** The writes that make a list match its file. */
import type { createAttribute } from '../../contract/list-operations.ts';
import type { Body } from '../../contract/operation.ts';
import {
  type Comparison,
  compareLists,
  creationOf,
  type Difference,
  differencesOf,
  matchPartners,
  optionKeys,
  type PairedAttribute,
  positionsFor,
} from './difference.ts';
import type { AttributeSpec, ExistingAttribute, ExistingList, ListSpec } from './spec.ts';

/** One request. `name` is its target in messages. */
export type ListWrite = { name: string } & (
  | { do: 'createList'; body: Omit<ListSpec, 'attributes'> }
  | { do: 'updateList'; body: Partial<ListSpec> }
  | { do: 'createAttribute'; index: number; body: NewAttribute }
  | { do: 'updateAttribute'; body: AttributeChange; deletedOptions: number }
  | { do: 'deleteAttribute'; id: string }
);

type WrittenConfig = NonNullable<Body<typeof createAttribute>['config']>;

interface NewAttribute {
  name: string;
  attribute_type: AttributeSpec['type'];
  is_required?: boolean;
  position?: number;
  config?: WrittenConfig;
}

interface AttributeChange extends Partial<Omit<NewAttribute, 'attribute_type'>> {
  id: string;
}

export interface ListPlan {
  differences: Difference[];
  writes: ListWrite[];
  left: number;
  /** The number of unchanged resources: the list and its attributes. */
  unchanged: number;
}

export interface PlanOptions {
  /** Delete attributes and options that the file does not have. */
  prune?: boolean | undefined;
}

/** @param existing undefined: the list does not exist yet */
export function planList(wanted: ListSpec, existing: ExistingList | undefined, options: PlanOptions = {}): ListPlan {
  if (existing === undefined) return newList(wanted);
  const { prune = false } = options;
  const comparison = compareLists(wanted, existing);
  const { list, attributes, surplus } = comparison;
  const positions = newPositions(comparison, existing);
  const changes = attributes.flatMap((paired, index) => attributeWrite(paired, index, positions[index], prune));
  const deletions = prune ? surplus.flatMap((attribute) => deletion(attribute.existing)) : [];
  const writes: ListWrite[] = [
    ...(list.length === 0 ? [] : [{ do: 'updateList' as const, name: existing.name, body: listBody(list) }]),
    ...changes,
    // Data goes last, and not at all when something before it failed.
    ...deletions,
  ];
  const differences = differencesOf(comparison);
  const left = prune ? 0 : differences.filter(({ action }) => action === 'delete').length;
  const touched = changes.filter((write) => write.do === 'updateAttribute').length;
  const there = attributes.filter((paired) => paired.existing !== undefined).length;
  return { differences, writes, left, unchanged: (list.length === 0 ? 1 : 0) + there - touched };
}

function newList(wanted: ListSpec): ListPlan {
  const { id: _id, slug, attributes = [], $schema: _schema, ...body } = wanted;
  const name = wanted.name;
  return {
    differences: [
      { action: 'create', kind: 'list', target: slug ?? name, path: '' },
      ...attributes.map((attribute, index) => creationOf(attribute, `attributes.${index}`)),
    ],
    writes: [
      { do: 'createList', name, body },
      ...attributes.map((attribute, index): ListWrite => creation(attribute, index, index)),
    ],
    left: 0,
    unchanged: 0,
  };
}

function listBody(differences: readonly Difference[]): Partial<ListSpec> {
  return Object.fromEntries(differences.map(({ field, to }) => [field, to]));
}

function newPositions({ attributes }: Comparison, existing: ExistingList): (number | undefined)[] {
  const positions = existing.attributes.flatMap(({ position }) => position ?? []);
  const highest = positions.length === 0 ? undefined : Math.max(...positions);
  return positionsFor(
    attributes.map(({ existing: partner, index }) => ({ position: partner?.position, index })),
    highest,
  );
}

function attributeWrite(
  { wanted, existing, differences }: PairedAttribute,
  index: number,
  position: number | undefined,
  prune: boolean,
): ListWrite[] {
  if (existing === undefined) return [creation(wanted, index, position)];
  if (existing.id === undefined) return [];
  const fields = new Set(differences.filter(({ kind }) => kind === 'attribute').map(({ field }) => field));
  const optionsChange =
    fields.has('option order') ||
    differences.some(({ kind, action }) => kind === 'option' && (prune || action !== 'delete'));
  const bounds = (['currency', 'min', 'max'] as const).filter((field) => fields.has(field));
  // All of it is sent, because the API does not say whether a write of `config` merges or replaces.
  const config = {
    ...existing.config,
    ...Object.fromEntries(bounds.map((field) => [field, wanted[field]])),
    ...(optionsChange ? { options: finalOptions(wanted, existing, prune) } : {}),
  } as WrittenConfig;
  const change: AttributeChange = {
    id: existing.id,
    ...(fields.has('name') ? { name: wanted.name } : {}),
    ...(fields.has('required') ? { is_required: wanted.required } : {}),
    ...(position === undefined ? {} : { position }),
    ...(optionsChange || bounds.length > 0 ? { config } : {}),
  };
  if (Object.keys(change).length === 1) return [];
  const deletedOptions = prune
    ? differences.filter(({ kind, action }) => kind === 'option' && action === 'delete')
    : [];
  const name = existing.slug ?? existing.name;
  return [{ do: 'updateAttribute', name, body: change, deletedOptions: deletedOptions.length }];
}

/** The options in the wanted order with all of their fields; options that are not in the file are last. */
function finalOptions(wanted: AttributeSpec, existing: ExistingAttribute, prune: boolean): unknown[] {
  const before = existing.options ?? [];
  const raw = existing.config?.options ?? before;
  const partners = matchPartners(wanted.options ?? [], before, optionKeys);
  const matched = new Set(partners.values());
  const named = (wanted.options ?? []).map(({ id, ...option }, index) => {
    const existingIndex = partners.get(index);
    if (existingIndex === undefined) return id === undefined ? option : { id, ...option };
    return { ...raw[existingIndex], ...option };
  });
  return [...named, ...(prune ? [] : raw.filter((_, existingIndex) => !matched.has(existingIndex)))];
}

function creation(wanted: AttributeSpec, index: number, position: number | undefined): ListWrite {
  const { name, type, required, currency, min, max, options } = wanted;
  const configured = Object.entries({ options, currency, min, max }).filter(([, value]) => (value ?? null) !== null);
  return {
    do: 'createAttribute',
    name: wanted.slug ?? name,
    index,
    body: {
      name,
      attribute_type: type,
      ...(configured.length === 0 ? {} : { config: Object.fromEntries(configured) as WrittenConfig }),
      ...(required === undefined ? {} : { is_required: required }),
      ...(position === undefined ? {} : { position }),
    },
  };
}

function deletion({ id, slug, name }: ExistingAttribute): ListWrite[] {
  return id === undefined ? [] : [{ do: 'deleteAttribute', id, name: slug ?? name }];
}
