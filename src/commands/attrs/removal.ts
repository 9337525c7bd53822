/** Options that an edit of an attribute removes, and the entries that have them. */
import type { Context } from '../../cli/context.ts';
import { amount } from '../../cli/words.ts';
import { isObject } from '../../core/json.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { countOptions, type ReadList } from '../entries/read.ts';

/** Describes the entries that hold options which the new config leaves out; undefined where none does. */
export async function removalOf(
  ctx: Context,
  list: ReadList,
  { slug, config }: Attribute,
  edited: unknown,
): Promise<string | undefined> {
  const options = isObject(edited) && Array.isArray(edited.options) ? edited.options : undefined;
  if (options === undefined || slug === undefined) return undefined;
  const remaining = new Set(
    options.map((option: unknown) => (isObject(option) ? (option.id ?? option.label) : option)),
  );
  const removed = (config?.options ?? []).filter(({ id, label }) => !remaining.has(id ?? label));
  const ids = new Set(removed.map(({ id, label }) => id ?? label));
  const count = ids.size === 0 ? 0 : await countOptions(ctx, list.id, slug, ids);
  if (count === 0) return undefined;
  const names = removed.map(({ id, label }) => `"${label ?? id}"`).join(', ');
  const what = removed.length === 1 ? `the option ${names}` : `one of the options ${names}`;
  return `${amount(count, 'entry has', 'entries have')} ${what} of ${slug}, and ${count === 1 ? 'keeps' : 'keep'} its id`;
}
