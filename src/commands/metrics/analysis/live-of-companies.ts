/** The live values of several companies. */

import type { Context } from '../../../cli/context.ts';
import { eachCompany } from '../../../cli/each-company.ts';
import { refuseRaw } from '../../../cli/show.ts';
import { shortPeriod } from '../../../core/periods.ts';
import type { Column } from '../../../output/column.ts';
import { companyColumns, type LiveValue, liveColumns, type OfCompany } from '../columns.ts';
import { warnOfUnits } from '../several.ts';
import { readLive } from './live-values.ts';

export type LiveRow = LiveValue & OfCompany & { periodKey?: string | null | undefined };

export const liveColumnsOfCompanies: readonly Column<LiveRow>[] = [
  ...companyColumns,
  {
    key: 'periodKey',
    heading: 'Period',
    get: (row) => row.periodKey,
    onScreen: ({ periodKey }) => (periodKey ? shortPeriod(periodKey) : undefined),
  },
  ...liveColumns,
];

export async function writeLive(ctx: Context): Promise<void> {
  refuseRaw(ctx, 'it reads several companies');
  const { parts, verdict } = await eachCompany(ctx, (companyId) => readLive(ctx, companyId));
  const rows = parts.flatMap(({ who, value: { live, rows } }) =>
    rows.map((row): LiveRow => ({ ...who, periodKey: live.periodKey ?? live.period, ...row })),
  );
  warnOfUnits(ctx, rows);
  await ctx.out.rows(rows, liveColumnsOfCompanies, {
    whole: () => parts.map(({ who, value: { live } }) => ({ ...who, ...live })),
    id: (row) => row.metric,
    empty: 'No actuals yet.',
  });
  verdict();
}
