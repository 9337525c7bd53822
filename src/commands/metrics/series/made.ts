/** Rows that are made of the stored ones: derived, filled, side by side, transposed. Loaded when they are asked for. */

import type { Context } from '../../../cli/context.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { formatPeriod, type Period, parsePeriod, periodAt, periodHolding, periodRange } from '../../../core/periods.ts';
import { aggregationOf, derive } from '../../../domain/series/derive.ts';
import { fillRows, type LastFilled } from '../../../domain/series/fill.ts';
import { observations, transposed, versionsRows, type WideItem } from '../../../domain/series/shapes.ts';
import type { Column } from '../../../output/column.ts';
import type { Output } from '../../../output/output.ts';
import type { OfCompany } from '../columns.ts';
import { longShapeColumns, transposedColumns, versionsColumns, wideShapeColumns } from '../series-columns.ts';
import type { Position } from './checkpoint.ts';
import { type SeriesMetrics, within } from './columns.ts';
import type { CompanyFailures } from './failures.ts';
import { type PlannedSeries, planFor } from './request.ts';
import { type CompanyPage, seriesPages } from './rows.ts';
import type { SeriesWish } from './show.ts';

export interface Writing {
  /** Where companies that fail are kept; undefined: the first one ends it all. */
  failures: CompanyFailures | undefined;
  out: Output;
  /** Writes rows that are in the order of the periods. */
  write<Row extends Position>(rows: AsyncIterable<Row>, columns: readonly Column<Row>[]): Promise<void>;
  /** Told what `--fill prev` would go on with behind a period; undefined: nobody will. */
  filled?(position: Position, last: LastFilled): void;
  /** The rows, or a failure where no company could be read. */
  whole<Row>(rows: AsyncIterable<Row>): AsyncIterable<Row>;
}

export async function showMade(
  ctx: Context,
  plan: PlannedSeries,
  wish: SeriesWish,
  metrics: SeriesMetrics,
  writing: Writing,
): Promise<void> {
  const { shape, transpose, cursor } = wish;
  const { failures, out, write, whole } = writing;
  const { columns, ids, catalogs } = metrics;
  const options = { company: plan.several, derived: plan.derive !== undefined, dates: wish.dates };
  const pages = seriesPages(ctx, plan, within(ids), cursor, failures);
  const made = makerOf(ctx, plan, wish, metrics, writing);
  const rows = <Row extends object>(
    reshape: (items: AsyncIterable<WideItem>, companyId: string | undefined) => AsyncIterable<Row>,
  ) => perCompany(pages, plan, (companyId, items) => reshape(made(companyId, items), companyId));
  if (transpose) {
    const table = rows(async function* (items, companyId) {
      yield* transposed(await collected(items), ids, catalogs.measured(companyId));
    });
    const all = await collected(whole(table));
    const periods = periodKeys(plan, all);
    await out.rows(all, transposedColumns(periods, options));
  } else if (shape === 'wide') {
    await write(rows(asTheyAre), wideShapeColumns(columns, options));
  } else if (shape === 'long') {
    const melted = rows(async function* (items, companyId) {
      for await (const item of items) yield* observations(item, ids, catalogs.measured(companyId));
    });
    await write(melted, longShapeColumns(options));
  } else {
    const sideBySide = rows(async function* (items, companyId) {
      for await (const period of byPeriod(items)) yield* versionsRows(period, ids, catalogs.measured(companyId));
    });
    await write(sideBySide, versionsColumns(plan.versions, options));
  }
}

const asTheyAre = (items: AsyncIterable<WideItem>): AsyncIterable<WideItem> => items;

/** Of the stored rows of one company its derived and filled ones. */
function makerOf(
  ctx: Context,
  plan: PlannedSeries,
  wish: SeriesWish,
  { ids, catalogs }: SeriesMetrics,
  { filled }: Writing,
) {
  const type = plan.derive ?? plan.request.periodType;
  const bound = (period: Period | undefined) => period && periodHolding(period, type);
  return (companyId: string | undefined, stored: AsyncIterable<MetricSeriesItem>): AsyncIterable<WideItem> => {
    const definitions = catalogs.of(companyId)?.definitions ?? [];
    // A metric that this company does not have needs no rule of its own.
    const known =
      plan.companies.length > 1 ? definitions.map(({ metricId }) => metricId).filter((id) => ids.has(id)) : ids;
    const items: AsyncIterable<WideItem> = plan.derive
      ? derive(stored, plan.derive, aggregationOf(known, definitions, wish.aggregations))
      : stored;
    if (wish.fill === 'none') return items;
    const { from, to, order } = planFor(plan, companyId).request;
    // Rows name their company where there are several.
    const own = plan.several ? companyId : undefined;
    const { after } = plan;
    return fillRows(items, {
      how: wish.fill,
      ids: [...ids],
      versions: plan.versions,
      from: bound(from),
      to: bound(to),
      order,
      newest: periodAt(ctx.runtime.now(), type),
      derived: plan.derive !== undefined,
      last: after && after.companyId === own ? after.filled : undefined,
      told:
        filled && wish.fill === 'prev' ? (periodKey, last) => filled({ companyId: own, periodKey }, last) : undefined,
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
