/** The rows of a planned series: read, marked, and shaped. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyFailures } from '../../../cli/each-company.ts';
import { pageOptions } from '../../../cli/operation-flags.ts';
import { hasColumns } from '../../../cli/show.ts';
import { observationPages, type SeriesRequest, seriesPages } from '../../../client/series.ts';
import type { SeriesPage } from '../../../client/series-pages.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { merged } from '../../../core/objects.ts';
import { formatPeriod, type Period, parsePeriod, periodAt, periodHolding, periodRange } from '../../../core/periods.ts';
import { aggregationOf, derive } from '../../../domain/series/derive.ts';
import { byPeriod, fillRows, type LastFilled } from '../../../domain/series/fill.ts';
import { scopeAfter } from '../../../domain/series/plan.ts';
import {
  observations,
  type TransposedRow,
  transposed,
  type VersionsRow,
  versionsRows,
  type WideItem,
} from '../../../domain/series/shapes.ts';
import type { Column } from '../../../output/column.ts';
import { alone, Batches } from '../../../output/write/rows.ts';
import { aggregationChoice, conflictWarning } from '../read.ts';
import {
  longColumns,
  type Names,
  type OfCompany,
  transposedColumns,
  versionsColumns,
  whoIs,
  wideColumns,
} from '../series-columns.ts';
import { type Currencies, type SeriesMetrics, seriesFacts } from './catalog.ts';
import { type PeriodRow, settledPages } from './periods.ts';
import type { SeriesPlan } from './plan.ts';

/** Which company and period a row belongs to. */
export interface Position {
  companyId?: string | undefined;
  periodKey?: string;
}

/** The last period that is written completely. */
export interface After extends Position {
  periodKey: string;
  /** With `--fill prev`, the values that it continues with. */
  filled?: LastFilled | undefined;
}

export interface RowWriter {
  rows<Row extends Position>(rows: AsyncIterable<Row>, columns: readonly Column<Row>[]): Promise<void>;
  /** The last period that an earlier run has written. */
  after?: After | undefined;
  /** The columns of an earlier run, which the rows keep. */
  columns?: readonly string[] | undefined;
  /** Called after each period with what `--fill prev` continues with. */
  onFilled?(position: After, last: LastFilled): void;
}

/**
 * Reads the planned series and gives its rows to the writer, in the shape that was asked for.
 * @param failures takes companies that fail; default: the first failure ends the run
 */
export async function writeRows(
  ctx: Context,
  plan: SeriesPlan,
  writer: RowWriter,
  failures?: CompanyFailures,
): Promise<void> {
  const { request: planned, several, derive, stored } = plan;
  const { shape, transpose, dates } = plan.options;
  const columned = hasColumns(ctx);
  const everyRow = columned && plan.counted && shape !== 'long' && !transpose;
  const asStored = stored && !everyRow;
  const { currencies, names, columns } = await seriesFacts(ctx, plan, failures?.add);
  const { pageSize, limit } = pageOptions(ctx, getMetricSeries);
  const request: SeriesRequest = {
    ...planned,
    pageSize,
    after: writer.after,
    // `--limit` is of the rows that are chosen, and a row of other shapes comes from several.
    limit: asStored && shape !== 'versions' && !plan.selection ? limit : undefined,
    // Without those whose catalog could not be read.
    ...(failures && { companies: plan.companies.filter((companyId) => !failures.has(companyId)) }),
  };
  const client = await ctx.client();
  const reading = { onFailure: failures?.add, onConflict: conflictWarning(ctx) };
  const markedPages = <Row extends PeriodRow>(read: AsyncIterable<SeriesPage<Row>>) =>
    settledPages(ctx, plan, read, { columns, everyRow, columned, before: writer.columns });
  const options = { company: several, derived: derive !== undefined, dates, currency: currencies !== undefined };
  if (shape === 'long' && stored) {
    const { pages, months } = await markedPages(observationPages(client, request, reading));
    return writer.rows(rowsOf(pages, names), longColumns({ ...options, months }));
  }
  const read = seriesPages(client, request, { ...reading, inspect: columns.inspect });
  const { pages, months, metrics } = await markedPages(read);
  if (shape === 'wide' && asStored) {
    return writer.rows(rowsOf(pages, names, currencies), wideColumns(metrics.columns, { ...options, months }));
  }
  await writeDerived(ctx, plan, { metrics, pages, currencies, everyRow, months, names }, writer);
}

