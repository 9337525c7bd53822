/** What rows and notes say of periods: which of those that were counted have no data, and which month has not ended. */

import type { Context } from '../../../cli/context.ts';
import { type SeriesRequest, seriesPages } from '../../../client/series.ts';
import type { SeriesPage } from '../../../client/series-pages.ts';
import { continued } from '../../../core/concurrency.ts';
import { formatPeriod, parsePeriod, periodAt, periodHolding, periodRange } from '../../../core/periods.ts';
import { type Marked, markRunning } from '../../../domain/series/shapes.ts';
import type { SeriesColumns, SeriesMetrics } from './catalog.ts';
import type { SeriesPlan } from './plan.ts';

const mostNamed = 12;

/** An observation, or the values of a period. */
export interface PeriodRow {
  periodKey: string;
  version: string;
  metricId?: string;
  metrics?: object;
}

interface Settling {
  columns: SeriesColumns;
  /** A period without data is a row too. */
  everyRow: boolean;
  /** Rows have columns. */
  columned: boolean;
  /** The columns of an earlier run. */
  before: readonly string[] | undefined;
}

interface Settled<Row> {
  metrics: SeriesMetrics;
  /** Rows say of how many months they are. */
  months: boolean;
  pages: AsyncIterable<SeriesPage<Row>>;
}

/** The pages, with what they say of periods, and the columns of their rows: for these the first page may be read here. */
export async function settledPages<Row extends PeriodRow>(
  ctx: Context,
  plan: SeriesPlan,
  read: AsyncIterable<SeriesPage<Row>>,
  { columns, everyRow, columned, before }: Settling,
): Promise<Settled<Row & Marked>> {
  const { transpose } = plan.options;
  const { metrics, pages } = await columns.settle(everyRow || transpose ? read : sayMissing(ctx, plan, read));
  return { metrics, ...(await markMonths(ctx, plan, pages, { columns: columned && !transpose, before })) };
}

/**
 * The pages; after the last one a note names what is missing, company by company. Rows of single values show no empty
 * cell, so that the metrics that were asked for by name are counted one by one.
 */
export async function* sayMissing<Row extends PeriodRow>(
  ctx: Context,
  plan: SeriesPlan,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row>> {
  const { derive, counted, several } = plan;
  const { from, to, periodType } = plan.scope;
  if (!counted || !from || !to) return yield* pages;
  const type = derive ?? periodType;
  const nameOf = (companyId: string) => ctx.companyName(companyId) ?? companyId;
  const [first, last] = [periodHolding(from, type), periodHolding(to, type)];
  const wanted = first && last ? [...periodRange(first, last)].map(formatPeriod) : [];
  const { shape, fill } = plan.options;
  const asked = shape === 'long' && fill === 'none' ? (plan.request.metricIds ?? []) : [];
  const left = new Map<string | undefined, Set<string>>();
  const single = new Map<string | undefined, Map<string, Set<string>>>();
  for await (const page of pages) {
    const missing = left.get(page.companyId) ?? new Set(wanted);
    left.set(page.companyId, missing);
    const lacking = single.get(page.companyId) ?? new Map(asked.map((id) => [id, new Set(wanted)]));
    single.set(page.companyId, lacking);
    for (const { periodKey, metricId, metrics } of page.rows) {
      const period = parsePeriod(periodKey);
      const holding = period && periodHolding(period, type);
      if (!holding) continue;
      const key = formatPeriod(holding);
      missing.delete(key);
      if (asked.length === 0) continue;
      for (const id of metricId === undefined ? Object.keys(metrics ?? {}) : [metricId]) lacking.get(id)?.delete(key);
    }
    yield page;
  }
  for (const [companyId, missing] of left) {
    const whose = several && companyId !== undefined ? ` of ${nameOf(companyId)}` : '';
    if (missing.size > 0) ctx.out.note(`No data${whose} in ${named([...missing])}.`);
    const parts = [...(single.get(companyId) ?? [])].flatMap(([id, periods]) => {
      const own = [...periods].filter((key) => !missing.has(key));
      return own.length > 0 ? [`${id} in ${named(own)}`] : [];
    });
    if (parts.length > 0) ctx.out.note(`No value${whose} for ${parts.join('; ')}.`);
  }
}

function named(periods: readonly string[]): string {
  const more = periods.length > mostNamed ? ` and ${periods.length - mostNamed} more` : '';
  return `${periods.slice(0, mostNamed).join(', ')}${more}`;
}

/**
 * The pages with their running rows marked, and whether rows say of how many months they are. A range with an end says
 * so itself; without one it is asked whether the running month has data. At a cursor the first rows decide, and of a
 * running month that follows without such a column a note tells. What time it is comes with the first response.
 */
async function markMonths<Row extends PeriodRow>(
  ctx: Context,
  plan: SeriesPlan,
  stored: AsyncIterable<SeriesPage<Row>>,
  { columns, before }: { columns: boolean; before: readonly string[] | undefined },
): Promise<{ months: boolean; pages: AsyncIterable<SeriesPage<Row & Marked>> }> {
  const { scope, versions, derive, request, companies } = plan;
  if (scope.periodType !== 'month' || !versions.includes('actual')) return { months: false, pages: stored };
  const pages = marked(ctx, stored);
  if (scope.to) return { months: scope.to.index >= periodAt(ctx.now(), 'month').index, pages };
  if (derive || !columns) return { months: false, pages };
  // A resumed export has the columns of its first run, and the month may have ended since.
  if (before) {
    const months = before.includes('months') || before.includes('row.months');
    return { months, pages: months ? pages : told(ctx, pages) };
  }
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  const newestFirst = scope.order === 'desc' && versions.length === 1 && companies.length <= 1;
  const found = !first.done && first.value.rows.some(isRunning);
  const months =
    found || (!first.done && !newestFirst && request.cursor === undefined && (await hasRunning(ctx, plan)));
  const all = continued(first, iterator);
  return { months, pages: months ? all : told(ctx, all) };
}

/** Whether the running month has actuals; a company that cannot be read has none here. */
async function hasRunning(ctx: Context, { request, companies }: SeriesPlan): Promise<boolean> {
  const client = await ctx.client();
  const from = formatPeriod(periodAt(ctx.now(), 'month'));
  const asked: SeriesRequest = { ...request, versions: ['actual'], from, limit: 1, after: undefined };
  const onFailure = companies.length > 1 ? () => {} : undefined;
  for await (const { rows } of seriesPages(client, asked, { onFailure })) if (rows.length > 0) return true;
  return false;
}

async function* marked<Row extends PeriodRow>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row & Marked>> {
  let newest: string | undefined;
  for await (const { companyId, rows } of pages) {
    newest ??= formatPeriod(periodAt(ctx.now(), 'month'));
    yield { companyId, rows: markRunning(rows, newest) };
  }
}

const isRunning = (row: Marked) => row.months !== undefined;

async function* told<Row extends PeriodRow & Marked>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row>> {
  let said = false;
  for await (const page of pages) {
    const row = said ? undefined : page.rows.find(isRunning);
    if (row) {
      said = true;
      ctx.out.note(`${row.periodKey} has not ended: its actuals are of part of it.`);
    }
    yield page;
  }
}
