/** Copies a database into an empty one, on any engine: one transaction, verified before it is committed. */
import { Failure, usage } from '../core/errors.ts';
import { type Db, tableNames } from './store/schema.ts';
import type { Store } from './store/store.ts';
import { insertRows, rowsOf, sumOf, type TableSum, tableSum } from './store/tables.ts';

export interface CopiedTable extends TableSum {
  table: string;
}

/**
 * Copies every table and reads it back; a count or checksum that differs undoes everything.
 * `progress` is called with each table before it is copied.
 * @throws usage when the target holds anything
 */
export function copyStore(from: Store, to: Store, progress: (table: string) => void): Promise<CopiedTable[]> {
  return to.write(async (target) => {
    await requireEmpty(target);
    await to.engine.unlimited(target);
    return from.read(async (source) => {
      await from.engine.unlimited(source);
      // This includes the key of cursors, the seed and the clock; the schema version is the same on both sides.
      await target.deleteFrom('meta').execute();
      const copied: CopiedTable[] = [];
      for (const table of tableNames) {
        progress(table);
        const sum = tableSum();
        for await (const rows of rowsOf(source, table)) {
          sum.add(rows);
          await insertRows(target, table, rows);
        }
        const expected = sum.sum();
        const actual = await sumOf(target, table);
        if (actual.rows !== expected.rows || actual.sha256 !== expected.sha256) {
          throw new Failure('bug', `table ${table} differs after the copy; nothing was copied`, {
            hint: `${expected.rows} rows with checksum ${expected.sha256} became ${actual.rows} with ${actual.sha256}`,
          });
        }
        copied.push({ table, ...expected });
      }
      return copied;
    });
  });
}

async function requireEmpty(db: Db): Promise<void> {
  for (const table of tableNames) {
    if (table === 'meta') continue;
    const row = await db.selectFrom(table).selectAll().limit(1).executeTakeFirst();
    if (row === undefined) continue;
    throw usage(`the target is not empty (table ${table})`, 'copy into a new database, or `comem server reset` it');
  }
}
