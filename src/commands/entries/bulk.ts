/** Bulk writes of entries: choose → plan → confirm → send → report, for update, archive, unarchive, delete and step. */

import { lookUpWrite, planCall, planLines, type RowStep, rowsVerdict, writeRows } from '../../cli/bulk.ts';
import type { Context, PlannedCall } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { rowFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount, shellWord } from '../../cli/words.ts';
import type { Outcome } from '../../client/bulk.ts';
import type { Client } from '../../client/client.ts';
import { deleteEntry, stepEntry, updateEntry } from '../../contract/entry-operations.ts';
import type { CustomListEntry, LoopStepResult } from '../../contract/lists.ts';
import { isUuid } from '../../contract/validate.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { groupBy } from '../../core/same.ts';
import { bodyOfChanges, type Changed, changesOf } from '../../domain/entries/changes.ts';
import { type Entry, isArchived } from '../../domain/entries/scope.ts';
import type { Column } from '../../output/column.ts';
import { digitsOfAmount, minorUnit } from '../../output/values.ts';
import { readList, resolveEntry, resolveList, type Target } from '../lists/read.ts';
import { type BulkRow, bulkColumns, entryColumns, valueWriter } from './columns.ts';
import { allEntries, entryName, entryPages, queryEntries, type ReadList, selectionFlags } from './read.ts';
import type { EntryEdit } from './values.ts';

export const choiceFlags = {
  ...rowFlags,
  ...selectionFlags,
  ...inGroup('ROWS', { all: flag.boolean('every entry of the list') }),
};

type ChoiceFlags = Partial<FlagValues<typeof choiceFlags>>;

/** Whether flags choose entries, or they are named on stdin: then the command writes in bulk. */
export function choosesMany(names: readonly string[], flags: ChoiceFlags): boolean {
  return names.includes('-') || hasChoice(flags);
}

function hasChoice(flags: ChoiceFlags): boolean {
  return flags.all === true || hasCondition(flags);
}

function hasCondition({ where, changedSince, filter, search, view }: ChoiceFlags): boolean {
  return [where?.[0], filter?.[0], changedSince, search, view].some((value) => value !== undefined);
}

/** @throws usage when no entries are chosen, or flags contradict each other */
export function checkChoice(ctx: Context, names: readonly string[], flags: ChoiceFlags): void {
  const isBulk = choosesMany(names, flags);
  if (names.length === 0 && !isBulk) {
    throw usage(
      'no entries are chosen',
      'name them, give their ids on stdin as -, or choose them with --where, --filter, --search or --all',
    );
  }
  if (flags.all && (hasCondition(flags) || names.length > 0)) {
    throw usage('--all chooses every entry and cannot be used with another flag or name', 'give one of them');
  }
  if (isBulk && ctx.settings.limit !== undefined) {
    throw usage(
      '--limit would limit the rows that are printed, not the writes',
      'choose fewer entries, or name ids: `comem entries list … --limit N -o id | comem entries … -`',
    );
  }
}

/** Archives or unarchives entries; to unarchive, flags choose among archived entries only. */
export async function setArchived(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
  archived: boolean,
): Promise<void> {
  const list = await readList(ctx, target);
  const verb = archived ? 'archive' : 'unarchive';
  const columns = entryColumns(list.list_attributes ?? []);
  const job = { verb, names, flags, archivedOnly: !archived, resources: columns };
  await changeChosen(ctx, list, job, { change: () => ({ archived }), slugs: [], formulas: [] });
}

/** PATCHes what differs from the change, entry by entry; an entry without a difference is not sent. */
export async function updateMany(
  ctx: Context,
  list: ReadList,
  names: readonly string[],
  flags: ChoiceFlags,
  edit: EntryEdit,
): Promise<void> {
  await changeChosen(ctx, list, { verb: 'update', names, flags }, edit);
}

