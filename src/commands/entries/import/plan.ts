/** The plan of an import, from a file and a list: everything is checked here, and nothing is written. */

import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import { amount } from '../../../cli/words.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { mapRows, type Rows, Spool } from '../../../core/spool.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import { asAttribute, type NewAttribute } from '../../../domain/import/infer.ts';
import { type ImportAction, type ImportMode, planImport, tooLarge } from '../../../domain/import/plan.ts';
import { typedRows } from '../../../domain/import/rows.ts';
import {
  cellText,
  type ImportIssue,
  inFileOrder,
  isUnitCell,
  isWrongCell,
  ownExport,
  placeOf,
  type Remedy,
  type SourceTable,
} from '../../../domain/import/table.ts';
import { columnsOf, noKey } from './columns.ts';
import type { ImportFlags } from './flags.ts';
import { allEntries, type List, ListState, type Source, withLabels } from './read.ts';
import type { RefusedRow, StoredPlan } from './stored-plan.ts';

/** @throws usage with every cell that cannot be imported */
export async function makePlan(
  ctx: Context,
  list: List,
  { name, table: read, hash }: Source,
  flags: ImportFlags,
): Promise<StoredPlan> {
  const mode = (flags.mode ?? 'upsert') as ImportMode;
  checkMode(mode, flags);
  const labeled = await withLabels(ctx, list.id, read);
  // An empty array has no columns, so no key can be missing.
  const isEmpty = labeled.json && labeled.headers.length === 0 && labeled.rows.length === 0;
  const table = isEmpty ? { ...labeled, headers: [flags.key ?? 'title'] } : labeled;
  const attributes: readonly Attribute[] = list.list_attributes ?? [];
  const { columns, key, created, ...match } = await columnsOf(ctx, table, attributes, flags);
  if (key === undefined) {
    refuse([...table.issues, ...match.issues], name, table);
    throw noKey(flags.key ?? 'title', table);
  }
  if (key.target.field === 'value' && key.target.attribute.attribute_type === 'multi_select') {
    throw usage(`--key ${flags.key}: a multi_select has several values, and a key must be one`);
  }
  const empty = flags.empty === 'keep' ? 'keep' : 'clear';
  const typed = typedRows(table, { columns, key, now: ctx.now(), empty });
  if (match.issues.length > 0) {
    // Missing values are known only when every column is matched.
    await blocking(ctx.runtime, () => {
      for (const _ of typed.rows);
    });
    refuse([...table.issues, ...match.issues, ...typed.issues], name, table);
  }
  for (const note of match.notes) ctx.out.note(note);
  if (mode === 'sync' && table.rows.length === 0) {
    throw usage(`${name} has no rows, and a sync with it would remove every entry of the list "${list.name}"`);
  }
  const entries: Partial<CustomListEntry>[] = [];
  const state = new ListState(attributes);
  for await (const entry of allEntries(ctx, list.id)) {
    entries.push(entry);
    state.add(entry);
  }
  const all = [...attributes, ...created.map(asAttribute)];
  const options = { mode, prune: flags.prune ?? false, key, columns, attributes: all, created };
  const { plan, issues, refused, actions } = await blocking(ctx.runtime, () => {
    const { plan, issues: conflicts } = planImport(typed.rows, entries, options, new Spool<ImportAction>());
    const issues = [...table.issues, ...typed.issues, ...conflicts, ...tooLarge(plan.actions, columns)];
    const refused = (flags.onError === 'skip' && refusedRows(issues, table)) || new Spool<RefusedRow>();
    return { plan, issues, refused, actions: withoutRefused(plan.actions, refused) };
  });
  if (refused.length === 0) refuse(issues, name, table);
  const namesIds = columns.some(({ target }) => target.field === 'id');
  if (namesIds && ownExport(table.headers, table.rows) !== 'whole' && holdsCreate(actions)) {
    ctx.out.note("New entries get ids of the server, not those of the file; --map 'id=SLUG' keeps these.");
  }
  if (match.ignored.length > 0) {
    ctx.out.note(`Left out, because only the server sets them: ${match.ignored.join(', ')}.`);
  }
  const { json, place, headers, rows } = table;
  return {
    comem: 'import-plan',
    version: 1,
    list: { id: list.id, name: list.name },
    baseUrl: ctx.settings.baseUrl.value,
    source: { name, hash, rows: rows.length, json, place, decimal: match.decimal },
    mode,
    key: key.target.field === 'value' ? { field: 'value', slug: key.target.slug } : key.target,
    state: state.hash,
    headers,
    ...plan,
    attributes: withOptionsOf(created, actions),
    actions,
    cells: mapRows(actions, (action) => ('row' in action ? recordOf(table, action.row) : null)),
    refused,
  };
}

