/** Lists with their attributes and entries, and saved views. */
import { isDeepStrictEqual } from 'node:util';
import { type Numeric, stringifyJson } from '../../core/json.ts';
import { type Attribute, mergedConfig, mergedValues, type StoredConfig } from '../model/attribute.ts';
import { ApiError } from '../model/failure.ts';
import { slugOf } from '../model/slug.ts';
import { type Entry, insertEntries, toEntry, updateEntry } from '../store/entries.ts';
import { attributesOf, toAttribute } from '../store/lists.ts';
import { upsert } from '../store/upsert.ts';
import { bit, type ListProgress, type Loading, occurrences, stableId, stamp } from './loading.ts';
import type { SeedAttribute, SeedEntry, SeedList, SeedView } from './seed.ts';

export async function loadLists(loading: Loading, lists: readonly SeedList[] = []): Promise<void> {
  const progress = lists.map((list, index) => {
    const company = loading.references.company(`lists.${index}.company`, list.company);
    return progressOf(loading, JSON.stringify([company, slugIn(list)]));
  });
  const result = await upsert(loading.db, {
    table: 'lists',
    key: ['company_id', 'slug'],
    rows: lists.map((list, index) => ({
      id: list.id?.toLowerCase(),
      company_id: loading.references.company(`lists.${index}.company`, list.company),
      name: list.name,
      slug: slugIn(list),
      description: list.description,
      icon: list.icon,
      color: list.color,
      entity_type: list.entity_type,
      context_type: list.context_type,
      is_system: bit(list.is_system),
      position: positionOf(list.position ?? progress[index]?.position),
      created_by: userOrNull(loading, `lists.${index}.created_by`, list.created_by),
      created_at: stamp(list.created_at),
      updated_at: stamp(list.updated_at),
    })),
    fresh: ({ company_id, slug, created_at }) => ({
      id: stableId('list', String(company_id), String(slug)),
      entity_type: 'custom',
      is_system: 0,
      created_at: loading.now,
      updated_at: created_at ?? loading.now,
    }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(`lists.${index}`, says),
  });
  loading.count('lists', result);
  for (const [index, list] of lists.entries()) {
    const path = `lists.${index}`;
    const listId = String(result.rows[index]?.id);
    const attributes = await loadAttributes(loading, path, listId, list.attributes ?? []);
    const target = { path: `${path}.entries`, listId, attributes, progress: progress[index] as ListProgress };
    target.progress.position = undefined;
    await loadEntries(loading, target, list.entries ?? []);
  }
}

function positionOf(position: Numeric | undefined): number | undefined {
  return position === undefined ? undefined : Number(position);
}

function slugIn({ slug, name }: SeedList): string {
  return slug ?? slugOf(name, 'list');
}

/** A list may continue in a later source. */
function progressOf({ lists }: Loading, key: string): ListProgress {
  const progress = lists.get(key) ?? {
    position: lists.size,
    entries: 0,
    nth: occurrences(),
  };
  lists.set(key, progress);
  return progress;
}

async function loadAttributes(
  loading: Loading,
  path: string,
  listId: string,
  attributes: readonly SeedAttribute[],
): Promise<Attribute[]> {
  const before = new Map((await attributesOf(loading.db, listId)).map((row) => [row.slug, toAttribute(row)]));
  const result = await upsert(loading.db, {
    table: 'list_attributes',
    key: ['list_id', 'slug'],
    rows: attributes.map((attribute, index) => {
      const slug = attribute.slug ?? slugOf(attribute.name, 'attribute');
      const at = `${path}.attributes.${index}`;
      const old = before.get(slug);
      if (old && old.attribute_type !== attribute.attribute_type) {
        throw loading.fail(`${at}.attribute_type`, `cannot change: ${slug} is a ${old.attribute_type} in the database`);
      }
      return {
        id: attribute.id?.toLowerCase(),
        list_id: listId,
        name: attribute.name,
        slug,
        attribute_type: attribute.attribute_type,
        config: stringifyJson(configOf(loading, at, attribute, old?.config)),
        is_required: bit(attribute.is_required),
        position: Number(attribute.position ?? index),
        created_at: stamp(attribute.created_at),
        updated_at: stamp(attribute.updated_at),
      };
    }),
    fresh: ({ slug, created_at }) => ({
      id: stableId('attribute', listId, String(slug)),
      is_required: 0,
      created_at: loading.now,
      updated_at: created_at ?? loading.now,
    }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(`${path}.attributes.${index}`, says),
  });
  loading.count('attributes', result);
  return (await attributesOf(loading.db, listId)).map(toAttribute);
}

/** An option without an id is matched by label, else its id is derived from the label. */
function configOf(loading: Loading, path: string, seed: SeedAttribute, before: StoredConfig = {}): StoredConfig {
  const { options, retired, ...bounds } = seed.config ?? {};
  const known = [...(before.options ?? []), ...(before.retired ?? [])];
  const withId = (option: NonNullable<typeof options>[number]) => ({
    ...option,
    id: option.id ?? known.find(({ label }) => label === option.label)?.id ?? slugOf(option.label, 'option'),
  });
  const input = { ...bounds, ...(options && { options: options.map(withId) }) };
  const config = refused(loading, path, () => mergedConfig(seed.attribute_type, input, before));
  return retired ? { ...config, retired: retired.map(withId) } : config;
}

export async function loadViews(loading: Loading, views: readonly SeedView[] = []): Promise<void> {
  const nth = occurrences();
  const result = await upsert(loading.db, {
    table: 'saved_views',
    key: ['id'],
    rows: views.map((view, index) => {
      const company = loading.references.company(`views.${index}.company`, view.company);
      return {
        id: view.id?.toLowerCase() ?? stableId('view', company, view.name, nth(`${company} ${view.name}`)),
        room_id: view.room_id,
        company_id: company,
        created_by: userOrNull(loading, `views.${index}.created_by`, view.created_by),
        name: view.name,
        description: view.description,
        icon: view.icon,
        filters: stringifyJson(view.filters),
        position: Number(view.position ?? index),
        is_pinned: bit(view.is_pinned),
        created_at: stamp(view.created_at),
        updated_at: stamp(view.updated_at),
      };
    }),
    fresh: ({ created_at }) => ({ is_pinned: 0, created_at: loading.now, updated_at: created_at ?? loading.now }),
    changed: () => ({ updated_at: loading.now }),
    refuse: (index, says) => loading.fail(`views.${index}`, says),
  });
  loading.count('views', result);
}

interface EntryTarget {
  path: string;
  listId: string;
  attributes: readonly Attribute[];
  progress: ListProgress;
}

/** Entries that are compared with the database at once. */
const batchSize = 1000;

async function loadEntries(loading: Loading, target: EntryTarget, entries: readonly SeedEntry[]): Promise<void> {
  const { path, listId, progress } = target;
  const ids = entries.map(
    ({ id, title }) => id?.toLowerCase() ?? stableId('entry', listId, title, progress.nth(title)),
  );
  const known = new Set<string>();
  const repeated = ids.findIndex((id) => known.size === known.add(id).size);
  if (repeated >= 0) throw loading.fail(`${path}.${repeated}.id`, 'is repeated');
  for (let from = 0; from < entries.length; from += batchSize) {
    const batch = entries.slice(from, from + batchSize).map((seed, index): NumberedEntry => {
      const id = ids[from + index] as string;
      return { id, seed, path: `${path}.${from + index}`, position: progress.entries + index };
    });
    await loadBatch(loading, target, batch);
    progress.entries += batch.length;
  }
}

interface NumberedEntry {
  id: string;
  seed: SeedEntry;
  path: string;
  /** The position of a new entry that has none. */
  position: number;
}

/** Validates values as the API does. */
async function loadBatch(
  loading: Loading,
  { path, listId, attributes }: EntryTarget,
  batch: readonly NumberedEntry[],
): Promise<void> {
  const { db, now } = loading;
  const types = new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
  const stored = await storedEntries(loading, listId, batch);
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const created: Entry[] = [];
  for (const numbered of batch) {
    const before = stored.get(numbered.id);
    const entry = entryOf(loading, numbered, before ?? freshEntry(loading, listId, numbered), {
      attributes,
      stored: before?.values,
    });
    if (!before) {
      created.push(entry);
      counts.created += 1;
    } else if (isDeepStrictEqual(entry, before)) counts.unchanged += 1;
    else {
      await updateEntry(db, { ...entry, updated_at: stamp(numbered.seed.updated_at) ?? now }, types);
      counts.updated += 1;
    }
  }
  await insertEntries(db, created, types);
  loading.count('entries', counts);
  await upsert(db, {
    table: 'entry_loops',
    key: ['entry_id'],
    rows: batch.flatMap(({ id, seed: { loop } }) =>
      loop ? [{ entry_id: id, queued_at: stamp(loop.queued_at), steps: Number(loop.steps) }] : [],
    ),
    fresh: () => ({}),
    refuse: (_, says) => loading.fail(path, says),
  });
}

async function storedEntries({ db }: Loading, listId: string, batch: readonly NumberedEntry[]) {
  const ids = batch.map(({ id }) => id);
  const rows = await db
    .selectFrom('entries')
    .selectAll()
    .where('list_id', '=', listId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, toEntry(row)]));
}

