/** Pages of entries in the order of the API. */
import { foldCase } from '../../core/same.ts';
import { fitting } from '../model/sizes.ts';
import type { Engine } from './engine.ts';
import { facetKey } from './entries.ts';
import { type RawBuilder, sql } from './kysely.ts';
import type { Store } from './store.ts';
import { jsonArray, objectText } from './tables.ts';

export interface EntryFilter {
  listId: string;
  archived: 'without' | 'with' | 'only';
  /** Part of the title, in any letter case. */
  search: string[];
  /** Facets: an entry must hold one text of each. */
  facets: readonly { slug: string; texts: readonly string[] }[];
  /** Created at or after, and before. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  createdBy?: readonly string[] | undefined;
}

interface PageRange {
  limit: number;
  offset: number;
  /** The page ends before the row that exceeds them, but not before its first row. */
  bytes: number;
  /** Whether the entries on all pages are counted. */
  isCounted: boolean;
}

interface EntryPage {
  /** The entries as a JSON array. */
  text: string;
  /** The company of the list; null when there is no such list. */
  companyId: string | null;
  /** The number of entries on all pages. */
  total: number | null;
}

type Sql = RawBuilder<unknown>;

/** Beyond this offset, keys alone are read for the rows that are skipped. */
const nearOffset = 1000;

const size = sql.raw<number>('octet_length(item.title) + octet_length(item."values")');

/** The entries in order of position, creation and id, in one statement unless they are unusually large. */
export async function readEntryPage(store: Store, filter: EntryFilter, range: PageRange): Promise<EntryPage> {
  const { limit, offset, bytes } = range;
  const selection = selectionOf(store.engine, filter);
  const page = await readRows(store, filter, selection, range);
  if (page.text !== null) return { ...page, text: page.text };
  const sizes = await sql<{ bytes: number }>`
    select ${size} as bytes from (${rowsOf(selection, limit, offset)}) item`.execute(store.db);
  const fewer = fitting(sizes.rows, bytes, (row) => Number(row.bytes)).length;
  const rest = await readRows(store, filter, selection, { ...range, limit: fewer, bytes: Number.MAX_SAFE_INTEGER });
  return { ...rest, text: rest.text ?? '[]' };
}

/** Without a text where a row is so large that not all of them may fit: no more than a page is ever in memory. */
async function readRows(
  { db, engine }: Store,
  { listId }: EntryFilter,
  selection: Selection,
  { limit, offset, bytes, isCounted }: PageRange,
): Promise<Omit<EntryPage, 'text'> & { text: string | null }> {
  const { from, where } = selection;
  const most = sql.lit(Math.floor(bytes / Math.max(1, limit)));
  const total = isCounted ? sql`(select count(*) from ${from} where ${where})` : sql`null`;
  const { rows } = await sql<Omit<EntryPage, 'text'> & { text: string | null }>`
    select (select company_id from lists where id = ${listId}) as "companyId", ${total} as total,
      case when coalesce(max(bytes), 0) <= ${most} then ${jsonArray} end as text
    from (
      select ${size} as bytes, case when ${size} <= ${most} then ${objectText(engine, 'entries', 'item')} end as json
      from (${rowsOf(selection, limit, offset)}) item
    ) page`.execute(db);
  return rows[0] as (typeof rows)[0];
}

/** The entries of the selection. Limit and offset are in the text: PostgreSQL plans a statement by them. */
function rowsOf({ from, where, order, id, hasEntries }: Selection, limit: number, offset: number): Sql {
  const rest = sql`from ${from} where ${where} order by ${order} limit ${sql.lit(limit)} offset ${sql.lit(offset)}`;
  if (hasEntries && offset < nearOffset) return sql`select e.* ${rest}`;
  return sql`select e.* from (select ${id} as id ${rest}) page join entries e on e.id = page.id
    order by e.position, e.created_at, e.id`;
}

interface Selection {
  from: Sql;
  where: Sql;
  order: Sql;
  id: Sql;
  /** Whether `from` has the entries, as `e`. */
  hasEntries: boolean;
}

/** A facet of one text is read in order from its index, and everything else from the entries in order. */
function selectionOf(engine: Engine, filter: EntryFilter): Selection {
  const { listId, search, createdFrom, createdBefore, createdBy } = filter;
  const lead = filter.facets.find(({ texts }) => texts.length === 1);
  const row = lead ? sql`f` : sql`e`;
  const id = lead ? sql`f.entry_id` : sql`e.id`;
  const conditions = [sql`${row}.list_id = ${listId}`];
  if (filter.archived !== 'with') conditions.push(sql`${row}.archived = ${filter.archived === 'only' ? 1 : 0}`);
  const ofEntry: Sql[] = [];
  const positionOf = sql.raw(engine.positionOf);
  for (const text of search) ofEntry.push(sql`${positionOf}(e.title_key, ${foldCase(text)}) > 0`);
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
  const hasEntries = facets === undefined || ofEntry.length > 0;
  const joined = facets && (hasEntries ? sql`${facets} join entries e on e.id = f.entry_id` : facets);
  return {
    from: joined ?? sql`entries e`,
    where: sql.join([...conditions, ...ofEntry], sql` and `),
    order: sql`${row}.position, ${row}.created_at, ${id}`,
    id,
    hasEntries,
  };
}
