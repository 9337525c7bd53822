/** `--set` and `--unset` of `entries create` and `entries update`. */

import { pairs } from '../../cli/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { flag } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { missingRequired, typedValues } from '../../domain/entries/values.ts';

export const setFlag = {
  set: flag.list('SLUG=VALUE', 'a value, typed by its attribute; SLUG:=JSON for JSON'),
};

export const unsetFlag = { unset: flag.list('SLUG', 'clear this value') };

/** For the descriptions of the commands that take `--set`. */
export const setRules =
  'The values of --set: an option by label or id, several options of a multi_select as a;b, a date also as today (UTC).';

/** `{ values }` of the flags, or nothing when there are none. */
export function assignedValues(
  ctx: Context,
  attributes: readonly Attribute[],
  set: readonly string[] | undefined,
  unset: readonly string[] = [],
): { values?: Record<string, unknown> } {
  const assignments = pairs('--set', set).map(({ key, ...value }) => ({ slug: key, ...value }));
  if (assignments.length === 0 && unset.length === 0) return {};
  return {
    values: typedValues(attributes, assignments, unset, { source: '--set', clears: '--unset', now: ctx.runtime.now() }),
  };
}

/** A usage failure when a new entry leaves out a required value. */
export function requireValues(attributes: readonly Attribute[], values: unknown): void {
  const given = typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
  const missing = missingRequired(attributes, given);
  if (missing.length === 0) return;
  const flags = missing.map((slug) => `--set ${slug}=VALUE`).join(' ');
  throw usage(`the list requires a value for ${missing.join(', ')}`, `add ${flags}`);
}
