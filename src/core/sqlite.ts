/**
 * SQLite, through the interface of the built-in `node:sqlite`, so that it can take the place of the package. The only
 * importer of the package, which loads when a database is opened.
 */
import { resolve } from 'node:path';

/** A value that a statement can bind. A Buffer is a Uint8Array. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  run(...values: readonly SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  /** Its errors have no result code in the package: `allRows` has. */
  all(...values: readonly SqliteValue[]): unknown[];
  get(...values: readonly SqliteValue[]): unknown;
  get(named: Readonly<Record<string, SqliteValue>>): unknown;
  /** Through `rowsOf`. */
  iterate(named: Readonly<Record<string, SqliteValue>>): IterableIterator<unknown>;
  readonly expandedSQL: string | undefined;
  setReturnArrays(on: boolean): void;
  /** Integers as bigint; otherwise one beyond 2^53 is an error. */
  setReadBigInts(on: boolean): void;
  /** Empty for a statement without rows. `table` and `column` are null for computed columns. */
  columns(): { name: string; table: string | null; column: string | null; type: string | null }[];
}

/** The action, and up to four names that belong to it. The answer is one of `verdicts`. */
export type SqliteAuthorizer = (
  action: number,
  first: string | null,
  second: string | null,
  database: string | null,
  inner: string | null,
) => number;

export interface Sqlite {
  prepare(text: string): SqliteStatement;
  exec(text: string): void;
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  close(): void;
  /** Asked for each step of a statement when it is compiled. */
  setAuthorizer(authorizer: SqliteAuthorizer | null): void;
  /** By the names of `sqlite3_limit`, in bytes or counts. */
  readonly limits: { length: number; variableNumber: number };
  /** No statement can damage the file. */
  enableDefensive(on: boolean): void;
  /** Takes as many values as the body has parameters, unless `varargs` is set. */
  function(
    name: string,
    options: { deterministic?: boolean; varargs?: boolean; useBigIntArguments?: boolean },
    body: (...values: SqliteValue[]) => SqliteValue,
  ): void;
}

/** Opens a database file, which is created where it does not exist; `':memory:'` is a database of this call only. */
export async function openDatabase(file: string): Promise<Sqlite> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  // A name that begins with `file:` would be taken for an address.
  return new DatabaseSync(file === ':memory:' ? file : resolve(file));
}

/** Opens a database of this process only, in a temporary file without a name: nothing is left behind. */
export async function openTemporary(cacheKiB: number): Promise<Sqlite> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync('');
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'temp_store = FILE', `cache_size = -${cacheKiB}`]) {
    database.exec(`pragma ${pragma}`);
  }
  return database;
}

/** Copies the database as of one moment into a new file, also while others write. */
export async function backUp(database: Sqlite, file: string): Promise<void> {
  const { backup } = await import('@photostructure/sqlite');
  // In one step: a write of another process between two steps begins the copy again.
  await backup(database as Parameters<typeof backup>[0], resolve(file), { rate: 2 ** 31 - 1 });
}

export function allRows(database: Sqlite, statement: SqliteStatement, values: readonly SqliteValue[]): unknown[] {
  try {
    return statement.all(...values);
  } catch (error) {
    // `exec` fails in the same way, with the result code that `all` leaves out.
    if (codeOf(error) === undefined) database.exec(statement.expandedSQL ?? '');
    throw error;
  }
}

/** Its rows, one by one. The package frees a statement that nothing refers to, also while its rows are read. */
export function rowsOf(
  statement: SqliteStatement,
  named: Readonly<Record<string, SqliteValue>>,
): IterableIterator<unknown> {
  return Object.assign(statement.iterate(named), { statement });
}

/** The numbers that SQLite has for steps of a compiled statement. */
const actions = {
  9: 'delete',
  18: 'insert',
  19: 'pragma',
  20: 'read',
  21: 'select',
  23: 'update',
  24: 'attach',
  31: 'function',
  33: 'recursive',
} as const;

/** `other` is everything that does not read. */
export type SqliteAction = (typeof actions)[keyof typeof actions] | 'other';

export function sqliteAction(code: number): SqliteAction {
  return (actions as Readonly<Record<number, SqliteAction>>)[code] ?? 'other';
}

