/** The rows of a planned series: read, derived, filled and shaped. */

import type { Context } from '../../../cli/context.ts';
import { type CompanyFailures, companyFailures } from '../../../cli/each-company.ts';
import { hasColumns } from '../../../cli/show.ts';
import { observationPages, type SeriesPage, type SeriesRequest, seriesPages } from '../../../client/series.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { merged } from '../../../core/json.ts';
import { type Period, periodAt, periodHolding } from '../../../core/periods.ts';
import { aggregationOf, derive } from '../../../domain/series/derive.ts';
import { fillRows } from '../../../domain/series/fill.ts';
import { observations, type WideItem, withNote } from '../../../domain/series/shapes.ts';
import type { Column } from '../../../output/column.ts';
import { Batches } from '../../../output/write/rows.ts';
import type { CompanyFields } from '../columns.ts';
import { aggregationChoice, conflictWarning, warnOfUnits } from '../read.ts';
import { type Currencies, mixedCurrencies, type SeriesMetrics, seriesMetrics } from './catalog.ts';
import { type CompanyRow, companyFields, longColumns, type Names, wideColumns } from './columns.ts';
import { noteMissing, readFirstPage } from './periods.ts';
import { type SeriesPlan, writeChosen } from './plan.ts';

type RowWriter = <Row extends { companyId?: string | undefined; periodKey?: string }>(
  rows: AsyncIterable<Row>,
  columns: readonly Column<Row>[],
) => Promise<void>;

/** Writes the series. When one of several companies fails, the rows of the others are written, then it is thrown. */
export async function writeSeries(ctx: Context, plan: SeriesPlan): Promise<void> {
  const { companies } = plan;
  const failures = companies.length > 1 ? companyFailures(ctx, companies) : undefined;
  const writer = writerTo(ctx, plan);
  try {
    await writeRows(ctx, plan, failures ? unlessAllFailed(writer, failures) : writer, failures);
  } catch (error) {
    throw failures?.verdict() ?? error;
  }
  const verdict = failures?.verdict();
  if (verdict) throw verdict;
}

/** When every company failed, the failure is thrown before anything is written. */
function unlessAllFailed(writer: RowWriter, failures: CompanyFailures): RowWriter {
  async function* checked<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    yield* items;
    const verdict = failures.verdict();
    if (verdict && verdict.kind !== 'partial') throw verdict;
  }
  return (rows, columns) =>
    writer(rows instanceof Batches ? new Batches(checked(rows.batches)) : checked(rows), columns);
}

/** Writes the rows, or those that flags choose. */
export const writerTo =
  (ctx: Context, plan: SeriesPlan): RowWriter =>
  async (rows, columns) => {
    if (!plan.selection) return ctx.out.rows(rows, columns);
    await writeChosen(ctx, plan, { rows, columns });
  };

/**
 * Reads the planned series and gives its rows to the writer, in the shape that was requested.
 * @param failures takes companies that fail; default: the first failure ends the run
 */
async function writeRows(ctx: Context, plan: SeriesPlan, writer: RowWriter, failures?: CompanyFailures): Promise<void> {
  const { several, derive, stored, companies } = plan;
  const { shape } = plan.options;
  const isWide = shape === 'wide' && hasColumns(ctx);
  const everyRow = hasEveryPeriod(ctx, plan);
  const asStored = stored && !everyRow;
  const currencies = several ? await mixedCurrencies(ctx, companies) : undefined;
  const names = several ? await (await import('../../../cli/each-company.ts')).companyNames(ctx, companies) : undefined;
  const known = await seriesMetrics(ctx, plan, failures?.add);
  const { pageSize, limit } = ctx.settings;
  const request: SeriesRequest = {
    ...plan.request,
    pageSize,
    // `--limit` is of the rows that are chosen.
    limit: asStored && !plan.selection ? limit : undefined,
    // Without those whose catalog could not be read.
    ...(failures && { companies: companies.filter((companyId) => !failures.has(companyId)) }),
  };
  const client = await ctx.client();
  const reading = { onFailure: failures?.add, onConflict: conflictWarning(ctx) };
  const first = { metrics: known, isWide };
  const options = { company: several, derived: derive !== undefined, currency: currencies !== undefined };
  if (shape === 'long' && stored) {
    const read = noteMissing(ctx, plan, observationPages(client, request, reading));
    const { pages, months } = await readFirstPage(ctx, plan, read, first);
    return writer(rowsOf(pages, names), longColumns({ ...options, months }));
  }
  const series = seriesPages(client, request, reading);
  const read = everyRow ? series : noteMissing(ctx, plan, series);
  const { pages, months, metrics } = await readFirstPage(ctx, plan, read, first);
  warnOfUnits(ctx, known);
  if (shape === 'wide' && asStored) {
    return writer(rowsOf(pages, names, currencies), wideColumns(metrics.columns, { ...options, months }));
  }
  await writeShaped(ctx, plan, { metrics, pages, currencies, months, names }, writer);
}

/** Whether a period without data is a row too. */
export function hasEveryPeriod(ctx: Context, { counted, options: { shape } }: SeriesPlan): boolean {
  return counted && shape !== 'long' && hasColumns(ctx);
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
  /** A total names the companies that it leaves out. */
  notes?: boolean;
}

export async function writeShaped(
  ctx: Context,
  plan: SeriesPlan,
  { metrics, pages, currencies, months, names, derived = false, notes = false }: SeriesRows,
  writer: RowWriter,
): Promise<void> {
  ctx.runtime.keepHeapSmall?.();
  const { shape } = plan.options;
  const { columns, ids, measuresOf } = metrics;
  const options = {
    company: plan.several,
    derived: plan.derive !== undefined,
    months,
    notes,
    currency: currencies !== undefined,
  };
  const filled = rowFiller(ctx, plan, metrics, derived);
  const companies = byCompany(pages);
  const write = <Row extends object>(
    shapeColumns: readonly Column<CompanyRow<Row> & { currency?: string }>[],
    reshape: (item: WideItem, companyId: string | undefined) => Iterable<Row>,
  ) => {
    async function* rows(): AsyncGenerator<CompanyRow<Row> & { currency?: string }> {
      for await (const { companyId, items } of companies) {
        const company = companyOf(companyId, names, shape === 'wide' ? currencies : undefined);
        for await (const item of filled(companyId, items)) {
          for (const row of reshape(item, companyId)) {
            yield company ? merged(company.fields, row, company.currency) : row;
          }
        }
      }
    }
    const computed = shapeColumns.map((column) => ({ ...column, computed: derived || plan.derive !== undefined }));
    return writer(rows(), computed);
  };
  if (shape === 'wide') return write(wideColumns(columns, options), (item) => [withNote(item)]);
  return write(longColumns(options), (item, companyId) => observations(item, ids, measuresOf(companyId)));
}

/** From the stored rows of one company its derived and filled ones. */
function rowFiller(ctx: Context, plan: SeriesPlan, { ids, catalogOf }: SeriesMetrics, isDerived: boolean) {
  const { companies, derive: derived, versions, options } = plan;
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
    const { from, to, order } = plan.scope;
    return fillRows(items, {
      fill,
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
