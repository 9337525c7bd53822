/** What turns one list into another, change by change. */

import { compare } from '../../core/decimal.ts';
import type { Numeric } from '../../core/json.ts';
import { isNumeric } from '../../core/json.ts';
import { attributeKeys, matched, optionKeys } from './match.ts';
import type { AttributeSpec, ExistingAttribute, ExistingList, ListSpec, OptionSpec } from './spec.ts';

/** Which entries a change meets. */
export interface Question {
  slug: string;
  /** A value at all, none, one outside of a bound, one of the option `id`. */
  is: 'filled' | 'empty' | 'below' | 'above' | 'option';
  bound?: Numeric;
  id?: string;
}

export interface Difference {
  action: 'create' | 'update' | 'delete';
  kind: 'list' | 'attribute' | 'option';
  /** The slug of the list or attribute, or its name while it has none; an option after its attribute: `stage: Won`. */
  target: string;
  /** What changes of it; undefined when it is created or deleted. */
  field?: string;
  from?: unknown;
  to?: unknown;
  /** Asked of the entries, where the change meets data. */
  question?: Question;
  /** The place in the wanted list, dotted: `attributes.2.type`. */
  path: string;
  /** Why the API cannot do it, and what does it instead. */
  refused?: { why: string; instead: string };
}

/** One wanted attribute beside what is there. */
export interface PairedAttribute {
  wanted: AttributeSpec;
  existing?: ExistingAttribute;
  /** The place of `existing` in the order that there is. */
  place?: number;
  differences: Difference[];
}

export interface Comparison {
  /** Of the list's own fields. */
  list: Difference[];
  /** In the wanted order. */
  attributes: PairedAttribute[];
  /** Attributes that the wanted list does not have. */
  gone: { existing: ExistingAttribute; difference: Difference }[];
  /** The order of attributes that are in both. */
  order: Difference[];
}

const listFields = ['name', 'description', 'icon', 'color', 'entity_type', 'context_type', 'position'] as const;

export function compareLists(wanted: ListSpec, existing: ExistingList): Comparison {
  const target = existing.slug ?? existing.name;
  const list = listFields.flatMap((field) => changed('list', target, field, existing[field], wanted[field], field));
  if (wanted.attributes === undefined) return { list, attributes: [], gone: [], order: [] };
  const partners = matched(wanted.attributes, existing.attributes, attributeKeys);
  const attributes = wanted.attributes.map((attribute, index): PairedAttribute => {
    const place = partners.get(index);
    const partner = place === undefined ? undefined : existing.attributes[place];
    const path = `attributes.${index}`;
    if (place === undefined || partner === undefined) {
      return { wanted: attribute, differences: [created(attribute, path)] };
    }
    return { wanted: attribute, existing: partner, place, differences: attributeDifferences(attribute, partner, path) };
  });
  const kept = new Set(partners.values());
  const gone = existing.attributes
    .filter((_, place) => !kept.has(place))
    .map((attribute) => ({ existing: attribute, difference: removed(attribute) }));
  return { list, attributes, gone, order: orderDifference(target, attributes) };
}

/** All changes, in the order in which they are shown. */
export function differencesOf({ list, attributes, gone, order }: Comparison): Difference[] {
  return [
    ...list,
    ...attributes.flatMap(({ differences }) => differences),
    ...order,
    ...gone.map(({ difference }) => difference),
  ];
}

export function created(wanted: AttributeSpec, path: string): Difference {
  const { name, type, required, options } = wanted;
  const labels = options?.map(({ label }) => label).join('; ');
  const to = [type, required ? 'required' : undefined, labels].filter((part) => part).join(', ');
  return { action: 'create', kind: 'attribute', target: wanted.slug ?? name, to, path };
}

function removed({ slug, name, type }: ExistingAttribute): Difference {
  return {
    action: 'delete',
    kind: 'attribute',
    target: slug ?? name,
    from: type,
    path: 'attributes',
    ...(slug === undefined ? {} : { question: { is: 'filled', slug } }),
  };
}

