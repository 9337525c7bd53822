/**
 * Metric series of any length. One request takes at most 60 periods and 50 metrics: here a range is read in windows and
 * chunks, several requests at once, and comes back as one stream of rows in order, each row once.
 */
import { getMetricSeries } from '../contract/metric-operations.ts';
import type { MetricObservation, MetricSeriesItem } from '../contract/metrics.ts';
import { maxWindowPeriods } from '../contract/rules.ts';
import { inOrder, inspected, inTurn, limiter, oneByOne } from '../core/concurrency.ts';
import { Failure } from '../core/errors.ts';
import type { OnConflict } from '../domain/series/join.ts';
import { type Half, items, joinedRows, observations } from '../domain/series/merge.ts';
import { joinChunks, type Keyed, planSeries, remainder, type SeriesScope, type Window } from '../domain/series/plan.ts';
import type { Client } from './client.ts';
import { Progress } from './paging.ts';
import { queryOf, type SeriesRequest, scopeAfterKey, scopeOf, windowsOf } from './series-request.ts';

/** A row of a series; where `companies` are named, with its company. */
export type SeriesRow = MetricSeriesItem & { companyId?: string };

/** Rows of one company that came together; `companyId` undefined: the company of the client. */
export interface SeriesPage<Row> {
  companyId: string | undefined;
  rows: readonly Row[];
}

export interface SeriesOptions<Row> {
  /** Called with each page before its rows are given; it throws where they cannot be used. */
  inspect?: ((rows: readonly Row[]) => void) | undefined;
  /**
   * Called when a company cannot be read; the next one is read then. Default: the failure ends the read.
   * @param rows whether some of its rows were given
   */
  onFailure?: ((companyId: string, error: unknown, rows: 'some' | 'none') => void) | undefined;
  /** Called where two rows give one metric different values; the one that was written later is kept. */
  onConflict?: OnConflict | undefined;
}

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

/** More requests at once gain nothing. */
const mostRequests = 8;
const mostCompanies = 4;

/** Values on their way at once: eight pages of fifty metrics each would take much memory. */
const mostValues = 9_000;

/** Pages that wait for their turn: of a window, which holds at most two, and of a company after the first. */
const windowAhead = 2;
const companyAhead = 16;

interface Reading<Row extends Keyed> {
  client: Pick<Client, 'pages'>;
  request: SeriesRequest;
  scope: SeriesScope;
  windows: readonly Window[];
  half: Half<Row>;
  options: SeriesOptions<Row>;
  /** Undefined where there is one chain of pages, which needs no turns. */
  slot: ReturnType<typeof limiter> | undefined;
}

function pagesOf<Row extends Keyed>(
  client: Pick<Client, 'pages'>,
  request: SeriesRequest,
  half: Half<Row>,
  options: SeriesOptions<Row>,
): AsyncIterable<SeriesPage<Row>> {
  const scope = scopeOf(request);
  const windows = windowsOf(request, scope);
  const all: readonly (string | undefined)[] = request.companies ?? [undefined];
  const { after, metricIds } = request;
  const companies = all.slice(after?.companyId === undefined ? 0 : Math.max(0, all.indexOf(after.companyId)));
  const chunks = windows[0]?.chunks.length ?? 1;
  const slot = companies.length * windows.length * chunks > 1 ? limiter(mostRequests) : undefined;
  const reading = { client, request, scope, windows, half, options, slot };
  const sources = companies.map((companyId, index) => {
    const bounds = companyId === undefined ? undefined : request.bounds?.get(companyId);
    const whole = bounds ? scopeOf({ ...request, ...bounds }) : scope;
    const rest = index === 0 && after ? scopeAfterKey(whole, after.periodKey) : whole;
    const own = rest === scope ? reading : { ...reading, scope: rest, windows: planSeries(rest) };
    return () => companyPages(own, companyId);
  });
  const [only] = sources;
  if (only && sources.length === 1) return only();
  // Joined chunks come one period at a time, a single chunk one page at a time.
  const light = Math.min(companyAhead, Math.floor(mostValues / valuesOf(metricIds)));
  return inOrder(sources, {
    inFlight: mostCompanies,
    ahead: chunks > 1 ? companyAhead : Math.max(windowAhead, light),
  });
}

