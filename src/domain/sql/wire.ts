/** What the program and its SQL engine say to each other: a line of JSON each way, one answer to each request. */

/** A whole number beyond 2^53 is `{ whole }`; a number that JSON does not have (infinity) and bytes are text. */
export type WireValue = string | number | null | { whole: string };

export interface TableColumn {
  name: string;
  /** The type in the table's definition, which decides how SQLite compares values. */
  type: 'TEXT' | 'INTEGER' | 'NUMERIC' | 'BOOLEAN';
}

export type EngineRequest =
  /** Compiles the statement without running it; `explained` is what its `explain` explains. */
  | { do: 'prepare'; text: string; explained: string }
  | { do: 'create'; table: string; columns: readonly TableColumn[] }
  | { do: 'insert'; table: string; rows: readonly (readonly WireValue[])[] }
  /** Runs the statement; the answer has its first rows. */
  | { do: 'run'; text: string; parameters: Readonly<Record<string, WireValue>> }
  /** The next rows of the statement that runs. */
  | { do: 'next' };

/** A column of the result; `table` and `column` where it is one of a table, unchanged. */
export interface ResultColumn {
  name: string;
  table: string | null;
  column: string | null;
}

/** A column of a table that the statement compares with a text, or with a parameter: 1 is the first that it names. */
export type Compared = { table: string; column: string } & ({ text: string } | { parameter: number });

export type EngineAnswer =
  | { done: true }
  /** The functions that the statement calls, whether it would write, and what it compares. */
  | { prepared: { columns: ResultColumn[]; functions: string[]; writes: boolean; equalities: Compared[] } }
  /** `last`: there are no more. */
  | { rows: WireValue[][]; last: boolean }
  /** `noRoom`: the disk of the temporary folder is full, or fails. */
  | { error: { noRoom: boolean; message: string } };
