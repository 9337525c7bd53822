/** The rows of a planned series: read, derived, filled and shaped. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyFailures } from '../../../cli/each-company.ts';
import { hasColumns } from '../../../cli/show.ts';
import { observationPages, type SeriesPage, type SeriesRequest, seriesPages } from '../../../client/series.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { merged } from '../../../core/json.ts';
import { formatPeriod, type Period, parsePeriod, periodAt, periodHolding, periodRange } from '../../../core/periods.ts';
import { aggregationOf, derive } from '../../../domain/series/derive.ts';
import { byPeriod, fillRows } from '../../../domain/series/fill.ts';
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
import type { CompanyFields } from '../columns.ts';
import { aggregationChoice, conflictWarning } from '../read.ts';
import { type Currencies, mixedCurrencies, type SeriesMetrics, seriesMetrics } from './catalog.ts';
import {
  type CompanyRow,
  companyFields,
  longColumns,
  type Names,
  transposedColumns,
  versionsColumns,
  wideColumns,
} from './columns.ts';
import { noteMissing, readFirstPage } from './periods.ts';
import type { SeriesPlan } from './plan.ts';

export type RowWriter = <Row extends { companyId?: string | undefined; periodKey?: string }>(
  rows: AsyncIterable<Row>,
  columns: readonly Column<Row>[],
) => Promise<void>;

/**
 * Reads the planned series and gives its rows to the writer, in the shape that was requested.
 * @param failures takes companies that fail; default: the first failure ends the run
 */
export async function writeRows(
  ctx: Context,
  plan: SeriesPlan,
  writer: RowWriter,
  failures?: CompanyFailures,
): Promise<void> {
  const { several, derive, stored, companies } = plan;
  const { shape, transpose, dates } = plan.options;
  const isWide = shape === 'wide' && !transpose && hasColumns(ctx);
  const everyRow = hasEveryPeriod(ctx, plan);
  const asStored = stored && !everyRow;
  const currencies = several ? await mixedCurrencies(ctx, companies) : undefined;
  const names = several ? await (await import('../../../cli/each-company.ts')).companyNames(ctx, companies) : undefined;
  const known = await seriesMetrics(ctx, plan, failures?.add);
  const { pageSize, limit } = ctx.settings;
  const request: SeriesRequest = {
    ...plan.request,
    pageSize,
    // `--limit` is of the rows that are chosen, and a row of other shapes comes from several.
    limit: asStored && shape !== 'versions' && !plan.selection ? limit : undefined,
    // Without those whose catalog could not be read.
    ...(failures && { companies: companies.filter((companyId) => !failures.has(companyId)) }),
  };
  const client = await ctx.client();
  const reading = { onFailure: failures?.add, onConflict: conflictWarning(ctx) };
  const first = { metrics: known, isWide };
  const options = { company: several, derived: derive !== undefined, dates, currency: currencies !== undefined };
  if (shape === 'long' && stored) {
    const read = noteMissing(ctx, plan, observationPages(client, request, reading));
    const { pages, months } = await readFirstPage(ctx, plan, read, first);
    return writer(rowsOf(pages, names), longColumns({ ...options, months }));
  }
  const series = seriesPages(client, request, reading);
  const read = everyRow || transpose ? series : noteMissing(ctx, plan, series);
  const { pages, months, metrics } = await readFirstPage(ctx, plan, read, first);
  if (shape === 'wide' && asStored) {
    return writer(rowsOf(pages, names, currencies), wideColumns(metrics.columns, { ...options, months }));
  }
  await writeShaped(ctx, plan, { metrics, pages, currencies, months, names }, writer);
}

/** Whether a period without data is a row too. */
export function hasEveryPeriod(ctx: Context, { counted, options: { shape, transpose } }: SeriesPlan): boolean {
  return counted && shape !== 'long' && !transpose && hasColumns(ctx);
}

