/** A planned series as the rows of the shape that was asked for. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { nameOut } from '../../../cli/show.ts';
import { limiter } from '../../../core/concurrency.ts';
import { usage } from '../../../core/errors.ts';
import type { Aggregation } from '../../../domain/series/aggregation.ts';
import type { Fill } from '../../../domain/series/fills.ts';
import type { Column } from '../../../output/column.ts';
import { namesCompany } from '../../../output/file-name.ts';
import { isJsonFormat } from '../../../output/formats/choose.ts';
import { createOutput } from '../../../output/write/create-output.ts';
import { longColumns } from '../columns.ts';
import { wideShapeColumns } from '../series-columns.ts';
import type { Checkpoint, Position } from './checkpoint.ts';
import { seriesMetrics, within } from './columns.ts';
import { type CompanyFailures, companyFailures } from './failures.ts';
import { formatOf } from './format.ts';
import type { Writing } from './made.ts';
import type { PlannedSeries } from './request.ts';
import { long, mostCompanies, seriesRows } from './rows.ts';

export type SeriesShape = 'wide' | 'long' | 'versions';

export interface SeriesWish {
  shape: SeriesShape;
  transpose: boolean;
  fill: Fill;
  /** By metric, what the person said. */
  aggregations: ReadonlyMap<string, Aggregation>;
  cursor: string | undefined;
  /** The file that says how far an interrupted export came. */
  checkpoint: string | undefined;
  /** Units stand in the headers of metrics. */
  headerUnits: boolean;
  /** Rows have the first day of their period. */
  dates: boolean;
}

/** Writes the series. A company that fails beside others costs its own rows: they are written, then it is thrown. */
export async function showSeries(ctx: Context, plan: PlannedSeries, wish: SeriesWish): Promise<void> {
  if (wish.aggregations.size > 0 && !plan.derive) {
    throw usage('--agg says how months become quarters or years', '--derive quarter or --derive year makes them');
  }
  if (wish.headerUnits || wish.dates) refuseJson(ctx, wish.headerUnits ? '--header-units' : '--dates');
  const files = plan.several && namesCompany(ctx.settings.out ?? '');
  if (wish.checkpoint !== undefined) return showResumable(ctx, plan, wish, files);
  const failures = companyFailures(ctx);
  if (files) return showFiles(ctx, plan, wish);
  const whole = <Row>(rows: AsyncIterable<Row>) =>
    plan.companies.length > 1 ? unlessAllFailed(rows, plan, failures) : rows;
  const write = <Row extends Position>(rows: AsyncIterable<Row>, columns: readonly Column<Row>[]) =>
    ctx.out.rows(whole(rows), columns);
  try {
    await show(ctx, plan, wish, { failures, out: ctx.out, write, whole });
  } catch (error) {
    throw failures.verdict(plan.companies) ?? error;
  }
  const verdict = failures.verdict(plan.companies);
  if (verdict) throw verdict;
}

/** What changes columns is nothing to formats that have none. */
function refuseJson(ctx: Context, flag: string): void {
  const { jq } = ctx.settings;
  const format = formatOf(ctx);
  if (jq === undefined && !isJsonFormat(format)) return;
  const said = jq === undefined ? `-o ${format}` : '--jq';
  throw usage(
    `${flag} is for columns, and ${said} has the API's own objects`,
    'use -o csv, tsv, table, md, xlsx or parquet',
  );
}

/** Goes on behind what an interrupted run has written. */
async function showResumable(ctx: Context, plan: PlannedSeries, wish: SeriesWish, files: boolean): Promise<void> {
  const { goingOn, openSeriesCheckpoint, writingTo } = await import('./resume.ts');
  const checkpoint = await openSeriesCheckpoint(ctx, wish, files ? plan.companies : []);
  await goingOn(ctx, wish, checkpoint, async () => {
    if (files) return showFiles(ctx, plan, wish, { checkpoint, writingTo });
    const part = checkpoint.part();
    await show(ctx, { ...plan, after: part.after }, wish, writingTo(ctx, plan, wish, part));
  });
}

/** A file for each company, several at once. A company that fails leaves none, or what the next run goes on behind. */
async function showFiles(
  ctx: Context,
  plan: PlannedSeries,
  wish: SeriesWish,
  resumable?: { checkpoint: Checkpoint; writingTo: typeof import('./resume.ts').writingTo },
): Promise<void> {
  const failures = companyFailures(ctx);
  const slot = limiter(mostCompanies);
  const one = async (companyId: string) => {
    const { settings, runtime } = ctx;
    const named = { ...settings, nameOut: nameOut(settings, runtime, companyId) };
    const out = createOutput(named, runtime);
    const file = resolve(runtime.cwd, named.nameOut(settings.out ?? ''));
    const part = resumable?.checkpoint.part(companyId, () => existsSync(file));
    if (part?.done) return;
    const own = { ...plan, companies: [companyId], after: part?.after };
    const plain: Writing = {
      failures: undefined,
      out,
      whole: (rows) => rows,
      write: (rows, columns) => out.rows(rows, columns),
    };
    try {
      await show(ctx, own, wish, resumable && part ? resumable.writingTo(ctx, own, wish, part, out) : plain);
    } catch (error) {
      failures.add(companyId, error, 'none');
    }
  };
  await Promise.all(plan.companies.map((companyId) => slot(() => one(companyId))));
  const verdict = failures.verdict(plan.companies);
  if (verdict) throw verdict;
}

async function show(ctx: Context, plan: PlannedSeries, wish: SeriesWish, writing: Writing): Promise<void> {
  const { shape, fill, transpose, cursor } = wish;
  const { failures, write } = writing;
  const options = { company: plan.several, derived: plan.derive !== undefined, dates: wish.dates };
  const asStored = !plan.derive && fill === 'none';
  if (shape === 'long' && asStored) {
    await write(seriesRows(ctx, plan, long, cursor, failures), longColumns(options));
    return;
  }
  const needed = !asStored || shape !== 'wide' || transpose || wish.headerUnits;
  const metrics = await seriesMetrics(ctx, plan, { needed, headed: wish.headerUnits }, failures);
  if (shape === 'wide' && asStored && !transpose) {
    const { columns, ids } = metrics;
    await write(seriesRows(ctx, plan, within(ids), cursor, failures), wideShapeColumns(columns, options));
    return;
  }
  const { showMade } = await import('./made.ts');
  await showMade(ctx, plan, wish, metrics, writing);
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
