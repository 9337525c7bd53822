/** `entries step` of several entries: each is asked to take its next step, and says what became of it. */

import { planned, type RowStep, rowsVerdict, writeRows } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { stepEntry } from '../../contract/entry-operations.ts';
import { Failure } from '../../core/errors.ts';
import { refusedStep } from '../../domain/entries/step.ts';
import { readList } from '../lists/read.ts';
import { type ChoiceFlags, chosenEntries } from './choice.ts';
import { type BulkRow, bulkColumns } from './columns.ts';

export async function stepMany(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
  body: Record<string, unknown>,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  if (!(await ctx.out.check(bulkColumns))) return;
  const list = await readList(ctx, target);
  const { choices, finished } = await chosenEntries(ctx, list, names, flags, { verb: 'entries step' });
  const client = await ctx.client();
  const steps = choices.map((choice): RowStep<BulkRow> => {
    if (!('entry' in choice)) {
      const failure = new Failure('notFound', `no entry ${choice.name} was chosen`);
      return { row: { id: choice.name, title: null }, step: { outcome: { is: 'failed', failure } } };
    }
    const { id, title = null } = choice.entry;
    const input = { params: { listId: list.id, entryId: id }, body };
    const send = async () => {
      const refusal = refusedStep(await client.call(stepEntry, input));
      if (refusal) throw refusal;
      return { outcome: 'queued' };
    };
    return { row: { id, title }, call: planned(stepEntry, input), step: { send } };
  });
  const count = amount(steps.length, 'entry', 'entries');
  const of = `of the list "${list.name ?? list.id}"`;
  await writeRows(ctx, {
    plan: [`Plan: queue a step of ${count} ${of}.`],
    ...(steps.length > 0 && { question: `Queue a step of ${count} ${of}?` }),
    steps,
    doing: 'Queueing',
    columns: bulkColumns,
    empty: 'Nothing was chosen.',
    counted: ['queued', 'skipped', 'failed'],
    options: flags.concurrency === undefined ? {} : { concurrency: flags.concurrency },
    verdict: (results) => rowsVerdict(results, (failed, all) => `${failed} of ${all} entries took no step`),
  });
  finished();
}