/** Rows name their company where there are several, and its currency where these differ. */
function rowsOf<Row extends object>(
  pages: AsyncIterable<SeriesPage<Row>>,
  names: Names | undefined,
  currencies?: Currencies,
): Batches<CompanyRow<Row> & { currency?: string }> {
  async function* batches(): AsyncGenerator<readonly (CompanyRow<Row> & { currency?: string })[]> {
    for await (const { companyId, rows } of pages) {
      const company = companyOf(companyId, names, currencies);
      yield company ? rows.map((row) => merged(company.fields, row, company.currency)) : rows;
    }
  }
  return new Batches(batches());
}

interface CompanyOfRows {
  fields: CompanyFields;
  currency: { currency?: string };
}

function companyOf(
  id: string | undefined,
  names: Names | undefined,
  currencies?: Currencies,
): CompanyOfRows | undefined {
  if (!names || id === undefined) return undefined;
  const currency = currencies?.get(id);
  return { fields: companyFields(id, names), currency: currency === undefined ? {} : { currency } };
}

interface SeriesRows {
  metrics: SeriesMetrics;
  pages: AsyncIterable<SeriesPage<MetricSeriesItem>>;
  /** Set where companies have several currencies. */
  currencies: Currencies | undefined;
  /** Rows have a column for the months of a period that has not ended. */
  months: boolean;
  /** The names of companies; undefined: rows name none. */
  names: Names | undefined;
  /** The rows are in their grain already. */
  derived?: boolean;
}

export async function writeShaped(
  ctx: Context,
  plan: SeriesPlan,
  { metrics, pages, currencies, months, names, derived = false }: SeriesRows,
  writer: RowWriter,
): Promise<void> {
  ctx.runtime.keepHeapSmall?.();
  const { shape, transpose, dates } = plan.options;
  const { columns, ids, measuresOf } = metrics;
  const options = {
    company: plan.several,
    derived: plan.derive !== undefined,
    dates,
    months,
    currency: currencies !== undefined,
  };
  const filled = rowFiller(ctx, plan, metrics, derived);
  const companies = byCompany(pages);
  const write = <Row extends object>(
    shapeColumns: readonly Column<CompanyRow<Row> & { currency?: string }>[],
    reshape: (items: AsyncIterable<WideItem>, companyId: string | undefined) => AsyncIterable<Row>,
  ) => {
    async function* rows(): AsyncGenerator<CompanyRow<Row> & { currency?: string }> {
      for await (const { companyId, items } of companies) {
        const company = companyOf(companyId, names, shape === 'wide' ? currencies : undefined);
        for await (const row of reshape(filled(companyId, items), companyId)) {
          yield company ? merged(company.fields, row, company.currency) : row;
        }
      }
    }
    const computed = shapeColumns.map((column) => ({ ...column, computed: derived || plan.derive !== undefined }));
    return writer(rows(), computed);
  };
  if (transpose) return writeTransposed();
  if (shape === 'wide') return write(wideColumns(columns, options), (items) => items);
  if (shape === 'long') {
    return write(longColumns(options), async function* (items, companyId) {
      for await (const item of items) yield* observations(item, ids, measuresOf(companyId));
    });
  }
  const everyRow = hasEveryPeriod(ctx, plan);
  return write(versionsColumns(plan.versions, options), async function* (items, companyId) {
    for await (const period of byPeriod(items)) {
      if (hasColumns(ctx)) requireVersions(period, plan.versions);
      yield* versionsRows(period, ids, measuresOf(companyId));
      if (everyRow && period[0] && period.every(isEmpty)) yield emptyVersions(period[0]);
    }
  });

  async function writeTransposed(): Promise<void> {
    const table: CompanyRow<TransposedRow>[] = [];
    for await (const { companyId, items: stored } of companies) {
      const items: WideItem[] = [];
      for await (const item of filled(companyId, stored)) items.push(item);
      const { fields } = companyOf(companyId, names) ?? {};
      for (const row of transposed(items, ids, measuresOf(companyId))) table.push({ ...fields, ...row });
    }
    const { periods, partial } = transposedPeriods(plan, table);
    // A row over all periods is long.
    await writer(new Batches(alone(table)), transposedColumns(periods, options, partial));
  }
}

