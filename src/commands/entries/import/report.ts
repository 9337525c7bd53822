/** Reports an import: the plan in words, the counts, the file of failed rows, the exit code. */

import { isReported } from '../../../cli/bulk.ts';
import type { Context } from '../../../cli/context.ts';
import { type CountKind, type Counts, countColumns, type DoneKind, Tally } from '../../../cli/outcomes.ts';
import { amount } from '../../../cli/words.ts';
import type { Outcome } from '../../../client/bulk.ts';
import type { CustomListEntry } from '../../../contract/lists.ts';
import { Failure, listSome, shorten, usage } from '../../../core/errors.ts';
import type { Rows } from '../../../core/row-store.ts';
import { changesOf } from '../../../domain/entries/changes.ts';
import type { Attribute } from '../../../domain/entries/options.ts';
import { jsonNote, placeColumns, sourceColumn, textRow } from '../../../domain/import/failed.ts';
import { formatOfName, type RowFormat } from '../../../domain/import/file.ts';
import { quote } from '../../../domain/import/findings.ts';
import { asAttribute } from '../../../domain/import/infer.ts';
import type { ImportAction } from '../../../domain/import/plan.ts';
import { reasonColumn } from '../../../domain/import/table.ts';
import type { Cell } from '../../../output/column.ts';
import { csvWriter, jsonWriter, ndjsonWriter, tsvWriter } from '../../../output/formats/text.ts';
import type { Result, RowWriter } from '../../../output/formats/writer.ts';
import { messageLine } from '../../../output/terminal-text.ts';
import { fileSink } from '../../../output/write/sinks.ts';
import { valueWriter } from '../columns.ts';
import type { StoredPlan } from './plan.ts';

/** Most changes that a plan lists; `--plan-out` has all. */
const maxShown = 10;

/** The plan in words: a line for each kind of write, and the first changes. */
export function planLines(plan: StoredPlan, ofList: readonly Attribute[]): string[] {
  const known = [...ofList, ...plan.attributes.map(asAttribute)];
  const { attributes, unchanged, skipped, source, list } = plan;
  const { counts, fields, cleared, first, restored, removed } = summary(plan.actions);
  const { changeText } = valueWriter(known, first.flatMap(fieldsOf));
  const entries = (count: number) => amount(count, 'entry', 'entries');
  const lines = [
    `Plan for the list "${list.name ?? list.id}" from ${source.name}, ${amount(source.rows, 'row', 'rows')}:`,
  ];
  const add = (mark: string, count: number, text: string) => {
    if (count > 0) lines.push(`  ${mark} ${text}`);
  };
  for (const { name, attribute_type, config } of attributes) {
    const options = config?.options ? ` of ${amount(config.options.length, 'option', 'options')}` : '';
    const currency = config?.currency ? ` in ${config.currency}` : '';
    lines.push(`  + attribute "${name}", ${attribute_type}${options}${currency}`);
  }
  for (const { name, labels } of plan.options ?? []) {
    lines.push(`  + ${amount(labels.length, 'option', 'options')} of "${name}": ${labels.join(', ')}`);
  }
  add('+', counts.create, `create ${entries(counts.create)}`);
  add('~', counts.update, `update ${entries(counts.update)}: ${changedFields(fields, cleared)}`);
  for (const action of first)
    lines.push(
      `      ${plan.source.place} ${action.line} "${action.title}": ${fieldsOf(action).map(changeText).join(', ')}`,
    );
  const more = counts.update - first.length;
  add(' ', more, `    and ${more} more; --plan-out FILE has them all`);
  if (plan.mode === 'sync') {
    add(
      '~',
      restored.length,
      `bring back ${amount(restored.length, 'archived entry', 'archived entries')}${listTitles(restored)}`,
    );
  }
  add('-', counts.archive, `archive ${entries(counts.archive)} that the file lacks${listTitles(removed)}`);
  add('-', counts.delete, `delete ${entries(counts.delete)} that the file lacks${listTitles(removed)}`);
  add('=', unchanged, `leave ${entries(unchanged)} as it is`.replace(/(\d+ entries) as it is/, '$1 as they are'));
  add(
    ' ',
    skipped,
    `skip ${amount(skipped, 'row', 'rows')} (${plan.mode === 'insert' ? 'already in the list' : 'not in the list'})`,
  );
  return [...lines, ...totalLines(plan)];
}

/** Rows of the plan that may be totals. */
export function totalLines({ totals = [], source }: StoredPlan): string[] {
  return totals.slice(0, maxShown).map(({ line, text }) => {
    const row = `${source.place} ${line}`;
    return `  ! ${row} may be a total of the others: it begins with ${quote(text)}; leave it out with --skip-row ${line}`;
  });
}

