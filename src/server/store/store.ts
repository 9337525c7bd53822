/** The database of the embedded API: opening, migrating, reading and writing. */
import { randomBytes } from 'node:crypto';
import { isPostgres } from '../../core/addresses.ts';
import { Failure, usage } from '../../core/errors.ts';
import { type Engine, failureOf, type SqliteOptions } from './engine.ts';
import { Kysely, sql } from './kysely.ts';
import { migrateFrom, newestSchema } from './migrations.ts';
import type { Reads, Replica } from './replica.ts';
import type { Database, Db } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { groupedWrites, whenFree } from './writes.ts';

/** A folder for SQLite, a database in memory that ends with the store, or `postgres://…`. */
export interface StoreOptions extends SqliteOptions {
  dataDir?: string | undefined;
  memory?: boolean | undefined;
  database?: string | undefined;
  /** A standby of the database, to read from. */
  readDatabase?: string | undefined;
  /** Called with every statement, to look at its plan. */
  onQuery?(statement: { sql: string; parameters: readonly unknown[] }): void;
}

/** `db` is for reading, never inside `write`; `read` is several reads that see one state of the database. */
export interface Store extends Reads {
  readonly engine: Engine;
  /**
   * A transaction, grouped with others (writes.ts). After a conflict with another writer the work runs again, so it must
   * not change anything else.
   * `scope` is the id of the only list or company that the work reads and writes: writers of different scopes do not wait
   * for each other. Without a scope the work is the only writer.
   */
  write<T>(work: (db: Db) => Promise<T>, scope?: string): Promise<T>;
  /** The number of writes without an answer. */
  waitingWrites(): number;
  /** For requests; absent without a standby to read from. */
  readonly replica?: Replica;
  /** The key of this database that signs cursors. */
  readonly cursorSecret: string;
  close(): Promise<void>;
}

/** Opens the database and brings its schema up to date; safe when several processes do so at once. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const engine = await openEngine(options);
  const { onQuery } = options;
  const log = onQuery && ((event: { query: { sql: string; parameters: readonly unknown[] } }) => onQuery(event.query));
  const db: Db = new Kysely<Database>({ dialect: engine.dialect, ...(log && { log }) });
  try {
    await whenFree(engine, () => migrate(db, engine));
    await requireNoPrograms(engine, db);
    const cursorSecret = await readMeta(db, 'cursor_secret');
    if (cursorSecret === undefined) throw new Failure('bug', 'the database has no key for its cursors');
    const store = storeOf(db, engine, cursorSecret);
    return options.readDatabase === undefined ? store : await withReplica(store, options.readDatabase);
  } catch (error) {
    await db.destroy();
    throw asFailure(engine, error);
  }
}

/** The failure of a command when the surroundings of the database fail. Any other error stays as it is. */
export function asFailure(engine: Engine, error: unknown): unknown {
  const trouble = error instanceof Failure ? undefined : failureOf(engine, error);
  if (trouble === undefined) return error;
  const { says, hint } = trouble;
  return new Failure('tryLater', says.charAt(0).toLowerCase() + says.slice(1), { hint, cause: error });
}

export async function openEngine({ dataDir, memory, database, ...options }: StoreOptions): Promise<Engine> {
  if (memory) return openSqlite(':memory:');
  if (dataDir !== undefined) return openSqlite(dataDir, options);
  if (database === undefined) throw usage('no database is set', 'name a data folder');
  // The address is not shown: it may contain a password.
  if (!isPostgres(database))
    throw usage('the address of the database must begin with postgres://', 'a folder is --dir');
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(database);
}

function storeOf(db: Db, engine: Engine, cursorSecret: string): Store {
  return {
    db,
    cursorSecret,
    engine,
    ...groupedWrites(db, engine),
    read(work) {
      const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
      return transaction.execute(work);
    },
    close: () => db.destroy(),
  };
}

async function withReplica(store: Store, address: string): Promise<Store> {
  const { openReplica } = await import('./replica.ts');
  const replica = await openReplica(store, address);
  return {
    ...store,
    replica,
    async close() {
      await replica.close();
      await store.close();
    },
  };
}

export async function readMeta(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

/** The moment at which the clock of the database is fixed; undefined where it is the machine's. */
export async function storedClock(db: Db): Promise<Date | undefined> {
  const at = await readMeta(db, 'clock');
  return at === undefined ? undefined : new Date(at);
}

/** Records what a new database was filled with, so that the demo is not added later. */
export async function markSeeded(store: Store, seed: string): Promise<void> {
  if ((await readMeta(store.db, 'seed')) === undefined) await writeMeta(store.db, 'seed', seed);
}

export async function writeMeta(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((c) => c.column('key').doUpdateSet({ value }))
    .execute();
}

/** Deletes all data except the schema and the key that signs cursors. */
export async function emptyStore(store: Store): Promise<void> {
  await store.write(async (db) => {
    await db.deleteFrom('entry_facets').execute();
    // Everything else refers to these and is deleted with them.
    await db.deleteFrom('companies').execute();
    await db.deleteFrom('users').execute();
    await db.deleteFrom('meta').where('key', 'in', ['seed', 'clock']).execute();
  });
}

async function migrate(db: Db, engine: Engine): Promise<void> {
  if ((await schemaVersion(db)) === newestSchema) return;
  await db.transaction().execute(async (tx) => {
    await engine.lockSchema(tx);
    await requireOwn(tx, engine);
    const text = sql.raw(engine.text);
    await sql`create table if not exists meta (key ${text} primary key, value ${text} not null)`.execute(tx);
    // Read again: another process may have migrated in the meantime.
    const from = Number((await readMeta(tx, 'schema_version')) ?? 0);
    if (from > newestSchema) {
      throw new Failure('usage', `the database was created by a newer comem (schema ${from}, known ${newestSchema})`, {
        hint: 'update comem, or name another database',
      });
    }
    const version = await migrateFrom(tx, engine, from);
    await requireNoPrograms(engine, tx);
    if (from === 0) await writeMeta(tx, 'cursor_secret', randomBytes(32).toString('base64url'));
    if (version !== from) await writeMeta(tx, 'schema_version', String(version));
  });
}

/** Throws for a database that holds something else. */
async function requireOwn(db: Db, engine: Engine): Promise<void> {
  const tables = await engine.foreignTables(db);
  const [table] = tables;
  if (table === undefined) return;
  // Asked only when the table is there: a statement that fails ends a transaction.
  if (tables.includes('meta') && (await schemaVersion(db)) !== undefined) return;
  throw new Failure('usage', `the database belongs to another program: it has a table "${table}"`, {
    hint: 'name another database; see "Backups" in docs/server.md if it should be one of comem',
  });
}

/** Throws for triggers and views: statements of others, which would run within ours. */
export async function requireNoPrograms(engine: Engine, db: Kysely<Database>): Promise<void> {
  const [program] = (await engine.triggersAndViews?.(db)) ?? [];
  if (program === undefined) return;
  const { type, name } = program;
  const object = `the database${engine.file === undefined ? '' : ` ${engine.file}`} has a ${type} ${JSON.stringify(name)}`;
  throw new Failure('usage', `${object}, which comem did not make`, {
    hint: 'restore a backup, or remove it with another program if you know what it does',
  });
}

/** Undefined when there is no schema yet; any other problem of the database shows during the migration. */
async function schemaVersion(db: Db): Promise<number | undefined> {
  try {
    const version = await readMeta(db, 'schema_version');
    return version === undefined ? undefined : Number(version);
  } catch {
    return undefined;
  }
}
