/** What an import ends with: its counts, the file of rows that are left, and the exit code. */

import type { Context } from '../../../cli/context.ts';
import { type CountKind, type Counts, countColumns, type DoneKind, Tally } from '../../../cli/outcomes.ts';
import { amount } from '../../../cli/words.ts';
import { Failure } from '../../../core/errors.ts';
import { isNumeric, plainDecimal, stringifyJson } from '../../../core/json.ts';
import type { Rows } from '../../../core/spool.ts';
import { placeColumns, reasonColumn } from '../../../domain/import/columns.ts';
import { formatOfName } from '../../../domain/import/file.ts';
import type { ImportAction } from '../../../domain/import/plan.ts';
import { csvWriter } from '../../../output/formats/csv.ts';
import { tsvWriter } from '../../../output/formats/tsv.ts';
import { fileSink } from '../../../output/write/file-sink.ts';
import { nameOf } from './describe.ts';
import type { Outcomes } from './outcomes.ts';
import type { RefusedRow } from './refuse.ts';
import type { StoredPlan } from './stored-plan.ts';

const kinds = ['created', 'updated', 'unchanged', 'skipped', 'archived', 'deleted', 'failed', 'not_tried'] as const;
export const importColumns = countColumns(kinds);
/** As many rows as the details of a failure have. */
const mostDetailed = 100;
/** Named only when there are any. */
const seldom: readonly CountKind[] = ['archived', 'deleted', 'not_tried'];

const doneKinds: Record<ImportAction['do'], DoneKind> = {
  create: 'created',
  update: 'updated',
  archive: 'archived',
  delete: 'deleted',
};

/** @throws when not everything was done: 7, or the class that all failures share */
export async function reportImport(
  ctx: Context,
  plan: StoredPlan,
  outcomes: Outcomes,
  failedFile: string | undefined,
): Promise<void> {
  const tally = new Tally();
  tally.counts.unchanged = plan.unchanged;
  tally.counts.skipped = plan.skipped;
  let index = 0;
  for (const action of plan.actions) {
    tally.add(doneKinds[action.do], outcomes.at(index), () => ({
      name: nameOf(action, plan),
      details: 'row' in action ? { line: action.line, key: action.key } : { id: action.id },
    }));
    index += 1;
  }
  tally.warn(ctx);
  const kept = failedFile === undefined ? '' : await writeFailed(ctx, failedFile, plan, outcomes);
  const failure = tally.verdict(ctx, `${kept}run the same command with --resume to continue`);
  tally.counts.failed += refusedOf(plan).length;
  await ctx.out.value(tally.counts, importColumns);
  // On a terminal the table says it.
  if (!ctx.runtime.terminal.stdoutIsTTY) ctx.out.note(countsText(tally.counts));
  if (failure) throw failure;
  if (refusedOf(plan).length > 0) throw leftOut(plan, failedFile);
}

function refusedOf({ refused = [] }: StoredPlan): Rows<RefusedRow> {
  return refused;
}

/** Everything else is as it should be. */
function leftOut({ refused = [], source }: StoredPlan, file: string | undefined): Failure {
  const details = [];
  for (let index = 0; index < Math.min(refused.length, mostDetailed); index += 1) {
    const { line, column, reason } = refused.at(index) as RefusedRow;
    details.push({ line, column, message: reason });
  }
  const hint =
    file === undefined
      ? '--failed FILE writes them to a file that can be fixed and imported again'
      : `they are in ${file}; fix them there and import that file`;
  return new Failure(
    'partial',
    `${refused.length} of ${amount(source.rows, 'row', 'rows')} had errors and were left out`,
    {
      code: 'invalid_rows',
      details: { rows: details },
      hint,
    },
  );
}

/** `503 created, 0 updated, …`. */
function countsText(counts: Counts): string {
  const shown = kinds.filter((kind) => counts[kind] > 0 || !seldom.includes(kind));
  return `${shown.map((kind) => `${counts[kind]} ${kind.replace('_', ' ')}`).join(', ')}.`;
}

type Row = Record<string, unknown>;

/** Writes the rows that are left as they are in the file, each with its reason. Says so for the hint. */
async function writeFailed(ctx: Context, file: string, plan: StoredPlan, outcomes: Outcomes): Promise<string> {
  const isResumable = !leftRows(plan, outcomes).next().done;
  if (!isResumable && refusedOf(plan).length === 0) return '';
  const sink = await fileSink(file, ctx.runtime.cwd, '--failed');
  const added = [...(refusedOf(plan).length > 0 ? placeColumns : []), reasonColumn];
  const headers = [...plan.headers.filter((header) => !added.includes(header)), ...added];
  for (const text of textOf(file, allLeft(plan, outcomes), headers, plan.source.decimal)) await sink.write(text);
  await sink.end();
  return isResumable ? `the remaining rows are in ${file}; ` : '';
}

/** Rows with errors first, then those that could not be written. */
function* allLeft(plan: StoredPlan, outcomes: Outcomes): Generator<Row> {
  const [lineColumn = '', columnColumn = ''] = placeColumns;
  for (const { cells, line, column, reason } of refusedOf(plan)) {
    yield { ...cells, [lineColumn]: line, [columnColumn]: column, [reasonColumn]: reason };
  }
  yield* leftRows(plan, outcomes);
}

function* leftRows(plan: StoredPlan, outcomes: Outcomes): Generator<Row> {
  let index = -1;
  for (const cells of plan.cells) {
    index += 1;
    const outcome = outcomes.at(index);
    if (outcome.is === 'done' || !cells) continue;
    const isFailed = outcome.is === 'failed' && outcome.failure.kind !== 'interrupted';
    yield { ...cells, [reasonColumn]: isFailed ? outcome.failure.message : 'not tried' };
  }
}

/** @param decimal the mark that numbers get, so that the file is read as the first one was */
function* textOf(
  file: string,
  rows: Iterable<Row>,
  headers: readonly string[],
  decimal: string | undefined,
): Generator<string> {
  const format = formatOfName(file) ?? 'csv';
  if (format === 'ndjson') {
    for (const row of rows) yield `${stringifyJson(nested(row))}\n`;
    return;
  }
  if (format === 'json') {
    let before = '[';
    for (const row of rows) {
      yield `${before}${stringifyJson(nested(row))}`;
      before = ',\n';
    }
    yield ']\n';
    return;
  }
  const columns = headers.map((key) => ({
    key,
    get: (row: Row) => cellText(row[key], placeColumns.includes(key) ? undefined : decimal),
  }));
  const result = { columns, header: true, json: (row: Row) => row, id: () => undefined };
  const writer = format === 'tsv' ? tsvWriter(result) : csvWriter(result, false);
  yield writer.open?.() ?? '';
  for (const row of rows) yield String(writer.rows([row]));
}

/** `values.SLUG` as the API nests it. */
function nested(row: Row): Row {
  const values = Object.entries(row).flatMap(([key, value]) =>
    key.startsWith('values.') ? [[key.slice(7), value]] : [],
  );
  if (values.length === 0) return row;
  const rest = Object.entries(row).filter(([key]) => !key.startsWith('values.'));
  return { ...Object.fromEntries(rest), values: Object.fromEntries(values) };
}

function cellText(value: unknown, decimal = '.'): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isNumeric(value)) return plainDecimal(value).replace('.', decimal);
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join('; ')
    : stringifyJson(value);
}