function freshEntry({ now }: Loading, listId: string, { id, seed, position }: NumberedEntry): Entry {
  return {
    id,
    list_id: listId,
    title: seed.title,
    values: {},
    position,
    archived: false,
    linked_entity_type: null,
    linked_entity_id: null,
    created_by: null,
    created_at: now,
    updated_at: stamp(seed.created_at) ?? now,
  };
}

function entryOf(
  loading: Loading,
  { seed, path }: NumberedEntry,
  before: Entry,
  { attributes, stored }: { attributes: readonly Attribute[]; stored: Entry['values'] | undefined },
): Entry {
  const written = seed.values ?? {};
  // A null says that the value is known to be missing, so that an entry older than its required attribute can be kept.
  const accepting = attributes.map((attribute) => ({
    ...attribute,
    is_required: attribute.is_required && written[attribute.slug] !== null,
    config: {
      ...attribute.config,
      options: [...(attribute.config.options ?? []), ...(attribute.config.retired ?? [])],
    },
  }));
  const createdBy = userOrNull(loading, `${path}.created_by`, seed.created_by);
  const { linked_entity_type = before.linked_entity_type, linked_entity_id = before.linked_entity_id } = seed;
  return {
    ...before,
    title: seed.title,
    values: refused(loading, path, () => mergedValues(accepting, written, stored)),
    position: Number(seed.position ?? before.position),
    archived: seed.archived ?? before.archived,
    linked_entity_type,
    linked_entity_id,
    created_by: createdBy === undefined ? before.created_by : createdBy,
    created_at: stamp(seed.created_at) ?? before.created_at,
    updated_at: stamp(seed.updated_at) ?? before.updated_at,
  };
}

function userOrNull(loading: Loading, path: string, email: string | null | undefined): string | null | undefined {
  return typeof email === 'string' ? loading.references.user(path, email) : email;
}

/** Runs the work; what the API would refuse fails with its place in the seed. */
function refused<T>(loading: Loading, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [issue] = (error.details?.issues ?? []) as {
      path: string;
      message: string;
    }[];
    throw issue ? loading.fail(`${path}.${issue.path}`, issue.message) : loading.fail(path, error.message);
  }
}