/** The rows that the import leaves out. */
export function refusedLines({ refused, source }: StoredPlan): string[] {
  if (refused.length === 0) return [];
  const more = refused.length - maxShown;
  return [
    `  ! leave out ${amount(refused.length, 'row', 'rows')} with errors:`,
    ...Array.from(firstOf(refused, maxShown), ({ line, column, reason }) => {
      return `      ${source.place} ${line}${column === '' ? '' : `, column ${column}`}: ${reason}`;
    }),
    ...(more > 0 ? [`        and ${more} more; --failed FILE has them all`] : []),
  ];
}

function* firstOf<T>(rows: Rows<T>, most: number): Generator<T> {
  let count = 0;
  for (const row of rows) {
    if (count >= most) return;
    yield row;
    count += 1;
  }
}

/** `: "A", "B" and 3 more`. */
function listTitles(titles: readonly (string | null)[]): string {
  const names = titles.map((title) => JSON.stringify(shorten(title ?? '', 40)));
  return `: ${listSome(names, maxShown)}`;
}

/** Counts of the actions, the first updates, and the titles of entries that are archived or not any more. */
function summary(actions: Iterable<ImportAction>) {
  const counts: Record<ImportAction['do'], number> = { create: 0, update: 0, archive: 0, delete: 0 };
  const fields = new Map<string, number>();
  const first: Update[] = [];
  const restored: string[] = [];
  const removed: string[] = [];
  let cleared = 0;
  for (const action of actions) {
    counts[action.do] += 1;
    if (action.do === 'archive' || action.do === 'delete') removed.push(action.title);
    if (action.do !== 'update') continue;
    if (action.body.archived === false) restored.push(action.title);
    if (first.length < maxShown) first.push(action);
    for (const { name, to } of fieldsOf(action)) {
      const field = name.replace(/^values\./, '');
      fields.set(field, (fields.get(field) ?? 0) + 1);
      if (to === null) cleared += 1;
    }
  }
  return { counts, fields, cleared, first, restored, removed };
}

/** The name of a row or entry in messages. */
function nameOf(action: ImportAction, plan: StoredPlan): string {
  return 'line' in action
    ? `${plan.source.place} ${action.line} "${action.title}"`
    : `"${action.title}" (${action.id})`;
}

type Update = Extract<ImportAction, { do: 'update' }>;

const fieldsOf = ({ body, before }: Update) => changesOf(before as Partial<CustomListEntry>, { ...body });

function changedFields(fields: ReadonlyMap<string, number>, cleared: number): string {
  const named = [...fields].map(([name, count]) => `${name} (${count})`).join(', ');
  return cleared === 0 ? named : `${named}; clears ${amount(cleared, 'value', 'values')} (--empty keep leaves them)`;
}

const kinds = ['created', 'updated', 'unchanged', 'skipped', 'archived', 'deleted', 'failed', 'not_tried'] as const;
export const importColumns = countColumns(kinds);
/** Most rows in the details of a failure. */
const maxDetails = 100;
/** Kinds that are left out if there are none. */
const seldom: readonly CountKind[] = ['archived', 'deleted', 'not_tried'];

const doneKinds: Record<ImportAction['do'], DoneKind> = {
  create: 'created',
  update: 'updated',
  archive: 'archived',
  delete: 'deleted',
};

/** @throws if not everything was done: partial, or the kind that all failures share */
export async function reportImport(
  ctx: Context,
  plan: StoredPlan,
  outcomes: Outcomes,
  failedFile: string | undefined,
): Promise<void> {
  const tally = new Tally();
  tally.counts.unchanged = plan.unchanged;
  tally.counts.skipped = plan.skipped + plan.refused.length;
  let index = 0;
  for (const action of plan.actions) {
    tally.add(doneKinds[action.do], outcomes[index] ?? notTried, () => ({
      name: nameOf(action, plan),
      details: 'line' in action ? { line: action.line, key: action.key } : { id: action.id },
    }));
    index += 1;
  }
  tally.warn(ctx);
  const remaining = failedFile === undefined ? '' : await writeFailed(ctx, failedFile, plan, outcomes);
  const failure = tally.verdict(ctx, `${remaining}run the same command with --resume to continue`);
  if (isReported(ctx)) await ctx.out.value(tally.counts, importColumns);
  // A terminal shows the same counts as a table.
  if (!ctx.runtime.terminal.stdoutIsTTY) ctx.out.note(countsText(tally.counts));
  if (failure) throw failure;
  if (plan.refused.length > 0) throw leftOut(plan, failedFile);
}

/** The failure for rows that were left out. */
function leftOut({ refused, source }: StoredPlan, file: string | undefined): Failure {
  const rows = Array.from(firstOf(refused, maxDetails), ({ line, column, reason }) => ({
    line,
    column,
    message: reason,
  }));
  const hint =
    file === undefined
      ? '--failed FILE writes them to a file that can be fixed and imported again'
      : `they are in ${file}; fix them there and import that file with the same flags`;
  return new Failure(
    'partial',
    `${refused.length} of ${amount(source.rows, 'row', 'rows')} had errors and were left out`,
    {
      code: 'invalid_rows',
      details: { rows },
      hint,
    },
  );
}

