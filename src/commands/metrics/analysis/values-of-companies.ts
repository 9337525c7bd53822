/** One metric of several companies: a row each. */

import type { Context } from '../../../cli/context.ts';
import { eachCompany } from '../../../cli/each-company.ts';
import { shortPeriod } from '../../../core/periods.ts';
import type { Column } from '../../../output/column.ts';
import { amountColumn, companyColumns, metric, type OfCompany, unit } from '../columns.ts';
import { warnOfUnits } from '../several.ts';
import type { OneValue } from './one-value.ts';

type ValueRow = OneValue & OfCompany;

const columns: readonly Column<ValueRow>[] = [
  ...companyColumns,
  metric,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
    onScreen: ({ periodKey }) => (periodKey ? shortPeriod(periodKey) : undefined),
  },
  { key: 'version', heading: 'Version', get: (row) => row.version, hidden: true },
  { ...amountColumn<ValueRow>('value', 'Value', (row) => row.value), unitInRow: true },
  { ...unit, title: 'Unit', rank: 11, hidden: undefined },
  { key: 'months', heading: 'Months', get: (row) => row.incomplete, hidden: true },
];

/** A company without the value has no row: a warning says why. */
export async function writeValues(ctx: Context, read: (company?: string) => Promise<OneValue>): Promise<void> {
  const { parts, verdict } = await eachCompany(ctx, read);
  await writeRows(
    ctx,
    parts.map(({ who, value }): ValueRow => ({ ...who, ...value })),
  );
  verdict();
}

export async function writeRows(ctx: Context, rows: readonly ValueRow[]): Promise<void> {
  warnOfUnits(
    ctx,
    rows.map(({ metricId, unit }) => ({ metric: metricId, unit })),
  );
  await ctx.out.rows(rows, columns, { id: (row) => row.companyId, empty: 'No values.' });
}
