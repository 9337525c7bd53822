/** The differences between a list file and the existing list. */

import { compare } from '../../core/decimal.ts';
import { isNumeric, propertyOf } from '../../core/json.ts';
import { isEmptyValue } from '../../core/same.ts';
import type { AttributeSpec, ExistingAttribute, ExistingList, ListSpec, OptionSpec } from './spec.ts';

/** Selects the entries that a change affects, by their value of one attribute. */
interface Affected {
  slug: string;
  /** A value at all, none, the option `id`. */
  is: 'filled' | 'empty' | 'option';
  id?: string;
}

export interface Difference {
  action: 'create' | 'update' | 'delete';
  kind: 'list' | 'attribute' | 'option';
  /** The slug of the list or attribute, or its name while it has none; an option after its attribute: `stage: Won`. */
  target: string;
  /** The field that changes; undefined for a creation or deletion. */
  field?: string;
  from?: unknown;
  to?: unknown;
  affected?: Affected;
  /** The position in the wanted list, dotted: `attributes.2.type`. */
  path: string;
  /** Why the API cannot make the change, and what to do instead. Drift may be shown, but not undone. */
  refused?: { why: string; instead: string; isDrift?: true };
}

/** A wanted attribute with its partner in the existing list. */
export interface PairedAttribute {
  wanted: AttributeSpec;
  existing?: ExistingAttribute;
  index?: number;
  differences: Difference[];
}

export interface Comparison {
  list: Difference[];
  attributes: PairedAttribute[];
  surplus: { existing: ExistingAttribute; difference: Difference }[];
  order: Difference[];
}

type Subject = Pick<Difference, 'kind' | 'target'>;

const listFields = ['name', 'description', 'icon', 'color', 'entity_type', 'context_type', 'position'] as const;

export function compareLists(wanted: ListSpec, existing: ExistingList): Comparison {
  const subject: Subject = { kind: 'list', target: existing.slug ?? existing.name };
  const list = listFields.flatMap((field) => changes(subject, field, existing[field], wanted[field], field));
  if (wanted.attributes === undefined) return { list, attributes: [], surplus: [], order: [] };
  const partners = matchPartners(wanted.attributes, existing.attributes, attributeKeys);
  const attributes = wanted.attributes.map((attribute, wantedIndex): PairedAttribute => {
    const index = partners.get(wantedIndex);
    const partner = index === undefined ? undefined : existing.attributes[index];
    const path = `attributes.${wantedIndex}`;
    if (index === undefined || partner === undefined) {
      return { wanted: attribute, differences: [creationOf(attribute, path)] };
    }
    return { wanted: attribute, existing: partner, index, differences: compareAttributes(attribute, partner, path) };
  });
  const matched = new Set(partners.values());
  const surplus = existing.attributes
    .filter((_, index) => !matched.has(index))
    .map((attribute) => ({ existing: attribute, difference: deletionOf(attribute) }));
  const names = existing.attributes.map(({ slug, name }) => slug ?? name);
  const order = orderChanges(subject, { field: 'attribute order', path: 'attributes', partners, names });
  return { list, attributes, surplus, order };
}

/** All differences in the order in which they are shown. */
export function differencesOf({ list, attributes, surplus, order }: Comparison): Difference[] {
  return [
    ...list,
    ...attributes.flatMap(({ differences }) => differences),
    ...order,
    ...surplus.map(({ difference }) => difference),
  ];
}

export function creationOf(wanted: AttributeSpec, path: string): Difference {
  const { name, type, required, options, currency, min, max } = wanted;
  const bound = (word: string, value: unknown) => (isNumeric(value) ? `${word} ${value}` : undefined);
  const labels = options?.map(({ label }) => label).join('; ');
  const parts = [type, currency, bound('min', min), bound('max', max), required ? 'required' : undefined, labels];
  const to = parts.filter((part) => part).join(', ');
  return { action: 'create', kind: 'attribute', target: wanted.slug ?? name, to, path };
}