function attributeDifferences(wanted: AttributeSpec, existing: ExistingAttribute, path: string): Difference[] {
  const slug = existing.slug ?? wanted.slug;
  const target = slug ?? existing.name;
  const of = (field: keyof AttributeSpec & keyof ExistingAttribute) =>
    changed('attribute', target, field, existing[field], wanted[field], `${path}.${field}`);
  const asked = (differences: Difference[], question: Omit<Question, 'slug'>) =>
    slug === undefined ? differences : differences.map((one) => ({ ...one, question: { ...question, slug } }));
  const required = of('required');
  return [
    ...(sameId(wanted, existing) ? of('slug') : []).map((one) => ({
      ...one,
      refused: {
        why: `a slug never changes, and this attribute's is ${existing.slug}`,
        instead: 'keep it; `name` is what people see',
      },
    })),
    ...of('type').map((one) => ({
      ...one,
      refused: {
        why: `the API cannot change ${existing.type} to ${wanted.type}`,
        instead: `keep ${existing.type} here and add an attribute of type ${wanted.type} under another name; once its values are filled in, remove this one from the file and let deletions be applied`,
      },
    })),
    ...of('name'),
    ...(wanted.required ? asked(required, { is: 'empty' }) : required),
    ...of('currency'),
    ...(isNumeric(wanted.min) ? asked(of('min'), { is: 'below', bound: wanted.min }) : []),
    ...(isNumeric(wanted.max) ? asked(of('max'), { is: 'above', bound: wanted.max }) : []),
    ...optionDifferences(wanted.options, existing.options ?? [], { slug, target, path: `${path}.options` }),
  ];
}

/** Another server assigned another slug, which is not a mistake in the file. */
function sameId(a: AttributeSpec, b: AttributeSpec): boolean {
  return a.id !== undefined && a.id.toLowerCase() === b.id?.toLowerCase();
}

interface OptionPlace {
  slug: string | undefined;
  target: string;
  path: string;
}

function optionDifferences(
  wanted: readonly OptionSpec[] | undefined,
  existing: readonly OptionSpec[],
  { slug, target, path }: OptionPlace,
): Difference[] {
  if (wanted === undefined) return [];
  const partners = matched(wanted, existing, optionKeys);
  const differences = wanted.flatMap((option, index): Difference[] => {
    const partner = existing[partners.get(index) ?? -1];
    const own = `${path}.${index}`;
    const name = `${target}: ${partner?.label ?? option.label}`;
    if (partner === undefined) {
      return [{ action: 'create', kind: 'option', target: name, to: option.tone ?? undefined, path: own }];
    }
    return (['label', 'tone', 'color'] as const).flatMap((field) =>
      changed('option', name, field, partner[field], option[field], `${own}.${field}`),
    );
  });
  const kept = new Set(partners.values());
  const gone = existing.flatMap(({ id, label }, place): Difference[] => {
    if (kept.has(place)) return [];
    const question: Question | undefined = slug === undefined ? undefined : { is: 'option', slug, id: id ?? label };
    return [{ action: 'delete', kind: 'option', target: `${target}: ${label}`, path, ...(question && { question }) }];
  });
  const places = [...partners].sort(([a], [b]) => a - b).map(([, place]) => place);
  return [
    ...differences,
    ...reordered('attribute', target, 'option order', { places, path }, labelsOf(existing)),
    ...gone,
  ];
}

function orderDifference(target: string, attributes: readonly PairedAttribute[]): Difference[] {
  const both = attributes.flatMap(({ place, existing }) =>
    place === undefined || !existing ? [] : [{ place, existing }],
  );
  const names = new Map(both.map(({ place, existing }) => [place, existing.slug ?? existing.name]));
  const places = both.map(({ place }) => place);
  return reordered('list', target, 'attribute order', { places, path: 'attributes' }, (place) => names.get(place));
}

function reordered(
  kind: Difference['kind'],
  target: string,
  field: string,
  { places, path }: { places: readonly number[]; path: string },
  nameOf: (place: number) => string | undefined,
): Difference[] {
  const before = [...places].sort((a, b) => a - b);
  if (before.every((place, index) => place === places[index])) return [];
  const named = (some: readonly number[]) => some.map((place) => nameOf(place) ?? '').join(', ');
  return [{ action: 'update', kind, target, field, from: named(before), to: named(places), path }];
}

function labelsOf(options: readonly OptionSpec[]): (place: number) => string | undefined {
  return (place) => options[place]?.label;
}

/** One field, if the wanted list has another value for it. Null and absent are equal. */
function changed(
  kind: Difference['kind'],
  target: string,
  field: string,
  from: unknown,
  to: unknown,
  path: string,
): Difference[] {
  if (to === undefined || same(from ?? null, to)) return [];
  return [{ action: 'update', kind, target, field, from: from ?? null, to, path }];
}

function same(a: unknown, b: unknown): boolean {
  return isNumeric(a) && isNumeric(b) ? compare(a, b) === 0 : a === b;
}
