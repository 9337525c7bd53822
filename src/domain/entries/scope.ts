/** Names in expressions over entries: fixed fields and attribute slugs. */

import type { AttributeType, CustomListEntry } from '../../contract/lists.ts';
import { requireField, rowName } from '../../core/errors.ts';
import { propertyOf } from '../../core/json.ts';
import { timeWord } from '../expression/time.ts';
import type { Column, Option, Scope, ValueType } from '../expression/typed.ts';
import { type Attribute, optionsOf } from './options.ts';

const fixedTypes = {
  id: 'text',
  title: 'text',
  position: 'number',
  archived: 'boolean',
  created_at: 'time',
  updated_at: 'time',
  created_by: 'text',
  linked_entity_type: 'text',
  linked_entity_id: 'text',
} as const satisfies Partial<Record<keyof CustomListEntry, ValueType>>;

type FixedField = keyof typeof fixedTypes;

export const fixedFields = Object.keys(fixedTypes) as FixedField[];

export function isFixedField(name: string): name is FixedField {
  return Object.hasOwn(fixedTypes, name);
}

const attributeTypes: Readonly<Record<AttributeType, ValueType>> = {
  text: 'text',
  url: 'text',
  email: 'text',
  number: 'number',
  currency: 'number',
  rating: 'number',
  checkbox: 'boolean',
  date: 'date',
  select: 'option',
  status: 'option',
  multi_select: 'options',
};

/**
 * The scope of one list. Every attribute is also `values.SLUG`; a slug that equals a fixed field only so. The name of an
 * attribute finds it, too, in any letter case.
 */
export function entryScope(attributes: readonly Attribute[], now: () => Date): Scope<Entry> {
  const columns = new Map<string, Column<Entry>>();
  for (const field of fixedFields) columns.set(field, { type: fixedTypes[field], get: getterOf(field) });
  const names: string[] = [...fixedFields];
  const byName = new Map(columns);
  for (const attribute of attributes) {
    const { slug } = attribute;
    if (slug === undefined) continue;
    const column = attributeColumn(attribute, slug);
    const clashes = columns.has(slug);
    columns.set(`values.${slug}`, column);
    if (!clashes) columns.set(slug, column);
    const name = clashes ? `values.${slug}` : slug;
    names.push(name);
    const label = attribute.name?.toLowerCase() ?? slug;
    if (!byName.has(label)) byName.set(label, { ...column, name });
  }
  // The headings of fixed fields: `Created` for created_at.
  for (const field of fixedFields) {
    const heading = field.replace(/_(?:at|id)$/, '').replaceAll('_', ' ');
    if (!byName.has(heading)) byName.set(heading, { type: fixedTypes[field], get: getterOf(field), name: field });
  }
  return { column: (name) => columns.get(name) ?? byName.get(name.toLowerCase()), names, now };
}

/** Fields that every entry must have: without them no condition can be decided. */
const always: ReadonlySet<string> = new Set(['id', 'title', 'position', 'archived', 'created_at', 'updated_at']);

function getterOf(field: FixedField): Column<Entry>['get'] {
  if (!always.has(field)) return (entry) => entry[field];
  return (entry) => requireField(entry[field], field, rowName('entry', entry.id));
}

function attributeColumn(attribute: Attribute, slug: string): Column<Entry> {
  const type = attribute.attribute_type === undefined ? 'unknown' : attributeTypes[attribute.attribute_type];
  const { currency } = attribute.config ?? {};
  return {
    type: type ?? 'unknown',
    options: optionsOf(attribute)?.flatMap(({ id, label }): Option[] => (id ? [{ id, label: label ?? id }] : [])),
    ...(attribute.attribute_type === 'currency' && { isAmount: true, ...(currency && { currency }) }),
    get: ({ id, values }) => {
      if (values === undefined) requireField(values, 'values', rowName('entry', id));
      return propertyOf(values, slug);
    },
  };
}

/** The scope before a list is known: any name but a fixed field is a column of unknown type. */
export function openScope(now: () => Date): Scope<Entry> {
  const known = entryScope([], now);
  return {
    ...known,
    column: (name) =>
      known.column(name) ?? (timeWord(name, now) ? undefined : { type: 'unknown', get: () => undefined }),
  };
}

export type Entry = Partial<CustomListEntry>;

/** @throws rejected for an entry without the field */
export function isArchived({ id, archived }: Entry): boolean {
  return requireField(archived, 'archived', rowName('entry', id));
}

/** Reads a column of entries as people see it: options by their labels. Undefined and null are empty. */
export function valueReader(scope: Scope<Entry>, name: string): (entry: Entry) => unknown {
  const column = scope.column(name);
  const labels = new Map<unknown, string>(column?.options?.map(({ id, label }) => [id, label]));
  const labelled = (value: unknown) => labels.get(value) ?? value;
  return (entry) => {
    const value = column?.get(entry);
    return Array.isArray(value) ? value.map(labelled) : labelled(value);
  };
}
