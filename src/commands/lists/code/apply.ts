/** `lists plan` and `lists apply`. */

import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import { Failure } from '../../../core/errors.ts';
import { existingList } from '../../../domain/list-code/existing.ts';
import { withIds } from '../../../domain/list-code/ids.ts';
import type { ExistingList } from '../../../domain/list-code/spec.ts';
import { readList } from '../read.ts';
import { leftNote, planColumns, planLines, planRows } from './describe.ts';
import { textOf, writeListFile } from './folder.ts';
import { type FilePlan, makePlans, type PlanChoice } from './make-plan.ts';
import { countColumns, tallyOf } from './outcome.ts';
import { callOf, type Progressed, unmade, writeList } from './write.ts';

/** Prints what the files change; under `exitCode` it ends with 1 when there is anything. */
export async function showPlan(ctx: Context, choice: PlanChoice, exitCode: boolean): Promise<void> {
  if (!(await ctx.out.check(planColumns))) return;
  const plans = await makePlans(ctx, choice);
  const rows = planRows(plans);
  await ctx.out.rows(rows, planColumns, { empty: 'The lists are what their files say.' });
  const left = plans.reduce((sum, { plan }) => sum + plan.left, 0);
  if (left > 0) ctx.out.note(leftNote(left));
  if (exitCode && rows.length > 0) {
    throw new Failure('no', `${amount(rows.length, 'change', 'changes')} between the files and the lists`, {
      code: 'changes',
    });
  }
}

export async function applyLists(ctx: Context, choice: PlanChoice): Promise<void> {
  if (!(await ctx.out.check(countColumns))) return;
  const plans = await makePlans(ctx, choice);
  const writes = plans.flatMap(({ plan, existing }) =>
    plan.writes.map((write) => callOf(write, existing?.id ?? unmade)),
  );
  for (const line of planLines(plans, choice.prune ?? false)) ctx.out.note(line);
  if (ctx.settings.dryRun || writes.length > 0) {
    if (ctx.settings.dryRun && plans.some(({ existing }) => existing === undefined)) {
      ctx.out.note(`${unmade} stands for a list that is not made yet.`);
    }
    const changed = plans.filter(({ plan }) => plan.writes.length > 0).length;
    const question = `Send ${amount(writes.length, 'write', 'writes')} to ${amount(changed, 'list', 'lists')}?`;
    await ctx.prepare(writes, writes.length > 0 ? question : undefined);
  }
  const tally = tallyOf(ctx);
  for (const one of plans) {
    const reached = await writeList(ctx, one.plan.writes, one.existing, tally);
    tally.counts.unchanged += one.plan.unchanged;
    tally.counts.skipped += one.plan.left;
    if (!choice.bySlug) await writeIds(ctx, one, reached, tally.stopped || ctx.runtime.signal.aborted);
  }
  ctx.out.progress(undefined);
  if (tally.counts.skipped > 0) ctx.out.note(leftNote(tally.counts.skipped));
  else if (writes.length === 0) ctx.out.note('The lists are what their files say; nothing was written.');
  await ctx.out.value(tally.counts, countColumns, { asRows: true });
  const failure = tally.verdict('what was made is noted in the files: the same command does the rest');
  if (failure) throw failure;
}

/** Notes in the file what the server gave. Where it cannot be asked any more, what its answers said is noted. */
async function writeIds(ctx: Context, one: FilePlan, reached: Progressed, stopped: boolean): Promise<void> {
  const { file, existing, plan } = one;
  if (reached.id === undefined) return;
  const known: ExistingList = existing ?? { id: reached.id, name: file.spec.name, attributes: [] };
  const list = stopped || plan.writes.length === 0 ? known : await listNow(ctx, reached.id, known);
  const spec = withIds(file.spec, list, reached.made);
  if ((await textOf(ctx, file.name)) !== file.text) {
    ctx.out.warn(`${file.name} changed while its plan was executed: its ids were not written; lists pull does it`);
  } else if (await writeListFile(ctx, file.name, spec, file.text)) {
    ctx.out.note(`Wrote ids into ${file.name}.`);
  }
}

async function listNow(ctx: Context, id: string, otherwise: ExistingList): Promise<ExistingList> {
  try {
    return existingList(await readList(ctx, id));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return otherwise;
  }
}
