/** The rows of a page along one index, as many as its bytes have room for. A part of entry-pages.ts. */
import { type Entry, toEntry } from './entries.ts';
import { type Selectable, sql } from './kysely.ts';
import type { Db, EntryTable } from './schema.ts';

export type Condition = ReturnType<typeof sql<boolean>>;

export interface Walk {
  from: ReturnType<typeof sql>;
  /** The same with the entries themselves. */
  rows: ReturnType<typeof sql>;
  conditions: Condition[];
  /** Of a facet that leads: any of these texts. */
  keys: readonly string[];
  order: ReturnType<typeof sql>;
  id: ReturnType<typeof sql>;
  /** Every row of the index is one of the result, so that the same rows are found again at no cost. */
  indexed: boolean;
}

export interface Page {
  limit: number;
  offset: number;
  /** The page ends before the row that exceeds them, but not before its first row. */
  bytes: number;
}

/** Skipping so few costs less than finding the rows of the page a second time. */
const shallow = 256;

export async function pageOf(db: Db, walk: Walk, page: Page): Promise<Entry[]> {
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

/** Where conditions are checked for each entry, they are checked once. */
export async function pageByIds(db: Db, walk: Walk, page: Page): Promise<Entry[]> {
  const { rows: sized } = await sql<{ id: string; bytes: number }>`${sizesIn(walk, page)}`.execute(db);
  const ids = sized.slice(0, within(sized, page)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const { rows } = await sql<Selectable<EntryTable>>`
    select e.* from entries e where e.id in (${sql.join(ids)}) order by e.position, e.created_at, e.id`.execute(db);
  return rows.map(toEntry);
}

/** How many rows of the page have room in its bytes. */
async function rowsWithin(db: Db, walk: Walk, page: Page): Promise<number> {
  const sizes = sizesIn(walk, page);
  const { rows } = await sql<{ bytes: number | null }>`select sum(bytes) as bytes from (${sizes}) sized`.execute(db);
  if (Number(rows[0]?.bytes ?? 0) <= page.bytes) return page.limit;
  return within((await sql<{ bytes: number }>`${sizes}`.execute(db)).rows, page);
}

function within(sized: readonly { bytes: number }[], { limit, bytes }: Page): number {
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

export function whereOf({ conditions }: Walk, keys: readonly string[]): Condition {
  const found = keys.length > 0 ? [sql<boolean>`f.value_key ${oneOf(keys)}`] : [];
  return sql<boolean>`${sql.join([...conditions, ...found], sql` and `)}`;
}

export function oneOf(keys: readonly string[]): ReturnType<typeof sql> {
  return keys.length === 1 ? sql`= ${keys[0]}` : sql`in (${sql.join(keys)})`;
}
