/** The entries of a list. Values are validated as the API does it. */
import { isDeepStrictEqual } from 'node:util';
import { IdSet } from '../../core/id-set.ts';
import type { Attribute } from '../model/attribute.ts';
import { ApiError } from '../model/failure.ts';
import { mergedValues } from '../model/values.ts';
import { type Entry, insertEntries, toEntry, updateEntry } from '../store/entries.ts';
import { upsert } from '../store/upsert.ts';
import { type Loading, occurrences, stableId, stamp } from './loading.ts';
import type { SeedEntry } from './seed-lists.ts';

/** Entries that are in memory at once. */
const batch = 1000;

/** Loads the entries of a list, all at once or in several parts of the seed. */
export class EntryLoader {
  private readonly types: ReadonlyMap<string, Attribute['attribute_type']>;
  private readonly nth = occurrences();
  private readonly seen = new IdSet();
  /** How many were loaded. */
  private first = 0;

  constructor(
    private readonly loading: Loading,
    private readonly path: string,
    private readonly listId: string,
    private readonly attributes: readonly Attribute[],
  ) {
    this.types = new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
  }

  async load(entries: readonly SeedEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += batch) await this.loadBatch(entries.slice(from, from + batch));
  }

  private async loadBatch(entries: readonly SeedEntry[]): Promise<void> {
    const { loading, path, listId, attributes, types, first } = this;
    const ids = entries.map((seed, index) => this.idOf(seed, `${path}.entries.${first + index}.id`));
    const before = await this.stored(ids);
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const fresh: Entry[] = [];
    for (const [index, seed] of entries.entries()) {
      const at = `${path}.entries.${first + index}`;
      const id = ids[index] as string;
      const old = before.get(id);
      const base = old ?? freshEntry(loading, id, listId, first + index, seed);
      const entry = entryOf(loading, at, seed, base, attributes, old?.values);
      if (!old) {
        fresh.push(entry);
        counts.created += 1;
      } else if (isDeepStrictEqual(entry, old)) counts.unchanged += 1;
      else {
        await updateEntry(loading.db, { ...entry, updated_at: stamp(seed.updated_at) ?? loading.now }, types);
        counts.updated += 1;
      }
    }
    await insertEntries(loading.db, fresh, types);
    loading.count('entries', counts);
    await loadLoops(loading, path, entries, ids);
    this.first += entries.length;
  }

  /** @throws usage for an id that an earlier entry of the file has */
  private idOf(seed: SeedEntry, path: string): string {
    const id = seed.id?.toLowerCase() ?? stableId('entry', this.listId, seed.title, this.nth(seed.title));
    if (!this.seen.add(id)) throw this.loading.fail(path, 'is repeated');
    return id;
  }

  private async stored(ids: readonly string[]): Promise<Map<string, Entry>> {
    const { db } = this.loading;
    const rows = await db
      .selectFrom('entries')
      .selectAll()
      .where('list_id', '=', this.listId)
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map((row) => [row.id, toEntry(row)]));
  }
}

function freshEntry(loading: Loading, id: string, listId: string, index: number, seed: SeedEntry): Entry {
  return {
    id,
    list_id: listId,
    title: seed.title,
    values: {},
    position: index,
    archived: false,
    linked_entity_type: null,
    linked_entity_id: null,
    created_by: null,
    created_at: loading.now,
    updated_at: stamp(seed.created_at) ?? loading.now,
  };
}

function entryOf(
  loading: Loading,
  path: string,
  seed: SeedEntry,
  before: Entry,
  attributes: readonly Attribute[],
  values: Entry['values'] | undefined,
): Entry {
  const written = seed.values ?? {};
  // A null says that the value is known to be missing, so that an entry older than its required attribute can be kept.
  const asked = attributes.map((attribute) => ({
    ...attribute,
    is_required: attribute.is_required && written[attribute.slug] !== null,
    config: {
      ...attribute.config,
      options: [...(attribute.config.options ?? []), ...(attribute.config.retired ?? [])],
    },
  }));
  const createdBy = userOrNull(loading, `${path}.created_by`, seed.created_by);
  return {
    ...before,
    title: seed.title,
    values: refused(loading, path, () => mergedValues(asked, written, values)),
    position: Number(seed.position ?? before.position),
    archived: seed.archived ?? before.archived,
    linked_entity_type: seed.linked_entity_type === undefined ? before.linked_entity_type : seed.linked_entity_type,
    linked_entity_id: seed.linked_entity_id === undefined ? before.linked_entity_id : seed.linked_entity_id,
    created_by: createdBy === undefined ? before.created_by : createdBy,
    created_at: stamp(seed.created_at) ?? before.created_at,
    updated_at: stamp(seed.updated_at) ?? before.updated_at,
  };
}

async function loadLoops(
  loading: Loading,
  path: string,
  entries: readonly SeedEntry[],
  ids: readonly string[],
): Promise<void> {
  const rows = entries.flatMap(({ loop }, index) =>
    loop ? [{ entry_id: ids[index], queued_at: stamp(loop.queued_at), steps: Number(loop.steps) }] : [],
  );
  if (rows.length === 0) return;
  await upsert(loading.db, {
    table: 'entry_loops',
    key: ['entry_id'],
    rows,
    fresh: () => ({}),
    refuse: (_, says) => loading.fail(`${path}.entries`, says),
  });
}

export function userOrNull(
  loading: Loading,
  path: string,
  email: string | null | undefined,
): string | null | undefined {
  return typeof email === 'string' ? loading.references.user(path, email) : email;
}

/** Runs the work; what the API would refuse fails with its place in the seed. */
export function refused<T>(loading: Loading, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [issue] = (error.details?.issues ?? []) as { path: string; message: string }[];
    throw issue ? loading.fail(`${path}.${issue.path}`, issue.message) : loading.fail(path, error.message);
  }
}