/** @throws rejected for a version that was not requested: its values would be lost */
function requireVersions(period: readonly MetricSeriesItem[], versions: readonly string[]): void {
  const other = period.find(({ version, metrics }) => !versions.includes(version) && Object.keys(metrics).length > 0);
  if (!other) return;
  throw new Failure('rejected', `the answer holds the ${other.version} of ${other.periodKey}, which has no column`, {
    code: 'wrong_answer',
    hint: `asked for was ${versions.join(', ')}: use --shape long or -o json`,
  });
}

const isEmpty = ({ metrics }: WideItem) => Object.keys(metrics).length === 0;

/** The row of a period without data, where no metric was named. */
function emptyVersions({ periodKey, periodType, months }: WideItem): VersionsRow {
  const empty = { metricId: '', values: {}, unit: null, unitLabel: null, currency: null, updatedAt: null };
  return { periodKey, periodType, ...empty, ...(months !== undefined && { months }) };
}

/** From the stored rows of one company its derived and filled ones. */
function rowFiller(ctx: Context, plan: SeriesPlan, { ids, catalogOf }: SeriesMetrics, isDerived: boolean) {
  const { request, companies, derive: derived, versions, options } = plan;
  const type = derived ?? plan.scope.periodType;
  const inGrain = (period: Period | undefined) => period && periodHolding(period, type);
  const fill = options.fill === 'none' && hasEveryPeriod(ctx, plan) ? 'rows' : options.fill;
  const derivedItems = (companyId: string | undefined, stored: AsyncIterable<MetricSeriesItem>) => {
    if (!derived || isDerived) return stored;
    const definitions = catalogOf(companyId)?.definitions ?? [];
    // A metric that this company does not have needs no rule.
    const known = companies.length > 1 ? definitions.map(({ metricId }) => metricId).filter((id) => ids.has(id)) : ids;
    const aggregationsOf = (metricIds: Iterable<string>) =>
      aggregationOf(metricIds, definitions, options.aggregations, aggregationChoice);
    return derive(stored, derived, aggregationsOf(known), (id) => aggregationsOf([id]).get(id) ?? 'last');
  };
  return (companyId: string | undefined, stored: AsyncIterable<MetricSeriesItem>): AsyncIterable<WideItem> => {
    const items: AsyncIterable<WideItem> = derivedItems(companyId, stored);
    if (fill === 'none') return items;
    const { from, to, order } = { ...plan.scope, ...(companyId !== undefined && plan.ranges?.get(companyId)) };
    return fillRows(items, {
      // Rows of one metric are of those that were named.
      valued: options.shape === 'versions' && request.metricIds !== undefined,
      how: fill,
      order,
      ids: [...ids],
      versions,
      from: inGrain(from),
      to: inGrain(to),
      newest: periodAt(ctx.now(), type),
      derived: derived !== undefined,
      orNone: fill === 'rows' && ctx.settings.failEmpty,
    });
  };
}

/** The rows of one company after the other. */
async function* byCompany<Row>(
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<{ companyId: string | undefined; items: AsyncIterable<Row> }> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    let page = await iterator.next();
    while (!page.done) {
      const { companyId } = page.value;
      const items = (async function* () {
        for (; !page.done && page.value.companyId === companyId; page = await iterator.next()) yield* page.value.rows;
      })();
      yield { companyId, items };
    }
  } finally {
    await iterator.return?.();
  }
}

/** Every period of a bounded range, else those that a row has, in the order of the plan; and how partial they are. */
function transposedPeriods({ scope, derive: derived }: SeriesPlan, rows: Iterable<TransposedRow>) {
  const { from, to, order, periodType } = scope;
  const type = derived ?? periodType;
  const [first, last] = [from && periodHolding(from, type), to && periodHolding(to, type)];
  const present = new Set<string>();
  const partial = new Map<string, string>();
  for (const { values, months = {} } of rows) {
    for (const key in values) present.add(key);
    for (const [key, count] of Object.entries(months)) partial.set(key, count);
  }
  const keys = first && last ? [...periodRange(first, last)].map(formatPeriod) : [...present];
  const indexOf = (key: string) => parsePeriod(key)?.index ?? 0;
  const periods = keys.sort((a, b) => (order === 'asc' ? 1 : -1) * (indexOf(a) - indexOf(b)));
  return { periods, partial };
}