/** Rows name their company where there are several, and its currency where these differ. */
function rowsOf<Row extends object>(
  pages: AsyncIterable<SeriesPage<Row>>,
  names: Names | undefined,
  currencies?: Currencies,
): Batches<OfCompany<Row> & { currency?: string }> {
  async function* batches(): AsyncGenerator<readonly (OfCompany<Row> & { currency?: string })[]> {
    for await (const { companyId, rows } of pages) {
      if (!names || companyId === undefined) yield rows;
      else {
        const who = whoIs(companyId, names);
        const currency = currencies?.get(companyId);
        const amounts = currency === undefined ? {} : { currency };
        yield rows.map((row) => merged(who, row, amounts));
      }
    }
  }
  return new Batches(batches());
}

interface SeriesRows {
  metrics: SeriesMetrics;
  pages: AsyncIterable<SeriesPage<MetricSeriesItem>>;
  /** Where companies have several. */
  currencies: Currencies | undefined;
  /** A period without data is a row too. */
  everyRow: boolean;
  /** Rows say which month has not ended. */
  months: boolean;
  /** What rows call their company; undefined: they name none. */
  names: Names | undefined;
  /** The rows are in their grain already. */
  derived?: boolean;
}

export async function writeDerived(
  ctx: Context,
  plan: SeriesPlan,
  { metrics, pages, currencies, everyRow, months, names, derived = false }: SeriesRows,
  writer: RowWriter,
): Promise<void> {
  ctx.runtime.keepHeapSmall?.();
  const { shape, transpose, dates } = plan.options;
  const { columns, ids, catalogs } = metrics;
  const options = {
    company: plan.several,
    derived: plan.derive !== undefined,
    dates,
    months,
    currency: currencies !== undefined,
  };
  const filled = fillerOf(ctx, plan, { everyRow, derived }, metrics, writer);
  const write = <Row extends object>(
    own: readonly Column<OfCompany<Row> & { currency?: string }>[],
    reshape: (items: AsyncIterable<WideItem>, companyId: string | undefined) => AsyncIterable<Row>,
  ) => {
    const rows = perCompany(pages, names, (companyId, items) => reshape(filled(companyId, items), companyId));
    return writer.rows(shape === 'wide' ? withCurrency(rows, currencies) : rows, own);
  };
  if (transpose) return writeTransposed();
  if (shape === 'wide') return write(wideColumns(columns, options), (items) => items);
  if (shape === 'long') {
    return write(longColumns(options), async function* (items, companyId) {
      for await (const item of items) yield* observations(item, ids, catalogs.measured(companyId));
    });
  }
  return write(versionsColumns(plan.versions, options), async function* (items, companyId) {
    for await (const period of byPeriod(items)) {
      if (hasColumns(ctx)) requireVersions(period, plan.versions);
      yield* versionsRows(period, ids, catalogs.measured(companyId));
      if (everyRow && period[0] && period.every(isEmpty)) yield blank(period[0]);
    }
  });

  async function writeTransposed(): Promise<void> {
    const table: OfCompany<TransposedRow>[] = [];
    const collect = async function* (companyId: string | undefined, stored: AsyncIterable<MetricSeriesItem>) {
      const items: WideItem[] = [];
      for await (const item of filled(companyId, stored)) items.push(item);
      const who = names && companyId !== undefined ? whoIs(companyId, names) : {};
      for (const row of transposed(items, ids, catalogs.measured(companyId))) table.push({ ...who, ...row });
      yield* [];
    };
    for await (const _ of perCompany(pages, undefined, collect));
    const { periods, partial } = periodsOf(plan, table);
    // A row over all periods is long.
    await writer.rows(new Batches(alone(table)), transposedColumns(periods, options, partial));
  }
}

/** @throws rejected for a version that nobody asked for: its values would be lost */
function requireVersions(period: readonly MetricSeriesItem[], wanted: readonly string[]): void {
  const other = period.find(({ version, metrics }) => !wanted.includes(version) && Object.keys(metrics).length > 0);
  if (!other) return;
  throw new Failure('rejected', `the answer holds the ${other.version} of ${other.periodKey}, which has no column`, {
    code: 'wrong_answer',
    hint: `asked for was ${wanted.join(', ')}: use --shape long or -o json`,
  });
}

const isEmpty = ({ metrics }: WideItem) => Object.keys(metrics).length === 0;

