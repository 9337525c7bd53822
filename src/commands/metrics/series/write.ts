/** Where the rows of a series go: one output, a file for each company, or the output of an interrupted run. */
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { type CompanyFailures, companyFailures } from '../../../cli/each-company.ts';
import { nameOut, namesCompany } from '../../../cli/show.ts';
import { limiter } from '../../../core/concurrency.ts';
import { createOutput } from '../../../output/write/create-output.ts';
import { Batches } from '../../../output/write/rows.ts';
import type { SeriesPlan } from './plan.ts';
import { writeRows } from './rows.ts';
import { type RowWriter, type SeriesOutput, writerTo } from './writer.ts';

/** Files that are written at once. */
const mostFiles = 4;

/** Writes the series. When one of several companies fails, the rows of the others are written, then it is thrown. */
export async function writeSeries(ctx: Context, plan: SeriesPlan): Promise<void> {
  const { companies, several } = plan;
  const { checkpoint: name } = plan.options;
  const { out } = ctx.settings;
  const files = several && out !== undefined && namesCompany(out);
  const checkpoint =
    name === undefined
      ? undefined
      : await (await import('./checkpoint.ts')).openCheckpoint(ctx, name, files ? companies : []);
  // In one output that resumes, the first company that fails ends the run: the rows after it would be in its place.
  const failures = files || (companies.length > 1 && !checkpoint) ? companyFailures(ctx, companies) : undefined;
  // The others are written to the same output.
  const skipped = files ? undefined : failures;
  const write = async (companyId?: string) => {
    const only = companyId === undefined ? undefined : [companyId];
    const own = only ? { ...plan, companies: only, request: { ...plan.request, companies: only } } : plan;
    const output = companyId === undefined ? { out: ctx.out } : fileOf(ctx, companyId);
    const writer = checkpoint ? checkpoint.writer(own, output) : writerTo(ctx, own, output);
    if (!writer) return;
    try {
      await writeRows(ctx, own, skipped ? unlessAllFailed(writer, skipped) : writer, skipped);
    } catch (error) {
      // A company that fails leaves no file, or one that the next run continues.
      if (companyId !== undefined) failures?.add(companyId, error, 'none');
      else throw failures?.verdict() ?? error;
    }
  };
  try {
    const slot = limiter(mostFiles);
    await (files ? Promise.all(companies.map((companyId) => slot(() => write(companyId)))) : write());
    const verdict = failures?.verdict();
    if (verdict) throw verdict;
  } catch (error) {
    checkpoint?.noteResume();
    throw error;
  }
}

/** The file of one of several companies. */
function fileOf({ settings, runtime }: Context, companyId: string): SeriesOutput {
  const named = { ...settings, nameOut: nameOut(settings, runtime, companyId) };
  return {
    out: createOutput(named, runtime),
    companyId,
    file: resolve(runtime.cwd, named.nameOut(settings.out ?? '')),
  };
}

/** When every company failed, the failure is thrown before anything is written. */
function unlessAllFailed(writer: RowWriter, failures: CompanyFailures): RowWriter {
  async function* checked<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    yield* items;
    const verdict = failures.verdict();
    if (verdict && verdict.kind !== 'partial') throw verdict;
  }
  return {
    ...writer,
    rows: (rows, columns) =>
      writer.rows(rows instanceof Batches ? new Batches(checked(rows.batches)) : checked(rows), columns),
  };
}
