/** A planned series as the rows of the shape that was asked for. */
import type { MetricSeriesItem, Version } from '../contract/metrics.ts';
import { type Aggregation, aggregationOf, derive } from '../domain/derive.ts';
import { type Fill, fillRows } from '../domain/fill.ts';
import { formatPeriod, type Period, parsePeriod, periodAt, periodHolding, periodRange } from '../domain/periods.ts';
import { observations, transposed, versionsRows, type WideItem } from '../domain/series-shapes.ts';
import { usage } from '../errors.ts';
import { longColumns, type OfCompany } from '../output/metric-columns.ts';
import { longShapeColumns, transposedColumns, versionsColumns, wideShapeColumns } from '../output/series-columns.ts';
import type { Context } from './context.ts';
import { type SeriesMetrics, seriesMetrics, within } from './series-columns.ts';
import { type CompanyFailures, companyFailures } from './series-failures.ts';
import type { PlannedSeries } from './series-request.ts';
import { type CompanyPage, long, seriesPages, seriesRows } from './series-rows.ts';

export type SeriesShape = 'wide' | 'long' | 'versions';

export interface SeriesWish {
  shape: SeriesShape;
  transpose: boolean;
  fill: Fill;
  /** By metric, what the person said. */
  aggregations: ReadonlyMap<string, Aggregation>;
  cursor: string | undefined;
}

/** Writes the series. A company that fails beside others costs its own rows: they are written, then it is thrown. */
export async function showSeries(ctx: Context, plan: PlannedSeries, wish: SeriesWish): Promise<void> {
  if (wish.aggregations.size > 0 && !plan.derive) {
    throw usage('--agg says how months become quarters or years', '--derive quarter or --derive year makes them');
  }
  const failures = companyFailures(ctx);
  try {
    await show(ctx, plan, wish, failures);
  } catch (error) {
    throw failures.verdict(plan.companies) ?? error;
  }
  const verdict = failures.verdict(plan.companies);
  if (verdict) throw verdict;
}

async function show(ctx: Context, plan: PlannedSeries, wish: SeriesWish, failures: CompanyFailures): Promise<void> {
  const { shape, fill, transpose, cursor } = wish;
  const options = { company: plan.several, derived: plan.derive !== undefined };
  const asStored = !plan.derive && fill === 'none';
  const whole = <Row>(rows: AsyncIterable<Row>) =>
    plan.companies.length > 1 ? unlessAllFailed(rows, plan, failures) : rows;
  if (shape === 'long' && asStored) {
    await ctx.out.rows(whole(seriesRows(ctx, plan, long, cursor, failures)), longColumns(options));
    return;
  }
  const metrics = await seriesMetrics(ctx, plan, !asStored || shape !== 'wide' || transpose, failures);
  const { columns, ids, catalogs } = metrics;
  if (shape === 'wide' && asStored && !transpose) {
    const rows = seriesRows(ctx, plan, within(ids), cursor, failures);
    await ctx.out.rows(whole(rows), wideShapeColumns(columns, options));
    return;
  }
  const pages = seriesPages(ctx, plan, within(ids), cursor, failures);
  const made = makerOf(ctx, plan, wish, metrics);
  const rows = <Row extends object>(
    reshape: (items: AsyncIterable<WideItem>, companyId: string | undefined) => AsyncIterable<Row>,
  ) => whole(perCompany(pages, plan, (companyId, items) => reshape(made(companyId, items), companyId)));
  if (transpose) {
    const table = rows(async function* (items, companyId) {
      yield* transposed(await collected(items), ids, catalogs.measured(companyId));
    });
    const all = await collected(table);
    const periods = periodKeys(plan, all);
    await ctx.out.rows(all, transposedColumns(periods, options));
  } else if (shape === 'wide') {
    await ctx.out.rows(rows(asTheyAre), wideShapeColumns(columns, options));
  } else if (shape === 'long') {
    const melted = rows(async function* (items, companyId) {
      for await (const item of items) yield* observations(item, ids, catalogs.measured(companyId));
    });
    await ctx.out.rows(melted, longShapeColumns(options));
  } else {
    const sideBySide = rows(async function* (items, companyId) {
      for await (const period of byPeriod(items)) yield* versionsRows(period, ids, catalogs.measured(companyId));
    });
    await ctx.out.rows(sideBySide, versionsColumns(plan.versions, options));
  }
}