function deletionOf({ slug, name, type }: ExistingAttribute): Difference {
  return {
    action: 'delete',
    kind: 'attribute',
    target: slug ?? name,
    from: type,
    path: 'attributes',
    ...(slug === undefined ? {} : { affected: { is: 'filled', slug } }),
  };
}

function compareAttributes(wanted: AttributeSpec, existing: ExistingAttribute, path: string): Difference[] {
  const slug = existing.slug ?? wanted.slug;
  const subject: Subject = { kind: 'attribute', target: slug ?? existing.name };
  const fieldChanges = (field: keyof AttributeSpec & keyof ExistingAttribute) =>
    changes(subject, field, existing[field], wanted[field], `${path}.${field}`);
  const affecting = (differences: Difference[], affected: Omit<Affected, 'slug'>) =>
    slug === undefined ? differences : differences.map((change) => ({ ...change, affected: { ...affected, slug } }));
  const refusing = (differences: Difference[], refused: Difference['refused'] & object) =>
    differences.map((change) => ({ ...change, refused }));
  // A slug that differs under another id, or none, was assigned by another server: the file is not wrong.
  const isSameId = wanted.id !== undefined && wanted.id.toLowerCase() === existing.id?.toLowerCase();
  return [
    ...refusing(isSameId ? fieldChanges('slug') : [], {
      why: `a slug never changes, and this attribute's is ${existing.slug}`,
      instead: 'keep it; `name` is what people see',
    }),
    ...refusing(fieldChanges('type'), {
      why: `the API cannot change ${existing.type} to ${wanted.type}`,
      instead: `keep ${existing.type} here and add an attribute of type ${wanted.type} under another name; once its values are filled in, remove this one from the file and let deletions be applied`,
    }),
    ...fieldChanges('name'),
    ...(wanted.required ? affecting(fieldChanges('required'), { is: 'empty' }) : fieldChanges('required')),
    ...(['currency', 'min', 'max'] as const).flatMap((field) =>
      wanted[field] === null
        ? refusing(fieldChanges(field), {
            why: `the API cannot clear the ${field} of an attribute`,
            instead: `write ${existing[field]}, or add an attribute without ${field}`,
            isDrift: true,
          })
        : fieldChanges(field),
    ),
    ...compareOptions(wanted.options, existing.options ?? [], { subject, slug, path: `${path}.options` }),
  ];
}

function compareOptions(
  wanted: readonly OptionSpec[] | undefined,
  existing: readonly OptionSpec[],
  { subject, slug, path }: { subject: Subject; slug: string | undefined; path: string },
): Difference[] {
  if (wanted === undefined) return [];
  const partners = matchPartners(wanted, existing, optionKeys);
  const differences = wanted.flatMap((option, index): Difference[] => {
    const partner = existing[partners.get(index) ?? -1];
    const optionPath = `${path}.${index}`;
    const optionSubject = { kind: 'option', target: `${subject.target}: ${(partner ?? option).label}` } as const;
    if (partner === undefined) {
      return [{ action: 'create', ...optionSubject, to: option.tone ?? undefined, path: optionPath }];
    }
    return (['label', 'tone', 'color'] as const).flatMap((field) =>
      changes(optionSubject, field, partner[field], option[field], `${optionPath}.${field}`),
    );
  });
  const matched = new Set(partners.values());
  const deletions = existing
    .filter((_, index) => !matched.has(index))
    .map(({ id, label }): Difference => {
      const target = `${subject.target}: ${label}`;
      const affected: Affected | undefined = slug === undefined ? undefined : { is: 'option', slug, id: id ?? label };
      return { action: 'delete', kind: 'option', target, path, ...(affected && { affected }) };
    });
  const names = existing.map(({ label }) => label);
  return [...differences, ...orderChanges(subject, { field: 'option order', path, partners, names }), ...deletions];
}

interface Order {
  field: string;
  path: string;
  /** The wanted index of each item, and its existing index. */
  partners: ReadonlyMap<number, number>;
  names: readonly string[];
}

