/** What an import will write: rows of a file against the entries of a list. */

import type { CustomListEntry } from '../../contract/lists.ts';
import type { Optional } from '../../contract/operation.ts';
import { maxBodyBytes, maxTitleCharacters, maxValueBytes } from '../../contract/rules.ts';
import { Failure } from '../../core/errors.ts';
import { type Numeric, stringifyJson } from '../../core/json.ts';
import { KeyIndex } from '../../core/key-index.ts';
import { isEmptyValue, sameValue } from '../../core/same.ts';
import type { GrowingRows, Rows } from '../../core/spool.ts';
import { isArchived } from '../entries/lookup.ts';
import { type Attribute, findOption } from '../entries/options.ts';
import { missingRequired } from '../entries/values.ts';
import type { ImportIssue, importModes } from './table.ts';
import type { ImportColumn, KeyTarget } from './columns.ts';
import type { NewAttribute } from './infer.ts';
import { type ImportRow, keyText } from './rows.ts';

export type ImportMode = (typeof importModes)[number];

export interface EntryBody {
  title?: string;
  values?: Record<string, unknown>;
  position?: Numeric;
  archived?: boolean;
  linked_entity_type?: string | null;
  linked_entity_id?: string | null;
}

/** One write. `row` is the row's place in the file, `line` what a person calls it. */
export type ImportAction =
  | { do: 'create'; row: number; line: number; key: string; title: string; body: EntryBody & { title: string } }
  | {
      do: 'update';
      row: number;
      line: number;
      key: string;
      title: string;
      id: string;
      /** Only what changes. */
      body: EntryBody;
      /** The same fields as they were. */
      before: EntryBody;
    }
  | { do: 'archive' | 'delete'; id: string; title: string; before: Optional<EntryBody> };

export interface ImportPlan {
  attributes: readonly NewAttribute[];
  actions: Rows<ImportAction>;
  unchanged: number;
  /** Rows that the mode skips. */
  skipped: number;
}

interface PlanOptions {
  mode: ImportMode;
  /** `sync` deletes instead of archiving. */
  prune: boolean;
  key: ImportColumn;
  columns: readonly ImportColumn[];
  /** Those of the list and the new ones. */
  attributes: readonly Attribute[];
  created: readonly NewAttribute[];
}

/** The plan, and the problems of every row that it cannot contain. */
export function planImport(
  rows: Iterable<ImportRow>,
  existing: Rows<Partial<CustomListEntry>>,
  options: PlanOptions,
  actions: GrowingRows<ImportAction> = [],
): { plan: ImportPlan; issues: ImportIssue[] } {
  const { mode, key } = options;
  const issues: ImportIssue[] = [];
  const entries = new EntriesByKey(existing, key.target);
  let unchanged = 0;
  let skipped = 0;
  let next = entries.nextPosition;
  for (const row of rows) {
    const found = entries.take(row.key);
    const [entry] = found;
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ');
      issues.push(at(row, key, `${found.length} entries have this key: ${ids}; make it unique in the list first`));
    } else if (entry === undefined) {
      if (mode === 'update') skipped += 1;
      else if (key.target.field === 'id') {
        issues.push(at(row, key, `the list has no entry ${row.key}, and the server assigns the ids of new entries`));
      } else {
        const body = creation(row, options, issues, next);
        if (body.position === next && next !== undefined) next += 1;
        actions.push({ do: 'create', row: row.index, line: row.line, key: row.key, title: body.title, body });
      }
    } else if (mode === 'insert') skipped += 1;
    else {
      const change = difference(row, entry, options, issues);
      if (change === undefined) unchanged += 1;
      else {
        const { index, line } = row;
        actions.push({
          do: 'update',
          row: index,
          line,
          key: row.key,
          title: entry.title ?? entry.id,
          id: entry.id,
          ...change,
        });
      }
    }
  }
  if (mode === 'sync') {
    for (const entry of entries.left()) if (!isArchived(entry)) actions.push(removal(entry, options.prune));
  }
  return { plan: { attributes: options.created, actions, unchanged, skipped }, issues };
}

