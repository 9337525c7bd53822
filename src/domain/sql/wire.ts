/** The messages between the program and its SQL engine, a process of its own: one answer to each request. */

/** A value of a table or of a result; a whole number beyond 2^53 is a bigint. */
export type SqlValue = string | number | bigint | null;

export interface TableColumn {
  name: string;
  /** The type in the table's definition, which decides how SQLite compares values. */
  type: 'TEXT' | 'INTEGER' | 'NUMERIC' | 'BOOLEAN';
}

export interface TableShape {
  name: string;
  columns: readonly TableColumn[];
}

export type EngineRequest =
  | { do: 'create'; tables: readonly TableShape[] }
  /** Compiles the statement without running it. `names` are those of its parameters; `usesNow`: it may have the word 'now'. */
  | { do: 'prepare'; text: string; names: readonly string[]; usesNow: boolean }
  | { do: 'insert'; table: string; rows: readonly (readonly SqlValue[])[] }
  /** Runs the statement; the answer has its first row. `now` is the time of the functions of time. */
  | { do: 'run'; text: string; parameters: Readonly<Record<string, SqlValue>>; now: string | undefined }
  /** The next rows of the statement that runs. */
  | { do: 'next' };

/** A column of the result; `table` and `column` where it is one of a table, unchanged. */
export interface ResultColumn {
  name: string;
  table: string | null;
  column: string | null;
}

/** A compiled statement with its accesses, as SQLite's authorizer reports them. */
export interface Prepared {
  columns: ResultColumn[];
  reads: ReadonlyMap<string, ReadonlySet<string>>;
  /** Other tables, such as `json_each`. */
  virtual: ReadonlySet<string>;
  functions: ReadonlySet<string>;
}

/** Why a statement cannot be run: a step that is not allowed, a limit, the statement itself, or no room for its tables. */
export interface Refusal {
  because: 'denied' | 'limit' | 'statement' | 'full';
  says: string;
  hint?: string | undefined;
  code?: string | undefined;
}

export type EngineAnswer =
  | { is: 'done' }
  | { is: 'prepared'; prepared: Prepared }
  /** Rows as JSON: a message of many values takes twice the time. `last`: there are no more. */
  | { is: 'rows'; json: string; hasWholes: boolean; last: boolean }
  | { is: 'refused'; refusal: Refusal };

/** Rows of an answer. A bigint is an object in JSON. */
export function writeRows(rows: readonly (readonly SqlValue[])[]): { json: string; hasWholes: boolean } {
  try {
    return { json: JSON.stringify(rows), hasWholes: false };
  } catch {
    const whole = (value: SqlValue) => (typeof value === 'bigint' ? { whole: String(value) } : value);
    return { json: JSON.stringify(rows.map((row) => row.map(whole))), hasWholes: true };
  }
}

export function readRows({ json, hasWholes }: { json: string; hasWholes: boolean }): SqlValue[][] {
  if (!hasWholes) return JSON.parse(json) as SqlValue[][];
  const rows = JSON.parse(json) as (Exclude<SqlValue, bigint> | { whole: string })[][];
  return rows.map((row) => row.map((value) => (typeof value === 'object' && value ? BigInt(value.whole) : value)));
}
