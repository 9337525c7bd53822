import type { Numeric } from '../core/json.ts';

export type ColumnType =
  | 'text'
  | 'id'
  | 'integer'
  | 'number'
  | 'currency'
  | 'percent'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'json';

/** A cell before it is formatted. `undefined` and `null` are an empty cell; an object or array is compact JSON. */
export type Cell = string | Numeric | boolean | null | undefined | object;

/** How one column of a result is read from a row and shown. */
export interface Column<Row = Record<string, unknown>> {
  /** The header in csv, tsv, xlsx and parquet, and the name for `--fields`. */
  key: string;
  /** The header of tables and Markdown; default: `key`. */
  heading?: string | undefined;
  /** The machine value. */
  get(row: Row): Cell;
  /** The cell as people read it, in tables and Markdown; default: from the machine value. */
  shown?(row: Row): string | undefined;
  /** Default `text`. Numbers are right-aligned, dates short, booleans are words in a table. */
  type?: ColumnType | undefined;
  /** Shown after numbers in a table: a currency code, `%`, or a word. */
  unit?: string | ((row: Row) => string | undefined) | undefined;
  /** Another column has the unit: tables do not repeat it, and a workbook's numbers have it as their format. */
  unitInRow?: boolean;
  /** In tables a number is rounded to so many digits after the point; other formats keep all of its digits. */
  digits?: number;
  /** The path of the value in the JSON row, for `--fields` with json, ndjson and yaml; default `[key]`. */
  path?: readonly string[];
  /** Other names under which `--fields` knows the column. */
  aliases?: readonly string[] | undefined;
  /** Left out of a table that is too narrow before the columns at its right. */
  spare?: boolean;
  /** Text that is of no use when it is cut. */
  whole?: boolean;
  /** Left out of tables unless `--fields` names it; always in csv, tsv and the like. */
  hidden?: boolean | undefined;
}
