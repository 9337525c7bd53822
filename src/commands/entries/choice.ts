/** Which entries a bulk command writes to: chosen by the server's filters and `--where`, named, or named on stdin. */

import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag } from '../../cli/define.ts';
import { pageOptions } from '../../cli/operation-flags.ts';
import { amount } from '../../cli/words.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import type { CustomListEntry, CustomListWithAttributes } from '../../contract/lists.ts';
import { isUuid } from '../../contract/validate.ts';
import { usage } from '../../core/errors.ts';
import type { UnknownOption } from '../../domain/expression/literals.ts';
import { selection, selectionFlags } from './read.ts';

export const choiceFlags = {
  where: flag.text('EXPR', 'entries that match, such as `amount > 100 and stage = "Won"`'),
  ...selectionFlags,
  all: flag.boolean('every entry of the list'),
  concurrency: flag.integer('N', 'requests in flight at once; default 4', { minimum: 1, maximum: 64 }),
};

export type ChoiceFlags = Partial<FlagValues<typeof choiceFlags>>;
export type ReadList = CustomListWithAttributes & { id: string };
type Chosen = CustomListEntry & { id: string };

/** An entry to write to, or a name that matches none of the chosen entries. */
export type Choice = { entry: Chosen } | { name: string; missing: 'unknown' | 'notChosen' };

/** Whether flags choose entries, or they are named on stdin: then the command writes in bulk. */
export function choosesMany(names: readonly string[], flags: ChoiceFlags): boolean {
  return names.includes('-') || chooses(flags);
}

function chooses({ where, filter, search, view, all }: ChoiceFlags): boolean {
  return where !== undefined || search !== undefined || view !== undefined || all === true || (filter ?? []).length > 0;
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
  const narrowed = [flags.where, flags.search, flags.view, flags.filter?.[0]].some((given) => given !== undefined);
  if (flags.all && (narrowed || names.length > 0)) {
    throw usage('--all chooses every entry and cannot go with another flag or name', 'give one of them');
  }
  if (many && ctx.settings.limit !== undefined) {
    throw usage(
      '--limit would limit the rows that are printed, not the writes',
      'choose fewer entries, or name ids: comem entries list … --limit N -o id | comem entries … -',
    );
  }
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
  archivedByDefault = false,
): Promise<Choice[]> {
  const given = await withStdin(ctx, names);
  const { holds, unknown, finish } = await condition(ctx, list, flags.where);
  const input = await selection(ctx, list.id, flags, list);
  const unsaid = flags.archived === undefined && flags.archivedOnly === undefined;
  if (unsaid && names.length > 0) input.query = { ...input.query, archived: true };
  else if (unsaid && archivedByDefault) input.query = { ...input.query, archivedOnly: true };
  const { archived, archivedOnly } = input.query ?? {};
  // A server that does not know the parameter must not have its archived entries deleted.
  const isMeant = (entry: CustomListEntry) => archived !== false || archivedOnly === true || entry.archived !== true;
  const client = await ctx.client();
  const { pageSize } = pageOptions(ctx, listEntries);
  const found: Chosen[] = [];
  for await (const page of client.pages(listEntries, input, { pageSize })) {
    found.push(...page.filter((entry): entry is Chosen => isMeant(entry) && holds(entry)));
    // Entries may still hold an option that was removed.
    unknown.splice(
      0,
      Infinity,
      ...unknown.filter(({ column, text }) => !page.some((entry) => has(entry, column, text))),
    );
    ctx.out.progress(`Reading the list: ${found.length} entries chosen`);
  }
  ctx.out.progress(undefined);
  const [wrong] = unknown;
  if (wrong) throw wrong.failure;
  finish();
  if (names.length === 0) return found.map((entry) => ({ entry }));
  return named(given, found, chooses(flags) || !unsaid ? 'notChosen' : 'unknown');
}

interface Condition {
  holds(entry: CustomListEntry): boolean;
  /** Unknown options in the condition that no fetched entry holds. */
  unknown: UnknownOption[];
  /** Says how many entries were left out because a value is empty. */
  finish(): void;
}

async function condition(ctx: Context, list: ReadList, where: string | undefined): Promise<Condition> {
  if (where === undefined) return { holds: () => true, unknown: [], finish: () => {} };
  const [{ checkCondition }, { evaluate }, { entryScope }] = await Promise.all([
    import('../../domain/expression/check.ts'),
    import('../../domain/expression/evaluate.ts'),
    import('../../domain/entries/scope.ts'),
  ]);
  const scope = entryScope(list.list_attributes ?? [], ctx.runtime.now());
  const { root, names, warnings, unknownOptions } = checkCondition(where, scope, '--where');
  for (const warning of warnings) ctx.out.warn(warning);
  let empty = 0;
  return {
    unknown: unknownOptions,
    holds(entry) {
      const value = evaluate(root, entry);
      if (value === null) empty += 1;
      return value === true;
    },
    finish() {
      if (empty === 0) return;
      const columns = names.length === 1 ? names[0] : `one of ${names.join(', ')}`;
      ctx.out.note(`Skipped ${amount(empty, 'entry', 'entries')} where ${columns} is empty.`);
    },
  };
}

function has({ values }: CustomListEntry, column: string, text: string): boolean {
  const slug = column.replace(/^values\./, '');
  const value = values && Object.hasOwn(values, slug) ? values[slug] : undefined;
  return Array.isArray(value) ? value.includes(text) : value === text;
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
    const alike = isUuid(name) ? [] : (byTitle.get(name) ?? []);
    if (alike.length > 1) {
      const ids = alike.slice(0, 10).map(({ id }) => id);
      throw usage(`"${name}" matches ${alike.length} entries: ${ids.join(', ')}`, 'give the id of one of them');
    }
    const entry = isUuid(name) ? byId.get(name.toLowerCase()) : alike[0];
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
