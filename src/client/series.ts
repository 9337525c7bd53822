/**
 * Metric series of any length: what may be asked, and the requests that it takes. One request takes at most 60 periods
 * and 50 metrics, so a range is read in windows and chunks (`series-pages.ts`).
 */
import type { MetricObservation, MetricSeriesItem, Version } from '../contract/metrics.ts';
import { usage } from '../core/errors.ts';
import { formatPeriod, type PeriodType, parsePeriod } from '../core/periods.ts';
import { type Half, items, observations } from '../domain/series/join.ts';
import { type Keyed, type Order, planSeries, remainder, type SeriesScope, scopeAfter } from '../domain/series/plan.ts';
import { boundedRange } from '../domain/series/range.ts';
import type { Client } from './client.ts';
import {
  pagesOf,
  type SeriesOptions,
  type SeriesPage,
  type SeriesQuery,
  type SeriesReads,
  type WindowRead,
} from './series-pages.ts';

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

/** A row of a series; where `companies` are named, with its company. */
export type SeriesRow = MetricSeriesItem & { companyId?: string };

/**
 * The rows of a series, in order and without repeats.
 *
 * ```ts
 * for await (const row of readSeries(client, { from: '2010', to: '2024', metricIds: ['mrr', 'arr'] })) {
 *   console.log(row.periodKey, row.metrics.mrr);
 * }
 * ```
 * @throws Failure whose `resume` holds the bounds that read the rest
 */
export async function* readSeries(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  options: Pick<SeriesOptions<MetricSeriesItem>, 'onConflict'> = {},
): AsyncGenerator<SeriesRow> {
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for await (const { companyId, rows } of seriesPages(client, request, options)) {
    for (const row of rows) {
      yield companyId === undefined ? row : { companyId, ...row };
      left -= 1;
      if (left <= 0) return;
    }
  }
}

/** The same in the pages in which the rows come: one row for each period and version. */
export function seriesPages(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  options: SeriesOptions<MetricSeriesItem> = {},
): AsyncIterable<SeriesPage<MetricSeriesItem>> {
  return halfOf(client, request, items, options);
}

/** One row for each value, with its unit and currency. */
export function observationPages(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  options: SeriesOptions<MetricObservation> = {},
): AsyncIterable<SeriesPage<MetricObservation>> {
  return halfOf(client, request, observations, options);
}

function halfOf<Row extends Keyed>(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  half: Half<Row>,
  options: SeriesOptions<Row>,
): AsyncIterable<SeriesPage<Row>> {
  const reads = readsOf(request);
  return pagesOf(client, reads, half, options);
}

/** The query of the first request: what it breaks of the API's rules, every request would break. */
export function firstQuery(request: SeriesRequest): SeriesQuery {
  const { metricIds, cursor } = request;
  const [window] = windowsOf(metricIds?.length === 0 ? { ...request, metricIds: undefined } : request);
  return { ...window?.queries[0], cursor };
}

/** The request as one query, whatever its size. */
export function fullQuery(request: SeriesRequest): SeriesQuery {
  const [window] = windowsOf(request, { uncut: true });
  return { ...window?.queries[0], cursor: request.cursor };
}

/** All that is read for a request. @throws usage for bounds that are not valid */
function readsOf(request: SeriesRequest): SeriesReads {
  const { bounds, after, metricIds, order = 'desc', versions = ['actual'], limit, pageSize, cursor } = request;
  const companies: readonly (string | undefined)[] = request.companies ?? [undefined];
  const first = after?.companyId === undefined ? 0 : Math.max(0, companies.indexOf(after.companyId));
  return {
    companies: companies.slice(first).map((companyId, index) => {
      const own = { ...request, ...(companyId !== undefined && bounds?.get(companyId)) };
      return { companyId, windows: windowsOf(own, { companyId, after: index === 0 ? after?.periodKey : undefined }) };
    }),
    ...{ order, limit, pageSize, cursor },
    ...{ versions: versions.length, metrics: metricIds?.length ?? 1 },
  };
}

interface Part {
  companyId?: string | undefined;
  /** The period that precedes the first row. */
  after?: string | undefined;
  /** At a cursor there is the one request that the cursor belongs to, whatever its size. */
  uncut?: boolean;
}

function windowsOf(
  request: SeriesRequest,
  { companyId, after, uncut = request.cursor !== undefined }: Part = {},
): WindowRead[] {
  const { periodType = 'month', versions, metricIds, order } = request;
  const last = after === undefined ? undefined : parsePeriod(after);
  if (after !== undefined && !last) {
    throw usage(`after.periodKey must be a period such as 2006-01, got "${after}"`);
  }
  const whole: SeriesScope = { periodType, ...boundedRange(request, periodType), metricIds, order: order ?? 'desc' };
  const scope = last ? scopeAfter(whole, last) : whole;
  const windows = uncut ? [{ from: scope.from, to: scope.to, chunks: [metricIds] }] : planSeries(scope);
  return windows.map((window) => ({
    queries: window.chunks.map((chunk) => ({
      ...{ periodType, versions: versions?.join(','), metricIds: chunk?.join(',') },
      ...{ fromPeriod: window.from && formatPeriod(window.from), toPeriod: window.to && formatPeriod(window.to) },
      ...{ order, ...(companyId !== undefined && { companyId }) },
    })),
    resume: remainder(window, scope),
  }));
}
