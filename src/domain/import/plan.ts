/** The writes of an import: rows of a file compared with the entries of a list. */

import type { CustomListEntry } from '../../contract/lists.ts';
import { maxBodyBytes, maxTitleCharacters, maxValueBytes } from '../../contract/rules.ts';
import { Failure } from '../../core/errors.ts';
import { type Numeric, propertyOf, stringifyJson } from '../../core/json.ts';
import type { GrowingRows, Rows } from '../../core/row-store.ts';
import { groupBy, isEmptyValue } from '../../core/same.ts';
import { bodyOfChanges, changesOf } from '../entries/changes.ts';
import { type Attribute, findOption } from '../entries/options.ts';
import { isArchived } from '../entries/scope.ts';
import { missingRequired } from '../entries/values.ts';
import { type ImportRow, keyText } from './cells.ts';
import type { ImportColumn, KeyTarget } from './columns.ts';
import type { AddedOptions, NewAttribute } from './infer.ts';
import { type FlagNames, type ImportIssue, type importModes, recordOf } from './table.ts';

export type ImportMode = (typeof importModes)[number];

export interface EntryBody {
  title?: string;
  values?: Record<string, unknown>;
  position?: Numeric;
  archived?: boolean;
  linked_entity_type?: string | null;
  linked_entity_id?: string | null;
}

interface RowAction {
  line: number;
  key: string;
  title: string;
  cells: Record<string, unknown>;
}

export type ImportAction =
  | (RowAction & { do: 'create'; body: EntryBody & { title: string } })
  | (RowAction & {
      do: 'update';
      id: string;
      body: EntryBody;
      before: EntryBody;
    })
  | { do: 'archive' | 'delete'; id: string; title: string };

export interface ImportPlan {
  attributes: readonly NewAttribute[];
  options?: readonly AddedOptions[];
  actions: Rows<ImportAction>;
  unchanged: number;
  skipped: number;
}

interface PlanOptions {
  mode: ImportMode;
  /** `sync` deletes instead of archiving. */
  prune: boolean;
  key: ImportColumn;
  columns: readonly ImportColumn[];
  /** The attributes of the list and the new ones. */
  attributes: readonly Attribute[];
  created: readonly NewAttribute[];
  headers: readonly string[];
  flags: FlagNames;
}

/** Plans the writes, and collects the problems of rows that cannot be written. */
export function planImport(
  rows: Iterable<ImportRow>,
  list: readonly Partial<CustomListEntry>[],
  options: PlanOptions,
  actions: GrowingRows<ImportAction> = [],
): { plan: ImportPlan; issues: ImportIssue[] } {
  const { mode, prune, key, headers } = options;
  const issues: ImportIssue[] = [];
  const entries = list.filter(hasId);
  const byKey = groupBy(entries, (entry) => entryKey(entry, key.target));
  const matched = new Set<Entry>();
  let unchanged = 0;
  let skipped = 0;
  let next = nextPosition(entries);
  const ofRow = ({ line, key, cells }: ImportRow) => ({ line, key, cells: recordOf(headers, cells) });
  const refuse = ({ line }: ImportRow, message: string) => issues.push({ line, column: key.header, message });
  for (const row of rows) {
    const matches = byKey.get(row.key) ?? [];
    for (const entry of matches) matched.add(entry);
    const [entry] = matches;
    if (matches.length > 1) {
      const ids = matches.map(({ id }) => id).join(', ');
      refuse(row, `${matches.length} entries have this key: ${ids}; make it unique in the list first`);
    } else if (mode === (entry ? 'insert' : 'update')) skipped += 1;
    else if (entry) {
      const change = difference(row, entry, options, issues);
      const title = entry.title ?? entry.id;
      if (change) actions.push({ do: 'update', ...ofRow(row), title, id: entry.id, ...change });
      else unchanged += 1;
    } else if (key.target.field === 'id') {
      refuse(row, `the list has no entry ${row.key}, and the server assigns the ids of new entries`);
    } else {
      const body = creation(row, options, issues, next);
      if (body.position === next && next !== undefined) next += 1;
      actions.push({ do: 'create', ...ofRow(row), title: body.title, body });
    }
  }
  if (mode === 'sync') {
    for (const entry of entries) {
      const { id, title = id } = entry;
      if (!matched.has(entry) && !isArchived(entry)) actions.push({ do: prune ? 'delete' : 'archive', id, title });
    }
  }
  return { plan: { attributes: options.created, actions, unchanged, skipped }, issues };
}

function creation(
  { fields, values, line }: ImportRow,
  { attributes, columns, flags }: PlanOptions,
  issues: ImportIssue[],
  position: number | undefined,
): EntryBody & { title: string } {
  const { id: _, title, ...others } = fields;
  if (typeof title !== 'string') {
    const column = headerOf(columns, 'title');
    const remedy = column === undefined ? `; name its column with ${flags.map} 'COLUMN=title'` : '';
    issues.push({ line, column, message: `a new entry needs a title${remedy}` });
  }
  const filled = withoutNull(values);
  for (const slug of missingRequired(attributes, filled)) {
    const message = `a new entry needs a value for ${slug}, which is required`;
    issues.push({ line, column: headerOf(columns, 'value', slug), message });
  }
  return {
    title: typeof title === 'string' ? title : '',
    ...(Object.keys(filled).length > 0 && { values: filled }),
    ...(position !== undefined && { position }),
    ...withoutNull(others),
  };
}

