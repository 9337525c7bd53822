/** Flags that the metrics commands share. Help and completion read them, so nothing that computes is loaded here. */

import type { Context } from '../../cli/context.ts';
import { type FlagValues, flag, inGroup } from '../../cli/define.ts';
import { queryFlags } from '../../cli/operation-flags.ts';
import { rowFlags, shortRowFlags } from '../../cli/query.ts';
import { getMetricSeries } from '../../contract/metric-operations.ts';
import { planVersions, versionsText } from '../../contract/metrics.ts';
import { aggregations, fills, seriesShapes } from '../../domain/series/plan.ts';
import type { AnalysisRequest } from './read.ts';

/** Metric ids: `-m mrr,arr -m runway`. */
export const metricsFlag = (summary: string, field?: string) =>
  flag.list('ID[,ID]', summary, { short: 'm', ...(field !== undefined && { field }) });

const aggregationFlag = flag.list('METRIC=HOW', 'how to derive a metric, if the catalog does not say');

const seriesQuery = queryFlags(getMetricSeries, {
  periodType: { summary: 'the grain of the series; default month' },
  versions: { value: 'VERSION[,VERSION]', summary: `${versionsText}; default depends on the grain` },
  order: { summary: 'by period; default asc' },
  cursor: { summary: 'continue at this cursor, with the same other flags', hidden: true },
});

const rangeFlags = inGroup('RANGE', {
  period: flag.text('PERIOD', 'one month, quarter or year: 2006-01, 2006-Q1, 2006'),
  from: flag.text('PERIOD', 'first period, such as 2006-01, 2006-Q1, 2006', { field: 'fromPeriod' }),
  to: flag.text('PERIOD', 'last period', { field: 'toPeriod' }),
  last: flag.text('N', 'the newest N ended periods; also 18m, 8q, 3y, ytd, fy2026', {
    also: { ytd: 'ytd', fy: 'fyVALUE' },
  }),
});

const rareRangeFlags = inGroup('RANGE', {
  includeCurrent: flag.boolean('let --last end with the current period, which has not ended'),
  fyStart: flag.integer('MONTH', 'the month in which fiscal years begin; default 1', {
    minimum: 1,
    maximum: 12,
    hidden: true,
  }),
});

const metrics = metricsFlag('only these metrics, in this order', 'metricIds');

const totalFlag = flag.boolean('add the sum of the companies');

export const partialFlag = flag.boolean('compare incomplete periods, over the same months');

/** Flags that compute values, for every analysis. */
const computingFlags = inGroup('CALCULATION', {
  in: flag.text('CURRENCY', 'convert amounts into this currency, with --rates'),
  rates: flag.text('FILE', "rates: date,currency,rate, or the ECB's history"),
  rateAt: flag.text('PERIOD', 'one rate for all periods (constant currency)'),
  calc: flag.list("'NAME = EXPR'", 'add a computed metric; -m picks among several; @FILE has one a line'),
});

const shapeFlags = inGroup('SHAPE', {
  shape: flag.text(seriesShapes.join('|'), 'what a row holds; default wide', { choices: seriesShapes }),
  order: seriesQuery.order,
  derive: flag.text('quarter|year', 'derive quarters or years from months', { choices: ['quarter', 'year'] }),
  fill: flag.text(fills.join('|'), 'fill missing values with null, 0 or the previous value', { choices: fills }),
});

export const seriesFlags = {
  metrics,
  periodType: seriesQuery.periodType,
  versions: seriesQuery.versions,
  cursor: seriesQuery.cursor,
  ...rangeFlags,
  ...rareRangeFlags,
  ...shapeFlags,
  ...inGroup('CALCULATION', { agg: flag.list('METRIC=HOW', `how to derive a metric: ${aggregations.join(', ')}`) }),
  ...computingFlags,
  total: totalFlag,
  partial: partialFlag,
  ...rowFlags,
};

export type SeriesFlags = FlagValues<typeof seriesFlags>;

const grainFlags = { metrics, periodType: seriesQuery.periodType };

const valueFlags = {
  ...rangeFlags,
  ...computingFlags,
  ...rareRangeFlags,
  ...inGroup('CALCULATION', { agg: aggregationFlag }),
};

export const analysisFlags = { ...grainFlags, ...valueFlags };

/** Short pages of help name the first flags. */
export const totalledFlags = { ...grainFlags, total: totalFlag, ...valueFlags };

export const varianceFlags = {
  ...totalledFlags,
  against: flag.text(planVersions.join('|'), 'compare with it; default budget', {
    choices: planVersions,
    also: { versions: 'VALUE', of: 'VALUE', 'as-version': 'VALUE' },
  }),
  partial: partialFlag,
  failOn: flag.list("'VERDICT > N[%]'", 'exit 1 when a variance is beyond this'),
  ...shortRowFlags,
};

export const versionsFlag = flag.text('VERSION[,VERSION]', `${versionsText}; default actual`, { field: 'versions' });

/** Whether values are computed from those of the API, by flags or by definitions of the profile. */
export async function computes(ctx: Context, request: AnalysisRequest): Promise<boolean> {
  const { metrics = [], calc, total } = request;
  if (total === true || (request.in ?? request.rates ?? request.rateAt ?? calc) !== undefined) return true;
  if (metrics.length === 0 || ctx.settings.definitions === undefined) return false;
  const { savedDefinitions } = await import('./computing.ts');
  const names = new Set((await savedDefinitions(ctx)).map(({ name }) => name));
  return metrics.flatMap((ids) => ids.split(',')).some((id) => names.has(id.trim()));
}
