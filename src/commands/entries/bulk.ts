/** `entries update`, `archive`, `unarchive` and `delete` of several entries: named, or chosen by flags or stdin. */

import { planned, type RowStep, rowsVerdict, writeNamed, writeRows } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { deleteEntry, updateEntry } from '../../contract/entry-operations.ts';
import type { CustomListEntry } from '../../contract/lists.ts';
import { Failure } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { bodyOfChanges, type Changed, changesOf, type EntryChange } from '../../domain/entries/changes.ts';
import { type Attribute, optionLabel } from '../../domain/entries/options.ts';
import { readList, resolveEntry, resolveList, type Target } from '../lists/read.ts';
import { assigned } from './assigned.ts';
import { type Choice, type ChoiceFlags, choosesMany, chosenEntries } from './choice.ts';
import { type BulkRow, bulkColumns, entryColumns } from './columns.ts';
import type { ReadList } from './read.ts';

/** Archives or unarchives entries; to unarchive, flags choose among archived entries only. */
export async function setArchived(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
  archived: boolean,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  const verb = archived ? 'archive' : 'unarchive';
  const list = await readList(ctx, target);
  if (choosesMany(names, flags)) {
    const verbs = { verb: `entries ${verb}`, archivedByDefault: !archived };
    const choose = () => chosenEntries(ctx, list, names, flags, verbs);
    return changeMany(ctx, list, choose, { change: () => ({ archived }), flags, verb });
  }
  const columns = entryColumns(list.list_attributes ?? []);
  if (!(await ctx.out.check(columns))) return;
  const calls = (await resolveEntries(ctx, list.id, names)).map(({ id, name }) => ({
    name: name ?? id,
    op: updateEntry,
    input: { params: { listId: list.id }, body: { id, archived } },
  }));
  const { done, failure } = await writeNamed(ctx, calls, `${verb}d`);
  const rows = done.filter((entry) => entry !== undefined);
  if (rows.length > 0) await ctx.out.rows(rows, columns);
  if (failure) throw failure;
}

/** PATCHes what differs from the change, entry by entry; an entry without a difference is not sent. */
export async function updateMany(
  ctx: Context,
  list: ReadList,
  names: readonly string[],
  flags: ChoiceFlags & { set?: string[] },
  change: (entry: Partial<CustomListEntry>) => EntryChange,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  const choose = () => chosenEntries(ctx, list, names, flags, { verb: 'entries update' });
  await changeMany(ctx, list, choose, { change, flags, verb: 'update', set: assigned('--set', flags.set) });
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
  const client = await ctx.client();
  const { choices, finished } = await chosenEntries(ctx, list, names, flags, { verb: 'entries delete' });
  const steps = choices.map((choice): RowStep<BulkRow> => {
    if (!('entry' in choice)) return absent(choice);
    const { id, title = null } = choice.entry;
    const input = { params: { listId: list.id }, query: { entryId: id } };
    const send = async () => {
      await client.call(deleteEntry, input);
      return { outcome: 'deleted' };
    };
    return { row: { id, title }, call: planned(deleteEntry, input), step: { send } };
  });
  await writeMany(ctx, list, steps, { verb: 'delete', flags });
  finished();
}

/** Deletes the entries that are named. */
export async function deleteNamed(ctx: Context, target: string, names: readonly string[]): Promise<void> {
  const { id: listId, name } = await resolveList(ctx, target);
  const calls = (await resolveEntries(ctx, listId, names)).map((entry) => ({
    name: entry.name ?? entry.id,
    op: deleteEntry,
    input: { params: { listId }, query: { entryId: entry.id } },
  }));
  const what = calls.length === 1 ? `the entry "${calls[0]?.name}"` : `${calls.length} entries`;
  const { done, failure } = await writeNamed(ctx, calls, 'deleted', `Delete ${what} of the list "${name ?? listId}"?`);
  if (done.length > 0) ctx.out.note(`Deleted ${entries(done.length)}.`);
  if (failure) throw failure;
}

interface Change {
  change(entry: Partial<CustomListEntry>): EntryChange;
  flags: ChoiceFlags;
  /** Its participle ends in -d. */
  verb: string;
  /** What `--set` names. */
  set?: readonly { key: string }[];
}

