/** Reads a planned series and writes its rows in the shape that was asked for. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { type CompanyFailures, companyFailures } from '../../../cli/each-company.ts';
import { pageOptions } from '../../../cli/operation-flags.ts';
import { nameOut, namesCompany } from '../../../cli/show.ts';
import { observationPages, type SeriesPage, seriesPages } from '../../../client/series.ts';
import type { SeriesRequest } from '../../../client/series-request.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import { limiter } from '../../../core/concurrency.ts';
import { isJsonFormat } from '../../../output/formats/choose.ts';
import type { Output } from '../../../output/output.ts';
import { createOutput } from '../../../output/write/create-output.ts';
import { Batches } from '../../../output/write/rows.ts';
import { conflictWarning } from '../read.ts';
import { longColumns, type Names, type OfCompany, whoIs, wideColumns } from '../series-columns.ts';
import { type Currencies, fixedColumns, mixedCurrencies, seriesMetrics } from './catalog.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { RowWriter } from './derived.ts';
import { sayMissing } from './missing.ts';
import type { SeriesPlan } from './plan.ts';
import { formatOf } from './plan.ts';
import { markMonths } from './running.ts';

const mostCompanies = 4;

/** Where rows go, and what becomes of companies that fail; default: the first failure ends the run. */
interface Target extends RowWriter {
  failures?: CompanyFailures;
}

/** Writes the series. When one of several companies fails, the rows of the others are written, then it is thrown. */
export async function writeSeries(ctx: Context, plan: SeriesPlan): Promise<void> {
  const { checkpoint } = plan.options;
  const { out } = ctx.settings;
  const files = plan.several && out !== undefined && namesCompany(out);
  if (checkpoint !== undefined) return writeResumable(ctx, plan, checkpoint, files);
  if (files) return writeFiles(ctx, plan);
  if (plan.companies.length <= 1) return write(ctx, plan, writerTo(ctx.out));
  const failures = companyFailures(ctx, plan.companies);
  try {
    await write(ctx, plan, {
      failures,
      rows: (rows, columns) => ctx.out.rows(unlessAllFailed(rows, failures), columns),
    });
  } catch (error) {
    throw failures.verdict() ?? error;
  }
  const verdict = failures.verdict();
  if (verdict) throw verdict;
}

export const writerTo = (out: Output): RowWriter => ({ rows: (rows, columns) => out.rows(rows, columns) });

/** Continues the output of an interrupted run. */
async function writeResumable(ctx: Context, plan: SeriesPlan, name: string, files: boolean): Promise<void> {
  const { resumableWriter, withResumeNote } = await import('./resume.ts');
  const { openCheckpoint } = await import('./checkpoint.ts');
  const checkpoint = await openCheckpoint(ctx, name, files ? plan.companies : []);
  await withResumeNote(ctx, name, checkpoint, () =>
    files
      ? writeFiles(ctx, plan, { checkpoint, resumableWriter })
      : write(ctx, plan, resumableWriter(ctx, plan, checkpoint.part())),
  );
}

/** A file for each company, several at once. A company that fails leaves no file, or one that the next run continues. */
async function writeFiles(
  ctx: Context,
  plan: SeriesPlan,
  resumable?: { checkpoint: Checkpoint; resumableWriter: typeof import('./resume.ts').resumableWriter },
): Promise<void> {
  const failures = companyFailures(ctx, plan.companies);
  const slot = limiter(mostCompanies);
  const one = async (companyId: string) => {
    const { settings, runtime } = ctx;
    const named = { ...settings, nameOut: nameOut(settings, runtime, companyId) };
    const out = createOutput(named, runtime);
    // Files are written only where --out names them.
    const file = resolve(runtime.cwd, named.nameOut(settings.out ?? ''));
    const part = resumable?.checkpoint.part(companyId, () => existsSync(file));
    if (part?.done) return;
    const own = { ...plan, companies: [companyId], request: { ...plan.request, companies: [companyId] } };
    try {
      await write(ctx, own, resumable && part ? resumable.resumableWriter(ctx, own, part, out) : writerTo(out));
    } catch (error) {
      failures.add(companyId, error, 'none');
    }
  };
  await Promise.all(plan.companies.map((companyId) => slot(() => one(companyId))));
  const verdict = failures.verdict();
  if (verdict) throw verdict;
}

async function write(ctx: Context, plan: SeriesPlan, target: Target): Promise<void> {
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

export function hasColumns(ctx: Context): boolean {
  return ctx.settings.jq === undefined && !isJsonFormat(formatOf(ctx));
}

/** The request without the companies whose catalog could not be read. */
function requestOf(ctx: Context, { request, companies }: SeriesPlan, { failures, after }: Target): SeriesRequest {
  const left = failures && companies.filter((companyId) => !failures.has(companyId));
  const paging = pageOptions(ctx, getMetricSeries);
  return { ...request, ...paging, after, companies: left ?? request.companies };
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
    yield rows.map((row) => ({ ...who, ...row, ...last }));
  }
}

/** The rows; when every company failed, the failure, so that nothing is written. */
function unlessAllFailed<Row>(rows: AsyncIterable<Row>, failures: CompanyFailures): AsyncIterable<Row> {
  async function* checked<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    yield* items;
    const verdict = failures.verdict();
    if (verdict && verdict.kind !== 'partial') throw verdict;
  }
  return rows instanceof Batches ? new Batches(checked(rows.batches)) : checked(rows);
}
