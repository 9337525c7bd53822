/** The history of the schema, for both engines. Never change a released step; add another. */

import { folded } from '../../core/fold.ts';
import { blockSize } from './blocks.ts';
import type { Engine } from './engine.ts';
import { firstTables } from './first-tables.ts';
import { type Kysely, sql } from './kysely.ts';
import type { Database } from './schema.ts';

type Migration = (db: Kysely<Database>, engine: Engine) => Promise<void>;

export const migrations: readonly Migration[] = [firstTables, searchAndBlocks, searchEverywhere, foldedTitles];

async function searchAndBlocks(db: Kysely<Database>, engine: Engine): Promise<void> {
  await engine.createSearch(db);
  await db.schema
    .createTable('entry_blocks')
    .addColumn('list_id', 'text', (c) => c.notNull().references('lists.id').onDelete('cascade'))
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('block', 'bigint', (c) => c.notNull())
    .addColumn('entries', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('entry_blocks_key', ['list_id', 'archived', 'block'])
    .execute();
  await sql`
    insert into entry_blocks (list_id, archived, block, entries)
    select list_id, archived, position / ${sql.lit(blockSize)}, count(*)
    from entries group by list_id, archived, position / ${sql.lit(blockSize)}`.execute(db);
}

/** PostgreSQL databases that were created without the extension had no search index. */
async function searchEverywhere(db: Kysely<Database>, engine: Engine): Promise<void> {
  await engine.createSearch(db);
}

/** Entries that are compared at once. */
const batch = 5000;

/** Titles were folded by `toLowerCase`, in which a letter depends on its place in the word. */
async function foldedTitles(db: Kysely<Database>): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('entries')
      .select(['id', 'title', 'title_key'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .execute();
    for (const { id, title, title_key } of rows) {
      const key = folded(title);
      if (key !== title_key) await db.updateTable('entries').set({ title_key: key }).where('id', '=', id).execute();
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = last.id;
  }
}
