/** What was seen to change in one entry, value by value. */
import type { CustomListAttribute, CustomListEntry, ListSelectOption } from '../../contract/lists.ts';
import { sameValue } from '../../core/same.ts';
import { instantOf, type SyncTimes } from './stays.ts';
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
  const found: EntryChange[] = [];
  let last: Version<CustomListEntry> | undefined;
  for (const version of versions) {
    const { seenFrom, value } = version;
    const place = placeOf(seenFrom, syncs);
    if (last?.seenTo !== undefined && last.seenTo < seenFrom) found.push(deletion(last.seenTo, syncs));
    if (last === undefined || (last.seenTo !== undefined && last.seenTo < seenFrom)) {
      const kind: EntryChangeKind =
        place.notBefore === null ? 'first seen' : last === undefined ? 'created' : 'restored';
      const at = kind === 'restored' ? null : (value.created_at ?? null);
      found.push({ kind, ...place, at, field: null, before: undefined, after: value.title });
      found.push(...valuesOf(value, slugs).map((each) => ({ ...each, kind, ...place, at })));
    } else
      found.push(
        ...between(last.value, value, slugs).map((each) => ({ ...each, ...place, at: writeIn(value, place) })),
      );
    last = version;
  }
  if (last?.seenTo !== undefined) found.push(deletion(last.seenTo, syncs));
  return found;
}

type Place = Pick<EntryChange, 'notBefore' | 'seen'>;
type What = Pick<EntryChange, 'kind' | 'field' | 'before' | 'after'>;

function placeOf(seen: string, syncs: SyncTimes): Place {
  const before = syncs.before(instantOf(seen) ?? 0);
  return { notBefore: before === undefined ? null : new Date(before).toISOString(), seen };
}

function deletion(seen: string, syncs: SyncTimes): EntryChange {
  return { kind: 'deleted', ...placeOf(seen, syncs), at: null, field: null, before: undefined, after: undefined };
}

function writeIn({ updated_at }: CustomListEntry, { notBefore, seen }: Place): string | null {
  const [at, low, high] = [updated_at, notBefore ?? undefined, seen].map((text) => instantOf(text));
  return at !== undefined && high !== undefined && at <= high && at > (low ?? at - 1) ? (updated_at ?? null) : null;
}

function valuesOf(entry: CustomListEntry, slugs: readonly string[]): What[] {
  return slugsOf(slugs, entry).flatMap((slug): What[] => {
    const value = ownValue(entry, slug);
    return sameValue(value, undefined) ? [] : [{ kind: 'created', field: slug, before: undefined, after: value }];
  });
}

function between(before: CustomListEntry, after: CustomListEntry, slugs: readonly string[]): What[] {
  const changed = (field: string, a: unknown, b: unknown): What[] =>
    sameValue(a, b) ? [] : [{ kind: 'changed', field, before: a, after: b }];
  const archived = Boolean(after.archived);
  return [
    ...(archived === Boolean(before.archived)
      ? []
      : [{ kind: archived ? 'archived' : 'unarchived', field: null, before: undefined, after: undefined } as const]),
    ...fields.flatMap((field) => changed(field, before[field], after[field])),
    ...slugsOf(slugs, before, after).flatMap((slug) => changed(slug, ownValue(before, slug), ownValue(after, slug))),
  ];
}

/** Those of the list, then any other that the entries have. */
function slugsOf(known: readonly string[], ...entries: CustomListEntry[]): string[] {
  return [...new Set([...known, ...entries.flatMap(({ values }) => Object.keys(values ?? {}))])];
}

function ownValue({ values }: CustomListEntry, slug: string): unknown {
  return values && Object.hasOwn(values, slug) ? values[slug] : undefined;
}

/**
 * The attributes of a list with every option that each has or had, so that an old value has its label; those that were
 * deleted come last.
 * @param versions of all attributes of the list, by id and time
 */
export function attributesEver(versions: Iterable<Version<CustomListAttribute>>): CustomListAttribute[] {
  const newest = new Map<string, Version<CustomListAttribute>>();
  const options = new Map<string, Map<string, Partial<ListSelectOption>>>();
  for (const version of versions) {
    const { slug = '', config } = version.value;
    const known = options.get(slug) ?? new Map();
    options.set(slug, known);
    for (const option of config?.options ?? []) if (option.id !== undefined) known.set(option.id, option);
    const before = newest.get(slug);
    if (!before || version.seenTo === undefined || version.seenFrom > before.seenFrom) newest.set(slug, version);
  }
  const rank = ({ seenTo, value }: Version<CustomListAttribute>) =>
    seenTo === undefined ? Number(value.position ?? 0) : Number.MAX_SAFE_INTEGER;
  return [...newest.values()]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ value }) => {
      const { config } = value;
      if (!config?.options) return value;
      const own = config.options;
      const former = [...(options.get(value.slug ?? '')?.values() ?? [])].filter(
        ({ id }) => !own.some((option) => option.id === id),
      );
      return { ...value, config: { ...config, options: [...own, ...former] } };
    });
}