/** The row of a period without data, where no metric was named. */
function blank({ periodKey, periodType, months }: WideItem): VersionsRow {
  const empty = { metricId: '', values: {}, unit: null, unitLabel: null, currency: null, updatedAt: null };
  return { periodKey, periodType, ...empty, ...(months !== undefined && { months }) };
}

/** From the stored rows of one company its derived and filled ones. */
function fillerOf(
  ctx: Context,
  plan: SeriesPlan,
  { everyRow, derived: ready }: { everyRow: boolean; derived: boolean },
  { ids, catalogs }: SeriesMetrics,
  { after, onFilled }: RowWriter,
) {
  const { request, several, companies, derive: derived, versions, options } = plan;
  const type = derived ?? plan.scope.periodType;
  const bound = (period: Period | undefined) => period && periodHolding(period, type);
  return (companyId: string | undefined, stored: AsyncIterable<MetricSeriesItem>): AsyncIterable<WideItem> => {
    const definitions = catalogs.of(companyId)?.definitions ?? [];
    // A metric that this company does not have needs no rule of its own.
    const known = companies.length > 1 ? definitions.map(({ metricId }) => metricId).filter((id) => ids.has(id)) : ids;
    const aggregationsOf = (metricIds: Iterable<string>) =>
      aggregationOf(metricIds, definitions, options.aggregations, aggregationChoice);
    // A metric that no one expected would be lost, so nothing is guessed for it.
    const settle = (id: string) => aggregationsOf([id]).get(id) ?? 'last';
    const items: AsyncIterable<WideItem> =
      derived && !ready ? derive(stored, derived, aggregationsOf(known), settle) : stored;
    const fill = options.fill === 'none' && everyRow ? 'rows' : options.fill;
    if (fill === 'none') return items;
    // Rows name their company where there are several.
    const own = several ? companyId : undefined;
    const continued = after && after.companyId === own ? after : undefined;
    const done = continued && parsePeriod(continued.periodKey);
    const scope = { ...plan.scope, ...(companyId !== undefined && plan.ranges?.get(companyId)) };
    const { from, to, order } = done ? scopeAfter(scope, done) : scope;
    return fillRows(items, {
      // Rows of one metric are of those that were named.
      valued: options.shape === 'versions' && request.metricIds !== undefined,
      how: fill,
      order,
      ids: [...ids],
      versions,
      from: bound(from),
      to: bound(to),
      newest: periodAt(ctx.now(), type),
      derived: derived !== undefined,
      orNone: fill === 'rows' && ctx.settings.failEmpty,
      last: continued?.filled,
      ...(fill === 'prev' && {
        onPeriod: (periodKey: string, last: LastFilled) => onFilled?.({ companyId: own, periodKey }, last),
      }),
    });
  };
}

/** Transforms the rows of each company. */
async function* perCompany<In, Out extends object>(
  pages: AsyncIterable<SeriesPage<In>>,
  names: Names | undefined,
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
      const who = names && companyId !== undefined ? whoIs(companyId, names) : undefined;
      for await (const row of transform(companyId, own)) yield who ? merged(who, row) : row;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The rows with the currency of their company, where currencies differ. */
function withCurrency<Row extends object>(
  rows: AsyncIterable<OfCompany<Row>>,
  currencies: Currencies | undefined,
): AsyncIterable<OfCompany<Row> & { currency?: string }> {
  if (currencies === undefined) return rows;
  return (async function* () {
    for await (const row of rows) {
      const currency = row.companyId === undefined ? undefined : currencies.get(row.companyId);
      yield currency === undefined ? row : merged(row, { currency });
    }
  })();
}

/** Every period of a bounded range, else those that a row has, in the order asked for; and how partial they are. */
function periodsOf({ scope, derive: derived }: SeriesPlan, rows: Iterable<TransposedRow>) {
  const { from, to, order, periodType } = scope;
  const type = derived ?? periodType;
  const [first, last] = [from && periodHolding(from, type), to && periodHolding(to, type)];
  const found = new Set<string>();
  const partial = new Map<string, string>();
  for (const { values, months = {} } of rows) {
    for (const key in values) found.add(key);
    for (const [key, count] of Object.entries(months)) partial.set(key, count);
  }
  const keys = first && last ? [...periodRange(first, last)].map(formatPeriod) : [...found];
  const indexOf = (key: string) => parsePeriod(key)?.index ?? 0;
  const periods = keys.sort((a, b) => (order === 'asc' ? 1 : -1) * (indexOf(a) - indexOf(b)));
  return { periods, partial };
}
