/** The only file of the store that knows SQLite: the embedded engine under the query builder. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { makeFolder } from '../../core/folders.ts';
import { sqliteCode as codeOf, openDatabase, type Sqlite } from '../../core/sqlite.ts';
import type { Engine, EngineFailure, SqliteOptions } from './engine.ts';
import { damage, replaced } from './health.ts';
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
import { requireDatabaseFile, restore, type WatchedFiles, watchFiles } from './sqlite-file.ts';
import { createSearch, titleContains } from './sqlite-search.ts';
import { tableNames } from './table-keys.ts';

/** The default time that a write waits for another process. */
const usualBusyMs = 15_000;
/** The part of it inside the library, which blocks this process. */
const blockingMs = 20;
/** Page cache: a million entries take a third less time with it, and a small database never fills it. */
const usualCacheKiB = 16_000;
/** Prepared statements in the cache; more than all queries of the store. */
const keptStatements = 256;

type Statement = ReturnType<SqliteDatabase['prepare']>;

/** Opens (and creates) the file in the folder; `':memory:'` is a database of this call only. */
export async function openSqlite(
  dataDir: string,
  { busyMs = usualBusyMs, file: name = 'comem.db', cacheKiB = usualCacheKiB }: SqliteOptions = {},
): Promise<Engine> {
  const memory = dataDir === ':memory:';
  const file = memory ? dataDir : join(dataDir, name);
  let connection: Sqlite;
  let files: WatchedFiles | undefined;
  try {
    // The lists may be confidential: only the owner has access.
    if (!memory) {
      await requireDatabaseFile(file);
      makeFolder(dataDir, 0o700);
      closeSync(openSync(file, 'a', 0o600));
      files = watchFiles(file);
    }
    connection = await openDatabase(file);
    configure(connection, memory, busyMs, cacheKiB);
  } catch (cause) {
    files?.close();
    if (cause instanceof Failure) throw cause;
    throw new Failure('usage', `cannot open the database ${file}: ${cause instanceof Error ? cause.message : cause}`, {
      hint: openHint(cause, name),
      cause,
    });
  }
  let statements = 0;
  const onWrite = () => {
    statements += 1;
  };
  const database = keepStatements(connection, onWrite, () => files?.close());
  return {
    name: 'SQLite',
    oneWriter: true,
    binary: 'blob',
    clustered: 'without rowid',
    statements: () => statements,
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ImmediateDriver(connection, database, busyMs),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    titleContains,
    createSearch,
    searchIndex: () => Promise.resolve('FTS5 trigrams'),
    lock: { isTaken: (error) => codeOf(error).startsWith('SQLITE_BUSY'), patienceMs: busyMs },
    isConflict: (error) => /^SQLITE_(CONSTRAINT_UNIQUE|CONSTRAINT_PRIMARYKEY)/.test(codeOf(error)),
    ...(files && { lost: () => lossOf(files.lost()) }),
    async foreignTables(db) {
      const { rows } = await sql<{ name: string }>`
        select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(db);
      return rows.map(({ name }) => name);
    },
    trouble: (error) => trouble(error, name) ?? (lacksTables(connection, error) ? damage : undefined),
    // The write transaction itself is the lock.
    lockWrites: () => Promise.resolve(),
    lockSchema: () => Promise.resolve(),
    unlimited: () => Promise.resolve(),
    async compact(db) {
      await sql`vacuum`.execute(db);
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },
    async checkpoint(db) {
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },
    async version(db) {
      const { rows } = await sql<{ v: string }>`select sqlite_version() as v`.execute(db);
      return String(rows[0]?.v);
    },
    async size(db) {
      const { rows } = await sql<{ n: number }>`
        select page_count * page_size as n from pragma_page_count(), pragma_page_size()`.execute(db);
      return Number(rows[0]?.n);
    },
  };
}

function lossOf(what: ReturnType<WatchedFiles['lost']>): EngineFailure | undefined {
  if (what === undefined) return undefined;
  return what === 'replaced' ? replaced : damage;
}

function openHint(cause: unknown, name: string): string {
  const code = codeOf(cause);
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC') return 'free some space on its disk';
  if (code.startsWith('SQLITE_BUSY')) return 'another program has it locked; try again later';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return restore;
  return `name a writable folder, or one whose ${name} is a comem database`;
}

function configure(connection: Sqlite, memory: boolean, busyMs: number, cacheKiB: number): void {
  connection.pragma(`busy_timeout = ${busyMs}`);
  if (!memory) switchToWal(connection);
  // FULL syncs at each commit, so that an acknowledged write survives a crash of the machine.
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma(`cache_size = -${cacheKiB}`);
}

/** Switching needs a lock that ignores the busy time-out, and several processes may start at once. */
function switchToWal(connection: Sqlite): void {
  const until = Date.now() + usualBusyMs;
  for (;;) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY') || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** The same database with a cache of prepared statements. `onWrite` is called for each that does more than read. */
function keepStatements(connection: Sqlite, onWrite: () => void, onClosed: () => void): SqliteDatabase {
  const kept = new Map<string, Statement>();
  return {
    prepare(text) {
      if (!/^\s*select\b/.test(text)) onWrite();
      const known = kept.get(text);
      if (known) return known;
      const statement = connection.prepare(text);
      if (!/^\s*(select|insert|update|delete|with)\b/.test(text)) return statement;
      // Read at each use, and a call into the library each time.
      Object.defineProperty(statement, 'reader', { value: statement.reader });
      if (kept.size >= keptStatements) kept.clear();
      kept.set(text, statement);
      return statement;
    },
    close() {
      kept.clear();
      connection.close();
      onClosed();
    },
  };
}

function trouble(error: unknown, name: string): EngineFailure | undefined {
  const code = codeOf(error);
  if (code.startsWith('SQLITE_BUSY')) {
    return { says: 'The database is busy; nothing was written', hint: 'run the same command again' };
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return damage;
  if (code.startsWith('SQLITE_FULL')) {
    return {
      lasts: 'until a write',
      says: 'The disk of the database is full; nothing was written',
      hint: 'free some disk space, then run the same command again',
    };
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return {
      lasts: 'until a write',
      says: 'The database is read-only; nothing was written',
      hint: `make ${name} and its folder writable, then run the same command again`,
    };
  }
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CANTOPEN')) {
    return {
      lasts: 'until a write',
      says: 'The files of the database cannot be read or written; nothing was written',
      hint: 'check the folder and its disk, then run the same command again',
    };
  }
  return undefined;
}

/** Whether a statement failed because a table is no longer there: SQLite has no code for it. */
function lacksTables(connection: Sqlite, error: unknown): boolean {
  if (codeOf(error) !== 'SQLITE_ERROR') return false;
  const rows = connection.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
  return !tableNames.every((table) => rows.some(({ name }) => name === table));
}

/** A write transaction takes the write lock at once: one that began by reading cannot wait for it. */
class ImmediateDriver extends SqliteDriver {
  constructor(
    private readonly connection: Sqlite,
    database: SqliteDatabase,
    private readonly busyMs: number,
  ) {
    super({ database });
  }

  // Not as prepared statements: one that found the database locked stays in progress until it is collected, which blocks
  // every commit.
  override async beginTransaction(_: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    if (settings?.accessMode === 'read only') {
      this.connection.exec('begin');
      return;
    }
    const waiting = (ms: number) => `pragma busy_timeout = ${ms}`;
    try {
      this.connection.exec(`${waiting(Math.min(blockingMs, this.busyMs))}; begin immediate; ${waiting(this.busyMs)}`);
    } catch (error) {
      this.connection.exec(waiting(this.busyMs));
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    this.connection.exec('commit');
  }

  /** A full disk has already rolled the transaction back; a second error would hide the reason. */
  override async rollbackTransaction(): Promise<void> {
    if (this.connection.inTransaction) this.connection.exec('rollback');
  }
}
