/** Rows of one or several companies, with the company of each row. */
import type { Context } from '../cli/context.ts';
import { eachCompany, namesCompany } from '../cli/each-company.ts';
import { showRows } from '../cli/query.ts';
import type { RowFlags } from '../cli/row-query.ts';
import { resolveCompanies } from '../config/companies.ts';
import type { Column } from '../output/column.ts';
import { type CompanyFields, companyColumns } from './metrics/columns.ts';

/** The rows of each company. They name it where there are several, or where flags do. */
export async function rowsOfCompanies<Row extends object>(
  ctx: Context,
  flags: RowFlags,
  read: (companyId: string | undefined) => Promise<readonly Row[]>,
): Promise<{ rows: (Row & CompanyFields)[]; verdict(): void }> {
  const { parts, verdict } = await eachCompany(ctx, flags, read);
  return { rows: parts.flatMap(({ who, value }) => value.map((row) => ({ ...who, ...row }))), verdict };
}

/** Prints these rows, or those of them that `choose` leaves. */
export async function showRowsOfCompanies<Row extends object>(
  ctx: Context,
  read: (companyId: string | undefined) => Promise<readonly Row[]>,
  columns: readonly Column<Row>[],
  { choose, ...showing }: CompanyShowing<Row & CompanyFields>,
): Promise<void> {
  let verdict = () => {};
  const readAll = async () => {
    const all = await rowsOfCompanies(ctx, showing.flags, read);
    ({ verdict } = all);
    return choose ? choose(all.rows) : all.rows;
  };
  await showRows(ctx, readAll, columnsOfCompanies(ctx, showing.flags, columns), showing);
  verdict();
}

type CompanyShowing<Row> = Parameters<typeof showRows<Row>>[3] & {
  choose?(rows: readonly Row[]): readonly Row[] | Promise<readonly Row[]>;
};

/** The columns of these rows. */
export function columnsOfCompanies<Row>(
  ctx: Context,
  flags: RowFlags,
  columns: readonly Column<Row>[],
): readonly Column<Row & CompanyFields>[] {
  const isNamed = ctx.settings.companies.value.length > 1 || namesCompany(ctx, flags);
  return isNamed ? [...companyColumns, ...columns] : columns;
}

/** The uuids of companies given as uuid, alias, name or `@GROUP`, each once. */
export function companiesIn(ctx: Context, words: readonly string[]): string[] {
  const { aliases, groups, profile } = ctx.settings;
  const idsOf = (word: string) =>
    word.trim().startsWith('@')
      ? resolveCompanies(word, { companies: aliases, groups }, 'COMPANY', profile.value)
      : [ctx.companyOf(word, 'COMPANY')];
  return [...new Set(words.flatMap(idsOf))];
}
