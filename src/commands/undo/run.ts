/** `comem undo`: a run of the journal taken back, as far as it can be, with a row for each of its writes. */

import type { Context } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import { markUndo, type Run } from '../../config/history.ts';
import { Failure, usage } from '../../core/errors.ts';
import { idsNow, summaryOf } from '../../domain/undo/undo.ts';
import type { Column } from '../../output/column.ts';
import { execute, type Undone, type UndoRow } from './execute.ts';
import { planUndo, type UndoStep } from './plan.ts';
import { latestRun, runOf, runsOf } from './read.ts';

export const undoColumns: Column<UndoRow>[] = [
  { key: 'write', heading: 'Write', type: 'integer', get: (row) => row.write },
  { key: 'what', heading: 'What', get: (row) => row.what },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'error', heading: 'Error', get: (row) => row.error },
];

const shown = 10;

const intents: Record<UndoStep['outcome'], string> = {
  restored: 'put back',
  recreated: 'make anew',
  unchanged: 'is as it was already',
  skipped: 'leave alone',
  impossible: 'cannot come back',
};

/** @throws no when nothing of it can come back, partial when some of it did */
export async function undoRun(ctx: Context, number: string | undefined, force: boolean): Promise<void> {
  if (!(await ctx.out.check(undoColumns))) return;
  const run = number === undefined ? latestRun(ctx) : runOf(ctx, number);
  checkPlace(ctx, run);
  const ids = idsNow(
    runsOf(ctx)
      .toReversed()
      .flatMap((one) => one.ids),
  );
  const steps = await planUndo(ctx, run, ids, force);
  if (steps.length === 0) {
    throw new Failure('no', `there is nothing left to undo of run ${run.number} (${run.command}, ${run.at})`);
  }
  const calls = steps.flatMap(({ call }) => call ?? []);
  for (const line of planLines(run, steps)) ctx.out.note(line);
  await ctx.prepare(
    calls,
    calls.length > 0 ? `Undo run ${run.number} with ${amount(calls.length, 'request', 'requests')}?` : undefined,
  );
  const client = await ctx.client();
  const marks = markUndo(ctx.folders, ctx.settings.profile.value, run.number);
  const results = await execute(client, steps, { ids, marks }, (done) =>
    ctx.out.progress(`Undoing: ${done} of ${steps.length}`),
  ).finally(() => marks.close());
  ctx.out.progress(undefined);
  const back = results.filter(({ row }) => ['restored', 'recreated', 'unchanged'].includes(row.outcome));
  await ctx.out.rows(
    results.map(({ row }) => row),
    undoColumns,
    { id: (row) => row.id ?? undefined },
  );
  ctx.out.note(`${counts(results)}.`);
  const failure = verdict(run, results, back.length);
  if (failure) throw failure;
}

/** A journal of one API says nothing of another. */
function checkPlace(ctx: Context, { number, baseUrl, company }: Run): void {
  const { value = '' } = ctx.settings.baseUrl;
  if (baseUrl !== value) {
    throw usage(
      `run ${number} wrote to ${baseUrl || 'no base URL'}, and this would write to ${value}`,
      'use the same --base-url',
    );
  }
  if (company !== ctx.company()) {
    const now = ctx.company();
    throw usage(
      `run ${number} wrote with ${company === undefined ? 'no company' : `company ${company}`}, and this would write with ${now ?? 'none'}`,
      company === undefined ? 'leave the company out' : `add -c ${company}`,
    );
  }
}

function planLines({ number, command, at, writes }: Run, steps: readonly UndoStep[]): string[] {
  const lines = steps.slice(0, shown).map(({ what, outcome, error }) => `  ${what}: ${error ?? intents[outcome]}`);
  const anew = steps.some(({ outcome }) => outcome === 'recreated');
  return [
    `Plan: undo run ${number} (${command}, ${at}: ${summaryOf(writes)}).`,
    ...lines,
    ...(steps.length > shown ? [`  … and ${steps.length - shown} more`] : []),
    ...(anew ? ['What was deleted is made anew: its id, created_at and created_by cannot come back.'] : []),
  ];
}

function counts(results: readonly Undone[]): string {
  const outcomes = ['restored', 'recreated', 'partly', 'unchanged', 'skipped', 'impossible', 'failed'];
  return outcomes
    .map((outcome) => [results.filter(({ row }) => row.outcome === outcome).length, outcome] as const)
    .filter(([count, outcome]) => count > 0 || outcome === 'restored' || outcome === 'failed')
    .map(([count, outcome]) => `${count} ${outcome}`)
    .join(', ');
}

function verdict(run: Run, results: readonly Undone[], back: number): Failure | undefined {
  const left = results.length - back;
  if (left === 0) return undefined;
  const failures = results.flatMap(({ failure }) => failure ?? []);
  const interrupted = failures.find(({ kind }) => kind === 'interrupted');
  if (interrupted) return interrupted;
  const message = `${left} of ${amount(results.length, 'write', 'writes')} of run ${run.number} did not come back`;
  const why = results.find(({ row }) => row.error !== null && !['restored', 'recreated'].includes(row.outcome))?.row;
  const some = back > 0 || results.some(({ row }) => row.outcome === 'partly');
  if (some) return new Failure('partial', message, { hint: why?.error ?? undefined });
  const [first] = failures;
  if (!first) return new Failure('no', `${message}: ${why?.error ?? 'nothing of it can'}`, { code: 'not_undone' });
  const { kind, hint, status, request } = first;
  return new Failure(kind, `${message}: ${first.message}`, { hint, status, request });
}
