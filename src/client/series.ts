/**
 * Metric series of any length: the requests that they take, and one stream of rows. One request takes at most 60 periods
 * and 50 metrics, so a range is read in windows and chunks.
 */

import { getMetricSeries } from '../contract/metric-operations.ts';
import type { MetricObservation, MetricSeriesItem, Version } from '../contract/metrics.ts';
import type { Optional, Query } from '../contract/operation.ts';
import { maxWindowPeriods, splitList } from '../contract/rules.ts';
import { inOrder, inspectEach, inTurn, limiter } from '../core/concurrency.ts';
import { Failure, outsideQuery } from '../core/errors.ts';
import { formatPeriod, type PeriodType } from '../core/periods.ts';
import { type Half, items, joinedRows, type OnConflict, observations } from '../domain/series/join.ts';
import { joinChunks, type Keyed, type Order, planSeries, remainder, type SeriesScope } from '../domain/series/plan.ts';
import { boundedRange } from '../domain/series/range.ts';
import type { Client } from './client.ts';
import { Progress } from './paging.ts';

/** A selection of a metric series of any size. */
export interface SeriesRequest {
  /** The grain of the rows; default `month`. */
  periodType?: PeriodType | undefined;
  /** Default `actual`. Actuals exist by month only: quarters and years need `budget` or `forecast`. */
  versions?: readonly Version[] | undefined;
  /** First and last period, in the grain or coarser: `2019` bounds months too. Default: everything. */
  from?: string | undefined;
  to?: string | undefined;
  /** Any number of metrics; default: all. */
  metricIds?: readonly string[] | undefined;
  /** The order of periods; default `desc`. */
  order?: Order | undefined;
  /** UUIDs, read one after the other; default: the company of the client. */
  companies?: readonly string[] | undefined;
  /** At most this many rows. */
  limit?: number | undefined;
  /** Rows of one page; default: the most that the API allows. */
  pageSize?: number | undefined;
  /** Continue at this cursor of the API, in one chain of pages. */
  cursor?: string | undefined;
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
  return pagesOf(client, request, items, options);
}

/** One row for each value, with its unit and currency. */
export function observationPages(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  options: SeriesOptions<MetricObservation> = {},
): AsyncIterable<SeriesPage<MetricObservation>> {
  return pagesOf(client, request, observations, options);
}

/** The query of the first request, to check against the API's rules: every other request is like it. */
export function firstQuery(request: SeriesRequest): SeriesQuery {
  const { metricIds, cursor } = request;
  const [window] = windowsOf(metricIds?.length === 0 ? { ...request, metricIds: undefined } : request);
  return { ...window?.queries[0], cursor };
}

/** The request as one query of any size. */
export function fullQuery(request: SeriesRequest): SeriesQuery {
  const [window] = windowsOf(request, { uncut: true });
  return { ...window?.queries[0], cursor: request.cursor };
}

interface WindowPart {
  companyId?: string | undefined;
  /** A request with a cursor is not cut: the cursor belongs to the whole of it. */
  uncut?: boolean;
}

function windowsOf(
  request: SeriesRequest,
  { companyId, uncut = request.cursor !== undefined }: WindowPart = {},
): WindowRead[] {
  const { periodType = 'month', versions, metricIds, order } = request;
  const scope: SeriesScope = { periodType, ...boundedRange(request, periodType), metricIds, order: order ?? 'desc' };
  const windows = uncut ? [{ from: scope.from, to: scope.to, chunks: [metricIds] }] : planSeries(scope);
  return windows.map((window) => ({
    queries: window.chunks.map((chunk) => ({
      periodType,
      versions: versions?.join(','),
      metricIds: chunk?.join(','),
      fromPeriod: window.from && formatPeriod(window.from),
      toPeriod: window.to && formatPeriod(window.to),
      order,
      ...(companyId !== undefined && { companyId }),
    })),
    resume: remainder(window, scope),
  }));
}

type SeriesQuery = Optional<Query<typeof getMetricSeries>>;

/** The reads of one company; without `companyId`, the company of the client. */
interface CompanyRead {
  companyId: string | undefined;
  windows: readonly WindowRead[];
}

/** The requests for the same periods, whose rows are joined. */
interface WindowRead {
  queries: readonly SeriesQuery[];
  /** The bounds of the unread rest when a read ends within the window. */
  resume: { from: string | undefined; to: string | undefined };
}

