/** Bulk writes of a command: plan, confirmation, execution, and a report with the outcome of each. */
import { type Bulk, type BulkOptions, createBulk, type Outcome, type Send, type Step } from '../client/bulk.ts';
import type { Input, Operation } from '../contract/operation.ts';
import { Failure, isSkippable, noRows } from '../core/errors.ts';
import type { Column } from '../output/column.ts';
import { withShortIds } from '../output/screen-column.ts';
import { asciiOnly, messageLine } from '../output/terminal-text.ts';
import type { Context, PlannedCall } from './context.ts';
import { failureLines, failureOf } from './outcomes.ts';

/** An executor with the retries and the interrupt of this command. */
export function bulkOf({ settings, runtime }: Context, options: Partial<BulkOptions> = {}): Bulk {
  const { signal, random } = runtime;
  return createBulk({ concurrency: settings.concurrency, retries: settings.retries.value, random, signal, ...options });
}

/** A call of any operation, checked against its own types. */
export function planCall<O extends Operation>(op: O, input: Input<O>): PlannedCall {
  return { op, input };
}

interface Unanswered<T> {
  failure: Failure;
  sent: Promise<unknown>;
  /** The resource as the write left it; undefined: nothing shows that it was carried out. */
  find(): Promise<T | undefined>;
}

/** Looks up what a write without an answer left, once everything is sent. */
export async function lookUpWrite<T extends object>(
  ctx: Context,
  { op, input }: PlannedCall,
  { failure, sent, find }: Unanswered<T>,
): Promise<T | undefined> {
  if (failure.kind !== 'tryLater' && failure.code !== 'unproven_write') return undefined;
  await sent;
  const resource = await find();
  if (resource !== undefined) (await ctx.client()).answered?.(op, input, resource);
  return resource;
}

/** Looks up the resource of the only write of a command. @returns undefined for a failure that leaves nothing open */
export async function lookUpOnlyWrite(
  ctx: Context,
  call: PlannedCall,
  { failure, sentAt }: { failure: unknown; sentAt: string },
): Promise<object | undefined> {
  if (!(failure instanceof Failure) || failure.retryable) return undefined;
  const { findWritten, pause, settleMs } = await import('../client/creation.ts');
  const sent = failure.code === 'timeout' ? pause(settleMs, ctx.runtime.signal) : Promise.resolve();
  try {
    const find = async () => findWritten(await ctx.client(), call, sentAt);
    return await lookUpWrite(ctx, call, { failure, sent, find });
  } catch (error) {
    // The API may not answer at all.
    if (isSkippable(error)) return undefined;
    throw error;
  }
}

/** Shows the progress of many writes, at most ten times a second. */
export function progressOf({ out }: Context, doing: string, all: number, before = 0): (failed?: boolean) => void {
  const start = performance.now();
  let last = Number.NEGATIVE_INFINITY;
  let tried = before;
  let failures = 0;
  return (failed = false) => {
    tried += 1;
    if (failed) failures += 1;
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    const rate = ((tried - before) / (now - start)) * 1000;
    const left = rate > 0 ? `, ${Math.ceil((all - tried) / rate)} s left` : '';
    const wrong = failures > 0 ? `, ${failures} failed` : '';
    out.progress(`${doing}: ${tried} of ${all}${wrong}, ${Math.round(rate)} rows/s${left}`);
  };
}

/** The fields of every row of outcomes. */
interface OutcomeRow {
  outcome: string;
  error: string | null;
}

/**
 * One row: the fields that are known before, and its write, the reason for which nothing is sent, or a failure that is
 * known before. `call` is the request for the dry run; the step gives the other fields.
 */
export type RowStep<R extends OutcomeRow> = { row: Omit<R, 'outcome' | 'error'> } & (
  | { call?: PlannedCall; step: Send<Partial<R> & Pick<R, 'outcome'>> }
  | { outcome: R['outcome']; reason?: string | null }
  | { failure: Failure }
);

export interface Reported<R extends OutcomeRow> {
  row: R;
  failure?: Failure;
}

interface RowsJob<R extends OutcomeRow> {
  /** Lines for stderr. */
  plan: readonly string[];
  question?: string;
  steps: readonly RowStep<R>[];
  /** `Updating`. */
  doing: string;
  columns: Column<R>[];
  /** Prints what was written instead of rows of outcomes. */
  printWritten?(rows: readonly R[]): Promise<void>;
  /** Shown instead of no rows. */
  empty?: string;
  id?(row: R): string | undefined;
  /** Outcomes in the order of their counts. */
  counted: readonly string[];
  /** Outcomes that are left out of the counts when there are none. */
  seldom?: readonly string[];
  options?: Partial<BulkOptions>;
  /** Names a row in messages. */
  name(row: R): string;
  verdict(results: readonly Reported<R>[]): Failure | undefined;
}

/** --quiet prints no report of writes, unless a format, a file or a filter asks for it. */
export function isReported({ settings: { quiet, output, jq, out, fields } }: Context): boolean {
  return !quiet || output.origin === 'flag' || [jq, out, fields].some((value) => value !== undefined);
}

/**
 * Shows the plan, asks, sends, and prints a row for each step in their order and the counts.
 * @throws the verdict, after the rows were printed
 */
