/** Differences between the database engines. Everything else of the store is portable SQL. */
import type { Dialect, Kysely } from './kysely.ts';
import type { Database } from './schema.ts';

/** A failure of the database's surroundings: busy, full, not writable, unreachable. */
export interface EngineFailure {
  /** A sentence that callers of the API may read. */
  says: string;
  /** An imperative for the operator, in lower case. */
  hint: string;
}

class LostDatabase extends Error {
  override name = 'LostDatabase';
}

/** The trouble of the database behind an error; undefined for a bug. */
export function failureOf(engine: Engine, error: unknown): EngineFailure | undefined {
  return error instanceof LostDatabase ? filesReplaced : engine.classifyError(error);
}

/** Throws when a write is lost, or would be, because its files are not those that others open. */
export function requireFiles(engine: Engine): void {
  if (engine.isLost?.()) throw new LostDatabase(filesReplaced.says);
}

export interface Engine {
  /** For people. */
  name: 'SQLite' | 'PostgreSQL';
  /** The database, where it is a file. */
  file?: string;
  dialect: Dialect;
  /** The column type of text that is compared byte by byte, whatever the locale of the database. */
  text: string;
  /** Suffix of `create table` for tables clustered by key (`without rowid`). */
  keyed: string;
  /** The function that gives the position of the second text in the first, or 0. */
  positionOf: 'instr' | 'strpos';
  /** A SQL expression whose value changes after any write by any process. */
  state: string;
  /** An expression as JSON text: a text in quotes, `null` for null. */
  quoted(expression: string): string;
  /** Whether another writer caused the failure, so that the same work may succeed on a second attempt. */
  isConflict(error: unknown): boolean;
  /**
   * For an engine that refuses a write transaction while another process writes, instead of waiting: whether that was
   * the reason, and how long to retry. Reads continue in between.
   */
  lock?: { isTaken(error: unknown): boolean; patienceMs: number };
  /** Whether the files are no longer those that were opened; absent when the engine notices by itself. */
  isLost?(): boolean;
  /** Existing tables in the schema, which may be those of comem or of another program. */
  foreignTables(db: Kysely<Database>): Promise<string[]>;
  /** Triggers and views; absent where only the owner of a database makes any. */
  triggersAndViews?(db: Kysely<Database>): Promise<{ type: string; name: string }[]>;
  /** Undefined for any other failure. */
  classifyError(error: unknown): EngineFailure | undefined;
  /**
   * First in a write transaction: blocks other writers of the same scope, or all other writers without a scope. From
   * then on the transaction sees what they wrote.
   */
  lockWrites(db: Kysely<Database>, scope?: string): Promise<void>;
  /** Whether this process runs one transaction at a time. */
  oneWriter: boolean;
  /** In a write transaction: blocks every other process that migrates. */
  lockSchema(db: Kysely<Database>): Promise<void>;
  /** Copies the database into a new file; absent where the engine has its own backup programs. */
  backUp?(file: string): Promise<void>;
  /** Whether it only repeats what a primary writes; absent where there is no such thing. */
  isStandby?(db: Kysely<Database>): Promise<boolean>;
  /**
   * The work on one state of a standby, which has applied the log of its primary up to the positions; undefined where
   * it is not that far.
   */
  readAfter?<T>(
    db: Kysely<Database>,
    positions: readonly string[],
    work: (db: Kysely<Database>) => Promise<T>,
  ): Promise<{ value: T } | undefined>;
  /** The connections of its pool, and the requests that wait for one; absent without a pool. */
  pool?(): { active: number; idle: number; waiting: number };
  /** Seconds by which its latest standby is behind; undefined without one, or without the right to see it. */
  replicationLag?(db: Kysely<Database>): Promise<number | undefined>;
}

/** Options of opening a SQLite file. */
export interface SqliteOptions {
  /** Milliseconds that a statement waits for another process; default 15,000. */
  busyMs?: number | undefined;
  /** The file in the folder; default `comem.db`. */
  file?: string | undefined;
  /** The page cache; default 16,000. */
  cacheKiB?: number | undefined;
}

const backups = 'see "Backups" in docs/server.md';

export const filesReplaced: EngineFailure = {
  says: `The files of the database were deleted or replaced under this server; ${backups}`,
  hint: 'stop all servers of this database, put its files back or restore a backup, and start them again',
};

export const databaseCorrupt: EngineFailure = {
  says: `The database is damaged; ${backups}`,
  hint: 'stop all servers of this database and restore a backup: see "Backups" in docs/server.md',
};