const asTheyAre = (items: AsyncIterable<WideItem>): AsyncIterable<WideItem> => items;

/** Of the stored rows of one company its derived and filled ones. */
function makerOf(ctx: Context, plan: PlannedSeries, wish: SeriesWish, { ids, catalogs }: SeriesMetrics) {
  const type = plan.derive ?? plan.request.periodType;
  const bound = (period: Period | undefined) => period && periodHolding(period, type);
  return (companyId: string | undefined, stored: AsyncIterable<MetricSeriesItem>): AsyncIterable<WideItem> => {
    const definitions = catalogs.of(companyId)?.definitions ?? [];
    // A metric that this company does not have needs no rule of its own.
    const own =
      plan.companies.length > 1 ? definitions.map(({ metricId }) => metricId).filter((id) => ids.has(id)) : ids;
    const items: AsyncIterable<WideItem> = plan.derive
      ? derive(stored, plan.derive, aggregationOf(own, definitions, wish.aggregations))
      : stored;
    if (wish.fill === 'none') return items;
    return fillRows(items, {
      how: wish.fill,
      ids: [...ids],
      versions: plan.versions as readonly Version[],
      from: bound(plan.request.from),
      to: bound(plan.request.to),
      order: plan.request.order,
      newest: periodAt(ctx.runtime.now(), type),
      derived: plan.derive !== undefined,
    });
  };
}

/** Rows made of each company's own rows, which come together. */
async function* perCompany<In, Out extends object>(
  pages: AsyncIterable<CompanyPage<In>>,
  { several }: PlannedSeries,
  transform: (companyId: string | undefined, rows: AsyncIterable<In>) => AsyncIterable<Out>,
): AsyncGenerator<OfCompany<Out>> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    while (!next.done) {
      const { companyId } = next.value;
      const own = (async function* () {
        for (; !next.done && next.value.companyId === companyId; next = await iterator.next()) yield* next.value.rows;
      })();
      for await (const row of transform(companyId, own)) yield several ? { companyId, ...row } : row;
    }
  } finally {
    await iterator.return?.();
  }
}

async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

async function* byPeriod(items: AsyncIterable<WideItem>): AsyncGenerator<WideItem[]> {
  let period: WideItem[] = [];
  for await (const item of items) {
    if (period.length > 0 && period[0]?.periodKey !== item.periodKey) {
      yield period;
      period = [];
    }
    period.push(item);
  }
  if (period.length > 0) yield period;
}

/** Every period of a bounded range, else those that a row has, in the order asked for. */
function periodKeys(plan: PlannedSeries, rows: readonly { values: Record<string, unknown> }[]): string[] {
  const { from, to, order, periodType } = plan.request;
  const type = plan.derive ?? periodType;
  const [first, last] = [from && periodHolding(from, type), to && periodHolding(to, type)];
  const found = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const keys = first && last ? [...periodRange(first, last)].map(formatPeriod) : [...found];
  const indexOf = (key: string) => parsePeriod(key)?.index ?? 0;
  return keys.sort((a, b) => (order === 'asc' ? 1 : -1) * (indexOf(a) - indexOf(b)));
}

/** The rows; when every company failed, a failure in their place, so that nothing is written. */
async function* unlessAllFailed<Row>(
  rows: AsyncIterable<Row>,
  { companies }: PlannedSeries,
  failures: CompanyFailures,
): AsyncGenerator<Row> {
  yield* rows;
  const verdict = failures.verdict(companies);
  if (verdict && verdict.kind !== 'partial') throw verdict;
}
