/** Lists with their attributes and entries, and saved views. Values are checked as the API checks them. */
import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../core/json.ts';
import { type Attribute, mergedConfig, type StoredConfig, toAttribute } from '../model/attribute.ts';
import { ApiError } from '../model/failure.ts';
import { slugOf } from '../model/slug.ts';
import { mergedValues } from '../model/values.ts';
import { type Entry, insertEntries, toEntry, updateEntry } from '../store/entries.ts';
import { attributesOf } from '../store/lists.ts';
import { upsert } from '../store/upsert.ts';
import { bit, type Loading, occurrences, stableId, stamp } from './loading.ts';
import type { SeedAttribute, SeedEntry, SeedList, SeedView } from './seed-lists.ts';

export async function loadLists(loading: Loading, lists: readonly SeedList[]): Promise<void> {
  const result = await upsert(loading.db, {
    table: 'lists',
    key: ['company_id', 'slug'],
    rows: lists.map((list, index) => ({
      id: list.id?.toLowerCase(),
      company_id: loading.references.company(`lists.${index}.company`, list.company),
      name: list.name,
      slug: list.slug ?? slugOf(list.name, 'list'),
      description: list.description,
      icon: list.icon,
      color: list.color,
      entity_type: list.entity_type,
      context_type: list.context_type,
      is_system: bit(list.is_system),
      position: list.position ?? index,
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
    const listId = String(result.rows[index]?.id);
    const attributes = await loadAttributes(loading, `lists.${index}`, listId, list.attributes ?? []);
    await loadEntries(loading, `lists.${index}`, listId, attributes, list.entries ?? []);
  }
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
        position: attribute.position ?? index,
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

/** An option without an id keeps the id that its label has, else gets one made from its label. */
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

async function loadEntries(
  loading: Loading,
  path: string,
  listId: string,
  attributes: readonly Attribute[],
  entries: readonly SeedEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = await loading.db.selectFrom('entries').selectAll().where('list_id', '=', listId).execute();
  const before = new Map(rows.map((row) => [row.id, toEntry(row)]));
  const types = new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const fresh: Entry[] = [];
  const nth = occurrences();
  const seen = new Set<string>();
  for (const [index, seed] of entries.entries()) {
    const at = `${path}.entries.${index}`;
    const id = seed.id?.toLowerCase() ?? stableId('entry', listId, seed.title, nth(seed.title));
    if (seen.has(id)) throw loading.fail(`${at}.id`, 'is given a second time');
    seen.add(id);
    const old = before.get(id);
    const base = old ?? freshEntry(loading, id, listId, index, seed);
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
  await loadLoops(loading, path, entries, [...seen]);
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
    position: seed.position ?? before.position,
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
    loop ? [{ entry_id: ids[index], queued_at: stamp(loop.queued_at), steps: loop.steps }] : [],
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

export async function loadViews(loading: Loading, views: readonly SeedView[]): Promise<void> {
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
        position: view.position ?? index,
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

function userOrNull(loading: Loading, path: string, email: string | null | undefined): string | null | undefined {
  return typeof email === 'string' ? loading.references.user(path, email) : email;
}

/** What the API would refuse, said at its place in the seed. */
function refused<T>(loading: Loading, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [issue] = (error.details?.issues ?? []) as { path: string; message: string }[];
    throw issue ? loading.fail(`${path}.${issue.path}`, issue.message) : loading.fail(path, error.message);
  }
}
