/** The plan of an import: rows compared with the entries of the list, without the rows that have errors; its form in files. */
import type { Context } from '../../../cli/context.ts';
import { isPlan, type PlanFile, parsePlan, planText, readPlanFile, writePlanFile } from '../../../cli/plan-file.ts';
import { blocking } from '../../../cli/runtime.ts';
import { usage } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import { openRowStore, type Rows } from '../../../core/row-store.ts';
import type { TypedCells } from '../../../domain/import/cells.ts';
import type { KeyTarget } from '../../../domain/import/columns.ts';
import type { ColumnFormats } from '../../../domain/import/failed.ts';
import { type AddedOptions, asAttribute, type NewAttribute } from '../../../domain/import/infer.ts';
import {
  type ImportAction,
  type ImportMode,
  type ImportPlan,
  planImport,
  tooLarge,
} from '../../../domain/import/plan.ts';
import { exportKind, type ImportIssue, inFileOrder, recordOf, type SourceTable } from '../../../domain/import/table.ts';
import { allEntries } from '../read.ts';
import { flagNames, type ImportFlags } from './flags.ts';
import type { MatchedColumns } from './match.ts';
import { hashOf, type List, listHash, type Source } from './read.ts';

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
  const entries = await allEntries(ctx, list.id);
  const attributes = [...known, ...created.map(asAttribute)];
  const options = {
    mode,
    prune: flags.prune ?? false,
    key,
    columns,
    attributes,
    created,
    headers: table.headers,
    flags: flagNames,
  };
  return blocking(ctx.runtime, async () => {
    const { plan, issues: conflicts } = planImport(typed.rows, entries, options, await openRowStore<ImportAction>());
    const issues = [...table.issues, ...typed.issues, ...conflicts, ...tooLarge(plan.actions, columns)];
    return { plan, issues, state: listHash(known, entries) };
  });
}

/** The plan of the rows without issues. */
export async function makePlan(
  ctx: Context,
  list: List,
  { name, hash, table, formats }: Source & Pick<TypedCells, 'formats'>,
  { columns, key, created, options, ignored }: MatchedColumns,
  { plan, issues, state }: Comparison,
  flags: ImportFlags,
): Promise<StoredPlan> {
  const { refused, actions } = await blocking(ctx.runtime, async () => {
    const refused = refusedRows(issues, table) ?? [];
    return { refused, actions: await withoutRefused(plan.actions, refused) };
  });
  const namesIds = columns.some(({ target }) => target.field === 'id');
  if (namesIds && exportKind(table.headers, table.rows) !== 'whole' && holdsCreate(actions)) {
    ctx.out.note("New entries get ids of the server, not those of the file; --map 'id=SLUG' keeps these.");
  }
  if (ignored.length > 0) ctx.out.note(`Left out, because only the server sets them: ${ignored.join(', ')}.`);
  const { json, lineUnit: place, headers, rows, delimiter } = table;
  const used = usedOptions(created, options, actions);
  const left = new Set(Array.from(refused, ({ line }) => line));
  const totals = [...(table.totals ?? [])].flatMap(([line, text]) => (left.has(line) ? [] : [{ line, text }]));
  return {
    comem: 'import-plan',
    version: 1,
    list: { id: list.id, name: list.name },
    baseUrl: ctx.settings.baseUrl.value,
    source: { name, hash, rows: rows.length, json, place, formats, delimiter },
    mode: (flags.mode ?? 'upsert') as ImportMode,
    key: key.target.field === 'value' ? { field: 'value', slug: key.target.slug } : key.target,
    state,
    headers,
    ...plan,
    ...(totals.length > 0 && { totals }),
    attributes: used.attributes,
    ...(used.options.length > 0 && { options: used.options }),
    actions,
    refused,
  };
}