function creation(
  { fields, values, ...row }: ImportRow,
  { attributes, columns }: PlanOptions,
  issues: ImportIssue[],
  position: number | undefined,
): EntryBody & { title: string } {
  const { id: _, title, ...others } = fields;
  if (typeof title !== 'string') {
    const column = columns.find(({ target }) => target.field === 'title');
    const remedy = column === undefined ? { remedy: 'title' as const } : {};
    issues.push({ line: row.line, column: column?.header, message: 'a new entry needs a title', ...remedy });
  }
  const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  for (const slug of missingRequired(attributes, kept)) {
    const header = columns.find(({ target }) => target.field === 'value' && target.slug === slug)?.header;
    issues.push({
      line: row.line,
      column: header,
      message: `a new entry needs a value for ${slug}, which is required`,
    });
  }
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  return {
    title: typeof title === 'string' ? title : '',
    ...(Object.keys(kept).length > 0 ? { values: kept } : {}),
    ...(position === undefined ? {} : { position }),
    ...given,
  };
}

/** Only what differs; undefined when nothing does. */
function difference(
  row: ImportRow,
  entry: Entry,
  { mode, attributes, columns }: PlanOptions,
  issues: ImportIssue[],
): { body: EntryBody; before: EntryBody } | undefined {
  const body: Record<string, unknown> = {};
  const before: Record<string, unknown> = {};
  const { id: _, ...fields } = row.fields;
  // A sync shows everything that is in its file.
  const wanted = mode === 'sync' && isArchived(entry) ? { archived: false, ...fields } : fields;
  for (const [field, value] of Object.entries(wanted)) {
    const was = entry[field as keyof EntryBody];
    if (value === null && field === 'title') {
      const header = columns.find(({ target }) => target.field === 'title')?.header;
      issues.push({ line: row.line, column: header, message: 'the title of an entry cannot be cleared' });
    }
    // A position or a state cannot be cleared, and an empty cell does not mean one.
    if (value === null && !field.startsWith('linked_')) continue;
    if (sameValue(value, was)) continue;
    body[field] = value;
    before[field] = was ?? null;
  }
  const changed: [string, unknown][] = [];
  const replaced: [string, unknown][] = [];
  for (const [slug, value] of Object.entries(row.values)) {
    const was = ownValue(entry.values, slug);
    if (sameValue(value, was)) continue;
    if (value === null && attributes.some((attribute) => attribute.slug === slug && attribute.is_required)) {
      const header = columns.find(({ target }) => target.field === 'value' && target.slug === slug)?.header;
      issues.push({ line: row.line, column: header, message: `${slug} is required, so it cannot be cleared` });
    }
    changed.push([slug, value]);
    replaced.push([slug, was ?? null]);
  }
  if (changed.length > 0) {
    body.values = Object.fromEntries(changed);
    before.values = Object.fromEntries(replaced);
  }
  return Object.keys(body).length === 0 ? undefined : { body, before };
}

function removal({ id, title, values, position, archived = false }: Entry, prune: boolean): ImportAction {
  return {
    do: prune ? 'delete' : 'archive',
    id,
    title: title ?? id,
    before: prune ? { title, values, position, archived } : { archived },
  };
}

function at(row: ImportRow, key: ImportColumn, message: string): ImportIssue {
  return { line: row.line, column: key.header, message };
}

/** The entries that a list has when an import is planned. */

type Entry = CustomListEntry & { id: string };

/** The value by which an entry is found; undefined where it has none. */
export function entryKey(entry: Partial<CustomListEntry>, target: KeyTarget): string | undefined {
  const value = target.field === 'value' ? ownValue(entry.values, target.slug) : entry[target.field];
  return isEmptyValue(value) ? undefined : keyText(target, value);
}

/** Entries found by their keys, of which only hashes are kept. */
class EntriesByKey {
  private readonly index = new KeyIndex();
  private readonly taken: Uint8Array;
  private last: number | undefined = -1;