/** `503 created, 0 updated, …`. */
function countsText(counts: Counts): string {
  const visible = kinds.filter((kind) => counts[kind] > 0 || !seldom.includes(kind));
  return `${visible.map((kind) => `${counts[kind]} ${kind.replace('_', ' ')}`).join(', ')}.`;
}

type Row = Record<string, unknown>;

/** A row of the source that was not written, with the columns of its reason. */
interface LeftRow {
  cells: Row;
  [column: string]: unknown;
}

/** Writes the remaining rows with their reasons. @returns the start of the hint */
async function writeFailed(ctx: Context, file: string, plan: StoredPlan, outcomes: Outcomes): Promise<string> {
  const isResumable = !leftRows(plan, outcomes).next().done;
  if (!isResumable && plan.refused.length === 0) return '';
  const sink = await fileSink(file, ctx.runtime.cwd, '--failed');
  const { json, formats, delimiter } = plan.source;
  const format = failedFormat(file, json);
  const isText = format === 'csv' || format === 'tsv';
  const note = jsonNote(!json, formats);
  const written = ({ cells, ...more }: LeftRow): Row =>
    isText ? { ...textRow(cells, formats), ...more } : { ...cells, ...note, ...more };
  let hasNote = false;
  if (isText) for (const row of allLeft(plan, outcomes)) hasNote ||= Object.hasOwn(written(row), sourceColumn);
  const added = [...(plan.refused.length > 0 ? placeColumns : []), ...(hasNote ? [sourceColumn] : []), reasonColumn];
  const headers = [...plan.headers.filter((header) => !added.includes(header)), ...added];
  const columns = headers.map((key) => ({ key, get: (row: Row) => row[key] as Cell }));
  const writer = rowWriter(format, delimiter, { columns, header: true, json: nestRow, id: () => undefined });
  await sink.write(writer.open?.() ?? '');
  for (const row of allLeft(plan, outcomes)) await sink.write(String(writer.rows([written(row)])));
  await sink.write((await writer.close?.(false)) ?? '');
  await sink.end();
  return isResumable ? `the remaining rows are in ${file}; ` : '';
}

/** Rows with errors first, then those that could not be written. */
function* allLeft(plan: StoredPlan, outcomes: Outcomes): Generator<LeftRow> {
  const [lineColumn = '', columnColumn = ''] = placeColumns;
  for (const { cells, line, column, reason } of plan.refused) {
    yield { cells, [lineColumn]: line, [columnColumn]: column, [reasonColumn]: reason };
  }
  yield* leftRows(plan, outcomes);
}

function* leftRows(plan: StoredPlan, outcomes: Outcomes): Generator<LeftRow> {
  let index = -1;
  for (const action of plan.actions) {
    index += 1;
    const outcome = outcomes[index] ?? notTried;
    if (outcome.is === 'done' || !('cells' in action)) continue;
    const isFailed = outcome.is === 'failed' && outcome.failure.kind !== 'interrupted';
    yield { cells: action.cells, [reasonColumn]: isFailed ? messageLine(outcome.failure.message) : 'not tried' };
  }
}

/** The format of a file of failed rows; JSON is YAML, too. @throws usage where it cannot hold the cells */
export function failedFormat(file: string, isJson: boolean): RowFormat {
  const format = formatOfName(file) ?? (isJson ? 'ndjson' : 'csv');
  if (isJson && (format === 'csv' || format === 'tsv')) {
    throw usage(
      `--failed ${file}: the cells of JSON and YAML have types, which ${format} does not keep`,
      'name a file that ends in .ndjson or .json',
    );
  }
  return format === 'yaml' ? 'json' : format;
}

function rowWriter(format: RowFormat, delimiter: string | undefined, result: Result<Row>): RowWriter<Row> {
  if (format === 'json') return jsonWriter(result);
  if (format === 'ndjson') return ndjsonWriter(result);
  return format === 'tsv' ? tsvWriter(result) : csvWriter(result, false, delimiter);
}

/** Nests `values.SLUG` as the API does. */
function nestRow(row: Row): Row {
  const values = Object.entries(row).flatMap(([key, value]) =>
    key.startsWith('values.') ? [[key.slice(7), value]] : [],
  );
  if (values.length === 0) return row;
  const rest = Object.entries(row).filter(([key]) => !key.startsWith('values.'));
  return { ...Object.fromEntries(rest), values: Object.fromEntries(values) };
}

/** The outcomes of a plan's actions by index. */
export type Outcomes = Outcome<unknown>[];

const done: Outcome<unknown> = { is: 'done', value: undefined };
const notTried: Outcome<unknown> = { is: 'notTried' };

export function outcomesOf(count: number, earlier: Iterable<number> = []): Outcomes {
  const outcomes: Outcomes = Array.from({ length: count }, () => notTried);
  for (const index of earlier) outcomes[index] = done;
  return outcomes;
}

/** The outcome without the answer of its write, which nothing reads. */
export function bareOutcome(outcome: Outcome<unknown>): Outcome<unknown> {
  return outcome.is === 'done' ? done : outcome;
}
