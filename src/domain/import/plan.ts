/** What an import will write: rows of a file against the entries of a list. */
import type { CustomListEntry } from '../../contract/lists.ts';
import type { Optional } from '../../contract/operation.ts';
import type { Numeric } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import type { GrowingRows, Rows } from '../../core/spool.ts';
import { isArchived } from '../entries/lookup.ts';
import type { Attribute } from '../entries/options.ts';
import { missingRequired } from '../entries/values.ts';
import type { importModes } from './choices.ts';
import type { ImportColumn } from './columns.ts';
import { EntriesByKey, type Entry, ownValue } from './existing.ts';
import type { NewAttribute } from './infer.ts';
import type { ImportRow } from './rows.ts';
import type { ImportIssue } from './table.ts';

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

export interface PlanOptions {
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
