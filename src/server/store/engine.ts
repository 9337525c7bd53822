/** Differences between the database engines. Everything else of the store is portable SQL. */
import type { Dialect, Kysely } from './kysely.ts';
import type { Database } from './schema.ts';

/** A failure of the database's surroundings: busy, full, not writable, unreachable. */
export interface EngineFailure {
  /** A sentence that callers of the API may read. */
  says: string;
  /** An imperative for the operator, in lower case. */
  hint: string;
  /** Absent: it passes by itself. */
  lasts?: 'until a write' | 'for ever';
}

/** The database that was opened is no longer there. */
class LostDatabase extends Error {
  override name = 'LostDatabase';
  constructor(readonly failure: EngineFailure) {
    super(failure.says);
  }
}

/** The trouble of the database behind an error; undefined for a bug. */
export function failureOf(engine: Engine, error: unknown): EngineFailure | undefined {
  return error instanceof LostDatabase ? error.failure : engine.trouble(error);
}

/** Throws when a write is lost, or would be, because its files are not those that others open. */
export function requireFiles(engine: Engine): void {
  const lost = engine.lost?.();
  if (lost) throw new LostDatabase(lost);
}

export interface Engine {
  /** For people. */
  name: 'SQLite' | 'PostgreSQL';
  /** The database, where it is a file. */
  file?: string;
  dialect: Dialect;
  /** The column type of text that is compared byte by byte, whatever the locale of the database. */
  text: string;
  /** The function that gives the position of the second text in the first, or 0. */
  positionOf: 'instr' | 'strpos';
  /** Whether another writer caused the failure, so that the same work may succeed on a second attempt. */
  isConflict(error: unknown): boolean;
  /**
   * For an engine that refuses a write transaction while another process writes, instead of waiting: whether that was
   * the reason, and how long to retry. Reads continue in between.
   */
  lock?: { isTaken(error: unknown): boolean; patienceMs: number };
  /** Whether the files are no longer those that were opened; absent when the engine notices by itself. */
  lost?(): EngineFailure | undefined;
  /** Tables that are there already and that ours would mix with, which may be ours. */
  foreignTables(db: Kysely<Database>): Promise<string[]>;
  /** Triggers and views; absent where only the owner of a database makes any. */
  programs?(db: Kysely<Database>): Promise<{ type: string; name: string }[]>;
  /** Undefined for any other failure. */
  trouble(error: unknown): EngineFailure | undefined;
  /**
   * First in a write transaction: blocks other writers of the same scope, or all other writers without a scope. From
   * then on the transaction sees what they wrote.
   */
  lockWrites(db: Kysely<Database>, scope?: string): Promise<void>;
  /** This process can run only one transaction at a time. */
  oneWriter: boolean;
  /** The number of statements so far that may have changed something; absent when it is not known. */
  statements?(): number;
  /** In a write transaction: blocks every other process that migrates. */
  lockSchema(db: Kysely<Database>): Promise<void>;
  /** Moves what was committed into the file itself; absent where there is no file. */
  checkpoint?(db: Kysely<Database>): Promise<void>;
  /** Bytes on disk. */
  size(db: Kysely<Database>): Promise<number>;
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

export interface Health {
  /** Throws when the files are gone or damaged: an answer may be wrong, and a write lost. */
  check(): void;
  /** The trouble that an error means; undefined for a bug. What lasts is remembered. */
  notice(error: unknown): EngineFailure | undefined;
  /** Why the database cannot serve; undefined when it can. */
  unready(): Promise<EngineFailure | undefined>;
}

/** @param readSecret reads the key of cursors, which differs between databases. @param tryWrite changes nothing */
export function healthOf(
  engine: Engine,
  schema: string,
  secret: () => Promise<string | undefined>,
  tryWrite: () => Promise<unknown>,
): Health {
  let damaged: EngineFailure | undefined;
  let unwritable: EngineFailure | undefined;
  const notice = (error: unknown): EngineFailure | undefined => {
    const trouble = failureOf(engine, error);
    if (trouble?.lasts === 'for ever') damaged = trouble;
    if (trouble?.lasts === 'until a write') unwritable = trouble;
    return trouble;
  };
  return {
    notice,
    check() {
      damaged ??= engine.lost?.();
      if (damaged) throw new LostDatabase(damaged);
    },
    async unready() {
      damaged ??= engine.lost?.();
      if (damaged) return damaged;
      if ((await secret()) !== schema) {
        damaged = replaced;
        return damaged;
      }
      if (unwritable === undefined) return undefined;
      try {
        await tryWrite();
        unwritable = undefined;
        return undefined;
      } catch (error) {
        return notice(error);
      }
    },
  };
}

const backups = 'see "Backups" in docs/server.md';

export const replaced: EngineFailure = {
  says: `The files of the database were deleted or replaced under this server; ${backups}`,
  hint: 'stop all servers of this database, put its files back or restore a backup, and start them again',
  lasts: 'for ever',
};

export const damage: EngineFailure = {
  says: `The database is damaged; ${backups}`,
  hint: 'stop all servers of this database and restore a backup: see "Backups" in docs/server.md',
  lasts: 'for ever',
};
