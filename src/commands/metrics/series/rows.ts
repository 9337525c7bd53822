/** The rows of a planned series: read, marked, and shaped. */
import type { Context } from '../../../cli/context.ts';
import type { CompanyFailures } from '../../../cli/each-company.ts';
import { pageOptions } from '../../../cli/operation-flags.ts';
import { observationPages, type SeriesRequest, seriesPages } from '../../../client/series.ts';
import type { SeriesPage } from '../../../client/series-pages.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import { merged } from '../../../core/objects.ts';
import { Batches } from '../../../output/write/rows.ts';
import { conflictWarning } from '../read.ts';
import { longColumns, type Names, type OfCompany, whoIs, wideColumns } from '../series-columns.ts';
import { type Currencies, fixedColumns, mixedCurrencies, seriesMetrics } from './catalog.ts';
import type { RowWriter } from './derived.ts';
import { markMonths, sayMissing } from './periods.ts';
import { hasColumns, type SeriesPlan } from './plan.ts';

/** Where rows go, and what becomes of companies that fail; default: the first failure ends the run. */
export interface Target extends RowWriter {
  failures?: CompanyFailures;
}

/** Reads the planned series and gives its rows to the target, in the shape that was asked for. */
export async function writeRows(ctx: Context, plan: SeriesPlan, target: Target): Promise<void> {
  const { shape, fill, transpose, headerUnits, dates } = plan.options;
  const { failures } = target;
  const kept = { columns: hasColumns(ctx) && !transpose, before: target.columns };
  const [currencies, names] = await Promise.all([mixedCurrencies(ctx, plan), namesOf(ctx, plan)]);
  const options = {
    ...{ company: plan.several, derived: plan.derive !== undefined, dates },
    currency: currencies !== undefined,
  };
  const everyRow =
    shape !== 'long' && !transpose && hasColumns(ctx) && plan.counted && ctx.settings.limit === undefined;
  const stored = !plan.derive && fill === 'none' && !transpose;
  const asStored = stored && !everyRow;
  const client = await ctx.client();
  const reading = { onFailure: failures?.add, onConflict: conflictWarning(ctx) };
  if (shape === 'long' && asStored) {
    const read = sayMissing(ctx, plan, observationPages(client, requestOf(ctx, plan, target), reading));
    const { pages, months } = await markMonths(ctx, plan, read, kept);
    return target.rows(rowsOf(pages, names), longColumns({ ...options, months }));
  }
  const needed = !stored || shape !== 'wide' || headerUnits;
  const known = await seriesMetrics(ctx, plan, { needed, headed: headerUnits }, reading.onFailure);
  // A resumed export has the columns of its first run.
  const fixed = shape === 'wide' && !transpose && hasColumns(ctx);
  const columns = fixed ? fixedColumns(known, plan.options.checkpoint !== undefined) : undefined;
  // A row of other shapes comes from several, so `--limit` does not count those that are read.
  const request = requestOf(ctx, plan, target);
  const asked = shape === 'wide' && asStored ? request : { ...request, limit: undefined };
  const pagesRead = seriesPages(client, asked, { ...reading, inspect: columns?.inspect });
  const read = everyRow || transpose ? pagesRead : sayMissing(ctx, plan, pagesRead);
  const settled = (await columns?.settle(read)) ?? { metrics: known, pages: read };
  const { metrics } = settled;
  const { pages, months } = await markMonths(ctx, plan, settled.pages, kept);
  if (shape === 'wide' && asStored) {
    return target.rows(rowsOf(pages, names, currencies), wideColumns(metrics.columns, { ...options, months }));
  }
  const { writeDerived } = await import('./derived.ts');
  await writeDerived(ctx, plan, { metrics, pages, currencies, everyRow, months, names }, target);
}

/** What rows call their company; undefined: they name none. */
async function namesOf(ctx: Context, { several, companies }: SeriesPlan): Promise<Names | undefined> {
  if (!several) return undefined;
  return (await import('../../../cli/company-names.ts')).companyNames(ctx, companies);
}

/** The request without the companies whose catalog could not be read. */
function requestOf(
  ctx: Context,
  { request, companies, asked }: SeriesPlan,
  { failures, after }: Target,
): SeriesRequest {
  const left = failures && companies.filter((companyId) => !failures.has(companyId));
  const paging = pageOptions(ctx, getMetricSeries);
  // `--limit` is of the rows that are chosen.
  return { ...request, ...paging, ...(asked && { limit: undefined }), after, companies: left ?? request.companies };
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