/** The new attributes and options, of these only what the remaining rows use. */
function usedOptions(
  created: readonly NewAttribute[],
  added: readonly AddedOptions[],
  actions: Iterable<ImportAction>,
): { attributes: NewAttribute[]; options: AddedOptions[] } {
  const slugs = [...created.filter(({ config }) => config?.options), ...added].map(({ slug }) => slug);
  const written = new Map(slugs.map((slug) => [slug, new Set<unknown>()]));
  for (const action of slugs.length === 0 ? [] : actions) {
    const { values = {} } = 'body' in action ? action.body : {};
    for (const [slug, labels] of written) for (const label of [values[slug]].flat()) labels.add(label);
  }
  const attributes = created.map((attribute) => {
    const { slug, config } = attribute;
    if (!config?.options) return attribute;
    const options = config.options.filter(({ label }) => written.get(slug)?.has(label));
    return { ...attribute, config: { ...config, options } };
  });
  const options = added
    .map((each) => ({ ...each, labels: each.labels.filter((label) => written.get(each.slug)?.has(label)) }))
    .filter(({ labels }) => labels.length > 0);
  return { attributes, options };
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
  for (const { line, cells } of table.rows) {
    const issue = first.get(line);
    if (issue)
      refused.push({ cells: recordOf(table.headers, cells), line, column: issue.column ?? '', reason: issue.message });
    first.delete(line);
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

/** A row with errors, and the first of them. */
export interface RefusedRow {
  cells: Record<string, unknown>;
  line: number;
  column: string;
  reason: string;
}

export interface StoredPlan extends ImportPlan, PlanFile {
  comem: 'import-plan';
  list: { id: string; name?: string | undefined };
  source: {
    name: string;
    hash: string;
    rows: number;
    json: boolean;
    place: SourceTable['lineUnit'];
    formats: ColumnFormats;
    /** The delimiter of its lines; a file of failed rows has the same. */
    delimiter?: string | undefined;
  };
  mode: ImportMode;
  /** The field that identifies entries. */
  key: KeyTarget;
  /** Fingerprint of the list when the plan was made. */
  state: string;
  headers: readonly string[];
  /** Rows that begin with a word for a sum of the others. */
  totals?: { line: number; text: string }[];
  /** Rows with errors, which are left out. */
  refused: Rows<RefusedRow>;
  /** Hash of the other fields: a plan file that was edited is not executed. */
  digest?: string;
}

/** The lists of a plan, which may not fit into memory. */
const planLists = async () => ({
  actions: await openRowStore<ImportAction>(),
  refused: await openRowStore<RefusedRow>(),
});
const asPlan = (value: unknown) => (isPlan<StoredPlan>(value, 'import-plan', isSound) ? value : undefined);
const isSound = ({ actions, refused, list, source }: Record<string, unknown>) =>
  isObject(list) &&
  isObject(source) &&
  isObject(source.formats) &&
  [actions, refused].every((rows) => typeof rows === 'object' && rows !== null && Symbol.iterator in rows);

/** Writes the plan with its digest. */
export async function writePlan(ctx: Context, file: string, plan: StoredPlan): Promise<void> {
  const stored: StoredPlan = { ...plan, digest: hashOf(importPlanText(plan)) };
  await writePlanFile(ctx, file, stored, lists);
}

/** @throws usage for a file that is not a plan, was edited, or is a plan for another list */
export async function readPlan(ctx: Context, file: string, list: List): Promise<{ plan: StoredPlan; hash: string }> {
  const stored = readPlanFile(ctx, file, { lists: await planLists(), parse: asPlan, command: 'entries import' });
  const { digest, ...plan } = stored;
  const hash = hashOf(importPlanText(plan));
  if (digest !== hash) throw usage(`--plan ${file} was edited after it was written`, 'make a new one with --plan-out');
  if (plan.list.id.toLowerCase() !== list.id.toLowerCase()) {
    throw usage(`--plan ${file} was made for the list "${plan.list.name}" (${plan.list.id}), not for "${list.name}"`);
  }
  return { plan, hash };
}

/** @throws usage when anything of the list differs from when the plan was made */
export async function requireUnchanged(ctx: Context, name: string, plan: StoredPlan, list: List): Promise<void> {
  const entries = await allEntries(ctx, list.id);
  const state = await blocking(ctx.runtime, () => listHash(list.list_attributes ?? [], entries));
  if (state === plan.state) return;
  throw usage(
    `${name}: the list "${list.name}" has changed since the plan was made; nothing was written`,
    'make a new plan with --plan-out and review it; use --resume to continue a plan that was interrupted',
  );
}

const lists = ['actions', 'refused'];

export function importPlanText(plan: StoredPlan): Iterable<string> {
  return planText(plan, lists);
}

/** The plan that a journal begins with. */
export async function planFrom(lines: Iterator<{ text: string }>): Promise<StoredPlan | undefined> {
  return asPlan(parsePlan(lines, await planLists()));
}
