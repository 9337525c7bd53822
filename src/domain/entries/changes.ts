/** Changes of an entry: the fields and values that differ from it. */

import type { CustomListEntry } from '../../contract/lists.ts';
import { usage } from '../../core/errors.ts';
import { sameValue } from '../../core/same.ts';
import type { Attribute } from './options.ts';
import { valueAt } from './scope.ts';
import { type Assignment, attributeOf, typedValues } from './values.ts';

export type EntryChange = Record<string, unknown> & { values?: Record<string, unknown> };

/** One changed field or value. */
export interface Changed {
  name: string;
  from: unknown;
  to: unknown;
}

/** The fields and values of a change that differ from the entry. */
export function changesOf(entry: Partial<CustomListEntry>, change: EntryChange): Changed[] {
  const { values = {}, ...fields } = change;
  const all: Changed[] = [
    ...Object.entries(fields).map(([name, to]) => ({ name, from: Reflect.get(entry, name) as unknown, to })),
    ...Object.entries(values).map(([slug, to]) => ({ name: `values.${slug}`, from: valueAt(entry.values, slug), to })),
  ];
  return all.filter(({ from, to }) => !sameValue(from, to));
}

/** The body of a PATCH that makes these changes. */
export function bodyOfChanges(changed: readonly Changed[]): EntryChange {
  const fields: [string, unknown][] = [];
  const values: [string, unknown][] = [];
  for (const { name, to } of changed) {
    if (name.startsWith('values.')) values.push([name.slice('values.'.length), to]);
    else fields.push([name, to]);
  }
  // fromEntries defines own properties, so that a slug such as `__proto__` is safe.
  return { ...Object.fromEntries(fields), ...(values.length > 0 ? { values: Object.fromEntries(values) } : {}) };
}

/** Ids of options to add and to remove, by slug. */
export type OptionSets = Record<'add' | 'remove', ReadonlyMap<string, readonly string[]>>;

/** @throws usage for an attribute that is no multi_select, and for unknown options */
export function optionSets(
  attributes: readonly Attribute[],
  assignments: Record<'add' | 'remove', readonly Assignment[]>,
  sources: Record<'add' | 'remove', string>,
): OptionSets {
  const idsOf = (kind: 'add' | 'remove') => {
    const source = sources[kind];
    for (const { slug } of assignments[kind]) {
      const { attribute_type: type } = attributeOf(attributes, slug, source);
      if (type === 'multi_select') continue;
      throw usage(`${source} is for attributes of type multi_select, and ${slug} is of type ${type}`, 'use --set');
    }
    const values = typedValues(attributes, assignments[kind], [], { source, now: new Date(0) });
    return new Map(Object.entries(values).map(([slug, ids]) => [slug, (ids ?? []) as string[]]));
  };
  const sets = { add: idsOf('add'), remove: idsOf('remove') };
  for (const [slug, ids] of sets.add) {
    const both = ids.some((id) => sets.remove.get(slug)?.includes(id));
    if (both) throw usage(`${sources.add} and ${sources.remove} both name an option of ${slug}`, 'give one of them');
  }
  return sets;
}

/** Whether there is anything to add or to remove. */
export function hasEdits({ add, remove }: OptionSets): boolean {
  return add.size + remove.size > 0;
}

/** Applies the edits to the options of one entry. An empty set clears the value. */
export function withEdits(
  change: EntryChange,
  { add, remove }: OptionSets,
  entry: Partial<CustomListEntry>,
): EntryChange {
  const slugs = new Set([...add.keys(), ...remove.keys()]);
  if (slugs.size === 0) return change;
  const edited = [...slugs].map((slug) => {
    const before = valueAt(entry.values, slug);
    const ids = Array.isArray(before) ? before : [];
    const all = [...new Set([...ids, ...(add.get(slug) ?? [])])].filter((id) => !remove.get(slug)?.includes(id));
    return [slug, all.length > 0 ? all : null];
  });
  return { ...change, values: { ...change.values, ...Object.fromEntries(edited) } };
}
