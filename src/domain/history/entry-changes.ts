/** Changes of one entry, value by value. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { differences } from '../analysis/difference.ts';
import type { SyncTimes } from './stays.ts';
import { stepsOf } from './steps.ts';
import type { Version } from './versions.ts';

export const entryChangeKinds = [
  'first seen',
  'created',
  'changed',
  'archived',
  'unarchived',
  'deleted',
  'restored',
] as const;
type EntryChangeKind = (typeof entryChangeKinds)[number];

export interface EntryChange {
  kind: EntryChangeKind;
  /** The last sync that did not see it; null: there is none. */
  notBefore: string | null;
  /** The sync that saw it. */
  seen: string;
  /** When the API says that the entry was last written, where that lies between the two; when it was created. */
  at: string | null;
  /** A field (`title`) or the slug of an attribute; null for the entry itself. */
  field: string | null;
  before: unknown;
  after: unknown;
}

/** Fields beside the values. `updated_at` changes with every change. */
const fields = ['title', 'position', 'linked_entity_type', 'linked_entity_id'] as const;

/**
 * The changes, oldest first; those of one sync in the order of the attributes.
 * @param versions of the entry, by time
 * @param slugs of all attributes that the list has or had, in their order
 */
export function entryChanges(
  versions: readonly Version<CustomListEntry>[],
  slugs: readonly string[],
  syncs: SyncTimes,
): EntryChange[] {
  return stepsOf(versions, syncs, ({ updated_at }) => updated_at).flatMap((step, index): EntryChange[] => {
    const { before, after, notBefore, seen, when } = step;
    const row = { notBefore, seen, field: null as string | null, before: undefined, after: undefined };
    if (after === undefined) return [{ ...row, kind: 'deleted', at: null }];
    if (before === undefined) {
      const kind: EntryChangeKind = notBefore === null ? 'first seen' : index === 0 ? 'created' : 'restored';
      const at = kind === 'restored' ? null : (after.created_at ?? null);
      const values = differences({}, valuesOf(slugs, after));
      return [{ ...row, kind, at, after: after.title }, ...values.map((each) => ({ ...row, kind, at, ...each }))];
    }
    const archived = Boolean(after.archived);
    const isMoved = archived !== Boolean(before.archived);
    const changes = [
      ...differences(pick(before), pick(after)),
      ...differences(valuesOf(slugs, before, after), valuesOf(slugs, after)),
    ];
    return [
      ...(isMoved ? [{ ...row, kind: archived ? 'archived' : 'unarchived', at: when } as const] : []),
      ...changes.map((each) => ({ ...row, kind: 'changed' as const, at: when, ...each })),
    ];
  });
}

function pick(entry: CustomListEntry): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, entry[field]]));
}

/** The values of the first entry, under the attributes in their order and then under any other that the entries have. */
function valuesOf(slugs: readonly string[], entry: CustomListEntry, ...others: CustomListEntry[]): object {
  const all = [entry, ...others].flatMap(({ values }) => Object.keys(values ?? {}));
  const values = new Map(Object.entries(entry.values ?? {}));
  return Object.fromEntries([...new Set([...slugs, ...all])].map((slug) => [slug, values.get(slug)]));
}
