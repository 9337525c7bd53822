/** Pages of entries in the order of the API. */
import { folded } from '../../core/same.ts';
import { type Entry, facetKey, toEntry } from './entries.ts';
import { sql } from './kysely.ts';
import type { Row } from './schema.ts';
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

interface Page {
  limit: number;
  offset: number;
  /** The page ends before the row that exceeds them, but not before its first row. */
  bytes: number;
}

type Sql = ReturnType<typeof sql>;

/** The entries in order of position, creation and id. */
export async function entryPage(store: Store, filter: EntryFilter, { limit, offset, bytes }: Page): Promise<Entry[]> {
  const { from, where, order, id } = selectionOf(store, filter);
  // Only keys are read for the rows that are skipped, and only lengths for those beyond the bytes of the page.
  const ids = sql`select ${id} as id from ${from} where ${where} order by ${order} limit ${limit} offset ${offset}`;
  const { rows } = await sql<Row<'entries'>>`
    select e.* from (
      select k.id, sum(octet_length(k.title) + octet_length(k."values")) over w as total, row_number() over w as n
      from (${ids}) page join entries k on k.id = page.id window w as (order by k.position, k.created_at, k.id)
    ) sized join entries e on e.id = sized.id
    where total <= ${bytes} or n = 1 order by n`.execute(store.db);
  return rows.map(toEntry);
}

export async function countEntries(store: Store, filter: EntryFilter): Promise<number> {
  const { from, where } = selectionOf(store, filter);
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${from} where ${where}`.execute(store.db);
  return Number(rows[0]?.n);
}

interface Selection {
  from: Sql;
  where: Sql;
  order: Sql;
  id: Sql;
}

/** A facet of one text is read in order from its index, and everything else from the entries in order. */
function selectionOf({ engine }: Store, filter: EntryFilter): Selection {
  const { listId, search, createdFrom, createdBefore, createdBy } = filter;
  const lead = filter.facets.find(({ texts }) => texts.length === 1);
  const row = lead ? sql`f` : sql`e`;
  const id = lead ? sql`f.entry_id` : sql`e.id`;
  const conditions = [sql`${row}.list_id = ${listId}`];
  if (filter.archived !== 'with') conditions.push(sql`${row}.archived = ${filter.archived === 'only' ? 1 : 0}`);
  const ofEntry: Sql[] = [];
  const positionOf = sql.raw(engine.positionOf);
  for (const text of search) ofEntry.push(sql`${positionOf}(e.title_key, ${folded(text)}) > 0`);
  if (createdFrom !== undefined) ofEntry.push(sql`e.created_at >= ${createdFrom}`);
  if (createdBefore !== undefined) ofEntry.push(sql`e.created_at < ${createdBefore}`);
  if (createdBy !== undefined) ofEntry.push(sql`e.created_by in (${sql.join(createdBy)})`);
  for (const facet of filter.facets) {
    const { slug, texts } = facet;
    const keys = sql.join(texts.map(facetKey));
    if (facet === lead) conditions.push(sql`f.slug = ${slug} and f.value_key = ${keys}`);
    else if (texts.length === 0) conditions.push(sql`1 = 0`);
    else {
      // Not `exists`: with it, SQLite 3.53 counts an entry of several of the texts several times for the offset.
      conditions.push(sql`${id} in (select g.entry_id from entry_facets g
        where g.list_id = ${listId} and g.slug = ${slug} and g.value_key in (${keys}))`);
    }
  }
  const facets = lead && sql`entry_facets f`;
  return {
    from:
      facets === undefined
        ? sql`entries e`
        : ofEntry.length === 0
          ? facets
          : sql`${facets} join entries e on e.id = f.entry_id`,
    where: sql.join([...conditions, ...ofEntry], sql` and `),
    order: sql`${row}.position, ${row}.created_at, ${id}`,
    id,
  };
}
