/** The latest live actuals as an analysis of their period, to be converted, computed with and added up. */

import type { Context } from '../../../cli/context.ts';
import { readSeries } from '../../../client/series.ts';
import { getLiveMetrics } from '../../../contract/metric-operations.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { addPeriods, formatPeriod, parsePeriod } from '../../../core/periods.ts';
import { catalogOf, conflictWarning, metricIds, refuseUnknown } from '../read.ts';
import type { Read } from '../several.ts';
import { analysisOf } from './parts.ts';

/** Reads as `readAnalysis` does. Periods before the live one, which computed metrics look at, are those of the series. */
export const readLiveAnalysis: Read = async (ctx, request, { company, back = 0 }) => {
  const client = await ctx.client();
  const query = company === undefined ? {} : { query: { companyId: company } };
  await client.describe(getLiveMetrics, query);
  const catalog = await catalogOf(ctx, company);
  const asked = metricIds(request.metrics);
  if (asked) refuseUnknown(asked, [catalog]);
  const live = await client.call(getLiveMetrics, query);
  const kept = { type: 'month', asked, chosen: new Map(), months: undefined } as const;
  const own = { ...catalog, currency: live.currency ?? catalog.currency };
  if (Object.keys(live.metrics ?? {}).length === 0) {
    return analysisOf(ctx, request, { ...kept, catalog: own, range: { from: undefined, to: undefined }, stored: [] });
  }
  const periodKey = live.periodKey ?? live.period ?? '';
  const period = parsePeriod(periodKey);
  if (period?.type !== 'month') throw withoutMonth(periodKey);
  const before = addPeriods(period, -1);
  const range = { from: formatPeriod(addPeriods(period, -back)), to: formatPeriod(before) };
  const history = back > 0 ? await seriesOf(ctx, { ...range, metricIds: asked, company }) : [];
  const item: MetricSeriesItem = {
    ...{ periodKey, periodType: 'month', version: 'actual', source: live.source ?? null, updatedAt: live.asOf ?? null },
    metrics: live.metrics ?? {},
  };
  const stored = [...history, item];
  return analysisOf(ctx, request, { ...kept, catalog: own, range: { from: period, to: period }, stored });
};

function withoutMonth(periodKey: string): Failure {
  const says = periodKey === '' ? 'have no period' : `are of "${periodKey}", which is not a month`;
  return new Failure('rejected', `the live metrics ${says}, so nothing can be computed with them`, {
    hint: 'read the series with --period or --last',
  });
}

async function seriesOf(
  ctx: Context,
  { company, ...request }: { from: string; to: string; metricIds: string[] | undefined; company: string | undefined },
): Promise<MetricSeriesItem[]> {
  const rows = readSeries(
    await ctx.client(),
    {
      ...{ ...request, periodType: 'month', versions: ['actual'], order: 'asc' },
      companies: company === undefined ? undefined : [company],
    },
    { onConflict: conflictWarning(ctx) },
  );
  const items: MetricSeriesItem[] = [];
  for await (const row of rows) items.push(row);
  return items;
}