/** Rows of one page; without `companyId` they are of the company of the client. */
export interface SeriesPage<Row> {
  companyId: string | undefined;
  rows: readonly Row[];
}

interface SeriesOptions<Row> {
  /** Validates each page before its rows are yielded; throws for a page that cannot be used. */
  inspect?: ((rows: readonly Row[]) => void) | undefined;
  /**
   * Called when a company cannot be read; the next one is read then. Default: the failure ends the read.
   * @param rows whether some of its rows were given
   */
  onFailure?: ((companyId: string, error: unknown, rows: 'some' | 'none') => void) | undefined;
  /** Called for two rows with different values of one metric. The later one wins. */
  onConflict?: OnConflict | undefined;
}

/** More requests at once gain nothing. */
const maxRequests = 8;
const maxCompanies = 4;

/** The most values in flight; bounds the memory of pages with many metrics. */
const maxValues = 9_000;

/** Pages that are read ahead: of a window, which has at most two, and of each company after the first. */
const windowAhead = 2;
const companyAhead = 16;

interface SeriesReading<Row extends Keyed> {
  client: Pick<Client, 'pages'>;
  request: SeriesRequest;
  rowSource: Half<Row>;
  options: SeriesOptions<Row>;
  /** Undefined where there is one chain of pages, which needs no turns. */
  slot: ReturnType<typeof limiter> | undefined;
}

/** The rows of all companies, in their order, each once. @throws usage for bounds that are not valid */
function pagesOf<Row extends Keyed>(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  rowSource: Half<Row>,
  options: SeriesOptions<Row>,
): AsyncIterable<SeriesPage<Row>> {
  const ids: readonly (string | undefined)[] = request.companies ?? [undefined];
  const companies = ids.map((companyId) => ({ companyId, windows: windowsOf(request, { companyId }) }));
  const windows = companies.flatMap((company) => company.windows);
  const chunks = windows[0]?.queries.length ?? 1;
  const slot = windows.length * chunks > 1 ? limiter(maxRequests) : undefined;
  const reading = { client, request, rowSource: rowSource, options, slot };
  const sources = companies.map((company) => () => companyPages(reading, company));
  const [only] = sources;
  if (only && sources.length === 1) return only();
  // Joined chunks come one period at a time, a single chunk one page at a time.
  const light = Math.min(companyAhead, Math.floor(maxValues / valuesOf(request)));
  return inOrder(sources, {
    inFlight: maxCompanies,
    ahead: chunks > 1 ? companyAhead : Math.max(windowAhead, light),
  });
}

/** The number of values of each version in one window. */
function valuesOf({ metricIds }: SeriesRequest): number {
  return maxWindowPeriods * (metricIds?.length ?? 1);
}

async function* companyPages<Row extends Keyed>(
  reading: SeriesReading<Row>,
  { companyId, windows }: CompanyRead,
): AsyncGenerator<SeriesPage<Row>> {
  const { request, rowSource: half, options } = reading;
  const several = windows.length > 1;
  const sources = windows.map((window) => () => windowPages(reading, window, several));
  const inFlight = windowsInFlight(request, windows);
  const isSequential = !several || (inFlight === 1 && request.limit !== undefined);
  const pages = inOrder(sources, isSequential ? { inFlight: 1, ahead: 0 } : { inFlight, ahead: windowAhead });
  let rowsGiven: 'some' | 'none' = 'none';
  try {
    const inspectedPages = options.inspect ? inspectEach(pages, options.inspect) : pages;
    for await (const rows of joinedRows(inspectedPages, half.keyOf, half.join, options.onConflict ?? (() => {}))) {
      rowsGiven = 'some';
      yield { companyId, rows };
    }
    if (rowsGiven === 'none') yield { companyId, rows: [] };
  } catch (error) {
    if (companyId === undefined || !options.onFailure) throw error;
    options.onFailure(companyId, error, rowsGiven);
  }
}

/** Fewer where few rows are wanted: a window holds at most 60 periods, and mostly a row for each. */
function windowsInFlight(request: SeriesRequest, windows: readonly WindowRead[]): number {
  const chunks = windows[0]?.queries.length ?? 1;
  const light = Math.floor(maxValues / valuesOf(request));
  const most = Math.max(1, Math.min(Math.floor(maxRequests / chunks), light));
  const { limit } = request;
  return limit === undefined ? most : Math.max(1, Math.min(most, Math.ceil(limit / maxWindowPeriods)));
}

