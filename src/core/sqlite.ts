/** SQLite, as libsql embeds it. The only importer of libsql, which loads when a database is opened. */

interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  iterate(...values: unknown[]): IterableIterator<unknown>;
  /** Rows as arrays instead of objects. */
  raw(on?: boolean): this;
  /** Integers as bigint. */
  safeIntegers(on?: boolean): this;
  columns(): { name: string; type: string | null }[];
}

export interface Sqlite {
  prepare(text: string): SqliteStatement;
  exec(text: string): unknown;
  pragma(source: string): unknown;
  readonly inTransaction: boolean;
  close(): unknown;
}

/** Opens a database file, which is created where it does not exist; `':memory:'` is a database of this call only. */
export async function openDatabase(file: string): Promise<Sqlite> {
  const { default: Libsql } = await import('libsql');
  return new Libsql(file);
}

/** The code of an error of SQLite, such as `SQLITE_BUSY`; empty for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