  constructor(
    private readonly entries: Rows<Partial<CustomListEntry>>,
    private readonly target: KeyTarget,
  ) {
    this.taken = new Uint8Array(entries.length);
    let place = 0;
    for (const entry of entries) {
      if (hasId(entry)) {
        const key = entryKey(entry, target);
        if (key !== undefined) this.index.add(key, place);
        const { position } = entry;
        const isKnown = this.last !== undefined && position !== undefined && position !== null;
        this.last = isKnown ? Math.max(this.last ?? -1, Number(position)) : undefined;
      }
      place += 1;
    }
  }

  /**
   * New entries are sent several at a time and may arrive in any order, so each names its place: the order of the file,
   * after the existing entries. Undefined if the server does not report positions.
   */
  get nextPosition(): number | undefined {
    return Number.isSafeInteger(this.last) ? Number(this.last) + 1 : undefined;
  }

  /** The entries with the key, which are not left any more. */
  take(key: string): Entry[] {
    return this.index.find(key).flatMap((place): Entry[] => {
      const entry = this.entries.at(place);
      if (entry === undefined || !hasId(entry) || entryKey(entry, this.target) !== key) return [];
      this.taken[place] = 1;
      return [entry];
    });
  }

  /** Entries that no row had the key of. */
  *left(): Generator<Entry> {
    let place = 0;
    for (const entry of this.entries) {
      if (hasId(entry) && this.taken[place] === 0) yield entry;
      place += 1;
    }
  }
}

function hasId(entry: Partial<CustomListEntry>): entry is Entry {
  return typeof entry.id === 'string';
}

function ownValue(values: Record<string, unknown> | undefined, slug: string): unknown {
  return values !== undefined && values !== null && Object.hasOwn(values, slug) ? values[slug] : undefined;
}

/** Rows that no request can carry, and values that no entry can hold, found before the first one is sent. */

export function tooLarge(actions: Iterable<ImportAction>, columns: readonly ImportColumn[]): ImportIssue[] {
  const issues: ImportIssue[] = [];
  for (const action of actions) {
    if (!('body' in action)) continue;
    const { line, body } = action;
    const size = bytesOf(action.do === 'update' ? { id: action.id, ...body } : body);
    if (size > maxBodyBytes) {
      issues.push({ line, message: `the row is ${size} bytes as a request, and the API takes ${maxBodyBytes}` });
      continue;
    }
    if ((body.title?.length ?? 0) > maxTitleCharacters) {
      const column = columns.find(({ target }) => target.field === 'title')?.header;
      const message = `the title has ${body.title?.length} characters, and the API takes ${maxTitleCharacters}`;
      issues.push({ line, column, message });
    }
    // Most rows are smaller than one value may be.
    if (size <= maxValueBytes) continue;
    for (const [slug, value] of Object.entries(body.values ?? {})) {
      const bytes = bytesOf(value);
      if (bytes <= maxValueBytes) continue;
      const column = columns.find(({ target }) => target.field === 'value' && target.slug === slug)?.header;
      issues.push({ line, column, message: `the value is ${bytes} bytes, and the API takes ${maxValueBytes}` });
    }
  }
  return issues;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : stringifyJson(value));
}

/** From values as they were planned for attributes that did not exist yet to values of the attributes that now do. */

/** Planned slug to the attribute that was created for it. */
export type CreatedAttributes = ReadonlyMap<string, Attribute>;

/** @throws rejected when an attribute that was asked for is not there */
export function matchCreated(wanted: readonly NewAttribute[], attributes: readonly Attribute[]): CreatedAttributes {
  return new Map(
    wanted.map((one) => {
      const found =
        attributes.find(({ name, slug }) => name === one.name && slug === one.slug) ??
        attributes.find(({ name }) => name === one.name);
      if (found?.slug === undefined) {
        throw new Failure('rejected', `the attribute "${one.name}" was created, and the list does not show it`);
      }
      return [one.slug, found];
    }),
  );
}

/** Slugs as the server gave them, options by their ids. */
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
