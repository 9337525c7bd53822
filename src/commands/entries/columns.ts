/** Entries as rows: `id,title`, a column for each attribute, then `position,archived,created_at,updated_at`. */
import { outcomeTones } from '../../cli/outcomes.ts';
import { type CustomListEntry, optionTypes, type Tone } from '../../contract/lists.ts';
import { isNumeric, propertyOf } from '../../core/json.ts';
import type { Changed } from '../../domain/entries/changes.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { optionsOf, optionText } from '../../domain/entries/options.ts';
import type { Cell, Column, ColumnType } from '../../output/column.ts';
import type { Color } from '../../output/terminal-text.ts';
import { digitsOfAmount, displayCell } from '../../output/values.ts';

const before: Column<CustomListEntry>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (entry) => entry.id },
  { key: 'title', heading: 'Title', rank: 1, get: (entry) => entry.title },
];
const after: Column<CustomListEntry>[] = [
  { key: 'position', heading: 'Position', type: 'integer', rank: 30, get: (entry) => entry.position },
  { key: 'archived', heading: 'Archived', type: 'boolean', rank: 31, get: (entry) => entry.archived },
  { key: 'created_at', heading: 'Created', type: 'datetime', rank: 32, get: (entry) => entry.created_at },
  { key: 'updated_at', heading: 'Updated', type: 'datetime', rank: 33, get: (entry) => entry.updated_at },
];

const types: Record<string, ColumnType> = {
  number: 'number',
  currency: 'currency',
  rating: 'number',
  checkbox: 'boolean',
  date: 'date',
};

/**
 * Columns of the entries of a list, its attributes in the given order. Values without an attribute have no column: rows
 * stream, so columns cannot grow. `--fields stage` is the label in every format, `values.stage` the API's own value.
 */
export function entryColumns(
  attributes: readonly Attribute[],
  options: { optionIds?: boolean | undefined } = {},
): Column<CustomListEntry>[] {
  const taken = new Set([...before, ...after].map(({ key }) => key));
  const slugs = new Set<string>();
  const middle = attributes.flatMap((attribute): Column<CustomListEntry>[] => {
    const { slug, config } = attribute;
    if (slug === undefined || slugs.has(slug)) return [];
    slugs.add(slug);
    const nested = `values.${slug}`;
    const key = taken.has(slug) ? nested : slug;
    taken.add(key);
    const description = {
      heading: attribute.name,
      type: attribute.attribute_type ? types[attribute.attribute_type] : undefined,
      unit: attribute.attribute_type === 'currency' ? config?.currency : undefined,
      // Addresses are never truncated.
      whole: attribute.attribute_type === 'email',
      tone: toneReader(attribute, slug),
    };
    const isList = attribute.attribute_type === 'multi_select' && !options.optionIds;
    const label = {
      get: reader(attribute, slug, options.optionIds ?? false),
      ...(isList && { shown: listReader(attribute, slug) }),
    };
    const valueColumn: Column<CustomListEntry> = {
      ...description,
      key: nested,
      path: ['values', slug],
      get: ownValue(slug),
    };
    if (key === nested) return [{ ...valueColumn, ...label }];
    return [{ ...description, key, inJson: 'cell', aliases: [nested], own: valueColumn, ...label }];
  });
  return [...before, ...middle, ...after];
}

const links: Column<CustomListEntry>[] = [
  { key: 'linked_entity_type', get: (entry) => entry.linked_entity_type },
  { key: 'linked_entity_id', type: 'id', get: (entry) => entry.linked_entity_id },
  { key: 'created_by', type: 'id', get: (entry) => entry.created_by, names: (entry) => entry.created_by },
];

/** Columns of entries in databases: several options are a list, a rating is an integer, and links are columns. */
export function entryTableColumns(attributes: readonly Attribute[]): Column<CustomListEntry>[] {
  const columns = entryColumns(attributes).map((column): Column<CustomListEntry> => {
    const slug = (column.own ?? column).path?.[1];
    const attribute = slug === undefined ? undefined : attributes.find((each) => each.slug === slug);
    if (attribute?.attribute_type === 'rating') return { ...column, type: 'integer' };
    if (attribute?.attribute_type !== 'multi_select' || slug === undefined) return column;
    const items = (optionsOf(attribute) ?? []).flatMap(({ id, label }) => label ?? id ?? []);
    return { ...column, type: 'json', items, get: labels(attribute, slug) };
  });
  return [...columns, ...links];
}

