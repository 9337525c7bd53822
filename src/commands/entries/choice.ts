/** Which entries a bulk command writes to: chosen by the server's filters and `--where`, named, or named on stdin. */

import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { askFlags } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import type { CustomListEntry } from '../../contract/lists.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import { isArchived } from '../../domain/entries/lookup.ts';
import { askEntries, entries, entryName, type ReadList, selectionFlags } from './read.ts';

export const choiceFlags = {
  ...askFlags,
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
  if (flags.one) await (await import('../../cli/question.ts')).onlyRow(found, entryName);
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