/** What one window may hold of each version. */
function valuesOf(metricIds: readonly string[] | undefined): number {
  return maxWindowPeriods * (metricIds?.length ?? 1);
}

async function* companyPages<Row extends Keyed>(
  reading: Reading<Row>,
  companyId: string | undefined,
): AsyncGenerator<SeriesPage<Row>> {
  const { windows, half, options } = reading;
  const sources = windows.map((window) => () => windowPages(reading, window, companyId));
  const inFlight = windowsInFlight(reading);
  const few = sources.length === 1 || (inFlight === 1 && reading.request.limit !== undefined);
  const pages = few ? oneByOne(sources) : inOrder(sources, { inFlight, ahead: windowAhead });
  let given: 'some' | 'none' = 'none';
  try {
    const looked = options.inspect ? inspected(pages, options.inspect) : pages;
    for await (const rows of joinedRows(looked, half.keyOf, half.join, options.onConflict ?? (() => {}))) {
      given = 'some';
      yield { companyId, rows };
    }
    if (given === 'none') yield { companyId, rows: [] };
  } catch (error) {
    if (companyId === undefined || !options.onFailure) throw error;
    options.onFailure(companyId, error, given);
  }
}

/** Fewer where few rows are wanted: a window holds at most 60 periods, and mostly a row for each. */
function windowsInFlight<Row extends Keyed>({ request: { limit, metricIds }, windows }: Reading<Row>): number {
  const chunks = windows[0]?.chunks.length ?? 1;
  const light = Math.floor(mostValues / valuesOf(metricIds));
  const most = Math.max(1, Math.min(Math.floor(mostRequests / chunks), light));
  return limit === undefined ? most : Math.max(1, Math.min(most, Math.ceil(limit / maxWindowPeriods)));
}

async function* windowPages<Row extends Keyed>(
  reading: Reading<Row>,
  window: Window,
  companyId: string | undefined,
): AsyncGenerator<readonly Row[]> {
  const { windows, scope } = reading;
  const chains = window.chunks.map((chunk) => chainPages(reading, window, chunk, companyId));
  const [single] = chains;
  try {
    if (single && chains.length === 1) yield* single;
    else yield* joinChunks(chains, scope.order);
  } catch (error) {
    // The cursor of one of several requests would continue within that request only: the bounds continue all of them.
    const several = windows.length + chains.length > 2;
    throw several && error instanceof Failure ? error.with({ resume: remainder(window, scope) }) : error;
  }
}

/**
 * One chain of pages, from the first or from the cursor to the last. Where few rows are wanted, few are asked for; more
 * follow if these were parts of fewer rows.
 */
async function* chainPages<Row extends Keyed>(
  { client, request, half, slot }: Reading<Row>,
  window: Window,
  chunk: readonly string[] | undefined,
  companyId: string | undefined,
): AsyncGenerator<readonly Row[]> {
  const { limit, pageSize, versions = ['actual'] } = request;
  const query = queryOf(request, window, chunk);
  // A row is complete when the next period begins, which at most one row of each version precedes.
  const most = half.read === 'items' && limit !== undefined ? limit + versions.length : undefined;
  const progress = new Progress();
  let cursor = request.cursor;
  do {
    let next: string | undefined;
    const pages = client.pages(
      getMetricSeries,
      { query: companyId === undefined ? query : { ...query, companyId } },
      {
        ...{ limit: most, pageSize, cursor, without: half.without, read: half.read, progress },
        onPage: (page) => {
          next = page.next?.cursor;
        },
      },
    );
    for await (const page of slot ? inTurn(pages, slot) : pages) yield half.rowsOf(page);
    cursor = next;
  } while (cursor !== undefined && most !== undefined);
}
