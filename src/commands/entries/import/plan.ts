/** The plan of an import: rows compared with the entries of the list, without the rows that have errors. */

import type { Context } from '../../../cli/context.ts';
import { blocking } from '../../../cli/runtime.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { usage } from '../../../core/errors.ts';
import { mapRows, openRowStore, type Rows } from '../../../core/row-store.ts';
import { type AddedOptions, asAttribute, type NewAttribute } from '../../../domain/import/infer.ts';
import {
  type ImportAction,
  type ImportMode,
  type ImportPlan,
  planImport,
  tooLarge,
} from '../../../domain/import/plan.ts';
import {
  cellText,
  exportKind,
  type ImportIssue,
  inFileOrder,
  isUnitCell,
  isWrongCell,
  type SourceTable,
} from '../../../domain/import/table.ts';
import type { TypedCells } from './cells.ts';
import type { ImportFlags } from './flags.ts';
import { messageOf, refuse } from './issues.ts';
import type { MatchedColumns } from './match.ts';
import { allEntries, type List, ListState, type Source } from './read.ts';
import type { RefusedRow, StoredPlan } from './stored-plan.ts';

interface Comparison {
  plan: ImportPlan;
  /** Issues of the rows that cannot be imported. */
  issues: ImportIssue[];
  /** Fingerprint of the list. */
  state: string;
}

export async function compareRows(
  ctx: Context,
  list: List,
  { name, table }: Source,
  { columns, key, created }: MatchedColumns,
  typed: TypedCells,
  flags: ImportFlags,
): Promise<Comparison> {
  const mode = (flags.mode ?? 'upsert') as ImportMode;
  if (mode === 'sync' && table.rows.length === 0) {
    throw usage(`${name} has no rows, and a sync with it would remove every entry of the list "${list.name}"`);
  }
  const known = list.list_attributes ?? [];
  const entries: Partial<CustomListEntry>[] = [];
  const state = new ListState(known);
  for await (const entry of allEntries(ctx, list.id)) {
    entries.push(entry);
    state.add(entry);
  }
  const attributes = [...known, ...created.map(asAttribute)];
  const options = { mode, prune: flags.prune ?? false, key, columns, attributes, created };
  return blocking(ctx.runtime, async () => {
    const { plan, issues: conflicts } = planImport(typed.rows, entries, options, await openRowStore<ImportAction>());
    const issues = [...table.issues, ...typed.issues, ...conflicts, ...tooLarge(plan.actions, columns)];
    return { plan, issues, state: state.hash };
  });
}

const notSkipped = 'no row would be left, or a problem is not that of one row, so --on-error skip leaves none out';

/** @throws usage with every issue, unless --on-error skip leaves the rows out */
export async function makePlan(
  ctx: Context,
  list: List,
  { name, hash, table, decimal }: Source & { decimal: string | undefined },
  { columns, key, created, options, ignored }: MatchedColumns,
  { plan, issues, state }: Comparison,
  flags: ImportFlags,
): Promise<StoredPlan> {
  const { refused, actions } = await blocking(ctx.runtime, async () => {
    const refused = (flags.onError === 'skip' && refusedRows(issues, table)) || [];
    return { refused, actions: await withoutRefused(plan.actions, refused) };
  });
  if (refused.length === 0) refuse(issues, name, table, flags.onError === 'skip' ? notSkipped : undefined);
  const namesIds = columns.some(({ target }) => target.field === 'id');
  if (namesIds && exportKind(table.headers, table.rows) !== 'whole' && holdsCreate(actions)) {
    ctx.out.note("New entries get ids of the server, not those of the file; --map 'id=SLUG' keeps these.");
  }
  if (ignored.length > 0) ctx.out.note(`Left out, because only the server sets them: ${ignored.join(', ')}.`);
  const { json, lineUnit: place, headers, rows } = table;
  const used = usedOptions(options, actions);
  return {
    comem: 'import-plan',
    version: 1,
    list: { id: list.id, name: list.name },
    baseUrl: ctx.settings.baseUrl.value,
    source: { name, hash, rows: rows.length, json, place, decimal },
    mode: (flags.mode ?? 'upsert') as ImportMode,
    key: key.target.field === 'value' ? { field: 'value', slug: key.target.slug } : key.target,
    state,
    headers,
    ...plan,
    attributes: usedAttributes(created, actions),
    ...(used.length > 0 && { options: used }),
    actions,
    cells: mapRows(actions, (action) => ('row' in action ? recordOf(table, action.row) : null)),
    refused,
  };
}

/** Labels and other values that actions write, by slug. */
function writtenValues(actions: Iterable<ImportAction>, slugs: readonly string[]): Map<string, Set<unknown>> {
  const written = new Map(slugs.map((slug) => [slug, new Set<unknown>()]));
  if (slugs.length === 0) return written;
  for (const action of actions) {
    const { values = {} } = 'body' in action ? action.body : {};
    for (const [slug, labels] of written) for (const label of [values[slug]].flat()) labels.add(label);
  }
  return written;
}

/** The new attributes with only the options that remaining rows use. */
function usedAttributes(created: readonly NewAttribute[], actions: Iterable<ImportAction>): NewAttribute[] {
  const withOptions = created.filter(({ config }) => config?.options);
  const written = writtenValues(
    actions,
    withOptions.map(({ slug }) => slug),
  );
  return created.map((attribute) => {
    const { slug, config } = attribute;
    if (!config?.options) return attribute;
    const options = config.options.filter(({ label }) => written.get(slug)?.has(label));
    return { ...attribute, config: { ...config, options } };
  });
}

/** The added options that remaining rows use. */
function usedOptions(added: readonly AddedOptions[], actions: Iterable<ImportAction>): AddedOptions[] {
  const written = writtenValues(
    actions,
    added.map(({ slug }) => slug),
  );
  return added
    .map((options) => ({ ...options, labels: options.labels.filter((label) => written.get(options.slug)?.has(label)) }))
    .filter(({ labels }) => labels.length > 0);
}

function holdsCreate(actions: Iterable<ImportAction>): boolean {
  for (const action of actions) if (action.do === 'create') return true;
  return false;
}

/** The rows with issues; undefined if an issue concerns no row, or no row would be left. */
function refusedRows(issues: readonly ImportIssue[], table: SourceTable): RefusedRow[] | undefined {
  const first = new Map<number, ImportIssue>();
  for (const issue of inFileOrder(issues)) {
    if (issue.line === undefined) return undefined;
    if (!first.has(issue.line)) first.set(issue.line, issue);
  }
  if (first.size >= table.rows.length) return undefined;
  const refused: RefusedRow[] = [];
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
async function withoutRefused(actions: Rows<ImportAction>, refused: Rows<RefusedRow>): Promise<Rows<ImportAction>> {
  if (refused.length === 0) return actions;
  const lines = new Set<number>();
  for (const { line } of refused) lines.add(line);
  const left = await openRowStore<ImportAction>();
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