export async function writeRows<R extends OutcomeRow>(ctx: Context, job: RowsJob<R>): Promise<void> {
  const { out, runtime } = ctx;
  const { steps, columns, empty, id, counted } = job;
  const { stderrIsTTY } = runtime.terminal;
  const look = { ascii: asciiOnly(runtime.env), nameOf: ctx.companyName };
  for (const line of stderrIsTTY ? withShortIds(job.plan, look) : job.plan) out.note(line);
  const calls = steps.flatMap((step) => ('step' in step ? (step.call ?? []) : []));
  await ctx.prepare(calls, job.question);
  const tick = progressOf(ctx, job.doing, calls.length);
  const running = bulkOf(ctx, job.options).run(steps.map(stepOf), (_, { is }) => tick(is === 'failed'));
  // Rows and the progress line share a terminal, so rows wait for the last progress.
  if (runtime.terminal.stdoutIsTTY) await waitForLine(ctx, running.ended);
  async function* rows() {
    let index = 0;
    for await (const outcome of running) {
      yield reportOutcome(steps[index] as RowStep<R>, outcome).row;
      index += 1;
    }
  }
  const isPrinted = !job.printWritten && isReported(ctx);
  try {
    if (isPrinted) await out.rows(rows(), columns, { empty, id, reports: true });
    else if (steps.length === 0 && ctx.settings.failEmpty) throw noRows();
  } finally {
    // The reader of the rows may stop early; what was confirmed is still written.
    await waitForLine(ctx, running.ended);
  }
  const results = (await running.ended).map((outcome, index) => reportOutcome(steps[index] as RowStep<R>, outcome));
  await job.printWritten?.(results.map(({ row }) => row));
  out.note(`${countsOf(results, counted, job.seldom)}.`);
  const failure = job.verdict(results);
  if (!failure) return;
  if (!isPrinted) throw failure.with({ lines: failedLines(job, results) });
  const hint = failure.kind === 'partial' ? 'see the error column of the failed rows' : undefined;
  throw failure.with({ hint: failure.hint ?? hint });
}

/** Names the failed rows where no row is printed. */
function failedLines<R extends OutcomeRow>(job: RowsJob<R>, results: readonly Reported<R>[]): string[] {
  const failed = results.length === 1 ? [] : results.filter(({ row }) => row.error !== null);
  return failureLines(failed, failed.length, ({ row }) => `${job.name(row)}: ${row.error}`);
}

/** The lines of a plan: its head, the first rows, and how many more there are. */
export function planLines(head: string, rows: readonly (readonly string[])[], most = 10): string[] {
  const left = rows.length - most;
  return [`Plan: ${head}.`, ...rows.slice(0, most).flat(), ...(left > 0 ? [`  … and ${left} more`] : [])];
}

function stepOf<R extends OutcomeRow>(row: RowStep<R>): Step<Partial<R> & Pick<R, 'outcome'>> {
  if ('step' in row) return row.step;
  if ('failure' in row) return { outcome: { is: 'failed', failure: row.failure } };
  const { outcome, reason: error = null } = row;
  return { outcome: { is: 'done', value: { outcome, error } as Partial<R> & Pick<R, 'outcome'> } };
}

async function waitForLine({ out }: Context, ended: Promise<unknown>): Promise<void> {
  await ended.catch(() => undefined);
  out.progress(undefined);
}

function reportOutcome<R extends OutcomeRow>(
  { row }: RowStep<R>,
  outcome: Outcome<Partial<R> & Pick<R, 'outcome'>>,
): Reported<R> {
  const says = (word: string, error: string | null) => ({ ...row, outcome: word, error }) as R;
  if (outcome.is === 'done') return { row: { ...says('', null), ...outcome.value } };
  const failure = outcome.is === 'failed' ? outcome.failure : outcome.why;
  const error = failure ? messageLine(failure.message) : null;
  return { row: says(outcome.is === 'failed' ? 'failed' : notTried, error), ...(failure && { failure }) };
}

/** The outcome of what was left when a run ended early. */
const notTried = 'not_tried';

/** `2 updated, 1 unchanged, 0 skipped, 0 failed`. */
function countsOf(
  results: readonly Reported<OutcomeRow>[],
  counted: readonly string[],
  seldom: readonly string[] = [],
): string {
  const counts = [...counted, notTried].map((word) => ({
    word,
    count: results.filter(({ row }) => row.outcome === word).length,
  }));
  const nonZero = counts.filter(({ word, count }) => count > 0 || ![...seldom, notTried].includes(word));
  return nonZero.map(({ word, count }) => `${count} ${word.replace('_', ' ')}`).join(', ');
}

/** The verdict over rows: none without failures, the failure of a single row as it is, else that of all. */
export function rowsVerdict<R extends OutcomeRow>(
  results: readonly Reported<R>[],
  says: (failed: number, all: number) => string,
): Failure | undefined {
  const undone = results.filter(({ failure }) => failure);
  const failed = undone.filter(({ row }) => row.outcome !== notTried);
  const failures = undone.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (!first || results.length === 1) return first;
  const some = undone.length < results.length;
  const left = undone.length - failed.length;
  return failureOf({
    some,
    failures,
    says: `${says(failed.length, results.length)}${left > 0 ? `, ${left} were not tried` : ''}`,
    hint: some ? undefined : first.hint,
    details: undone.map(({ row, failure }) => ({
      ...row,
      code: failure?.code,
      message: failure?.message,
      status: failure?.status,
    })),
  });
}
