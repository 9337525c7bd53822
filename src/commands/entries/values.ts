/** `--set`, `--unset`, `--add` and `--remove` of `entries create` and `entries update`. */

import { type Pair, pairs } from '../../cli/arguments.ts';
import { type bodyFieldFlags, bodyOf, changes } from '../../cli/body.ts';
import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { shellWord } from '../../cli/words.ts';
import type { CustomListEntry } from '../../contract/lists.ts';
import { usage } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { type EntryChange, hasEdits, type OptionSets, optionSets, withEdits } from '../../domain/entries/changes.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { missingRequired, typedValues } from '../../domain/entries/values.ts';
import { firstEntries, firstPlace, readList, toPrecede } from '../lists/read.ts';
import type { ReadList } from './read.ts';

export const setFlag = inGroup('VALUES', {
  set: flag.list('SLUG=VALUE', 'a value, typed by its attribute; SLUG:=JSON for JSON'),
});

export const editFlags = inGroup('VALUES', {
  unset: flag.list('SLUG', 'clear this value'),
  add: flag.list('SLUG=OPTION', 'add this option to a multi_select'),
  remove: flag.list('SLUG=OPTION', 'remove this option from a multi_select'),
});

/** For the descriptions of the commands that take `--set`. */
export const setRules =
  'The values of --set: an option by label or id, several options of a multi_select as a;b, a date also as today (UTC), a number also as 20M, 1.5k or 2.5%.';

/** The `values` of a body, if the flags set any. */
export function assignedValues(
  ctx: Context,
  attributes: readonly Attribute[],
  set: readonly string[] | undefined,
  unset: readonly string[] = [],
): { values?: Record<string, unknown> } {
  const assignments = assigned('--set', set).map(({ key, ...value }) => ({ slug: key, ...value }));
  if (assignments.length === 0 && unset.length === 0) return {};
  return {
    values: typedValues(attributes, assignments, unset.map(slugOf), {
      source: '--set',
      clears: '--unset',
      now: ctx.now(),
      asWritten: true,
    }),
  };
}

type ChangeFlags = FlagValues<typeof setFlag & typeof editFlags & typeof bodyFieldFlags> & { position?: number };

/** The change that the flags make; `fields` are those of other flags. @throws usage if there is none */
export async function entryChange(
  ctx: Context,
  list: ReadList,
  fields: Record<string, unknown>,
  flags: ChangeFlags,
  words: readonly string[],
): Promise<(entry: Partial<CustomListEntry>) => EntryChange> {
  const attributes = list.list_attributes ?? [];
  const sets = editedOptions(attributes, flags);
  const named = { ...fields, ...assignedValues(ctx, attributes, flags.set, flags.unset) };
  const value = words.find((word) => attributes.some(({ slug }) => word.startsWith(`${slug}=`)));
  const meant = value && `did you mean --set ${shellWord(value)}?`;
  const change = await (hasEdits(sets) ? bodyOf(ctx, named, flags) : changes(ctx, named, flags, meant));
  const others = await toPrecede(flags.position, () => firstEntries(ctx, list.id));
  return (entry) => withEdits({ ...change, ...firstPlace(others, entry.id) }, sets, entry);
}

/** The edits of `--add` and `--remove`. @throws usage if another flag sets the same attribute */
function editedOptions(
  attributes: readonly Attribute[],
  flags: FlagValues<typeof editFlags & typeof setFlag>,
): OptionSets {
  const [add, remove] = (['add', 'remove'] as const).map((name) =>
    assigned(`--${name}`, flags[name]).map(({ key, ...value }) => ({ slug: key, ...value })),
  );
  const sets = optionSets(attributes, { add: add ?? [], remove: remove ?? [] }, { add: '--add', remove: '--remove' });
  const others = [...assigned('--set', flags.set).map(({ key }) => key), ...(flags.unset ?? []).map(slugOf)];
  const twice = others.find((slug) => sets.add.has(slug) || sets.remove.has(slug));
  if (twice === undefined) return sets;
  throw usage(`${twice} is set or cleared, and edited with --add or --remove`, 'give one of them');
}

/** Asks on a terminal: for all values if the title was asked for, too, otherwise for required ones. */
async function askedValues(
  ctx: Context,
  attributes: readonly Attribute[],
  flags: FlagValues<typeof setFlag & typeof bodyFieldFlags>,
  asked = false,
): Promise<string[]> {
  // The body may contain values, and is not read yet.
  if (!ctx.settings.input || flags.data !== undefined || flags.body !== undefined) return [];
  const named = new Set(assigned('--set', flags.set).map(({ key }) => key));
  const open = asked ? attributes : attributes.filter(({ is_required: isRequired }) => isRequired);
  if (open.every(({ slug = '' }) => named.has(slug))) return [];
  const { askValues } = await import('./questions.ts');
  return askValues(ctx, open, named);
}

/** @throws usage for values that the list cannot hold */
export async function checkSet(ctx: Context, target: string | undefined, set: readonly string[] | undefined) {
  if (target === undefined || set === undefined) return;
  assignedValues(ctx, (await readList(ctx, target)).list_attributes ?? [], set);
}

/** @throws usage for a change that the list cannot hold */
export async function checkChange(
  ctx: Context,
  target: string | undefined,
  fields: Record<string, unknown>,
  flags: ChangeFlags,
): Promise<void> {
  if (target !== undefined && flags.data !== '-') {
    await entryChange(ctx, await readList(ctx, target), fields, flags, []);
  }
}

/** The body of a new entry, after asking for missing values. */
export async function newEntry(
  ctx: Context,
  attributes: readonly Attribute[],
  fields: { title: string },
  flags: FlagValues<typeof setFlag & typeof bodyFieldFlags>,
  asked?: boolean,
) {
  assignedValues(ctx, attributes, flags.set);
  const answers = await askedValues(ctx, attributes, flags, asked);
  const values = assignedValues(ctx, attributes, [...(flags.set ?? []), ...answers]);
  const body = await bodyOf(ctx, { ...fields, ...values }, flags);
  requireValues(attributes, body.values);
  return body;
}

/** @throws usage if a required value is missing */
function requireValues(attributes: readonly Attribute[], values: unknown): void {
  const missing = missingRequired(attributes, isObject(values) ? values : {});
  if (missing.length === 0) return;
  const flags = missing.map((slug) => `--set ${slug}=VALUE`).join(' ');
  throw usage(`the list requires a value for ${missing.join(', ')}`, `add ${flags}`);
}

export const slugOf = (name: string): string => name.replace(/^values\./, '');

/** The pairs of `--set`, `--add` or `--remove`. */
export const assigned = (flagName: string, written: readonly string[] | undefined): Pair[] =>
  pairs(flagName, written).map((pair) => ({ ...pair, key: slugOf(pair.key) }));
