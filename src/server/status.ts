/** The state of a database, for its operator. */
import { migrations } from './store/migrations.ts';
import { tableNames } from './store/schema.ts';
import { readMeta, type Store } from './store/store.ts';

export interface DatabaseStatus {
  engine: string;
  version: string;
  schema: number;
  /** The schema version of this program. */
  schemaKnown: number;
  /** The index that finds titles by a part of them. */
  search: string;
  seed?: string;
  clock?: string;
  bytes: number;
  tables: { table: string; rows: number }[];
}

export function statusOf(store: Store): Promise<DatabaseStatus> {
  const { engine } = store;
  return store.read(async (db) => {
    await engine.unlimited(db);
    const tables: DatabaseStatus['tables'] = [];
    for (const table of tableNames.filter((name) => name !== 'meta')) {
      const { n } = await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      tables.push({ table, rows: Number(n) });
    }
    const seed = await readMeta(db, 'seed');
    const clock = await readMeta(db, 'clock');
    return {
      engine: engine.name,
      version: await engine.version(db),
      schema: Number(await readMeta(db, 'schema_version')),
      schemaKnown: migrations.length,
      search: await engine.searchIndex(db),
      ...(seed !== undefined && { seed }),
      ...(clock !== undefined && { clock }),
      bytes: await engine.size(db),
      tables,
    };
  });
}