/** Deletes entries, and prints none of those that are named. */
export async function deleteEntries(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
): Promise<void> {
  const list = await (choosesMany(names, flags) ? readList(ctx, target) : resolveList(ctx, target));
  await writeChosen(ctx, list, { verb: 'delete', names, flags, resources: [] }, (client) => ({ id }) => {
    const input = { params: { listId: list.id }, query: { entryId: id } };
    const isMade = (now: Entry | undefined) => now === undefined;
    return { call: planCall(deleteEntry, input), send: () => client.call(deleteEntry, input), isMade };
  });
}

/** Asks each of several entries to take its next step. */
export async function stepMany(
  ctx: Context,
  target: string,
  names: readonly string[],
  flags: ChoiceFlags,
  body: Record<string, unknown>,
): Promise<void> {
  const list = await readList(ctx, target);
  const job = { verb: 'step', names, flags, words: stepWords };
  await writeChosen(ctx, list, job, (client) => ({ id }) => {
    const input = { params: { listId: list.id, entryId: id }, body };
    const send = async () => {
      const refusal = refusedStep(await client.call(stepEntry, input));
      if (refusal) throw refusal;
    };
    return { call: planCall(stepEntry, input), send };
  });
}

/** The failure of a step that was neither queued nor can be taken (docs/api.md, "Step results"). */
export function refusedStep(result: LoopStepResult): Failure | undefined {
  if (result.queued === true || result.canStep === true) return undefined;
  const { error, reason, note, state } = result;
  const says = [error, reason, note].find((text) => typeof text === 'string' && text !== '');
  return new Failure('no', `no step was queued: ${says ?? 'the server gives no reason'}`, {
    hint: state === undefined ? undefined : `the entry's state is ${state}`,
    code: 'step_refused',
  });
}

/** A kind of write in messages. */
interface Words {
  /** `update`, before the number of entries. */
  plan: string;
  /** `Updating`. */
  doing: string;
  /** `updated`, the outcome of an entry. */
  done: string;
  /** `could not be updated`. */
  failed: string;
}

const stepWords: Words = { plan: 'queue a step of', doing: 'Queueing', done: 'queued', failed: 'took no step' };

/** @param verb one whose participle ends in -d */
function wordsOf(verb: string): Words {
  const doing = `${capitalize(verb).replace(/e$/, '')}ing`;
  return { plan: verb, doing, done: `${verb}d`, failed: `could not be ${verb}d` };
}

interface BulkJob {
  verb: string;
  /** Default: those of the verb. */
  words?: Words;
  names: readonly string[];
  flags: ChoiceFlags;
  /** Flags choose among archived entries, unless they say otherwise. */
  archivedOnly?: boolean;
  /** Entries that are named are written without a plan, and printed by these columns. */
  resources?: Column<CustomListEntry>[];
}

type ChosenEntry = CustomListEntry & { id: string };

/** An entry to write to, or a name that matches none of the chosen entries. */
type Choice = { entry: ChosenEntry } | { name: string; missing: 'unknown' | 'notChosen' };

/** The write of one entry, or the reason for which it is left as it is. */
type EntryWrite =
  | {
      call: PlannedCall;
      send(): Promise<unknown>;
      isMade?(now: Entry | undefined): boolean;
      changed?: readonly Changed[];
    }
  | { outcome: 'unchanged' | 'skipped'; reason?: string };

type EntriesOf = Target & Pick<Partial<ReadList>, 'list_attributes'>;

