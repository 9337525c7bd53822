/** The rows of a planned series: read, marked, and shaped. */
import type { Context } from '../../../cli/context.ts';
import type { CompanyFailures } from '../../../cli/each-company.ts';
import { pageOptions } from '../../../cli/operation-flags.ts';
import { hasColumns } from '../../../cli/show.ts';
import { observationPages, type SeriesRequest, seriesPages } from '../../../client/series.ts';
import type { SeriesPage } from '../../../client/series-pages.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import { merged } from '../../../core/objects.ts';
import { Batches } from '../../../output/write/rows.ts';
import { conflictWarning } from '../read.ts';
import { longColumns, type Names, type OfCompany, whoIs, wideColumns } from '../series-columns.ts';
import { type Currencies, seriesFacts } from './catalog.ts';
import { type PeriodRow, settledPages } from './periods.ts';
import type { SeriesPlan } from './plan.ts';
import type { RowWriter } from './writer.ts';

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
    limit: asStored && shape !== 'versions' && !plan.asked ? limit : undefined,
    // Without those whose catalog could not be read.
    ...(failures && { companies: plan.companies.filter((companyId) => !failures.has(companyId)) }),
  };
  const client = await ctx.client();
  const reading = { onFailure: failures?.add, onConflict: conflictWarning(ctx) };
  const settled = <Row extends PeriodRow>(read: AsyncIterable<SeriesPage<Row>>) =>
    settledPages(ctx, plan, read, { columns, everyRow, columned, before: writer.columns });
  const options = { company: several, derived: derive !== undefined, dates, currency: currencies !== undefined };
  if (shape === 'long' && stored) {
    const { pages, months } = await settled(observationPages(client, request, reading));
    return writer.rows(rowsOf(pages, names), longColumns({ ...options, months }));
  }
  const read = seriesPages(client, request, { ...reading, inspect: columns.inspect });
  const { pages, months, metrics } = await settled(read);
  if (shape === 'wide' && asStored) {
    return writer.rows(rowsOf(pages, names, currencies), wideColumns(metrics.columns, { ...options, months }));
  }
  const { writeDerived } = await import('./derived.ts');
  await writeDerived(ctx, plan, { metrics, pages, currencies, everyRow, months, names }, writer);
}

/** Rows name their company where there are several, and its currency where these differ. */
function rowsOf<Row extends object>(
  pages: AsyncIterable<SeriesPage<Row>>,
  names: Names | undefined,
  currencies?: Currencies,
): Batches<OfCompany<Row> & { currency?: string }> {
  return new Batches(batchesOf(pages, names, currencies));
}

async function* batchesOf<Row extends object>(
  pages: AsyncIterable<SeriesPage<Row>>,
  names: Names | undefined,
  currencies: Currencies | undefined,
): AsyncGenerator<readonly (OfCompany<Row> & { currency?: string })[]> {
  for await (const { companyId, rows } of pages) {
    if (!names || companyId === undefined) {
      yield rows;
      continue;
    }
    const who = whoIs(companyId, names);
    const currency = currencies?.get(companyId);
    const last = currency === undefined ? {} : { currency };
    yield rows.map((row) => merged(who, row, last));
  }
}
