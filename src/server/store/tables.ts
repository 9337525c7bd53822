/** Reads all rows of any table in order of its key, with checksums to compare databases on any engine. */
import { createHash } from 'node:crypto';
import { sql } from './kysely.ts';
import type { Database, Db } from './schema.ts';
import type { Store } from './store.ts';
import { tableKeys } from './table-keys.ts';
import { anyTable, type Row } from './upsert.ts';

export interface TableSum {
  rows: number;
  /** Hex SHA-256 of all rows in order of the key. */
  sha256: string;
}

/** Rows in memory at once. */
const batch = 2000;

interface Selection {
  /** Columns that together differ in every row; default: the primary key. */
  order?: readonly string[];
  /** Values that columns have. */
  where?: Row;
  /** Rows of one batch. */
  limit?: number;
}

/** All rows in order, in batches. */
export async function* rowsOf(
  db: Db,
  table: keyof Database,
  { order = tableKeys[table], where = {}, limit = batch }: Selection = {},
): AsyncGenerator<Row[]> {
  let after: Row | undefined;
  for (;;) {
    let query = anyTable(db)
      .selectFrom(table as string)
      .selectAll()
      .limit(limit);
    for (const [column, value = null] of Object.entries(where)) query = query.where(column, '=', value);
    for (const column of order) query = query.orderBy(column);
    if (after) {
      const last = after;
      const columns = sql.join(order.map((column) => sql.ref(column)));
      const values = sql.join(order.map((column) => last[column] ?? null));
      query = query.where(sql<boolean>`(${columns}) > (${values})`);
    }
    const rows: Row[] = await query.execute();
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1);
  }
}

/** Takes rows in order and gives their sum at the end. */
export function tableSum(): { add(rows: readonly Row[]): void; sum(): TableSum } {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(more) {
      rows += more.length;
      for (const row of more) hash.update(`${JSON.stringify(Object.entries(row).sort(byName))}\n`);
    },
    sum: () => ({ rows, sha256: hash.digest('hex') }),
  };
}

export async function sumOf(db: Db, table: keyof Database): Promise<TableSum> {
  const sum = tableSum();
  for await (const rows of rowsOf(db, table)) sum.add(rows);
  return sum.sum();
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Deletes all data except the schema and the key that signs cursors. */
export async function emptyStore(store: Store): Promise<void> {
  await store.write(async (db) => {
    // Everything else refers to these and is deleted with them.
    await db.deleteFrom('companies').execute();
    await db.deleteFrom('users').execute();
    await db.deleteFrom('meta').where('key', 'in', ['seed', 'clock']).execute();
  });
}
