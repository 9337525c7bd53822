/** A table of `comem sql`. */
import type { Context } from '../../cli/context.ts';
import type { SqlValue } from '../../domain/sql/wire.ts';
import type { Column } from '../../output/column.ts';
import { type SqlColumn, sqlColumns } from './columns.ts';

/** The context of one of several companies. */
export function forCompany(ctx: Context, companyId: string | undefined): Context {
  if (companyId === undefined || ctx.settings.companies.value.length < 2) return ctx;
  const own = ctx.apart();
  own.settings.companies = { ...own.settings.companies, value: [companyId] };
  return own;
}

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
  /** Says of columns that their name was taken. */
  renamed: readonly string[];
  /** Values in the order of the columns. */
  pages(): AsyncIterable<SqlValue[][]>;
}

/** A table whose rows come in pages. */
export function opened<Row>(columns: readonly Column<Row>[], pages: () => AsyncIterable<readonly Row[]>): OpenTable {
  const { columns: read, renamed } = sqlColumns(columns);
  return {
    ...{ columns: read, renamed },
    async *pages() {
      for await (const page of pages()) yield page.map((row) => read.map(({ value }) => value(row)));
    },
  };
}
