/** Lists with their attributes and entries, and saved views. */
import { stringifyJson } from '../../core/json.ts';
import { type Attribute, mergedConfig, type StoredConfig } from '../model/attribute.ts';
import { slugOf } from '../model/slug.ts';
import { attributesOf, toAttribute } from '../store/lists.ts';
import { upsert } from '../store/upsert.ts';
import { EntryLoader, refused, userOrNull } from './load-entries.ts';
import { bit, type Loading, occurrences, stableId, stamp } from './loading.ts';
import type { LongParts } from './seed.ts';
import type { SeedAttribute, SeedList, SeedView } from './seed-lists.ts';

type Long = ReturnType<LongParts['entries']>;

/** @param long entries that are read while they are loaded */
export async function loadLists(loading: Loading, lists: readonly SeedList[], long?: Long): Promise<void> {
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
      position: Number(list.position ?? index),
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
  const loaders: EntryLoader[] = [];
  for (const [index, list] of lists.entries()) {
    const listId = String(result.rows[index]?.id);
    const attributes = await loadAttributes(loading, `lists.${index}`, listId, list.attributes ?? []);
    const loader = new EntryLoader(loading, `lists.${index}`, listId, attributes);
    await loader.load(list.entries ?? []);
    loaders.push(loader);
  }
  if (long) for await (const { list, items } of long) await loaders[list]?.load(items);
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
