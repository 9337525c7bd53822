/** Notes about periods: those without data, and the month that is running. */

import type { Context } from '../../../cli/context.ts';
import { hasColumns } from '../../../cli/show.ts';
import type { SeriesPage } from '../../../client/series.ts';
import { Failure } from '../../../core/errors.ts';
import { formatPeriod, parsePeriod, periodAt, periodHolding, periodRange } from '../../../core/periods.ts';
import { type Marked, markRunning } from '../../../domain/series/shapes.ts';
import type { SeriesMetrics } from './catalog.ts';
import type { SeriesPlan } from './plan.ts';

/** An observation, or the values of a period. */
interface PeriodRow {
  periodKey: string;
  version: string;
  metricId?: string;
  metrics?: object;
}

interface FirstPage<Row> {
  metrics: SeriesMetrics;
  /** Whether rows have a column for the months of a period that has not ended. */
  months: boolean;
  pages: AsyncIterable<SeriesPage<Row>>;
}

interface Columns {
  metrics: SeriesMetrics;
  /** Rows have a column for each metric. */
  isWide: boolean;
}

/**
 * The pages with the columns of their rows. Columns are fixed before the first row, so the first page is read here: it
 * may hold a metric that no catalog has, and the month that has not ended.
 */
export async function readFirstPage<Row extends PeriodRow>(
  ctx: Context,
  plan: SeriesPlan,
  read: AsyncIterable<SeriesPage<Row>>,
  { metrics, isWide }: Columns,
): Promise<FirstPage<Row & Marked>> {
  const { scope, versions, derive } = plan;
  const mayRun = scope.periodType === 'month' && versions.includes('actual');
  const marked = mayRun ? markedPages(ctx, read) : read;
  const reachesNow = mayRun && scope.to !== undefined && scope.to.index >= periodAt(ctx.now(), 'month').index;
  if (!hasColumns(ctx)) return { metrics, months: reachesNow, pages: marked };
  const isOpen = mayRun && scope.to === undefined && !derive;
  if (!isOpen && !isWide)
    return { metrics, months: reachesNow, pages: isWide ? requireColumns(marked, metrics.ids) : marked };
  const iterator = marked[Symbol.asyncIterator]();
  // The newest period of a response comes alone, since the next response may hold more of it.
  const isCut = ctx.settings.limit !== undefined;
  const first = [await iterator.next(), ...(isOpen && !isCut ? [await iterator.next()] : [])];
  const rows: readonly (Row & Marked)[] = first.flatMap((page) => (page.done ? [] : page.value.rows));
  const ids = new Set([...metrics.ids, ...(isWide ? rows.flatMap((row) => Object.keys(row.metrics ?? {})) : [])]);
  const added = [...ids].filter((id) => !metrics.ids.has(id)).map((id) => ({ id }));
  const months = reachesNow || (isOpen && rows.some(isRunning));
  const all = continuedPages(first, iterator);
  const pages = isOpen && !months ? noteRunning(ctx, all) : all;
  return {
    metrics: { ...metrics, columns: [...metrics.columns, ...added], ids },
    months,
    pages: isWide ? requireColumns(pages, ids) : pages,
  };
}

async function* continuedPages<Page>(
  first: readonly IteratorResult<Page>[],
  iterator: AsyncIterator<Page>,
): AsyncGenerator<Page> {
  try {
    for (const page of first) if (!page.done) yield page.value;
    for (let page = await iterator.next(); !page.done; page = await iterator.next()) yield page.value;
  } finally {
    await iterator.return?.();
  }
}

const isRunning = (row: Marked) => row.months !== undefined;

async function* markedPages<Row extends PeriodRow>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row & Marked>> {
  // The time comes with the first response.
  for await (const { companyId, rows } of pages) {
    yield { companyId, rows: markRunning(rows, formatPeriod(periodAt(ctx.now(), 'month'))) };
  }
}

async function* noteRunning<Row extends PeriodRow & Marked>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row>> {
  let noted = false;
  for await (const page of pages) {
    const row: Row | undefined = noted ? undefined : page.rows.find(isRunning);
    if (row) ctx.out.note(`${row.periodKey} has not ended: its actuals are of part of it.`);
    noted ||= row !== undefined;
    yield page;
  }
}

/** @throws rejected for a metric without a column: its values would be lost */
async function* requireColumns<Row extends PeriodRow>(
  pages: AsyncIterable<SeriesPage<Row>>,
  ids: ReadonlySet<string>,
): AsyncGenerator<SeriesPage<Row>> {
  for await (const page of pages) {
    for (const { metrics = {}, periodKey, version } of page.rows) {
      const other = Object.keys(metrics).find((id) => !ids.has(id));
      if (other === undefined) continue;
      const says = `the ${version} row of ${periodKey} holds the metric "${other}", which has no column`;
      throw new Failure('rejected', says, {
        code: 'unexpected_metric',
        hint: 'columns are fixed before the first row: use --shape long or -o json',
      });
    }
    yield page;
  }
}

const mostNamed = 12;

/**
 * The pages; after the last one a note names the periods without data, by company. Rows of single values have no empty
 * cell, so the metrics that were requested are counted one by one.
 */
export async function* noteMissing<Row extends PeriodRow>(
  ctx: Context,
  plan: SeriesPlan,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row>> {
  const { derive, counted, several, options, request } = plan;
  const { from, to, periodType } = plan.scope;
  if (!counted || !from || !to) return yield* pages;
  const type = derive ?? periodType;
  const keyOf = (text: string) => {
    const period = parsePeriod(text);
    const holding = period && periodHolding(period, type);
    return holding && formatPeriod(holding);
  };
  const [first, last] = [periodHolding(from, type), periodHolding(to, type)];
  const keys = first && last ? [...periodRange(first, last)].map(formatPeriod) : [];
  const ids = options.shape === 'long' && options.fill === 'none' ? (request.metricIds ?? []) : [];
  /** Missing periods by company: without a row under the empty name, without a value under each metric. */
  const missing = new Map<string | undefined, Map<string, Set<string>>>();
  for await (const page of pages) {
    const ofCompany = missing.get(page.companyId) ?? new Map(['', ...ids].map((id) => [id, new Set(keys)]));
    missing.set(page.companyId, ofCompany);
    for (const { periodKey, metricId, metrics = {} } of page.rows) {
      const key = keyOf(periodKey);
      const names = ids.length === 0 ? [] : metricId === undefined ? Object.keys(metrics) : [metricId];
      if (key !== undefined) for (const name of ['', ...names]) ofCompany.get(name)?.delete(key);
    }
    yield page;
  }
  for (const [companyId, ofCompany] of missing) {
    const whose = several && companyId !== undefined ? ` of ${ctx.companyName(companyId) ?? companyId}` : '';
    const rows = ofCompany.get('') ?? new Set();
    if (rows.size > 0) ctx.out.note(`No data${whose} in ${listed([...rows])}.`);
    const values = ids.flatMap((id) => {
      const periods = [...(ofCompany.get(id) ?? [])].filter((key) => !rows.has(key));
      return periods.length > 0 ? [`${id} in ${listed(periods)}`] : [];
    });
    if (values.length > 0) ctx.out.note(`No value${whose} for ${values.join('; ')}.`);
  }
}

function listed(periods: readonly string[]): string {
  const more = periods.length > mostNamed ? ` and ${periods.length - mostNamed} more` : '';
  return `${periods.slice(0, mostNamed).join(', ')}${more}`;
}
