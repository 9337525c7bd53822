/** A table of `comem sql`. */
import type { WireValue } from '../../domain/sql/wire.ts';
import type { Column } from '../../output/column.ts';
import { type SqlColumn, sqlColumns } from './columns.ts';

/** A table before it is read. */
export interface SqlTable {
  name: string;
  /** What its rows are, in a few words. */
  says: string;
  open(): Promise<OpenTable>;
}

/** Its columns are known, and its rows can be read. */
export interface OpenTable {
  columns: readonly SqlColumn[];
  /** Values in the order of the columns. */
  pages(): AsyncIterable<WireValue[][]>;
}

/** A table whose rows come in pages. */
export function opened<Row>(columns: readonly Column<Row>[], pages: () => AsyncIterable<readonly Row[]>): OpenTable {
  const read = sqlColumns(columns);
  return {
    columns: read,
    async *pages() {
      for await (const page of pages()) yield page.map((row) => read.map(({ value }) => value(row)));
    },
  };
}