async function changeMany(
  ctx: Context,
  list: ReadList,
  choose: () => ReturnType<typeof chosenEntries>,
  { change, flags, verb, set = [] }: Change,
): Promise<void> {
  if (!(await ctx.out.check(bulkColumns))) return;
  const says = new Map<string, string>();
  const replaced = new Set<string>();
  const client = await ctx.client();
  const { choices, finished } = await choose();
  const steps = choices.map((choice): RowStep<BulkRow> => {
    if (!('entry' in choice)) return absent(choice);
    const { id, title = null } = choice.entry;
    const changed = changesOf(choice.entry, change(choice.entry));
    if (changed.length === 0) return known(id, title, { outcome: 'unchanged' });
    for (const { key } of set) if (changed.some((one) => loses(one, key))) replaced.add(key);
    if (verb === 'update') says.set(id, changed.map((one) => shown(one, list.list_attributes ?? [])).join('; '));
    const input = { params: { listId: list.id }, body: { ...bodyOfChanges(changed), id } };
    const send = async () => {
      await client.call(updateEntry, input);
      return { outcome: `${verb}d` };
    };
    return { row: { id, title }, call: planned(updateEntry, input), step: { send } };
  });
  if (replaced.size > 0) {
    ctx.out.note(`--set replaces all options of ${[...replaced].join(', ')}; --add and --remove change single ones.`);
  }
  await writeMany(ctx, list, steps, { verb, flags, says });
  finished();
}

/** Whether an entry has options of the attribute that it would no longer have. */
function loses({ name, from, to }: Changed, slug: string): boolean {
  return name === `values.${slug}` && Array.isArray(from) && Array.isArray(to) && from.some((id) => !to.includes(id));
}

async function writeMany(
  ctx: Context,
  list: ReadList,
  steps: readonly RowStep<BulkRow>[],
  { verb, flags, says }: { verb: string; flags: ChoiceFlags; says?: ReadonlyMap<string, string> },
): Promise<void> {
  const writes = steps.filter(({ call }) => call);
  const of = ` of the list "${list.name ?? list.id}"`;
  const capital = verb.charAt(0).toUpperCase() + verb.slice(1);
  await writeRows(ctx, {
    plan: planLines(steps, `${verb} ${entries(writes.length)}${of}`, says),
    question: `${capital} ${entries(writes.length)}${of}?`,
    steps,
    doing: `${capital.replace(/e$/, '')}ing`,
    columns: bulkColumns,
    empty: 'Nothing was chosen.',
    counted: [`${verb}d`, 'unchanged', 'skipped', 'failed'],
    options: flags.concurrency === undefined ? {} : { concurrency: flags.concurrency },
    verdict: (results) => rowsVerdict(results, (failed, all) => `${failed} of ${entries(all)} could not be ${verb}d`),
  });
}

/** As many rows as a plan names. */
const mostShown = 10;

function planLines(
  steps: readonly RowStep<BulkRow>[],
  head: string,
  says: ReadonlyMap<string, string> = new Map(),
): string[] {
  const writes = steps.filter(({ call }) => call);
  const words = steps.flatMap(({ step }) => {
    if (!('outcome' in step)) return [];
    return step.outcome.is === 'done' ? [step.outcome.value.outcome] : ['not found'];
  });
  const others = ['unchanged', 'skipped', 'not found'].flatMap((word) => {
    const count = words.filter((one) => one === word).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const rows = writes.slice(0, mostShown).map(({ row: { id, title } }) => {
    const text = says.get(id);
    return `  ${title ?? id}${text === undefined ? '' : `: ${text}`}`;
  });
  return [
    `Plan: ${head}${others.length > 0 ? ` (${others.join(', ')})` : ''}.`,
    ...rows,
    ...(writes.length > mostShown ? [`  … and ${writes.length - mostShown} more`] : []),
  ];
}

function known(id: string, title: string | null, value: { outcome: string; error?: string }): RowStep<BulkRow> {
  return { row: { id, title }, step: { outcome: { is: 'done', value } } };
}

function absent({ name, missing }: Extract<Choice, { missing: unknown }>): RowStep<BulkRow> {
  if (missing === 'notChosen') {
    return known(name, null, {
      outcome: 'skipped',
      error: 'not in the list, or not chosen by the flags',
    });
  }
  const failure = new Failure('notFound', `the list has no entry ${name}`, {
    hint: '`comem entries list` shows its entries',
  });
  return { row: { id: name, title: null }, step: { outcome: { is: 'failed', failure } } };
}

/** The entries that several ENTRY name, each once; all are looked up before the first write. */
async function resolveEntries(ctx: Context, listId: string, targets: readonly string[]): Promise<Target[]> {
  const found = new Map<string, Target>();
  for (const target of targets) {
    const entry = await resolveEntry(ctx, listId, target);
    const id = entry.id.toLowerCase();
    if (!found.has(id)) found.set(id, entry);
  }
  return [...found.values()];
}

function entries(count: number): string {
  return amount(count, 'entry', 'entries');
}

/** `stage Open → Won`: options by their labels. */
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