/** The change of order of the items that both lists have. */
function orderChanges(subject: Subject, { field, path, partners, names }: Order): Difference[] {
  const order = [...partners].sort(([a], [b]) => a - b).map(([, index]) => index);
  const existing = [...order].sort((a, b) => a - b);
  if (existing.every((index, position) => index === order[position])) return [];
  const list = (indexes: readonly number[]) => indexes.map((index) => names[index] ?? '').join(', ');
  return [{ action: 'update', ...subject, field, from: list(existing), to: list(order), path }];
}

/** The change of one field. Null and absent are equal. */
function changes(subject: Subject, field: string, from: unknown, to: unknown, path: string): Difference[] {
  const before = from ?? null;
  const isEqual = isNumeric(before) && isNumeric(to) ? compare(before, to) === 0 : before === to;
  return to === undefined || isEqual ? [] : [{ action: 'update', ...subject, field, from: before, to, path }];
}

/** Matches wanted with existing items, all by the first key before any by the next one. @returns indexes of partners */
export function matchPartners<W, E>(
  wanted: readonly W[],
  existing: readonly E[],
  keys: readonly ((item: W | E) => string | undefined)[],
): Map<number, number> {
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  for (const key of keys) {
    for (const [index, item] of wanted.entries()) {
      const wantedKey = partners.has(index) ? undefined : key(item);
      if (wantedKey === undefined) continue;
      const partner = existing.findIndex((other, at) => !taken.has(at) && key(other) === wantedKey);
      if (partner < 0) continue;
      partners.set(index, partner);
      taken.add(partner);
    }
  }
  return partners;
}

interface Named {
  id?: string;
  slug?: string;
  name: string;
}

export const attributeKeys = [
  ({ id }: Named) => id?.toLowerCase(),
  ({ slug }: Named) => slug,
  ({ name }: Named) => name,
] as const;

export const optionKeys = [({ id }: { id?: string }) => id, ({ label }: { label?: string }) => label] as const;

interface Ranked {
  /** Its position now; undefined when it is new or the server does not say. */
  position?: number | undefined;
  /** Its index in the existing order; undefined when it is new. */
  index?: number | undefined;
}

/**
 * The position to write for each attribute, undefined where it stays. Attributes that are in order keep their positions,
 * and new ones at the end follow; another order is numbered from 0.
 * @param highest of all positions of the list, those of attributes that the order does not name too
 */
export function positionsFor(wanted: readonly Ranked[], highest: number | undefined): (number | undefined)[] {
  const indexes = wanted.flatMap(({ index }) => index ?? []);
  const isOrdered = indexes.every((index, position) => position === 0 || index > (indexes[position - 1] ?? 0));
  const firstNew = wanted.findIndex(({ index }) => index === undefined);
  const newAtEnd = firstNew < 0 || wanted.slice(firstNew).every(({ index }) => index === undefined);
  if (isOrdered && newAtEnd) {
    const next = (highest ?? -1) + 1;
    return wanted.map(({ index }, position) => (index === undefined ? next + position - firstNew : undefined));
  }
  return wanted.map(({ position }, index) => (position === index ? undefined : index));
}

export function isAffected({ slug, is, id }: Affected, values: Record<string, unknown> | undefined): boolean {
  const value = propertyOf(values, slug);
  if (is === 'option') return Array.isArray(value) ? value.includes(id) : value === id;
  return isEmptyValue(value) === (is === 'empty');
}

export function impactText({ action, kind, target, affected }: Difference, entries: number): string | undefined {
  if (affected === undefined) return undefined;
  const amount = (singular: string, plural: string) => `${entries} ${entries === 1 ? singular : plural}`;
  if (action === 'delete') {
    return kind === 'option'
      ? `removing option ${target.slice(target.indexOf(': ') + 2)} touches ${amount('entry', 'entries')}`
      : `deleting attribute ${target} drops ${amount('value', 'values')}`;
  }
  if (entries === 0 || affected.is !== 'empty') return undefined;
  return `${amount('entry has', 'entries have')} no value`;
}