async function changeChosen(
  ctx: Context,
  list: ReadList,
  job: BulkJob,
  { change, slugs, formulas }: EntryEdit,
): Promise<void> {
  const writeOf =
    (client: Client) =>
    (entry: ChosenEntry): EntryWrite => {
      const changed = changesOf(entry, change(entry));
      if (changed.length === 0) return { outcome: 'unchanged' };
      const body = { ...bodyOfChanges(changed), id: entry.id };
      const input = { params: { listId: list.id }, body };
      return {
        call: planCall(updateEntry, input),
        send: () => client.call(updateEntry, input),
        isMade: (now) => now !== undefined && changesOf(now, body).length === 0,
        ...(job.verb === 'update' && { changed }),
      };
    };
  await writeChosen(ctx, list, job, writeOf, (changed) => {
    for (const text of fineAmounts(list, formulas, changed)) ctx.out.note(text);
    const replaced = slugs.filter((slug) => changed.some((field) => losesOptions(field, slug)));
    if (replaced.length === 0) return;
    ctx.out.note(
      `--set replaces all options of ${replaced.join(', ')}; SLUG+=OPTION and SLUG-=OPTION change single ones.`,
    );
  });
}

/** Formulas that make amounts of more digits than their currency has, with the spelling that rounds them. */
function fineAmounts({ list_attributes: attributes = [] }: ReadList, formulas: EntryEdit['formulas'], all: Changed[]) {
  return formulas.flatMap(({ slug, text }) => {
    const { attribute_type: type, config, name } = attributes.find((each) => each.slug === slug) ?? {};
    const minor = minorUnit(config?.currency) ?? 2;
    const isFine = ({ name, to }: Changed) => name === `values.${slug}` && isNumeric(to) && digitsOfAmount(to) > minor;
    const count = type === 'currency' ? all.filter(isFine).length : 0;
    if (count === 0) return [];
    const rounded = `--set ${shellWord(`${slug} := round(${text}, ${minor})`)}`;
    return `${amount(count, 'amount', 'amounts')} of ${name ?? slug} would have more than ${amount(minor, 'digit', 'digits')} after the point: ${rounded} rounds them.`;
  });
}

/** Whether the change removes options of the attribute. */
function losesOptions({ name, from, to }: Changed, slug: string): boolean {
  return name === `values.${slug}` && Array.isArray(from) && Array.isArray(to) && from.some((id) => !to.includes(id));
}

/** Chooses, shows the plan, asks, sends and reports. */
async function writeChosen(
  ctx: Context,
  list: EntriesOf,
  job: BulkJob,
  writerOf: (client: Client) => (entry: ChosenEntry) => EntryWrite,
  beforePlan?: (changed: Changed[]) => void,
): Promise<void> {
  refuseRaw(ctx, 'it prints a row for each entry');
  const resources = choosesMany(job.names, job.flags) ? undefined : job.resources;
  if (!(await (resources ? ctx.out.check(resources) : ctx.out.check(bulkColumns)))) return;
  const { plan, doing, done, failed: wrong } = job.words ?? wordsOf(job.verb);
  const { choices, finished } = resources
    ? { choices: await namedEntries(ctx, list.id, job.names), finished() {} }
    : await chosenEntries(ctx, list, job);
  const writeOf = writerOf(await ctx.client());
  const changes = new Map<string, readonly Changed[]>();
  let later: Promise<Map<string | undefined, CustomListEntry>> | undefined;
  const entryNow = async (id: string) => {
    later ??= allEntries(ctx, list.id).then((entries) => new Map(entries.map((entry) => [entry.id, entry])));
    return (await later).get(id);
  };
  const steps = choices.map((choice): RowStep<WrittenRow> => {
    if (!('entry' in choice)) return absentRow(choice);
    const { id, title = null } = choice.entry;
    const write = writeOf(choice.entry);
    const row = { id, title };
    if ('outcome' in write) return { row, ...write };
    if (write.changed !== undefined) changes.set(id, write.changed);
    const send = async () => {
      const resource = await write.send();
      return { outcome: done, ...(resources && { resource: resource as CustomListEntry | undefined }) };
    };
    const verify = async (failure: Failure, sent: Promise<void>): Promise<Outcome<WrittenOutcome>> => {
      const find = async () => {
        const now = await entryNow(id);
        return write.isMade?.(now) ? { now } : undefined;
      };
      const answer = await lookUpWrite(ctx, write.call, { failure, sent, find });
      if (answer === undefined) return { is: 'failed', failure };
      return { is: 'done', value: { outcome: done, ...(resources && { resource: answer.now }) } };
    };
    return { row, call: write.call, step: { send, verify } };
  });
  beforePlan?.([...changes.values()].flat());
  const calls = steps.filter((step) => 'step' in step);
  const [only] = resources ? calls : [];
  const subject =
    only && calls.length === 1 ? `the entry "${only.row.title ?? only.row.id}"` : entryCount(calls.length);
  const text = `${plan} ${subject} of the list "${list.name ?? list.id}"`;
  const isAsked = !resources || job.verb === 'delete';
  await writeRows<WrittenRow>(ctx, {
    plan: resources ? [] : planOf(steps, text, changes, list),
    ...(isAsked && { question: `${capitalize(text)}?` }),
    ...(resources && { printWritten: (rows) => printEntries(ctx, rows, resources), options: { concurrency: 1 } }),
    steps,
    doing,
    columns: bulkColumns,
    empty: 'Nothing was chosen.',
    name: ({ id, title }) => title ?? id,
    counted: [done, 'unchanged', 'skipped', 'failed'],
    seldom: job.words ? ['unchanged'] : [],
    verdict: (results) => rowsVerdict(results, (failed, all) => `${failed} of ${entryCount(all)} ${wrong}`),
  });
  finished();
}