/** The labels of a multi_select for people: `a, b`. */
function listReader(attribute: Attribute, slug: string): (entry: CustomListEntry) => string | undefined {
  const items = labels(attribute, slug);
  return (entry) => {
    const cell = items(entry);
    return Array.isArray(cell) ? cell.join(', ') : undefined;
  };
}

/** The labels of a multi_select as a list. */
function labels(attribute: Attribute, slug: string): (entry: CustomListEntry) => Cell {
  const value = ownValue(slug);
  return (entry) => {
    const items = value(entry);
    return areTexts(items) ? items.map((item) => optionText(attribute, [item])) : items;
  };
}

/** Tones of options as colours of a terminal. */
const colors: Readonly<Record<Tone, Color>> = {
  charcoal: 'gray',
  taupe: 'magenta',
  stone: 'gray',
  sand: 'yellow',
  cobalt: 'blue',
  steel: 'cyan',
  sage: 'green',
  mint: 'green',
} as const;

/** The colour of the option that an entry has. */
function toneReader({ attribute_type: type, config }: Attribute, slug: string): Column<CustomListEntry>['tone'] {
  if (type !== 'select' && type !== 'status') return undefined;
  const value = ownValue(slug);
  const tones = new Map(config?.options?.map(({ id, tone }) => [id, tone]));
  return (entry) => {
    const tone = tones.get(String(value(entry)));
    return tone ? colors[tone] : undefined;
  };
}

/** The value of the API; an option is its id. */
function ownValue(slug: string): (entry: CustomListEntry) => Cell {
  return ({ values }) => propertyOf(values, slug) as Cell;
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function reader(attribute: Attribute, slug: string, ids: boolean): (entry: CustomListEntry) => Cell {
  const labels = new Map<string, string>();
  const label = (...items: string[]): string => {
    if (ids) return items.join('; ');
    const key = items.join('\0');
    const known = labels.get(key) ?? optionText(attribute, items);
    labels.set(key, known);
    return known;
  };
  const value = ownValue(slug);
  const { attribute_type: type } = attribute;
  if (type === undefined || !optionTypes.includes(type)) return value;
  return (entry) => {
    const items = value(entry);
    if (typeof items === 'string') return label(items);
    return type === 'multi_select' && areTexts(items) ? label(...items) : items;
  };
}

/** The outcome of one write: `updated`, `archived` …, `unchanged`, `skipped` or `failed`. */
export interface BulkRow {
  id: string;
  title: string | null;
  outcome: string;
  error: string | null;
}

export const bulkColumns: Column<BulkRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'title', heading: 'Title', get: (row) => row.title },
  { key: 'outcome', heading: 'Outcome', tones: outcomeTones, get: (row) => row.outcome },
  { key: 'error', heading: 'Error', wraps: true, get: (row) => row.error },
];

/** Longer values are cut in plans. */
const maxValueLength = 60;

/**
 * Writes fields and values (`values.SLUG`) of entries in plans as tables show them.
 * @param changes all of the plan: the amounts of an attribute have cents, or all of them are whole
 */
export function valueWriter(attributes: readonly Attribute[], changes: readonly Changed[]) {
  const columns = entryColumns(attributes);
  const money = attributes.filter(({ attribute_type: type }) => type === 'currency');
  const amounts = new Set(money.map(({ slug }) => `values.${slug}`));
  const isBroken = (value: unknown) => isNumeric(value) && digitsOfAmount(value) > 0;
  const withCents = new Set(changes.flatMap(({ name, from, to }) => (isBroken(from) || isBroken(to) ? [name] : [])));
  const decimalsOf = (name: string, value: unknown) =>
    amounts.has(name) && isNumeric(value) ? Math.max(digitsOfAmount(value), withCents.has(name) ? 2 : 0) : undefined;
  const valueText = (name: string, value: unknown): string => {
    const get = () => value as Cell;
    const column = columns.find(({ key, own }) => key === name || own?.key === name) ?? { key: name, get };
    const slug = /^values\.(.+)$/s.exec(name)?.[1];
    const row = slug === undefined ? { [name]: value } : { values: { [slug]: value } };
    const text = displayCell(column, row, decimalsOf(name, value));
    if (text === '') return '(empty)';
    return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text;
  };
  /** `stage Open → Won`, `amount 1,000 → 2,000`. */
  const changeText = ({ name, from, to }: Changed): string =>
    `${name.replace(/^values\./, '')} ${valueText(name, from)} → ${valueText(name, to)}`;
  return { valueText, changeText };
}
