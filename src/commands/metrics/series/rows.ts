/** Rows of a planned series in order, as a stream, however many windows and companies are on their way. */

import type { Context } from '../../../cli/context.ts';
import { pageOptions } from '../../../cli/paging.ts';
import { operations } from '../../../contract/index.ts';
import type { CompanyMetricSeriesResponse, MetricObservation, MetricSeriesItem } from '../../../contract/metrics.ts';
import { maxWindowPeriods } from '../../../contract/rules.ts';
import { inOrder, limiter } from '../../../core/concurrency.ts';
import { Failure } from '../../../core/errors.ts';
import {
  joinChunks,
  joinItems,
  type Keyed,
  remainder,
  type Window,
  withoutRepeats,
} from '../../../domain/series/plan.ts';
import type { OfCompany } from '../columns.ts';
import type { CompanyFailures } from './failures.ts';
import { type PlannedSeries, planFor } from './request.ts';

const op = operations.getMetricSeries;

/** What differs between the two shapes. */
export interface Shape<Row extends Keyed> {
  rowsOf(page: CompanyMetricSeriesResponse): readonly Row[];
  keyOf(row: Row): string;
  /** Rows of one period and version out of several chunks. */
  join(rows: Row[]): Row[];
  /** Whether a row of output is a row of the API's `limit`. */
  limited: boolean;
  /** The other shape's half of a page. */
  without: string;
}

export const wide: Shape<MetricSeriesItem> = {
  rowsOf: (page) => page.items,
  keyOf: (row) => row.version,
  join: joinItems,
  limited: true,
  without: 'observations',
};

export const long: Shape<MetricObservation> = {
  rowsOf: (page) => page.observations,
  keyOf: (row) => `${row.version} ${row.metricId}`,
  join: (rows) => rows,
  limited: false,
  without: 'items',
};

/** More requests at once gain nothing, whatever they are for. */
const mostRequests = 8;
export const mostCompanies = 4;

/** Values on their way at once: eight pages of few metrics are little, and of fifty metrics each a lot of memory. */
const mostValues = 9_000;

/** Pages that wait for their turn: of one window, which holds two at most, and of one company behind the first. */
const windowAhead = 2;
const companyAhead = 16;

type Slot = ReturnType<typeof limiter>;

interface Reading<Row extends Keyed> {
  ctx: Context;
  plan: PlannedSeries;
  shape: Shape<Row>;
  cursor: string | undefined;
  /** Undefined where there is one chain of pages, which needs no turns. */
  slot: Slot | undefined;
}

/** Rows of one company that came together; `companyId` undefined: the credential's own. */
export interface CompanyPage<Row> {
  companyId: string | undefined;
  rows: readonly Row[];
}

/**
 * The rows of every company, one company after the other; with several companies each row names its own.
 * @param failures given: a company that cannot be read is noted there, and the others go on
 */
export async function* seriesRows<Row extends Keyed>(
  ctx: Context,
  plan: PlannedSeries,
  shape: Shape<Row>,
  cursor: string | undefined,
  failures?: CompanyFailures,
): AsyncGenerator<OfCompany<Row>> {
  for await (const { companyId, rows } of seriesPages(ctx, plan, shape, cursor, failures)) {
    for (const row of rows) yield plan.several ? { companyId, ...row } : row;
  }
}

/** The same in the pieces in which the rows came, several companies and windows on their way at once. */
export function seriesPages<Row extends Keyed>(
  ctx: Context,
  plan: PlannedSeries,
  shape: Shape<Row>,
  cursor: string | undefined,
  failures?: CompanyFailures,
): AsyncIterable<CompanyPage<Row>> {
  const all: readonly (string | undefined)[] = plan.companies.length > 0 ? plan.companies : [undefined];
  const first = plan.after ? all.indexOf(plan.several ? plan.after.companyId : all[0]) : 0;
  const companies = all.slice(Math.max(0, first));
  const chains = companies.length * plan.windows.length * (plan.windows[0]?.chunks.length ?? 1);
  const slot = chains > 1 ? limiter(mostRequests) : undefined;
  const reading = { ctx, plan, shape, cursor, slot };
  const tolerant = companies.length > 1 ? failures : undefined;
  const sources = companies.map((companyId) => () => companyPages(reading, companyId, tolerant));
  const [only] = sources;
  return only && sources.length === 1 ? only() : inOrder(sources, { inFlight: mostCompanies, ahead: aheadOf(plan) });
}