async function printEntries(
  { out }: Context,
  rows: readonly WrittenRow[],
  columns: readonly Column<CustomListEntry>[],
): Promise<void> {
  const entries = rows.flatMap(({ resource }) => resource ?? []);
  if (columns.length > 0 && entries.length > 0) await out.rows(entries, columns);
}

type WrittenOutcome = Pick<WrittenRow, 'outcome' | 'resource'>;

/** A row with the entry of the answer, where it is printed. */
interface WrittenRow extends BulkRow {
  resource?: CustomListEntry | undefined;
}

/**
 * Reads what the flags choose. Names are looked up among the entries that were read: with names archived ones count
 * too, and flags beside them narrow the selection.
 * @throws usage when a title matches several entries, or the expression is not valid
 */
async function chosenEntries(
  ctx: Context,
  list: EntriesOf,
  { verb, names, flags, archivedOnly: archivedByDefault = false }: BulkJob,
): Promise<{ choices: Choice[]; finished(): void }> {
  const written = await withStdin(ctx, names);
  const { input, question } = await queryEntries(ctx, list, flags, `entries ${verb}`);
  const query = { ...input.query };
  const isOpen = flags.archived === undefined && flags.archivedOnly === undefined;
  if (isOpen && names.length > 0) query.archived = true;
  else if (isOpen && archivedByDefault) query.archivedOnly = true;
  const isStated = query.archivedOnly === true || query.archived === false;
  const chosen: ChosenEntry[] = [];
  for await (const entry of question.choose(entryPages(ctx, { ...input, query }))) {
    if (flags.search !== undefined) requireText(entry, flags.search);
    // A server may ignore the parameter: without the field nothing shows whether the entry is meant.
    if (isStated) isArchived(entry);
    if (typeof entry.id === 'string') chosen.push({ ...entry, id: entry.id });
    if (chosen.length % 500 === 0) ctx.out.progress(`Reading the list: ${chosen.length} entries chosen`);
  }
  ctx.out.progress(undefined);
  if (flags.one) await (await import('../../cli/row-query.ts')).onlyRow(chosen, entryName);
  const { count, columns } = question.empty();
  if (count > 0) {
    const name = columns.length === 1 ? columns[0] : `one of ${columns.join(', ')}`;
    ctx.out.note(`Skipped ${entryCount(count)} where ${name} is empty.`);
  }
  const { finished } = question;
  if (names.length === 0) return { choices: chosen.map((entry) => ({ entry })), finished };
  return { choices: namedChoices(written, chosen, hasChoice(flags) || !isOpen ? 'notChosen' : 'unknown'), finished };
}

