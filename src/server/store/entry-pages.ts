/** Pages of entries: one walk along an index in the order of the API, whatever is filtered. */
import { type Entry, titleKey, toEntry } from './entries.ts';
import { facetKey } from './facets.ts';
import { type Selectable, sql } from './kysely.ts';
import type { EntryTable } from './schema.ts';
import type { Store } from './store.ts';

export interface EntryFilter {
  listId: string;
  archived: 'without' | 'with' | 'only';
  /** Part of the title, in any letter case. */
  search: string[];
  /** Each must hold one of its texts. */
  facets: readonly { slug: string; texts: readonly string[] }[];
  /** Created at or after, and before. */
  createdFrom?: string;
  createdBefore?: string;
  createdBy?: readonly string[];
}

type Condition = ReturnType<typeof sql<boolean>>;

/** The entries in order of position, creation and id. */
export async function entryPage(
  store: Store,
  filter: EntryFilter,
  page: { limit: number; offset: number },
): Promise<Entry[]> {
  const { from, where, order } = plan(store, filter);
  const { rows } = await sql<Selectable<EntryTable>>`
    select e.* from ${from} where ${where} order by ${order} limit ${page.limit} offset ${page.offset}
  `.execute(store.db);
  return rows.map(toEntry);
}

export async function countEntries(store: Store, filter: EntryFilter): Promise<number> {
  const { from, where } = plan(store, filter);
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${from} where ${where}`.execute(store.db);
  return Number(rows[0]?.n ?? 0);
}

/**
 * A facet of one text leads the walk when there is one, because its index holds the entries in order; without one the
 * entries' own index does. Everything else is looked up for each entry on the way.
 */
function plan(store: Store, filter: EntryFilter) {
  const facets = filter.facets.map(({ slug, texts }) => ({ slug, keys: [...new Set(texts.map(facetKey))] }));
  const leader = facets.find(({ keys }) => keys.length === 1);
  const conditions: Condition[] = [];
  if (leader) {
    conditions.push(sql`f.list_id = ${filter.listId}`, sql`f.slug = ${leader.slug}`);
    conditions.push(sql`f.value_key = ${leader.keys[0]}`);
    if (filter.archived !== 'with') conditions.push(sql`f.archived = ${filter.archived === 'only' ? 1 : 0}`);
  } else {
    conditions.push(sql`e.list_id = ${filter.listId}`);
    if (filter.archived !== 'with') conditions.push(sql`e.archived = ${filter.archived === 'only' ? 1 : 0}`);
  }
  for (const facet of facets) {
    if (facet === leader) continue;
    const { slug, keys } = facet;
    conditions.push(
      keys.length === 0
        ? sql`1 = 0`
        : sql`exists (select 1 from entry_facets g where g.entry_id = e.id and g.slug = ${slug} and g.value_key in (${sql.join(keys)}))`,
    );
  }
  for (const text of filter.search) {
    if (text !== '') conditions.push(sql`${store.contains(sql<string>`e.title_key`, titleKey(text))}`);
  }
  if (filter.createdFrom !== undefined) conditions.push(sql`e.created_at >= ${filter.createdFrom}`);
  if (filter.createdBefore !== undefined) conditions.push(sql`e.created_at < ${filter.createdBefore}`);
  if (filter.createdBy !== undefined) conditions.push(sql`e.created_by in (${sql.join(filter.createdBy)})`);
  return {
    from: leader ? sql`entry_facets f join entries e on e.id = f.entry_id` : sql`entries e`,
    where: sql.join(conditions, sql` and `),
    order: leader ? sql`f.position, f.created_at, f.entry_id` : sql`e.position, e.created_at, e.id`,
  };
}
