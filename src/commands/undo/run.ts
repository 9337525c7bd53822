/** `comem undo`: reverts a run of the journal as far as possible, with a row for each write. */

import { join } from 'node:path';
import { planLines, type Reported, writeRows } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { failureOf } from '../../cli/outcomes.ts';
import { amount, timeText } from '../../cli/words.ts';
import { markUndo, type Run, type UndoMarks } from '../../config/history.ts';
import { whileRunning } from '../../config/store.ts';
import { Failure, usage } from '../../core/errors.ts';
import { kindOf, summaryOf } from '../../domain/undo.ts';
import type { Column } from '../../output/column.ts';
import { type UndoRow, undoSteps } from './execute.ts';
import type { UndoStep } from './plan.ts';
import { planUndo } from './plan.ts';
import { idsOf, latestRun, runOf, runsOf } from './read.ts';

const undoColumns: Column<UndoRow>[] = [
  { key: 'write', heading: 'Write', type: 'integer', get: (row) => row.write },
  { key: 'what', heading: 'What', get: (row) => row.what },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'error', heading: 'Error', get: (row) => row.error },
];

/** The order of the counts at the end. */
const outcomes = [
  'restored',
  'recreated',
  'deleted',
  'revoked',
  'partly',
  'unchanged',
  'skipped',
  'impossible',
  'failed',
];
const reverted = ['restored', 'recreated', 'deleted', 'revoked', 'unchanged'];

const intents: Record<UndoStep['outcome'], string> = {
  restored: 'restore',
  recreated: 're-create',
  deleted: 'delete',
  revoked: 'revoke',
  unchanged: 'unchanged',
  skipped: 'skip',
  impossible: 'cannot be reverted',
};

/** @throws no when nothing of it can be reverted, partial when some of it was */
export async function undoRun(ctx: Context, number: string | undefined, force: boolean): Promise<void> {
  if (!(await ctx.out.check(undoColumns))) return;
  const run = number === undefined ? latestRun(ctx) : runOf(ctx, number);
  checkPlace(ctx, run);
  ctx.noteUndone(run);
  if (ctx.settings.dryRun) return revert(ctx, run, force);
  const file = join(ctx.folders.state, 'undo', encodeURIComponent(ctx.settings.profile.value), `${run.number}.pid`);
  // The journal now has the work of another undo.
  await whileRunning(
    file,
    () => revert(ctx, runOf(ctx, String(run.number)), force),
    (pid) =>
      usage(
        `process ${pid} is undoing run ${run.number} already`,
        `wait for it or end it; if that process is another program, delete ${file}`,
      ),
  );
}

async function revert(ctx: Context, run: Run, force: boolean): Promise<void> {
  const runs = runsOf(ctx);
  const steps = await planUndo(ctx, run, runs, force);
  if (steps.length === 0) {
    throw new Failure('no', `nothing left to undo of run ${run.number} (${run.command}, ${timeText(run.at)})`);
  }
  let marks: UndoMarks | undefined;
  const open = () => {
    marks ??= markUndo(ctx.folders, ctx.settings.profile.value, run.number);
    return marks;
  };
  await writeRows<UndoRow>(ctx, {
    plan: planOf(run, steps),
    question: `Undo run ${run.number}: ${deedsOf(steps)}?`,
    steps: undoSteps(ctx, steps, idsOf(runs), open),
    doing: 'Undoing',
    columns: undoColumns,
    name: ({ what }) => what,
    id: (row) => row.id ?? undefined,
    counted: outcomes,
    seldom: outcomes.filter((word) => word !== 'restored' && word !== 'failed'),
    verdict: (results) => verdict(run, results),
  }).finally(() => marks?.close());
}

/** `restore 2 entries, delete 1 list`. */
function deedsOf(steps: readonly UndoStep[]): string {
  const counts = new Map<string, number>();
  for (const { outcome, write, call } of steps) {
    const key = `${intents[outcome]} ${kindOf(write)}`;
    if (call) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const words = [...counts].map(([key, count]) => {
    const [deed, kind = ''] = key.split(' ');
    return `${deed} ${amount(count, kind, kind.replace(/y$/, 'ie').concat('s'))}`;
  });
  return words.length > 0 ? words.join(', ') : 'no request';
}

/** Refuses to undo a run at another API than it was sent to. */
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

function planOf({ number, command, at, writes }: Run, steps: readonly UndoStep[]): string[] {
  const lines = steps.map(({ what, outcome, error, says }) => [`  ${what}: ${error ?? says ?? intents[outcome]}`]);
  const again = steps.some(({ outcome }) => outcome === 'recreated');
  return [
    ...planLines(`undo run ${number} (${command}, ${timeText(at)}: ${summaryOf(writes)})`, lines),
    ...(again ? ['What was deleted gets a new id, created_at and created_by.'] : []),
  ];
}

function verdict({ number }: Run, results: readonly Reported<UndoRow>[]): Failure | undefined {
  const left = results.filter(({ row }) => !reverted.includes(row.outcome));
  if (left.length === 0) return undefined;
  const says = `${left.length} of ${amount(results.length, 'write', 'writes')} of run ${number} ${left.length === 1 ? 'was' : 'were'} not reverted`;
  const why = left.find(({ row }) => row.error !== null)?.row.error ?? undefined;
  const thrown = results.flatMap(({ failure }) => failure ?? []);
  // The first failure gives the class of the whole undo.
  const failures = [thrown.find(({ kind }) => kind === 'interrupted') ?? thrown[0] ?? []].flat();
  const some = left.length < results.length || results.some(({ row }) => row.outcome === 'partly');
  if (some || failures.length > 0) return failureOf({ some, failures, says, hint: some ? why : failures[0]?.hint });
  return new Failure('no', `${says}: ${why ?? 'nothing can be reverted'}`, { code: 'not_undone' });
}
