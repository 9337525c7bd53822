/** Rows that may not fit into memory, in temporary SQLite databases that end with the process. */
import { holdsExactNumber, parseJson, stringifyJson } from './json.ts';
import { openTemporary, rowsOf, type Sqlite, type SqliteStatement } from './sqlite.ts';

/** Rows that can be read any number of times, such as an array. */
export interface Rows<T> extends Iterable<T> {
  readonly length: number;
}

/** Rows that can be appended to, such as an array. */
export interface GrowingRows<T> extends Rows<T> {
  push(row: T): void;
}

const cacheKiB = 2_000;

export async function openRowStore<T>(): Promise<GrowingRows<T>> {
  const database = await openTemporary(cacheKiB);
  database.exec('create table rows (place integer primary key, body text); begin');
  return new RowStore<T>(database);
}

/** Rows as JSON with exact numbers, in the order in which they were added. */
class RowStore<T> implements GrowingRows<T> {
  length = 0;
  private isPlain = true;
  private readonly insert: SqliteStatement;

  constructor(private readonly database: Sqlite) {
    this.insert = database.prepare('insert into rows values (?, ?)');
  }

  push(row: T): void {
    this.isPlain &&= !holdsExactNumber(row);
    this.insert.run(this.length, this.isPlain ? JSON.stringify(row) : stringifyJson(row));
    this.length += 1;
  }

  *[Symbol.iterator](): Generator<T> {
    const rows = this.database.prepare('select body from rows order by place');
    for (const row of rowsOf(rows, {})) yield this.bodyOf(row);
  }

  private bodyOf(row: unknown): T {
    return parseJson((row as { body: string }).body, this.isPlain) as T;
  }
}

export function mapRows<A, B>(rows: Rows<A>, change: (row: A, index: number) => B): Rows<B> {
  return {
    get length() {
      return rows.length;
    },
    *[Symbol.iterator]() {
      let index = 0;
      for (const row of rows) {
        yield change(row, index);
        index += 1;
      }
    },
  };
}
