/** `lists plan` and `lists apply`. */

import type { Context } from '../../../cli/context.ts';
import { amount } from '../../../cli/words.ts';
import { Failure } from '../../../core/errors.ts';
import { existingList, withIds } from '../../../domain/list-code/existing.ts';
import type { ExistingList } from '../../../domain/list-code/spec.ts';
import { readList } from '../read.ts';
import { textOf, writeListFile } from './folder.ts';
import { deletionsNote, type FilePlan, makePlans, type PlanChoice, planColumns, planLines, planRows } from './plan.ts';
import { callOf, countedColumns, type Progressed, placeholderId, startWriting, writeList } from './write.ts';

/** Prints what the files change; under `exitCode` it ends with 1 when there is anything. */
export async function showPlan(ctx: Context, choice: PlanChoice, exitCode: boolean): Promise<void> {
  if (!(await ctx.out.check(planColumns))) return;
  const plans = await makePlans(ctx, choice);
  const rows = planRows(plans);
  await ctx.out.rows(rows, planColumns, { empty: 'The lists match their files.' });
  const left = plans.reduce((sum, { plan }) => sum + plan.left, 0);
  if (left > 0) ctx.out.note(deletionsNote(left));
  if (exitCode && rows.length > 0) {
    throw new Failure('no', `${amount(rows.length, 'change', 'changes')} between the files and the lists`, {
      code: 'changes',
    });
  }
}

export async function applyLists(ctx: Context, choice: PlanChoice): Promise<void> {
  if (!(await ctx.out.check(countedColumns))) return;
  const plans = await makePlans(ctx, choice);
  const writes = plans.flatMap(({ plan, existing }) =>
    plan.writes.map((write) => callOf(write, existing?.id ?? placeholderId)),
  );
  for (const { text, color } of planLines(plans, choice.prune ?? false)) ctx.out.note(text, color);
  if (ctx.settings.dryRun || writes.length > 0) {
    if (ctx.settings.dryRun && plans.some(({ existing }) => existing === undefined)) {
      ctx.out.note(`${placeholderId} is the id of a list that does not exist yet.`);
    }
    const changed = plans.filter(({ plan }) => plan.writes.length > 0).length;
    const question = `Send ${amount(writes.length, 'write', 'writes')} to ${amount(changed, 'list', 'lists')}?`;
    await ctx.prepare(writes, writes.length > 0 ? question : undefined);
  }
  const writing = startWriting(ctx);
  const { tally, bulk } = writing;
  for (const filePlan of plans) {
    ctx.settings.companies = filePlan.companies;
    const reached = await writeList(writing, filePlan.plan.writes, filePlan.existing);
    tally.counts.unchanged += filePlan.plan.unchanged;
    tally.counts.skipped += filePlan.plan.left;
    if (!choice.bySlug) await writeIds(ctx, filePlan, reached, bulk.stopped);
  }
  ctx.out.progress(undefined);
  tally.warn(ctx);
  if (tally.counts.skipped > 0) ctx.out.note(deletionsNote(tally.counts.skipped));
  else if (writes.length === 0) ctx.out.note('The lists match their files; nothing was written.');
  await ctx.out.value(tally.counts, countedColumns, { asRows: true });
  const failure = tally.verdict(ctx, 'the ids that were assigned are in the files; run the same command for the rest');
  if (failure) throw failure;
}

/** Writes the ids that the server assigned into the file: from the list, or from the answers when nothing is sent any more. */
async function writeIds(ctx: Context, filePlan: FilePlan, reached: Progressed, stopped: boolean): Promise<void> {
  const { file, existing, plan } = filePlan;
  if (reached.id === undefined) return;
  const known: ExistingList = existing ?? { id: reached.id, name: file.spec.name, attributes: [] };
  const list = stopped || plan.writes.length === 0 ? known : await listNow(ctx, reached.id, known);
  const spec = withIds(file.spec, list, reached.made);
  if ((await textOf(ctx, file.name)) !== file.text) {
    ctx.out.warn(
      `${file.name} changed while its plan was executed: its ids were not written; \`lists pull\` writes them`,
    );
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
