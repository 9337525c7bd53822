/** Pages of entries: one walk along an index in the order of the API, whatever is filtered. */
import { blockSize, countAll, seek } from './blocks.ts';
import { type Entry, titleKey, toEntry } from './entries.ts';
import { facetKey } from './facets.ts';
import { type Selectable, sql } from './kysely.ts';
import type { EntryTable } from './schema.ts';
import type { Db, Store } from './store.ts';

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

/** Deeper offsets than this are sought by the counts of blocks. */
const deep = 2 * blockSize;

/** The entries in order of position, creation and id. */
export async function entryPage(
  store: Store,
  filter: EntryFilter,
  page: { limit: number; offset: number },
): Promise<Entry[]> {
  if (page.offset < deep || !isWhole(filter)) return pageOf(store.db, await plan(store, filter), page);
  // The counts and the rows must be of one moment.
  return store.read(async (db) => {
    const start = await seek(db, filter.listId, statesOf(filter), page.offset);
    if (start === undefined) return [];
    const walk = await plan(store, filter);
    const where = sql.join([walk.where, sql`e.position >= ${start.from}`], sql` and `);
    return pageOf(db, { ...walk, where }, { limit: page.limit, offset: start.offset });
  });
}

/** The index is walked by keys alone; rows are read for the page, not for what is passed over. */
async function pageOf(
  db: Db,
  { from, where, order, id }: Walk,
  { limit, offset }: { limit: number; offset: number },
): Promise<Entry[]> {
  const { rows } = await sql<Selectable<EntryTable>>`
    select e.* from (select ${id} as id from ${from} where ${where} order by ${order} limit ${limit} offset ${offset}) page
    join entries e on e.id = page.id order by e.position, e.created_at, e.id
  `.execute(db);
  return rows.map(toEntry);
}

export async function countEntries(store: Store, filter: EntryFilter): Promise<number> {
  if (isWhole(filter)) return countAll(store.db, filter.listId, statesOf(filter));
  const { from, where } = await plan(store, filter);
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${from} where ${where}`.execute(store.db);
  return Number(rows[0]?.n ?? 0);
}

/** Nothing but the state is asked for. */
function isWhole({ search, facets, createdFrom, createdBefore, createdBy }: EntryFilter): boolean {
  const narrow = [createdFrom, createdBefore, createdBy].some((one) => one !== undefined);
  return !narrow && facets.length === 0 && search.every((text) => text === '');
}

function statesOf({ archived }: EntryFilter): readonly number[] {
  return archived === 'with' ? [0, 1] : [archived === 'only' ? 1 : 0];
}

interface Walk {
  from: ReturnType<typeof sql>;
  where: ReturnType<typeof sql>;
  order: ReturnType<typeof sql>;
  id: ReturnType<typeof sql>;
}

/**
 * A facet of one text leads the walk when there is one, because its index holds the entries in order; without one the
 * entries' own index does. Everything else is looked up for each entry on the way.
 */
async function plan(store: Store, filter: EntryFilter): Promise<Walk> {
  const facets = filter.facets.map(({ slug, texts }) => ({ slug, keys: [...new Set(texts.map(facetKey))] }));
  const titles = filter.search.filter((text) => text !== '').map(titleKey);
  const searches = await Promise.all(titles.map((text) => store.engine.titleContains(store.db, text)));
  const found = searches.some(({ leads }) => leads);
  const leader = found ? undefined : facets.find(({ keys }) => keys.length === 1);
  const conditions: Condition[] = [];
  if (leader) {
    conditions.push(sql`f.list_id = ${filter.listId}`, sql`f.slug = ${leader.slug}`);
    conditions.push(sql`f.value_key = ${leader.keys[0]}`);
    if (filter.archived !== 'with') conditions.push(sql`f.archived = ${filter.archived === 'only' ? 1 : 0}`);
  } else {
    // Not as an index has it, where the titles lead.
    conditions.push(found ? sql`e.list_id || '' = ${filter.listId}` : sql`e.list_id = ${filter.listId}`);
    if (filter.archived !== 'with') conditions.push(sql`e.archived = ${filter.archived === 'only' ? 1 : 0}`);
  }
  for (const facet of facets) {
    if (facet === leader) continue;
    const { slug, keys } = facet;
    conditions.push(
      keys.length === 0
        ? sql`1 = 0`
        : sql`exists (select 1 from entry_facets g where g.entry_id = ${leader ? sql`f.entry_id` : sql`e.id`} and g.slug = ${slug} and g.value_key in (${sql.join(keys)}))`,
    );
  }
  for (const { condition } of searches) conditions.push(sql`${condition}`);
  if (filter.createdFrom !== undefined) conditions.push(sql`e.created_at >= ${filter.createdFrom}`);
  if (filter.createdBefore !== undefined) conditions.push(sql`e.created_at < ${filter.createdBefore}`);
  if (filter.createdBy !== undefined) conditions.push(sql`e.created_by in (${sql.join(filter.createdBy)})`);
  // A facet alone is walked along its index, without a look at the entries.
  const looksInside = !isWhole({ ...filter, facets: [] });
  return {
    from: !leader
      ? sql`entries e`
      : looksInside
        ? sql`entry_facets f join entries e on e.id = f.entry_id`
        : sql`entry_facets f`,
    id: leader ? sql`f.entry_id` : sql`e.id`,
    where: sql.join(conditions, sql` and `),
    order: leader ? sql`f.position, f.created_at, f.entry_id` : sql`e.position, e.created_at, e.id`,
  };
}
