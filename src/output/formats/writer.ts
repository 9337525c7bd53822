/** The interface of a format: rows to text, in pieces. */
import type { Column } from '../column.ts';
import type { Look } from '../screen-column.ts';

/** A result as its format sees it. */
export interface Result<Row> {
  /** The columns to show, in order. */
  columns: readonly Column<Row>[];
  /** The row as JSON shows it. */
  json(row: Row): unknown;
  id(row: Row): string | undefined;
  header: boolean;
  /** The columns are those of `--fields`, in its order. */
  chosen?: boolean;
  /** The rows say what was written. */
  reports?: boolean | undefined;
  /** A workbook has the headings of tables, not the keys. */
  headings?: boolean | undefined;
}

/** The text of `open` and of the first rows is written together: a source that fails at once leaves stdout empty. */
export interface RowWriter<Row> {
  open?(): string;
  rows(rows: readonly Row[]): string | Promise<string>;
  /** The rest of the rows so far, when there are no more. */
  broken?(): Promise<string>;
  /** `none`: there were no rows. */
  close?(none: boolean): string | Promise<string>;
}

export interface FileWriter<Row> {
  /** Takes rows, and gives the bytes that are ready. */
  rows(rows: readonly Row[]): Uint8Array | undefined;
  /** The rest of the file. */
  close(): Promise<Uint8Array>;
}

export interface FileRules {
  /** One line for a person about what the format cannot hold as it is. */
  warn(text: string): void;
  /** Remarks on the values. */
  remarks?: readonly string[];
}

export interface TableRules {
  /** Cells of the terminal; undefined: nothing is cut. */
  width: number | undefined;
  /** Cells of the terminal that one cell takes at most. */
  maxCellWidth: number;
  /** Whether colour may be used. */
  color: boolean;
  look: Look;
  /** Lets signals be handled. @throws interrupted */
  turn(): Promise<void>;
  left: LeftOut;
}

/** The columns and rows that a table leaves out. */
interface LeftOut {
  /** Keys of columns without room. */
  columns: string[];
  ids: boolean;
  /** Headings of columns that are empty in every row. */
  empty: string[];
  /** Heading and text of columns that are the same in every row. */
  repeated: string[];
}