/** Joined chunks come a period at a time, a single chunk a page at a time. */
function aheadOf({ request: { metricIds }, windows }: PlannedSeries): number {
  if ((windows[0]?.chunks.length ?? 1) > 1) return companyAhead;
  return Math.max(windowAhead, Math.min(companyAhead, Math.floor(mostValues / valuesOf(metricIds))));
}

/** What one window may hold of each version. */
function valuesOf(metricIds: readonly string[] | undefined): number {
  return maxWindowPeriods * (metricIds?.length ?? 1);
}

async function* companyPages<Row extends Keyed>(
  whole: Reading<Row>,
  companyId: string | undefined,
  failures: CompanyFailures | undefined,
): AsyncGenerator<CompanyPage<Row>> {
  if (companyId !== undefined && failures?.has(companyId)) return;
  const reading = { ...whole, plan: planFor(whole.plan, companyId) };
  const { windows } = reading.plan;
  const fresh = withoutRepeats(reading.shape.keyOf);
  const sources = windows.map((window) => () => windowPages(reading, window, companyId));
  const [only] = sources;
  const pages =
    only && sources.length === 1
      ? only()
      : inOrder(sources, { inFlight: windowsInFlight(reading), ahead: windowAhead });
  let given: 'some' | 'none' = 'none';
  try {
    for await (const page of pages) {
      const rows = fresh(page);
      if (rows.length > 0) given = 'some';
      yield { companyId, rows };
    }
  } catch (error) {
    if (companyId === undefined || failures === undefined) throw error;
    failures.add(companyId, error, given);
  }
}

/** Fewer where few rows are wanted: a window holds at most 60 periods, and mostly a row for each. */
function windowsInFlight<Row extends Keyed>({ ctx, plan }: Reading<Row>): number {
  const chunks = plan.windows[0]?.chunks.length ?? 1;
  const light = Math.floor(mostValues / valuesOf(plan.request.metricIds));
  const most = Math.max(1, Math.min(Math.floor(mostRequests / chunks), light));
  const { limit } = ctx.settings;
  return limit === undefined ? most : Math.max(1, Math.min(most, Math.ceil(limit / maxWindowPeriods)));
}

async function* windowPages<Row extends Keyed>(
  reading: Reading<Row>,
  window: Window,
  companyId: string | undefined,
): AsyncGenerator<readonly Row[]> {
  const { plan, shape } = reading;
  const chains = window.chunks.map((chunk) => chainPages(reading, window, chunk, companyId));
  const [single] = chains;
  try {
    if (single && chains.length === 1) yield* single;
    else yield* joinChunks(chains, plan.request.order, shape.join);
  } catch (error) {
    throw plan.windows.length + chains.length > 2 ? withRemainder(error, window, plan) : error;
  }
}

/** One chain of pages: from the first, or from the cursor, to the last. */
async function* chainPages<Row extends Keyed>(
  { ctx, plan, shape, cursor, slot }: Reading<Row>,
  window: Window,
  chunk: readonly string[] | undefined,
  companyId: string | undefined,
): AsyncGenerator<readonly Row[]> {
  const client = await ctx.client();
  const { query } = plan.input(window, chunk);
  const { limit, pageSize } = pageOptions(ctx, op);
  const pages = client.pages(
    op,
    { query: companyId === undefined ? query : { ...query, companyId } },
    { limit: shape.limited && !plan.derive ? limit : undefined, pageSize, cursor, without: shape.without },
  );
  for await (const page of slot ? inTurn(pages, slot) : pages) yield shape.rowsOf(page);
}

/** Pages, each asked for when there is a slot. */
async function* inTurn<T>(pages: AsyncIterable<T>, slot: Slot): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (let next = await slot(() => iterator.next()); !next.done; next = await slot(() => iterator.next())) {
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A planned run goes on by its bounds: a cursor of one of its requests would go on within that request alone. */
function withRemainder(error: unknown, window: Window, plan: PlannedSeries): unknown {
  if (!(error instanceof Failure)) return error;
  const { from, to } = remainder(window, plan.request);
  const bounds = [from && `--from ${from}`, to && `--to ${to}`].filter(Boolean).join(' ');
  return error.with({ resume: bounds || undefined });
}
