/** Pages of entries: one range of an index in the order of the API, whatever the filter. */
import { folded } from '../../core/fold.ts';
import { blockSize, countAll, type Entry, facetKey, findOffset, toEntry } from './entries.ts';
import { type Selectable, sql } from './kysely.ts';
import type { Db, EntryTable } from './schema.ts';
import type { Store } from './store.ts';

export interface EntryFilter {
  listId: string;
  archived: 'without' | 'with' | 'only';
  /** Part of the title, in any letter case. */
  search: string[];
  /** Each must hold one of its texts. */
  facets: readonly { slug: string; texts: readonly string[] }[];
  /** Created at or after, and before. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  createdBy?: readonly string[] | undefined;
}

/** Deeper offsets than this use the counts of blocks. */
const deep = 2 * blockSize;

/** The entries in order of position, creation and id. */
export async function entryPage(store: Store, filter: EntryFilter, page: Page): Promise<Entry[]> {
  const walk = await planWalk(store, filter);
  // Several statements must see one moment.
  if (!walk.indexed) return store.read((db) => pageByIds(db, walk, page));
  if (page.offset < deep || !isWhole(filter)) return pageOf(store.db, walk, page);
  return store.read(async (db) => {
    const start = await findOffset(db, filter.listId, statesOf(filter), page.offset);
    if (start === undefined) return [];
    const conditions = [...walk.conditions, sql<boolean>`e.position >= ${start.from}`];
    return pageOf(db, { ...walk, conditions }, { ...page, offset: start.offset });
  });
}

export async function countEntries(store: Store, filter: EntryFilter): Promise<number> {
  if (isWhole(filter)) return countAll(store.db, filter.listId, statesOf(filter));
  const walk = await planWalk(store, filter);
  const counted = walk.keys.length > 1 ? sql`distinct ${walk.id}` : sql`*`;
  const { rows } = await sql<{ n: number }>`
    select count(${counted}) as n from ${walk.from} where ${whereOf(walk, walk.keys)}`.execute(store.db);
  return Number(rows[0]?.n ?? 0);
}

/** The filter is only the state. */
function isWhole({ search, facets, createdFrom, createdBefore, createdBy }: EntryFilter): boolean {
  const narrow = [createdFrom, createdBefore, createdBy].some((bound) => bound !== undefined);
  return !narrow && facets.length === 0 && search.every((text) => text === '');
}

function statesOf({ archived }: EntryFilter): readonly number[] {
  return archived === 'with' ? [0, 1] : [archived === 'only' ? 1 : 0];
}

/** Up to this many matches are sorted; more are found sooner by reading in order. */
const sortedAtMost = 2000;
/**
 * Facets are counted up to the first number to find the rarest, and up to the second when that does not decide. Counting
 * takes no longer than reading along the wrong one.
 */
const mostCounted = [sortedAtMost + 1, 20_000];
/** Texts of one facet whose entries are merged in order. */
const mostMerged = 20;

interface Facet {
  slug: string;
  keys: string[];
}

/**
 * The index that the query starts from: few titles that contain a text, else the facet with the fewest entries, because
 * its index has them in order, else the entries' own index. All other conditions are checked for each entry.
 */
async function planWalk(store: Store, filter: EntryFilter): Promise<Walk> {
  const facets = filter.facets.map(({ slug, texts }) => ({ slug, keys: [...new Set(texts.map(facetKey))] }));
  const titles = filter.search.filter((text) => text !== '').map(folded);
  const searches = await Promise.all(titles.map((text) => store.engine.titleContains(store.db, text)));
  const hasLead = searches.some(({ leads }) => leads);
  const first = hasLead ? undefined : await findRarestFacet(store.db, filter, facets);
  const leader = first && first.keys.length <= mostMerged ? first : undefined;
  const conditions: Condition[] = [];
  if (leader) conditions.push(facetCondition(sql`f`, filter, leader));
  else {
    // Written so that no index applies, when another one is used.
    conditions.push(hasLead || first ? sql`e.list_id || '' = ${filter.listId}` : sql`e.list_id = ${filter.listId}`);
    if (filter.archived !== 'with') conditions.push(sql`e.archived = ${stateOf(filter)}`);
    if (first) conditions.push(sql`e.id in (${idsOf(filter, first)})`);
  }
  for (const facet of facets) {
    if (facet === first) continue;
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
  // A facet without other filters needs only its index, not the entries.
  const looksInside = !isWhole({ ...filter, facets: [] });
  const rows = leader ? sql`entry_facets f join entries e on e.id = f.entry_id` : sql`entries e`;
  return {
    indexed: !looksInside && facets.every((facet) => facet === leader),
    from: leader && !looksInside ? sql`entry_facets f` : rows,
    rows,
    id: leader ? sql`f.entry_id` : sql`e.id`,
    conditions,
    keys: leader?.keys ?? [],
    order: leader ? sql`f.position, f.created_at, f.entry_id` : sql`e.position, e.created_at, e.id`,
  };
}

function stateOf({ archived }: EntryFilter): number {
  return archived === 'only' ? 1 : 0;
}

/** Rows of the facet, whatever their text. */
function facetCondition(alias: ReturnType<typeof sql>, filter: EntryFilter, { slug }: Facet): Condition {
  const state = filter.archived === 'with' ? sql`` : sql` and ${alias}.archived = ${stateOf(filter)}`;
  return sql`${alias}.list_id = ${filter.listId} and ${alias}.slug = ${slug}${state}`;
}

function idsOf(filter: EntryFilter, facet: Facet): ReturnType<typeof sql> {
  return sql`select h.entry_id from entry_facets h where ${facetCondition(sql`h`, filter, facet)} and h.value_key ${matchKeys(facet.keys)}`;
}

/** The facet to start from, when one is better than the list. Several are counted, as far as it matters. */
async function findRarestFacet(db: Db, filter: EntryFilter, facets: readonly Facet[]): Promise<Facet | undefined> {
  const [only, ...others] = facets;
  if (only === undefined || facets.some(({ keys }) => keys.length === 0)) return undefined;
  if (others.length === 0 && only.keys.length <= mostMerged) return only;
  let best: Counted | undefined;
  for (const most of mostCounted) {
    [best] = (await countFacets(db, filter, facets, most))
      .filter(({ facet, count }) => facet.keys.length <= mostMerged || count <= sortedAtMost)
      // Among equal counts, the facet with fewer texts.
      .sort((a, b) => a.count - b.count || a.facet.keys.length - b.facet.keys.length);
    if (best === undefined || best.isAll) break;
  }
  return best?.facet;
}

interface Counted {
  facet: Facet;
  count: number;
  /** There are no more. */
  isAll: boolean;
}

/** The number of entries with each facet, up to `most`. One with several of its texts may count twice. */
async function countFacets(db: Db, filter: EntryFilter, facets: readonly Facet[], most: number): Promise<Counted[]> {
  const parts = facets.flatMap((facet, at) =>
    (facet.keys.length > mostMerged ? [facet.keys] : facet.keys.map((key) => [key])).map((keys) => {
      // In the order of the index, so that the engine uses it.
      const order = keys.length === 1 ? sql` order by h.position, h.created_at, h.entry_id` : sql``;
      return sql`select ${sql.lit(at)} as at, count(*) as n from (${idsOf(filter, { ...facet, keys })}${order} limit ${most}) counted`;
    }),
  );
  const { rows } = await sql<{ at: number; n: number }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return facets.map((facet, at) => {
    const countFacets = rows.filter((row) => row.at === at).map(({ n }) => Number(n));
    return { facet, count: countFacets.reduce((sum, n) => sum + n, 0), isAll: countFacets.every((n) => n < most) };
  });
}

type Condition = ReturnType<typeof sql<boolean>>;

interface Walk {
  from: ReturnType<typeof sql>;
  /** The same with the entries themselves. */
  rows: ReturnType<typeof sql>;
  conditions: Condition[];
  /** The texts of a leading facet, any of which matches. */
  keys: readonly string[];
  order: ReturnType<typeof sql>;
  id: ReturnType<typeof sql>;
  /** Every row of the index is one of the result, so that the same rows are found again at no cost. */
  indexed: boolean;
}

interface Page {
  limit: number;
  offset: number;
  /** The page ends before the row that exceeds them, but not before its first row. */
  bytes: number;
}

/** Skipping so few costs less than finding the rows of the page a second time. */
const shallow = 256;

async function pageOf(db: Db, walk: Walk, page: Page): Promise<Entry[]> {
  const { order, rows: withRows, keys } = walk;
  const { offset } = page;
  const limit = await rowsWithin(db, walk, page);
  if (keys.length <= 1 && offset <= shallow) {
    const { rows } = await sql<Selectable<EntryTable>>`
      select e.* from ${withRows} where ${whereOf(walk, keys)} order by ${order} limit ${limit} offset ${offset}
    `.execute(db);
    return rows.map(toEntry);
  }
  const { rows } = await sql<Selectable<EntryTable>>`
    select e.* from (${idsIn(walk, { limit, offset })}) page
    join entries e on e.id = page.id order by e.position, e.created_at, e.id
  `.execute(db);
  return rows.map(toEntry);
}

/** Reads a page by ids first, so that conditions are evaluated once per entry. */
async function pageByIds(db: Db, walk: Walk, page: Page): Promise<Entry[]> {
  const { rows: sized } = await sql<{ id: string; bytes: number }>`${sizesIn(walk, page)}`.execute(db);
  const ids = sized.slice(0, rowsThatFit(sized, page)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const { rows } = await sql<Selectable<EntryTable>>`
    select e.* from entries e where e.id in (${sql.join(ids)}) order by e.position, e.created_at, e.id`.execute(db);
  return rows.map(toEntry);
}

/** The number of rows that fit into the bytes of a page. */
async function rowsWithin(db: Db, walk: Walk, page: Page): Promise<number> {
  const sizes = sizesIn(walk, page);
  const { rows } = await sql<{ bytes: number | null }>`select sum(bytes) as bytes from (${sizes}) sized`.execute(db);
  if (Number(rows[0]?.bytes ?? 0) <= page.bytes) return page.limit;
  return rowsThatFit((await sql<{ bytes: number }>`${sizes}`.execute(db)).rows, page);
}

function rowsThatFit(sized: readonly { bytes: number }[], { limit, bytes }: Page): number {
  let left = bytes;
  const fits = sized.findIndex((row) => {
    left -= Number(row.bytes);
    return left < 0;
  });
  return fits < 0 ? limit : Math.max(fits, 1);
}

/** Engines know the length of a text without reading it, but must read it to find a column that is stored after it. */
function sizesIn(walk: Walk, page: Page): ReturnType<typeof sql> {
  return sql`select e.id, octet_length(e.title) + octet_length(e."values") as bytes
    from (${idsIn(walk, page)}) page join entries e on e.id = page.id
    order by page.position, page.created_at, page.id`;
}

/** The ids of a page: only keys are read from the index, no rows for what is skipped. */
function idsIn(walk: Walk, { limit, offset }: Pick<Page, 'limit' | 'offset'>): ReturnType<typeof sql> {
  const { from, order, id, keys } = walk;
  const until = Math.min(offset + limit, Number.MAX_SAFE_INTEGER);
  const rows = (alias: ReturnType<typeof sql>, where: Condition) =>
    sql`select ${id} as id, ${alias}.position as position, ${alias}.created_at as created_at
      from ${from} where ${where} order by ${order}`;
  // Entries of each text are in order; one with several of the texts appears once.
  const parts = keys.map((key) => sql`select * from (${rows(sql`f`, whereOf(walk, [key]))} limit ${until}) part`);
  const ids =
    keys.length > 1
      ? sql`select m.* from (${sql.join(parts, sql` union `)}) m order by m.position, m.created_at, m.id`
      : rows(keys.length > 0 ? sql`f` : sql`e`, whereOf(walk, keys));
  return sql`${ids} limit ${limit} offset ${offset}`;
}

function whereOf({ conditions }: Walk, keys: readonly string[]): Condition {
  const ofFacet = keys.length > 0 ? [sql<boolean>`f.value_key ${matchKeys(keys)}`] : [];
  return sql<boolean>`${sql.join([...conditions, ...ofFacet], sql` and `)}`;
}

function matchKeys(keys: readonly string[]): ReturnType<typeof sql> {
  return keys.length === 1 ? sql`= ${keys[0]}` : sql`in (${sql.join(keys)})`;
}
