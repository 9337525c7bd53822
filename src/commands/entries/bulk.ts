/** `entries update`, `archive`, `unarchive` and `delete` of several entries: named, or chosen by flags or stdin. */

import { planned, type RowStep, rowsVerdict, writeNamed, writeRows } from '../../cli/bulk.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { rowFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { deleteEntry, stepEntry, updateEntry } from '../../contract/entry-operations.ts';
import type { CustomListEntry, LoopStepResult } from '../../contract/lists.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure, usage } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { bodyOfChanges, type Changed, changesOf, type EntryChange } from '../../domain/entries/changes.ts';
import { type Attribute, optionLabel } from '../../domain/entries/options.ts';
import { isArchived } from '../../domain/entries/scope.ts';
import { readList, resolveEntry, resolveList, type Target } from '../lists/read.ts';
import { type BulkRow, bulkColumns, entryColumns } from './columns.ts';
import { askEntries, entries, entryName, type ReadList, selectionFlags } from './read.ts';
import { assigned } from './values.ts';

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
  if (done.length > 0) ctx.out.note(`Deleted ${entryCount(done.length)}.`);
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
    if (verb === 'update') says.set(id, changed.map((one) => changeText(one, list.list_attributes ?? [])).join('; '));
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
    plan: planLines(steps, `${verb} ${entryCount(writes.length)}${of}`, says),
    question: `${capital} ${entryCount(writes.length)}${of}?`,
    steps,
    doing: `${capital.replace(/e$/, '')}ing`,
    columns: bulkColumns,
    empty: 'Nothing was chosen.',
    counted: [`${verb}d`, 'unchanged', 'skipped', 'failed'],
    options: flags.concurrency === undefined ? {} : { concurrency: flags.concurrency },
    verdict: (results) =>
      rowsVerdict(results, (failed, all) => `${failed} of ${entryCount(all)} could not be ${verb}d`),
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

function entryCount(count: number): string {
  return amount(count, 'entry', 'entries');
}