async function* windowPages<Row extends Keyed>(
  reading: SeriesReading<Row>,
  { queries, resume }: WindowRead,
  several: boolean,
): AsyncGenerator<readonly Row[]> {
  const chains = queries.map((query) => chainPages(reading, query));
  const [single] = chains;
  try {
    if (single && chains.length === 1) yield* single;
    else yield* joinChunks(chains, reading.request.order ?? 'desc');
  } catch (error) {
    // The cursor of one of several requests would continue within that request only: the bounds continue all of them.
    throw (several || chains.length > 1) && error instanceof Failure ? error.with({ resume }) : error;
  }
}

/**
 * One chain of pages, from the first or from the cursor to the last. Where few rows are wanted, few are asked for; more
 * follow if these were parts of fewer rows.
 */
async function* chainPages<Row extends Keyed>(
  { client, request, rowSource: half, slot }: SeriesReading<Row>,
  query: SeriesQuery,
): AsyncGenerator<readonly Row[]> {
  const { limit, pageSize, versions = ['actual'] } = request;
  // A row is complete when the next period begins, which at most one row of each version precedes.
  const most = half.array === 'items' && limit !== undefined ? limit + versions.length : undefined;
  const progress = new Progress();
  const metricIds = new Set(splitList(query.metricIds));
  const previous = new Map<string | undefined, string>();
  let { cursor } = request;
  do {
    let next: string | undefined;
    const pages = client.pages(
      getMetricSeries,
      { query },
      {
        limit: most,
        pageSize,
        cursor,
        rowsAt: [half.array],
        without: { array: half.array === 'items' ? 'observations' : 'items', where: half.array },
        progress,
        onPage: (page) => {
          next = page.next?.cursor;
        },
      },
    );
    for await (const page of slot ? inTurn(pages, slot) : pages) {
      const rows = half.rowsOf(page);
      for (const row of rows) requireRequested(row, query, metricIds);
      if (most !== undefined) requireOrder(rows, query, previous);
      yield rows;
    }
    cursor = next;
  } while (cursor !== undefined && most !== undefined);
}

/** The fields of a row that name its period. */
interface AnsweredRow {
  periodKey: string;
  periodType?: string | undefined;
  version?: string | undefined;
  metricId?: string | undefined;
  metrics?: Readonly<Record<string, unknown>> | undefined;
}

/** @throws rejected for a row whose grain, version, period or metric is not one of the query */
function requireRequested(answered: AnsweredRow, query: SeriesQuery, metricIds: ReadonlySet<string>): void {
  const { periodKey, periodType, version, metricId, metrics = {} } = answered;
  const { periodType: grain = 'month', versions = 'actual', fromPeriod = '', toPeriod } = query;
  const isOutside = periodKey < fromPeriod || (toPeriod !== undefined && periodKey > toPeriod);
  const row = `the ${version} of ${periodKey}`;
  let says: string;
  if (periodType && periodType !== grain) says = `${row} by ${periodType}, but was asked for values by ${grain}`;
  else if (version && !versions.split(',').includes(version)) says = `${row}, but was asked for ${versions}`;
  else if (isOutside) says = `${row}, which is not from ${fromPeriod || 'the first'} to ${toPeriod ?? 'the last'}`;
  else {
    const ids = metricId === undefined ? Object.keys(metrics).filter((id) => metrics[id] !== null) : [metricId];
    const other = metricIds.size > 0 ? ids.find((id) => !metricIds.has(id)) : undefined;
    if (other === undefined) return;
    says = `${other} of ${periodKey}, but was asked for ${query.metricIds}`;
  }
  throw outsideQuery(`GET /api/metrics/series answered with ${says}`);
}

/**
 * Compares each row with the one before of its version, on any page.
 * @throws rejected for rows in another order than the query names: the first of them are not those of the range
 */
function requireOrder(
  rows: readonly AnsweredRow[],
  { order = 'desc' }: SeriesQuery,
  previous: Map<string | undefined, string>,
): void {
  for (const { periodKey, version } of rows) {
    const before = previous.get(version) ?? periodKey;
    if (order === 'asc' ? periodKey < before : periodKey > before) {
      throw outsideQuery(
        `GET /api/metrics/series answered with ${periodKey} after ${before}, but was asked for ${order}`,
      );
    }
    previous.set(version, periodKey);
  }
}
