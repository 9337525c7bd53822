import type { Scale } from './values.ts';

export interface RowsOptions<Row> {
  /** The row as json, ndjson and yaml show it; default: the row itself. */
  json?(row: Row): unknown;
  /** The id for `-o id`; default `row.id`. */
  id?: ((row: Row) => string | undefined) | undefined;
  /** Shown on stderr on a terminal when there are no rows; default `No rows.` */
  empty?: string | undefined;
  /** The word for a row, for the line after a table: `entry`, `entries`. */
  counts?: readonly [one: string, many: string] | undefined;
  /** The number of all rows, where `--limit` may show fewer. */
  total?: (() => number | undefined) | undefined;
  /** The rows are cut to `--limit` already, and others such as totals follow them. */
  isCut?: boolean;
  /** The usual next command, for the line after a table. */
  next?: string | undefined;
  /** For commands whose JSON is one object that holds the rows (`published get`): built after the last row.
   * `--fields` is refused there: it picks columns of rows. */
  whole?: (() => unknown) | undefined;
  /** The rows report writes: a signal stops the work, but not the report. */
  reports?: boolean;
  /** A workbook has the headings of tables, not the keys. */
  headings?: boolean;
}

export interface ValueOptions<Row> {
  json?: unknown;
  id?: ((row: Row) => string | undefined) | undefined;
  /** The usual next command, for the line after a table. */
  next?: string | undefined;
  /** A table shows the object as one row under headings, not as a line for each field. */
  asRows?: boolean;
}

export interface OutputSettings {
  /** The format asked for; undefined: a table on a terminal, TSV elsewhere. */
  output: { value: string | undefined };
  fields: readonly string[] | undefined;
  jq: string | undefined;
  /** A file, or `-` for stdout. */
  out: string | undefined;
  header: boolean;
  truncate: boolean;
  /** In tables of a terminal. Default: amounts by the typical one. */
  scale?: Scale | undefined;
  /** The command that shows long output on a terminal, or `off`. */
  pager?: string | undefined;
  /** A command in the line after a table, as it works after this one. */
  typed?(command: string): string;
  /** The name of a company or user. */
  nameOf?(id: string): string | undefined;
  limit: number | undefined;
  failEmpty: boolean;
  quiet: boolean;
  /**
   * The decimal mark of CSV for Excel, which has a BOM, CR LF, and a `'` before text that a spreadsheet would take for a
   * formula. Beside a comma, cells are separated by `;`.
   */
  excel: '.' | ',' | false;
}

export interface HeapRules {
  /** The percentage by which the heap may grow until garbage is collected; default 20. */
  growth?: number;
  /** Whether young objects get the least memory, which takes time; default true. */
  isYoungSmall?: boolean;
}

/** The process, as far as output needs it. */
export interface OutputRuntime {
  env?: Readonly<Record<string, string | undefined>>;
  cwd: string;
  terminal: Terminal;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
  /** Tables of a terminal say how far away a time is. */
  now?(): Date;
  /** No further rows are written once it has aborted. */
  signal?: AbortSignal;
  /**
   * Runs work that blocks the event loop, during which a signal ends the process at once.
   * @throws interrupted after a signal
   */
  blocking?: (<T>(work: () => T | Promise<T>) => Promise<T>) | undefined;
  /** Called when a pager starts, with a promise of its end: Ctrl-C goes to the pager until then. */
  paging?: ((ended: Promise<void>) => void) | undefined;
  /** Called before a command holds much data, such as the rows of a group. */
  keepHeapSmall?: ((rules?: HeapRules) => void) | undefined;
}

interface Terminal {
  stdoutIsTTY: boolean;
  stderrIsTTY: boolean;
  /** Width of the terminal in cells; 80 when unknown. */
  columns: number;
  /** Its height in lines; default 24. */
  rows?: number;
  /** Whether color may be used on stdout and stderr. */
  color: { stdout: boolean; stderr?: boolean };
}

/** The sink of a result's bytes: stdout or a file, in pieces, with back-pressure. */
export interface Sink {
  /** True when the reader has stopped (`| head`): the writer may stop too. */
  readonly closed: boolean;
  /** Adds text; waits while the destination is full. */
  write(text: string): Promise<void>;
  /** Hands over what is held back. */
  flush(): Promise<void>;
  /** The result is complete: everything is handed over. */
  end(): Promise<void>;
  /** The result failed: what was written stays where it is on stdout; a file is as it was before. */
  abort(): Promise<void>;
}
