/** The part of a change that an entry does not have yet. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { sameValue } from '../../core/same.ts';

export type EntryChange = Record<string, unknown> & { values?: Record<string, unknown> };

/** One field or value that changes, for plans. */
export interface Changed {
  name: string;
  from: unknown;
  to: unknown;
}

/** The part of the change that differs from the entry: only this is sent. Nothing left: the entry is as wanted. */
export function changesOf(entry: Partial<CustomListEntry>, change: EntryChange): Changed[] {
  const { values = {}, ...fields } = change;
  const all: Changed[] = [
    ...Object.entries(fields).map(([name, to]) => ({ name, from: Reflect.get(entry, name) as unknown, to })),
    ...Object.entries(values).map(([slug, to]) => ({ name: `values.${slug}`, from: ownValue(entry, slug), to })),
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
  // Built from pairs, so that no slug (`__proto__`) is special.
  return { ...Object.fromEntries(fields), ...(values.length > 0 ? { values: Object.fromEntries(values) } : {}) };
}

function ownValue(entry: Partial<CustomListEntry>, slug: string): unknown {
  const { values } = entry;
  return values !== undefined && values !== null && Object.hasOwn(values, slug) ? values[slug] : undefined;
}