/** @throws rejected for an entry without the text: an answer that ignored the search would change every entry */
function requireText(entry: CustomListEntry, text: string): void {
  const words = text.trim().toLowerCase().split(/\s+/);
  const content = JSON.stringify([entry.title, entry.values]).toLowerCase();
  if (words.some((word) => content.includes(JSON.stringify(word).slice(1, -1)))) return;
  throw new Failure('rejected', `the server found ${entryName(entry)} by --search "${text}", but it has no such text`, {
    code: 'wrong_answer',
    hint: 'choose with --where; nothing was written',
  });
}

async function withStdin(ctx: Context, names: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (const name of names) {
    const lines = name === '-' ? (await ctx.readStdin()).split('\n') : [name];
    all.push(...lines.map((line) => line.trim()).filter((line) => line !== ''));
  }
  return all;
}

/** The entries with these ids or titles, each once. */
function namedChoices(
  names: readonly string[],
  chosen: readonly ChosenEntry[],
  missing: 'unknown' | 'notChosen',
): Choice[] {
  const byId = new Map(chosen.map((entry) => [entry.id.toLowerCase(), entry]));
  const byTitle = groupBy(chosen, ({ title }) => title);
  const choices = new Map<string, Choice>();
  for (const name of names) {
    const same = byId.get(name.toLowerCase());
    const namesakes = isUuid(name) || same ? [] : (byTitle.get(name) ?? []);
    if (namesakes.length > 1) {
      const ids = namesakes.slice(0, 10).map(({ id }) => id);
      throw usage(`"${name}" matches ${namesakes.length} entries: ${ids.join(', ')}`, 'give the id of one of them');
    }
    const entry = same ?? namesakes[0];
    choices.set(entry?.id ?? name.toLowerCase(), entry ? { entry } : { name, missing });
  }
  return [...choices.values()];
}

/** Resolves all ENTRY arguments before the first write, each entry once. */
async function namedEntries(ctx: Context, listId: string, targets: readonly string[]): Promise<Choice[]> {
  const byId = new Map<string, Choice>();
  for (const target of targets) {
    const { id, name } = await resolveEntry(ctx, listId, target);
    byId.set(id.toLowerCase(), { entry: { id, ...(name !== undefined && { title: name }) } as ChosenEntry });
  }
  return [...byId.values()];
}

function planOf(
  steps: readonly RowStep<BulkRow>[],
  text: string,
  changes: ReadonlyMap<string, readonly Changed[]>,
  { list_attributes: attributes = [] }: EntriesOf,
): string[] {
  const { changeText } = valueWriter(attributes, [...changes.values()].flat());
  const outcomes = steps.map((step) => ('outcome' in step ? step.outcome : 'failure' in step ? 'not found' : ''));
  const others = ['unchanged', 'skipped', 'not found'].flatMap((word) => {
    const count = outcomes.filter((outcome) => outcome === word).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const rows = steps.flatMap((step) => {
    const { id, title } = step.row;
    const changed = changes.get(id);
    return 'step' in step ? [[`  ${title ?? id}${changed ? `: ${changed.map(changeText).join('; ')}` : ''}`]] : [];
  });
  return planLines(`${text}${others.length > 0 ? ` (${others.join(', ')})` : ''}`, rows);
}

function absentRow({ name, missing }: Extract<Choice, { missing: unknown }>): RowStep<WrittenRow> {
  const row = { id: name, title: null };
  if (missing === 'notChosen')
    return { row, outcome: 'skipped', reason: 'not in the list, or not chosen by the flags' };
  const hint = '`comem entries list` shows its entries';
  return { row, failure: new Failure('notFound', `the list has no entry ${name}`, { hint }) };
}

function entryCount(count: number): string {
  return amount(count, 'entry', 'entries');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
