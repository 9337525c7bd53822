/** The only file of the store that knows SQLite: the embedded engine under the query builder. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { makeFolder } from '../../core/files.ts';
import {
  allRows,
  backUp,
  isSqliteError,
  isTakenKey,
  isUnsyncedWrite,
  openDatabase,
  type Sqlite,
  type SqliteValue,
} from '../../core/sqlite.ts';
import { databaseCorrupt, type Engine, type EngineFailure, type SqliteOptions } from './engine.ts';
import {
  type DatabaseConnection,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type TransactionSettings,
} from './kysely.ts';
import { requireDatabaseFile, restore, watchFiles } from './sqlite-file.ts';

/** The default time that a write waits for another process. */
const defaultBusyMs = 15_000;
/** Page cache size; cuts a scan of a million entries by a third. */
const usualCacheKiB = 16_000;

/** Opens (and creates) the file in the folder; `':memory:'` is a database of this call only. */
export async function openSqlite(
  dataDir: string,
  { busyMs = defaultBusyMs, file: name = 'comem.db', cacheKiB = usualCacheKiB }: SqliteOptions = {},
): Promise<Engine> {
  const memory = dataDir === ':memory:';
  const file = memory ? dataDir : join(dataDir, name);
  let connection: Sqlite;
  try {
    // The lists may be confidential: only the owner has access.
    if (!memory) {
      await requireDatabaseFile(file);
      makeFolder(dataDir, 0o700);
      closeSync(openSync(file, 'a', 0o600));
    }
    connection = await openDatabase(file);
    configure(connection, memory, busyMs, cacheKiB);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('usage', `cannot open the database ${file}: ${cause instanceof Error ? cause.message : cause}`, {
      hint: openHint(cause, name),
      cause,
    });
  }
  const driver = new ImmediateDriver(connection, busyMs);
  return {
    name: 'SQLite',
    ...(!memory && { file, isLost: watchFiles(file) }),
    oneWriter: true,
    text: 'text',
    keyed: ' without rowid',
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    positionOf: 'instr',
    // Writes of other connections, and rows that this one changed.
    state: `(select data_version from pragma_data_version) || ' ' || total_changes()`,
    quoted: (expression) => `json_quote(${expression})`,
    lock: { isTaken: isBusy, patienceMs: busyMs },
    isConflict: isTakenKey,
    async foreignTables(db) {
      const { rows } = await sql<{ name: string }>`
        select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(db);
      return rows.map(({ name }) => name);
    },
    async triggersAndViews(db) {
      const { rows } = await sql<{ type: string; name: string }>`
        select type, name from sqlite_master where type in ('trigger', 'view') order by name`.execute(db);
      return rows;
    },
    classifyError: (error) => classifyError(error, name),
    // The write transaction itself is the lock.
    lockWrites: () => Promise.resolve(),
    lockSchema: () => Promise.resolve(),
    backUp: (target) => copyTo(connection, target),
  };
}

/** Copies to a temporary file and renames it, so a partial backup never appears. */
async function copyTo(connection: Sqlite, file: string): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    // Created with mode 0600 before it holds any data.
    await writeFile(partial, '', { mode: 0o600 });
    await backUp(connection, partial);
    await rename(partial, file);
  } catch (error) {
    // The partial file may not exist.
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

function openHint(cause: unknown, name: string): string {
  const noSpace = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
  if (noSpace || isSqliteError(cause, 'full')) return 'free some space on its disk';
  if (isBusy(cause)) return 'another program has it locked; try again later';
  if (isSqliteError(cause, 'corrupt', 'notADatabase')) return restore;
  return `name a writable folder, or one whose ${name} is a comem database`;
}

function configure(connection: Sqlite, memory: boolean, busyMs: number, cacheKiB: number): void {
  connection.exec(`pragma busy_timeout = ${busyMs}`);
  if (!memory) switchToWal(connection);
  // FULL syncs at each commit, so that an acknowledged write survives a crash of the machine.
  connection.exec('pragma synchronous = FULL');
  connection.exec('pragma foreign_keys = ON');
  // A malicious schema cannot corrupt the file or call unsafe functions.
  connection.exec('pragma trusted_schema = OFF');
  connection.enableDefensive(true);
  connection.exec(`pragma cache_size = -${cacheKiB}`);
}

/** Switching needs a lock that ignores the busy time-out, and several processes may start at once. */
function switchToWal(connection: Sqlite): void {
  const until = Date.now() + defaultBusyMs;
  for (;;) {
    try {
      connection.exec('pragma journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function classifyError(error: unknown, name: string): EngineFailure | undefined {
  if (isBusy(error)) {
    return { says: 'The database is busy; nothing was written', hint: 'run the same command again' };
  }
  if (isSqliteError(error, 'corrupt', 'notADatabase')) return databaseCorrupt;
  if (isSqliteError(error, 'full')) {
    return {
      says: 'The disk of the database is full; nothing was written',
      hint: 'free some disk space, then run the same command again',
    };
  }
  if (isSqliteError(error, 'readOnly')) {
    return {
      says: 'The database is read-only; nothing was written',
      hint: `make ${name} and its folder writable, then run the same command again`,
    };
  }
  if (isUnsyncedWrite(error)) {
    return {
      says: 'The disk failed during a commit; the write may or may not have been saved',
      hint: 'check the disk, and look whether it was written before you run the same command again',
    };
  }
  if (isSqliteError(error, 'disk', 'cannotOpen')) {
    return {
      says: 'The files of the database cannot be read or written; nothing was written',
      hint: 'check the folder and its disk, then run the same command again',
    };
  }
  return undefined;
}

/** The part of waiting for another process that is inside the library, which blocks this process. */
const blockingMs = 20;
/** Prepared statements in the cache; more than all queries of the store. */
const keptStatements = 256;

/** Uses BEGIN IMMEDIATE: SQLite cannot wait when a read transaction upgrades. */
class ImmediateDriver extends SqliteDriver {
  constructor(
    private readonly connection: Sqlite,
    /** Milliseconds that a statement waits for another process. */
    private readonly busyMs: number,
  ) {
    super({ database: databaseOf(connection) });
  }

  override async beginTransaction(_: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    if (settings?.accessMode === 'read only') {
      this.connection.exec('begin');
      return;
    }
    const { busyMs } = this;
    const busyTimeoutPragma = (ms: number) => `pragma busy_timeout = ${ms}`;
    try {
      this.connection.exec(
        `${busyTimeoutPragma(Math.min(blockingMs, busyMs))}; begin immediate; ${busyTimeoutPragma(busyMs)}`,
      );
    } catch (error) {
      this.connection.exec(busyTimeoutPragma(busyMs));
      throw error;
    }
  }

  /** A full disk has already rolled the transaction back; a second error would hide the reason. */
  override async rollbackTransaction(): Promise<void> {
    if (this.connection.isTransaction) this.connection.exec('rollback');
  }

  override async rollbackToSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    if (this.connection.isTransaction) this.connection.exec(`rollback to ${name}`);
  }
}

/** The database as the query builder expects it, with its statements kept prepared. */
function databaseOf(connection: Sqlite): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  return {
    close() {
      statements.clear();
      connection.close();
    },
    prepare(text) {
      const known = statements.get(text);
      if (known) return known;
      const statement = connection.prepare(text);
      const valuesOf = (parameters: readonly unknown[]) => parameters as readonly SqliteValue[];
      const prepared = {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => allRows(connection, statement, valuesOf(parameters)),
        run: (parameters: readonly unknown[]) => statement.run(...valuesOf(parameters)),
        iterate: () => {
          throw new Error('rows of SQLite are read in pages');
        },
      };
      if (statements.size >= keptStatements) statements.clear();
      statements.set(text, prepared);
      return prepared;
    },
  };
}

/** Whether another process holds the lock. */
function isBusy(error: unknown): boolean {
  return isSqliteError(error, 'busy');
}