function checkMode(mode: ImportMode, { prune, onError }: ImportFlags): void {
  if (prune && mode !== 'sync') throw usage('--prune deletes what the file lacks, and needs --mode sync');
  if (onError === 'skip' && mode === 'sync') {
    throw usage('--on-error skip leaves rows out, and --mode sync would remove their entries', 'use --mode upsert');
  }
}

/** The new attributes with the options that are written: rows that are left out need none. */
function withOptionsOf(created: readonly NewAttribute[], actions: Iterable<ImportAction>): NewAttribute[] {
  if (created.every(({ config }) => config === undefined)) return [...created];
  const held = new Map(created.map(({ slug }) => [slug, new Set<unknown>()]));
  for (const action of actions) {
    const { values = {} } = 'body' in action ? action.body : {};
    for (const [slug, labels] of held) for (const label of [values[slug]].flat()) labels.add(label);
  }
  return created.map(({ config, ...attribute }) => {
    if (config === undefined) return attribute;
    const labels = held.get(attribute.slug);
    return { ...attribute, config: { options: config.options.filter(({ label }) => labels?.has(label)) } };
  });
}

function holdsCreate(actions: Iterable<ImportAction>): boolean {
  for (const action of actions) if (action.do === 'create') return true;
  return false;
}

function refuse(issues: readonly ImportIssue[], name: string, table: SourceTable): void {
  if (issues.length === 0) return;
  const details = inFileOrder(issues).map((issue) => {
    const { remedy: _, ...rest } = issue;
    return { ...rest, message: messageOf(issue), path: placeOf(issue, table.place) };
  });
  throw new Failure(
    'usage',
    `${name} cannot be imported: ${amount(issues.length, 'error', 'errors')}; nothing was written`,
    {
      code: 'invalid_file',
      details: { issues: details },
    },
  );
}

/** The rows that have issues; undefined if some issue is not of a row, or no row would be left. */
function refusedRows(issues: readonly ImportIssue[], table: SourceTable): Spool<RefusedRow> | undefined {
  const first = new Map<number, ImportIssue>();
  for (const issue of inFileOrder(issues)) {
    if (issue.line === undefined) return undefined;
    if (!first.has(issue.line)) first.set(issue.line, issue);
  }
  if (first.size >= table.rows.length) return undefined;
  const refused = new Spool<RefusedRow>();
  let index = 0;
  for (const { line } of table.rows) {
    const issue = first.get(line);
    if (issue)
      refused.push({ cells: recordOf(table, index), line, column: issue.column ?? '', reason: messageOf(issue) });
    first.delete(line);
    index += 1;
  }
  return first.size > 0 ? undefined : refused;
}

/** The actions of rows that are not refused. */
function withoutRefused(actions: Rows<ImportAction>, refused: Rows<RefusedRow>): Rows<ImportAction> {
  if (refused.length === 0) return actions;
  const lines = new Set<number>();
  for (const { line } of refused) lines.add(line);
  const left = new Spool<ImportAction>();
  for (const action of actions) if (!('line' in action && lines.has(action.line))) left.push(action);
  return left;
}

function recordOf(table: SourceTable, row: number): Record<string, unknown> {
  const cells = table.rows.at(row)?.cells ?? [];
  return Object.fromEntries(
    table.headers.flatMap((header, index) => (cells[index] === undefined ? [] : [[header, plainCell(cells[index])]])),
  );
}

/** A cell of a sheet as a value that another file can hold. */
function plainCell(cell: unknown): unknown {
  if (isWrongCell(cell)) return '';
  return isUnitCell(cell) ? `${cellText(cell)}${cell.unit === '%' ? '%' : ` ${cell.unit}`}` : cell;
}

function messageOf({ message, remedy, column }: ImportIssue): string {
  return `${message}${remedy === undefined ? '' : howTo(remedy, column ?? 'COLUMN')}`;
}

/** How the flags solve an issue, as the end of its message. */
function howTo(remedy: Remedy, column: string): string {
  switch (remedy) {
    case 'choose':
      return `; choose one with --map '${column}=SLUG'`;
    case 'name':
      return `; name it with --map '${column}=SLUG', leave it out with --map '${column}=', or name all with --header NAME,…`;
    case 'own':
      return `; keep it as an attribute with --map '${column}=SLUG', or leave it out with --map '${column}='`;
    case 'leaveOut':
      return `; leave one out with --map '${column}='`;
    case 'match':
      return `; match it with --map '${column}=SLUG', leave it out with --map '${column}=', or add it with --create-attrs`;
    case 'title':
      return "; name its column with --map 'COLUMN=title'";
  }
}
