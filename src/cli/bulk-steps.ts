/** A bulk write from its plan to its counts: shown, confirmed, sent several at a time, a result row for each in order. */
import type { Operation } from '../contract/operation.ts';
import { limiter } from '../core/concurrency.ts';
import { allFailed, Failure } from '../core/errors.ts';
import type { Column } from '../output/column.ts';
import type { Context, PlannedCall } from './context.ts';

/** One thing of a bulk command: a call to send, or what is already known of it. */
export type BulkStep = { id: string; title: string | undefined } & (
  | { call: PlannedCall<Operation> /** What it does, for the plan. */; says?: string }
  | { outcome: 'unchanged' | 'skipped'; error?: string }
  | { outcome: 'failed'; failure: Failure }
);

/** What became of one thing. `outcome` is the done word of the command (`updated`), `unchanged`, `skipped` or `failed`. */
export interface BulkRow {
  id: string;
  title: string | null;
  outcome: string;
  error: string | null;
}

export const bulkColumns: Column<BulkRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'title', heading: 'Title', get: (row) => row.title },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'error', heading: 'Error', get: (row) => row.error },
];

export interface BulkWords {
  /** `update`, and what it is when it is done: `updated`. */
  verb: string;
  done: string;
  /** `2 entries`. */
  amount(count: number): string;
  /** ` of the list "Deals"`, after the amount. */
  of: string;
}

interface Result {
  row: BulkRow;
  failure?: Failure;
}

/** As many rows as a plan names. */
const shown = 10;

/** @throws after the rows were printed: partial when some failed and some did not, else the class that all share */
export async function runSteps(
  ctx: Context,
  steps: readonly BulkStep[],
  words: BulkWords,
  concurrency = 4,
): Promise<void> {
  const calls = steps.flatMap((step) => ('call' in step ? [step.call] : []));
  for (const line of planLines(steps, words)) ctx.out.note(line);
  await ctx.prepare(calls, `${capital(words.verb)} ${words.amount(calls.length)}${words.of}?`);
  const results = send(ctx, steps, words, concurrency);
  await shownFirst(ctx, results);
  async function* rows() {
    for (const result of results) yield (await result).row;
  }
  try {
    await ctx.out.rows(rows(), bulkColumns, { empty: 'Nothing was chosen.' });
  } finally {
    // Whoever reads the rows may stop early; what was confirmed is written all the same.
    await Promise.allSettled(results);
    ctx.out.progress(undefined);
  }
  const all = await Promise.all(results);
  ctx.out.note(`${counts(all, words.done)}.`);
  const failure = verdict(all, words);
  if (failure) throw failure;
}

/** Where rows and the progress line share a screen, the line has its time first. */
export async function shownFirst(ctx: Context, results: readonly Promise<unknown>[]): Promise<void> {
  if (!ctx.runtime.terminal.stdoutIsTTY) return;
  await Promise.allSettled(results);
  ctx.out.progress(undefined);
}

function send(ctx: Context, steps: readonly BulkStep[], { verb, done }: BulkWords, concurrency: number) {
  const slot = limiter(concurrency);
  const all = steps.filter((step) => 'call' in step).length;
  let tried = 0;
  let stopped: Failure | undefined;
  const sendOne = async (id: string, title: string | null, { op, input }: PlannedCall<Operation>): Promise<Result> => {
    if (stopped) {
      return { row: { id, title, outcome: 'skipped', error: `not tried: ${stopped.message}` }, failure: stopped };
    }
    try {
      await (await ctx.client()).call(op, input);
      return { row: { id, title, outcome: done, error: null } };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'bug') throw error;
      // The rest would meet the same.
      if (error.kind === 'credential' || error.kind === 'interrupted') stopped ??= error;
      return { row: { id, title, outcome: 'failed', error: error.message }, failure: error };
    } finally {
      tried += 1;
      ctx.out.progress(`${capital(verb)}: ${tried} of ${all}`);
    }
  };
  const results = steps.map(async (step): Promise<Result> => {
    const { id, title = null } = step;
    if ('call' in step) return slot(() => sendOne(id, title, step.call));
    if (step.outcome !== 'failed') return { row: { id, title, outcome: step.outcome, error: step.error ?? null } };
    return { row: { id, title, outcome: 'failed', error: step.failure.message }, failure: step.failure };
  });
  for (const result of results) result.catch(() => undefined);
  return results;
}

function planLines(steps: readonly BulkStep[], { verb, amount, of }: BulkWords): string[] {
  const writes = steps.filter((step) => 'call' in step);
  const count = (outcome: string) => steps.filter((step) => 'outcome' in step && step.outcome === outcome).length;
  const others = ['unchanged', 'skipped', 'failed'].flatMap((outcome) =>
    count(outcome) > 0 ? [`${count(outcome)} ${outcome === 'failed' ? 'not found' : outcome}`] : [],
  );
  const head = `Plan: ${verb} ${amount(writes.length)}${of}${others.length > 0 ? ` (${others.join(', ')})` : ''}.`;
  const rows = writes.slice(0, shown).map(({ id, title, says }) => `  ${title ?? id}${says ? `: ${says}` : ''}`);
  return [head, ...rows, ...(writes.length > shown ? [`  … and ${writes.length - shown} more`] : [])];
}

/** `2 updated, 1 unchanged, 0 skipped, 0 failed`. */
export function counts(all: readonly { row: { outcome: string } }[], done: string): string {
  return [done, 'unchanged', 'skipped', 'failed']
    .map((outcome) => `${all.filter(({ row }) => row.outcome === outcome).length} ${outcome}`)
    .join(', ');
}

function verdict(all: readonly Result[], { done, amount }: BulkWords): Failure | undefined {
  const failures = all.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (!first) return undefined;
  const interrupted = failures.find(({ kind }) => kind === 'interrupted');
  if (interrupted) return interrupted;
  if (all.length === 1) return first;
  const details = all.flatMap(({ row, failure }) =>
    failure ? [{ id: row.id, title: row.title, code: failure.code, message: row.error, status: failure.status }] : [],
  );
  const message = `${failures.length} of ${amount(all.length)} could not be ${done}`;
  if (failures.length < all.length) {
    return new Failure('partial', message, { details, hint: 'the rows that are not done say why' });
  }
  return allFailed(failures, message, { details, hint: first.hint });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
