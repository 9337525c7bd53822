/** `entries update`, `archive`, `unarchive` and `delete` over entries that flags or stdin choose. */

import { type BulkStep, bulkColumns, runSteps } from '../../cli/bulk-steps.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { deleteEntry, updateEntry } from '../../contract/entry-operations.ts';
import { Failure } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { bodyOfChanges, type Changed, changesOf, type EntryChange } from '../../domain/entries/changes.ts';
import { type Attribute, optionLabel } from '../../domain/entries/options.ts';
import { readList } from '../lists/read.ts';
import { type Choice, type ChoiceFlags, type Chosen, chosenEntries, type ReadList } from './choice.ts';

/** PATCHes what differs from the change, entry by entry; an entry that is as wanted is not sent. */
export async function updateMany(
  ctx: Context,
  list: ReadList,
  names: readonly string[],
  flags: ChoiceFlags,
  change: EntryChange,
): Promise<void> {
  await changeMany(ctx, list, names, flags, change, 'update', 'updated', false);
}

/** Archives or brings back; what flags choose for `unarchive` is archived entries alone. */
export async function archiveMany(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
  archived: boolean,
): Promise<void> {
  const verb = archived ? 'archive' : 'unarchive';
  await changeMany(ctx, await readList(ctx, target), names, flags, { archived }, verb, `${verb}d`, !archived);
}

export async function deleteMany(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  if (!(await ctx.out.check(bulkColumns))) return;
  const list = await readList(ctx, target);
  const steps = (await chosenEntries(ctx, list, names, flags)).map((choice) =>
    stepOf(choice, ({ id, title }) => ({
      id,
      title,
      call: { op: deleteEntry, input: { params: { listId: list.id }, query: { entryId: id } } },
    })),
  );
  await runSteps(ctx, steps, wordsOf(list, 'delete', 'deleted'), flags.concurrency);
}

async function changeMany(
  ctx: Context,
  list: ReadList,
  names: readonly string[],
  flags: ChoiceFlags,
  change: EntryChange,
  verb: string,
  done: string,
  archivedByDefault: boolean,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  if (!(await ctx.out.check(bulkColumns))) return;
  const attributes = list.list_attributes ?? [];
  const steps = (await chosenEntries(ctx, list, names, flags, archivedByDefault)).map((choice) =>
    stepOf(choice, (entry) => {
      const { id, title } = entry;
      const changed = changesOf(entry, change);
      if (changed.length === 0) return { id, title, outcome: 'unchanged' };
      const body = { ...bodyOfChanges(changed), id };
      return {
        id,
        title,
        says: verb === 'update' ? changed.map((one) => shown(one, attributes)).join('; ') : undefined,
        call: patch(list.id, body),
      };
    }),
  );
  await runSteps(ctx, steps, wordsOf(list, verb, done), flags.concurrency);
}

function stepOf(choice: Choice, make: (entry: Chosen) => BulkStep): BulkStep {
  if ('entry' in choice) return make(choice.entry);
  const { name, missing } = choice;
  if (missing === 'notChosen') {
    return {
      id: name,
      title: undefined,
      outcome: 'skipped',
      error: 'it is not in the list, or the flags do not choose it',
    };
  }
  const failure = new Failure('notFound', `the list has no entry ${name}`, {
    hint: '`comem entries list` shows its entries',
  });
  return { id: name, title: undefined, outcome: 'failed', failure };
}

function wordsOf(list: ReadList, verb: string, done: string) {
  const entries = (count: number) => amount(count, 'entry', 'entries');
  return { verb, done, amount: entries, of: ` of the list "${list.name ?? list.id}"` };
}

/** `stage Open → Won`, as people know the options. */
function shown({ name, from, to }: Changed, attributes: readonly Attribute[]): string {
  const slug = name.replace(/^values\./, '');
  const attribute = name === slug ? undefined : attributes.find((one) => one.slug === slug);
  const text = (value: unknown): string => {
    if (value === undefined || value === null) return '(empty)';
    if (Array.isArray(value)) return value.map(text).join(', ');
    if (typeof value === 'string') return attribute ? optionLabel(attribute, value) : value;
    return stringifyJson(value);
  };
  return `${slug} ${text(from)} → ${text(to)}`;
}

/** The values of a change are typed by the attributes, which the contract does not know. */
function patch(listId: string, body: EntryChange & { id: string }): PlannedCall {
  const call: PlannedCall<typeof updateEntry> = { op: updateEntry, input: { params: { listId }, body } };
  return call as unknown as PlannedCall;
}
