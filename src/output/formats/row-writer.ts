/** What a format is: rows to text, in pieces. */
import type { Column } from '../column.ts';

/** A result as its format sees it. */
export interface Result<Row> {
  /** The columns to show, in order. */
  columns: readonly Column<Row>[];
  /** The row as JSON shows it. */
  json(row: Row): unknown;
  id(row: Row): string | undefined;
  header: boolean;
}

/** The text of `open` and of the first rows is written together: a source that fails at once leaves stdout empty. */
export interface RowWriter<Row> {
  open?(): string;
  /** Called in the place of `open` when the rows go on behind those of another run. */
  goOn?(): void;
  rows(rows: readonly Row[]): string | Promise<string>;
  /** What is held back of the rows so far, when no more will come. */
  broken?(): Promise<string>;
  /** `none`: there was not one row. */
  close?(none: boolean): string | Promise<string>;
}