/** `stage Open → Won`: options by their labels. */
function changeText({ name, from, to }: Changed, attributes: readonly Attribute[]): string {
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

export const choiceFlags = {
  ...rowFlags,
  ...selectionFlags,
  ...inGroup('ROWS', { all: flag.boolean('every entry of the list') }),
  concurrency: flag.integer('N', 'requests in flight at once; default 4', { minimum: 1, maximum: 64 }),
};

export type ChoiceFlags = Partial<FlagValues<typeof choiceFlags>>;
type Chosen = CustomListEntry & { id: string };

/** An entry to write to, or a name that matches none of the chosen entries. */
export type Choice = { entry: Chosen } | { name: string; missing: 'unknown' | 'notChosen' };

/** Whether flags choose entries, or they are named on stdin: then the command writes in bulk. */
export function choosesMany(names: readonly string[], flags: ChoiceFlags): boolean {
  return names.includes('-') || chooses(flags);
}

function chooses(flags: ChoiceFlags): boolean {
  return narrows(flags) || flags.all === true;
}

function narrows({ where, changedSince, filter, search, view }: ChoiceFlags): boolean {
  return [where?.[0], filter?.[0], changedSince, search, view].some((given) => given !== undefined);
}

/** A usage failure when no entries are chosen, or flags contradict each other. */
export function checkChoice(ctx: Context, names: readonly string[], flags: ChoiceFlags): void {
  const many = choosesMany(names, flags);
  if (names.length === 0 && !many) {
    throw usage(
      'no entries are chosen',
      'name them, give their ids on stdin as -, or choose them with --where, --filter, --search or --all',
    );
  }
  if (flags.all && (narrows(flags) || names.length > 0)) {
    throw usage('--all chooses every entry and cannot go with another flag or name', 'give one of them');
  }
  if (many && ctx.settings.limit !== undefined) {
    throw usage(
      '--limit would limit the rows that are printed, not the writes',
      'choose fewer entries, or name ids: `comem entries list … --limit N -o id | comem entries … -`',
    );
  }
}

interface ChosenEntries {
  choices: Choice[];
  /** Everything that was chosen is written. */
  finished(): void;
}

/**
 * Reads what the flags choose. Names are looked up among the entries that were read: with names archived ones count
 * too, and flags beside them narrow what was named.
 * @throws usage when a title matches several entries, or the expression is not valid
 */
export async function chosenEntries(
  ctx: Context,
  list: ReadList,
  names: readonly string[],
  flags: ChoiceFlags,
  { verb, archivedByDefault = false }: { verb: string; archivedByDefault?: boolean },
): Promise<ChosenEntries> {
  const given = await withStdin(ctx, names);
  const { input, question } = await askEntries(ctx, list, flags, verb);
  const query = { ...input.query };
  const unsaid = flags.archived === undefined && flags.archivedOnly === undefined;
  if (unsaid && names.length > 0) query.archived = true;
  else if (unsaid && archivedByDefault) query.archivedOnly = true;
  const { archived, archivedOnly } = query;
  // A server that does not know the parameter must not have its archived entries deleted.
  const isMeant = (entry: CustomListEntry) => archived !== false || archivedOnly === true || !isArchived(entry);
  const found: Chosen[] = [];
  const rows = question.choose(entries(ctx, { ...input, query }, undefined, { all: true }));
  for await (const entry of rows) {
    if (typeof entry.id === 'string' && isMeant(entry)) found.push({ ...entry, id: entry.id });
    if (found.length % 500 === 0) ctx.out.progress(`Reading the list: ${found.length} entries chosen`);
  }
  ctx.out.progress(undefined);
  if (flags.one) await (await import('../../cli/row-query.ts')).onlyRow(found, entryName);
  const { count, columns } = question.empty();
  if (count > 0) {
    const name = columns.length === 1 ? columns[0] : `one of ${columns.join(', ')}`;
    ctx.out.note(`Skipped ${amount(count, 'entry', 'entries')} where ${name} is empty.`);
  }
  const { finished } = question;
  if (names.length === 0) return { choices: found.map((entry) => ({ entry })), finished };
  return { choices: named(given, found, chooses(flags) || !unsaid ? 'notChosen' : 'unknown'), finished };
}

async function withStdin(ctx: Context, names: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (const name of names) {
    const lines = name === '-' ? (await ctx.readStdin()).split('\n') : [name];
    all.push(...lines.map((line) => line.trim()).filter((line) => line !== ''));
  }
  return all;
}

function named(names: readonly string[], entries: readonly Chosen[], missing: 'unknown' | 'notChosen'): Choice[] {
  const byId = new Map(entries.map((entry) => [entry.id.toLowerCase(), entry]));
  const byTitle = grouped(entries);
  const choices = new Map<string, Choice>();
  for (const name of names) {
    const same = byId.get(name.toLowerCase());
    const alike = isUuid(name) || same ? [] : (byTitle.get(name) ?? []);
    if (alike.length > 1) {
      const ids = alike.slice(0, 10).map(({ id }) => id);
      throw usage(`"${name}" matches ${alike.length} entries: ${ids.join(', ')}`, 'give the id of one of them');
    }
    const entry = same ?? alike[0];
    choices.set(entry?.id ?? name.toLowerCase(), entry ? { entry } : { name, missing });
  }
  return [...choices.values()];
}

function grouped(entries: readonly Chosen[]): Map<string | undefined, Chosen[]> {
  const groups = new Map<string | undefined, Chosen[]>();
  for (const entry of entries) {
    const group = groups.get(entry.title);
    if (group) group.push(entry);
    else groups.set(entry.title, [entry]);
  }
  return groups;
}

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

/** The failure of a step that was neither queued nor can be taken; undefined when it was or can. */
export function refusedStep(result: LoopStepResult): Failure | undefined {
  if (result.queued === true || result.canStep === true) return undefined;
  const { error, reason, note, state } = result;
  const says = [error, reason, note].find((text) => typeof text === 'string' && text !== '');
  return new Failure('no', `no step was queued: ${says ?? 'the server gives no reason'}`, {
    hint: state === undefined ? undefined : `the entry's state is ${state}`,
    code: 'step_refused',
  });
}