function withoutNull(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

function headerOf(columns: readonly ImportColumn[], field: string, slug?: string): string | undefined {
  return columns.find(({ target }) => target.field === field && (target.field !== 'value' || target.slug === slug))
    ?.header;
}

/** The differing fields and values; undefined if there are none. */
function difference(
  row: ImportRow,
  entry: Entry,
  { mode, attributes, columns }: PlanOptions,
  issues: ImportIssue[],
): { body: EntryBody; before: EntryBody } | undefined {
  const { line } = row;
  const { id: _, ...fields } = row.fields;
  // A sync unarchives every entry of its file.
  const wanted = mode === 'sync' && isArchived(entry) ? { archived: false, ...fields } : fields;
  if (wanted.title === null) {
    issues.push({ line, column: headerOf(columns, 'title'), message: 'the title of an entry cannot be cleared' });
  }
  // Only links can be cleared; other empty fields stay.
  const written = Object.entries(wanted).filter(([field, value]) => value !== null || field.startsWith('linked_'));
  const changed = changesOf(entry, { ...Object.fromEntries(written), values: row.values });
  for (const { slug, is_required: isRequired } of attributes) {
    if (!isRequired || !changed.some(({ name, to }) => name === `values.${slug}` && to === null)) continue;
    const message = `${slug} is required, so it cannot be cleared`;
    issues.push({ line, column: headerOf(columns, 'value', slug), message });
  }
  if (changed.length === 0) return undefined;
  const before = changed.map(({ name, from, to }) => ({ name, from: to, to: from ?? null }));
  return { body: bodyOfChanges(changed), before: bodyOfChanges(before) };
}

type Entry = CustomListEntry & { id: string };

/** The key of an entry; undefined if it has none. */
export function entryKey(entry: Partial<CustomListEntry>, target: KeyTarget): string | undefined {
  const value = target.field === 'value' ? propertyOf(entry.values, target.slug) : entry[target.field];
  return isEmptyValue(value) ? undefined : keyText(target, value);
}

/**
 * The position after the last entry. New entries are sent concurrently and may arrive in any order, so each has an
 * explicit position. Undefined if the server does not report positions.
 */
function nextPosition(entries: readonly Entry[]): number | undefined {
  let highest = -1;
  for (const { position } of entries) highest = Math.max(highest, Number(position ?? Number.NaN));
  return Number.isSafeInteger(highest) ? highest + 1 : undefined;
}

function hasId(entry: Partial<CustomListEntry>): entry is Entry {
  return typeof entry.id === 'string';
}

/** Rows that no request can carry, and values that no entry can hold. */
export function tooLarge(actions: Iterable<ImportAction>, columns: readonly ImportColumn[]): ImportIssue[] {
  const issues: ImportIssue[] = [];
  for (const action of actions) {
    if (!('body' in action)) continue;
    const { line, body } = action;
    const { title = '', values = {} } = body;
    const size = bytesOf(action.do === 'update' ? { id: action.id, ...body } : body);
    if (size > maxBodyBytes) {
      issues.push({ line, message: `the row is ${size} bytes as a request, and the API takes ${maxBodyBytes}` });
      continue;
    }
    if (title.length > maxTitleCharacters) {
      const message = `the title has ${title.length} characters, and the API takes ${maxTitleCharacters}`;
      issues.push({ line, column: headerOf(columns, 'title'), message });
    }
    // Most rows are smaller than one value may be.
    if (size <= maxValueBytes) continue;
    for (const [slug, value] of Object.entries(values)) {
      const bytes = bytesOf(value);
      if (bytes <= maxValueBytes) continue;
      const message = `the value is ${bytes} bytes, and the API takes ${maxValueBytes}`;
      issues.push({ line, column: headerOf(columns, 'value', slug), message });
    }
  }
  return issues;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : stringifyJson(value));
}

export type CreatedAttributes = ReadonlyMap<string, Attribute>;

/** @throws rejected when a wanted attribute is not in the list */
export function matchCreated(wanted: readonly NewAttribute[], attributes: readonly Attribute[]): CreatedAttributes {
  return new Map(
    wanted.map(({ name, slug }) => {
      const namesakes = attributes.filter((attribute) => attribute.name === name);
      const created = namesakes.find((attribute) => attribute.slug === slug) ?? namesakes[0];
      if (created?.slug === undefined) {
        throw new Failure('rejected', `the attribute "${name}" was created, and the list does not show it`);
      }
      return [slug, created];
    }),
  );
}

/** Replaces planned slugs and labels by the slugs and option ids of the server. */
export function resolveValues(values: Record<string, unknown>, created: CreatedAttributes): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([slug, value]) => {
      const attribute = created.get(slug);
      return attribute === undefined ? [slug, value] : [attribute.slug ?? slug, optionIdsIn(attribute, value)];
    }),
  );
}

function optionIdsIn(attribute: Attribute, value: unknown): unknown {
  const type = attribute.attribute_type;
  if (type !== 'select' && type !== 'status' && type !== 'multi_select') return value;
  if (Array.isArray(value)) return value.map((item) => optionIdsIn(attribute, item));
  return typeof value === 'string' ? (findOption(attribute, value) ?? value) : value;
}
