/** Rows of a planned series, one window after the other, as a stream. */
import { operations } from '../contract/index.ts';
import type { CompanyMetricSeriesResponse, MetricObservation, MetricSeriesItem } from '../contract/metrics.ts';
import { joinChunks, joinItems, type Keyed, remainder, type Window, withoutRepeats } from '../domain/series.ts';
import { Failure } from '../errors.ts';
import type { OfCompany } from '../output/metric-columns.ts';
import type { Context } from './context.ts';
import { pageOptions } from './page-options.ts';
import type { PlannedSeries } from './series-request.ts';

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

/** The rows of every company, one company after the other; with several companies each row names its own. */
export async function* seriesRows<Row extends Keyed>(
  ctx: Context,
  plan: PlannedSeries,
  shape: Shape<Row>,
  cursor: string | undefined,
): AsyncGenerator<OfCompany<Row>> {
  const companies = ctx.settings.companies.value;
  const several = companies.length > 1;
  for (const companyId of companies.length > 0 ? companies : [undefined]) {
    const fresh = withoutRepeats(shape.keyOf);
    for (const window of plan.windows) {
      const pages = windowPages(ctx, plan, window, shape, { companyId, cursor });
      for await (const page of pages) {
        for (const row of fresh(page)) yield several ? { companyId, ...row } : row;
      }
    }
  }
}

async function* windowPages<Row extends Keyed>(
  ctx: Context,
  plan: PlannedSeries,
  window: Window,
  shape: Shape<Row>,
  at: { companyId: string | undefined; cursor: string | undefined },
): AsyncGenerator<readonly Row[]> {
  const chains = window.chunks.map((chunk) => chainPages(ctx, plan, window, chunk, shape, at));
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
  ctx: Context,
  plan: PlannedSeries,
  window: Window,
  chunk: readonly string[] | undefined,
  shape: Shape<Row>,
  at: { companyId: string | undefined; cursor: string | undefined },
): AsyncGenerator<readonly Row[]> {
  const client = await ctx.client();
  const { query } = plan.input(window, chunk);
  const { limit, pageSize } = pageOptions(ctx, op);
  const pages = client.pages(
    op,
    { query: at.companyId === undefined ? query : { ...query, companyId: at.companyId } },
    { limit: shape.limited ? limit : undefined, pageSize, cursor: at.cursor, without: shape.without },
  );
  for await (const page of pages) yield shape.rowsOf(page);
}

/** A planned run goes on by its bounds: a cursor of one of its requests would go on within that request alone. */
function withRemainder(error: unknown, window: Window, plan: PlannedSeries): unknown {
  if (!(error instanceof Failure)) return error;
  const first = error.cause instanceof Failure ? error.cause : error;
  const { from, to } = remainder(window, plan.request);
  const bounds = [from && `--from ${from}`, to && `--to ${to}`].filter(Boolean).join(' ');
  const hint = bounds && `what comes before is complete: go on with ${bounds}`;
  return new Failure(first.kind, first.message, {
    ...{ status: first.status, details: first.details, request: first.request },
    ...{ retryable: first.retryable, code: first.code, cause: error },
    hint: [first.hint, hint].filter(Boolean).join('; ') || undefined,
  });
}
