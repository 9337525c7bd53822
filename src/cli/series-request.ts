/** From the flags of `metrics series` to what is asked of the API. */
import { operations } from '../contract/index.ts';
import type { PeriodType } from '../contract/metrics.ts';
import type { Input } from '../contract/operation.ts';
import { formatPeriod, periodAt } from '../domain/periods.ts';
import { type Order, planSeries, type SeriesRequest, type Window } from '../domain/series.ts';
import { lastUnit, seriesRange } from '../domain/series-range.ts';
import { usage } from '../errors.ts';
import type { Context } from './context.ts';
import { type FlagValues, flag } from './define.ts';
import { metricIds, metricsFlag } from './metric-ids.ts';
import { fieldsOf, queryFlags } from './operation-flags.ts';

const op = operations.getMetricSeries;
export type SeriesInput = Input<typeof op>;

const asked = queryFlags(op, {
  periodType: { summary: 'the grain of the series; default month' },
  versions: {
    value: 'VERSION[,VERSION]',
    summary: 'actual, budget, forecast; default actual, for quarters and years budget,forecast',
  },
  order: { summary: 'by period; default desc' },
  cursor: { summary: 'go on at this cursor, with the other flags as they were' },
});

export const seriesFlags = {
  metrics: metricsFlag('only these metrics, in this order', 'metricIds'),
  ...asked,
  from: flag.text('PERIOD', 'first period, such as 2006-01, 2006-Q1, 2006', { field: 'fromPeriod' }),
  to: flag.text('PERIOD', 'last period', { field: 'toPeriod' }),
  last: flag.text('N', 'the newest N periods, the current one included; also 18m, 8q, 3y'),
};

type SeriesFlags = FlagValues<typeof seriesFlags>;

export interface PlannedSeries {
  request: SeriesRequest;
  windows: Window[];
  /** The query of one request of the plan. */
  input(window: Window, chunk: readonly string[] | undefined): SeriesInput;
}

/**
 * The plan of the flags. With `--cursor` or `--raw` it is the one request that the flags spell out, whatever its size:
 * the contract's own rules refuse what the API does not take.
 */
export function seriesRequest(ctx: Context, flags: SeriesFlags): PlannedSeries {
  const { versions, order, cursor } = fieldsOf(asked, flags);
  const periodType = flags.periodType ?? 'month';
  if (flags.periodType === undefined && versions === undefined) refuseCoarse(flags.last);
  const ids = metricIds(flags.metrics);
  const range = seriesRange(flags, periodType, periodAt(ctx.runtime.now(), periodType));
  const request: SeriesRequest = {
    periodType,
    ...range,
    metricIds: ids,
    order: (order as Order | undefined) ?? 'desc',
  };
  const asOne = cursor !== undefined || ctx.settings.raw;
  return {
    request,
    windows: asOne ? [{ ...range, chunks: [ids] }] : planSeries(request),
    input: ({ from, to }, chunk) => ({
      query: {
        periodType,
        // Actuals exist by month alone (api.md, series, rules 1 and 2).
        versions: versions ?? (periodType === 'month' ? undefined : 'budget,forecast'),
        metricIds: chunk?.join(','),
        fromPeriod: from && formatPeriod(from),
        toPeriod: to && formatPeriod(to),
        order,
      },
    }),
  };
}

/** Without a grain and without versions, quarters and years would be of actuals, which exist by month alone. */
function refuseCoarse(last: string | undefined): void {
  const unit: PeriodType | undefined = lastUnit(last);
  if (unit === undefined || unit === 'month') return;
  throw usage(
    `--last ${last} counts ${unit}s, and actuals exist by month alone`,
    `--period-type ${unit} reads budget and forecast; --last with a number counts months`,
  );
}
