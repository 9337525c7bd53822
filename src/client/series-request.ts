/** What may be asked of a series, and the requests that it takes. */
import type { getMetricSeries } from '../contract/metric-operations.ts';
import type { Version } from '../contract/metrics.ts';
import type { Optional, Query } from '../contract/operation.ts';
import { Failure, usage } from '../core/errors.ts';
import { formatPeriod, type PeriodType, parsePeriod } from '../core/periods.ts';
import { type Order, planSeries, type SeriesScope, scopeAfter, type Window } from '../domain/series/plan.ts';
import { boundedRange } from '../domain/series/range.ts';

/** What is read of a metric series, whatever its size. */
export interface SeriesRequest {
  /** The grain of the rows; default `month`. */
  periodType?: PeriodType | undefined;
  /** Default `actual`. Actuals exist by month only: quarters and years need `budget` or `forecast`. */
  versions?: readonly Version[] | undefined;
  /** First and last period, in the grain or coarser: `2019` bounds months too. Default: everything. */
  from?: string | undefined;
  to?: string | undefined;
  /** The first and last period of companies that have their own, by UUID. */
  bounds?: ReadonlyMap<string, { from?: string | undefined; to?: string | undefined }> | undefined;
  /** Any number of metrics; default: all. */
  metricIds?: readonly string[] | undefined;
  /** By period; default `desc`. */
  order?: Order | undefined;
  /** UUIDs, read one after the other; default: the company of the client. */
  companies?: readonly string[] | undefined;
  /** At most this many rows. */
  limit?: number | undefined;
  /** Rows of one page; default: the most that the API allows. */
  pageSize?: number | undefined;
  /** Continue at this cursor of the API. The request is then sent as it is, in one chain of pages. */
  cursor?: string | undefined;
  /** Continue after this period, of this company where there are several. */
  after?: { companyId?: string | undefined; periodKey: string } | undefined;
}

type SeriesQuery = Optional<Query<typeof getMetricSeries>>;

/** The query of the first request: what it breaks of the API's rules, every request would break. */
export function firstQuery(request: SeriesRequest): SeriesQuery {
  const scope = scopeOf(request);
  const [window] = windowsOf(request, scope);
  return { ...queryOf(request, window ?? { chunks: [] }, window?.chunks[0]), cursor: request.cursor };
}

/** The request as one query, whatever its size. */
export function fullQuery(request: SeriesRequest): SeriesQuery {
  const { from, to } = scopeOf(request);
  return { ...queryOf(request, { from, to, chunks: [] }, request.metricIds), cursor: request.cursor };
}

/** Which part of the series is read. @throws usage for bounds that are not valid */
export function scopeOf({ periodType = 'month', from, to, metricIds, order = 'desc' }: SeriesRequest): SeriesScope {
  const range = boundedRange({ from, to }, periodType);
  return { periodType, ...range, metricIds, order };
}

/** The part of the series that follows a period. @throws usage for a key that is not a period */
export function scopeAfterKey(scope: SeriesScope, periodKey: string): SeriesScope {
  const period = parsePeriod(periodKey);
  if (period) return scopeAfter(scope, period);
  throw usage(`after.periodKey must be a period such as 2006-01, got "${periodKey}"`);
}

/** At a cursor the one request that the cursor belongs to, whatever its size. */
export function windowsOf({ cursor }: SeriesRequest, scope: SeriesScope): Window[] {
  return cursor === undefined ? planSeries(scope) : [{ from: scope.from, to: scope.to, chunks: [scope.metricIds] }];
}

/** The query of one request of a window. */
export function queryOf(
  { periodType = 'month', versions, order }: SeriesRequest,
  { from, to }: Window,
  chunk: readonly string[] | undefined,
): SeriesQuery {
  return {
    periodType,
    versions: versions?.join(','),
    metricIds: chunk?.join(','),
    fromPeriod: from && formatPeriod(from),
    toPeriod: to && formatPeriod(to),
    order,
  };
}

/** What a row says of itself. */
interface Answered {
  periodKey: string;
  periodType?: string | undefined;
  version?: string | undefined;
}

/** @throws rejected for a row of another grain than the query names: it answers another question */
export function requireAsked({ periodKey, periodType, version }: Answered, query: SeriesQuery): void {
  const { periodType: grain = 'month' } = query;
  if (!periodType || periodType === grain) return;
  throw new Failure(
    'rejected',
    `GET /api/metrics/series answered with the ${version} of ${periodKey} by ${periodType}, but was asked for values by ${grain}`,
    { code: 'wrong_answer', hint: 'this server does not take the query as the API says: check the base URL' },
  );
}