export const verdicts = { ok: 0, deny: 1 } as const;

/** Result codes of SQLite, without their details. */
const results = {
  error: 1,
  busy: 5,
  readOnly: 8,
  disk: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  notAuthorized: 23,
  notADatabase: 26,
} as const;

type SqliteResult = keyof typeof results;

/** The result codes with details of a key that exists already: `SQLITE_CONSTRAINT_UNIQUE` and `…_PRIMARYKEY`. */
const takenKeys: readonly (number | undefined)[] = [2067, 1555];
const unsynced: readonly (number | undefined)[] = [1034, 1290];

export function isSqliteError(error: unknown, ...among: readonly SqliteResult[]): boolean {
  const code = codeOf(error);
  // The details are in the higher bytes.
  return code !== undefined && among.some((name) => results[name] === (code & 0xff));
}

export function isTakenKey(error: unknown): boolean {
  return takenKeys.includes(codeOf(error));
}

/** Whether the disk failed to sync a write: `SQLITE_IOERR_FSYNC` and `…_DIR_FSYNC`. */
export function isUnsyncedWrite(error: unknown): boolean {
  return unsynced.includes(codeOf(error));
}

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** Runs SQLite's own function in a second database, where it is not overridden. */
function original(helper: Sqlite, name: string): (values: readonly SqliteValue[]) => SqliteValue {
  const statements = new Map<string, SqliteStatement>();
  return (values) => {
    // A double such as 5.0 would arrive as an integer.
    const terms = values.map((value) => (typeof value === 'number' ? 'cast(? as real)' : '?')).join(',');
    let statement = statements.get(terms);
    if (!statement) {
      statement = helper.prepare(`select ${name}(${terms})`);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      statements.set(terms, statement);
    }
    const [value] = statement.get(...values) as [SqliteValue];
    return value;
  };
}

const varargs = { varargs: true, deterministic: true, useBigIntArguments: true } as const;

/** `printf` with an error for a text beyond the limit, where SQLite's own gives null. */
export function overrideLongTexts(database: Sqlite, helper: Sqlite, maxBytes: number): void {
  helper.limits.length = maxBytes;
  for (const name of ['printf', 'format']) {
    const printed = original(helper, name);
    database.function(name, varargs, (...values) => {
      const text = printed(values);
      if (text === null && values.length > 0 && values[0] !== null)
        throw new Error(`${name} gives a text of more than ${maxBytes / 1024 / 1024} MiB`);
      return text;
    });
  }
}

const keywords = { current_date: 'date', current_time: 'time', current_timestamp: 'datetime' } as const;

/** Functions of time without an argument, by the clock of the command instead of the machine's. */
export function overrideTime(database: Sqlite, helper: Sqlite, now: () => string | undefined): void {
  const options = { useBigIntArguments: true };
  for (const name of ['date', 'time', 'datetime', 'julianday', 'unixepoch']) {
    const computed = original(helper, name);
    database.function(name, options, () => computed([now() ?? 'now']));
  }
  for (const [keyword, name] of Object.entries(keywords)) {
    const computed = original(helper, name);
    database.function(keyword, options, () => computed([now() ?? 'now']));
  }
  const formatted = original(helper, 'strftime');
  database.function('strftime', options, (format: SqliteValue) => formatted([format, now() ?? 'now']));
}

/** Functions of time with the argument 'now', by the clock of the command. */
export function overrideNow(database: Sqlite, helper: Sqlite, now: () => string | undefined): void {
  for (const name of ['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'timediff']) {
    const computed = original(helper, name);
    const first = name === 'strftime' ? 1 : 0;
    database.function(name, varargs, (...values) => computed(values.flatMap((value, index) => timed(value, index))));
    function timed(value: SqliteValue, index: number): SqliteValue[] {
      if (index < first || typeof value !== 'string') return [value];
      const word = value.toLowerCase();
      if (word === 'now') return [now() ?? value];
      const isFirst = index === first && name !== 'timediff';
      return isFirst && (word === 'subsec' || word === 'subsecond') ? [now() ?? 'now', value] : [value];
    }
  }
}
