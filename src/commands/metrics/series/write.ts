/** Where the rows of a series go: one output, a file for each company, or the output of an interrupted run. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { type CompanyFailures, companyFailures } from '../../../cli/each-company.ts';
import { changed } from '../../../cli/runtime.ts';
import { nameOut, namesCompany } from '../../../cli/show.ts';
import { limiter } from '../../../core/concurrency.ts';
import { createOutput } from '../../../output/write/create-output.ts';
import { Batches } from '../../../output/write/rows.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { RowWriter } from './derived.ts';
import type { SeriesPlan } from './plan.ts';
import { writeRows } from './rows.ts';

const mostCompanies = 4;

/** Writes the series. When one of several companies fails, the rows of the others are written, then it is thrown. */
export async function writeSeries(ctx: Context, plan: SeriesPlan): Promise<void> {
  const { checkpoint } = plan.options;
  const { out } = ctx.settings;
  const files = plan.several && out !== undefined && namesCompany(out);
  if (checkpoint !== undefined) return writeResumable(ctx, plan, checkpoint, files);
  if (files) return writeFiles(ctx, plan);
  if (plan.companies.length <= 1) return writeRows(ctx, plan, writerTo(ctx, plan));
  const failures = companyFailures(ctx, plan.companies);
  try {
    await writeRows(ctx, plan, {
      failures,
      rows: (rows, columns) => writerTo(ctx, plan).rows(unlessAllFailed(rows, failures), columns),
    });
  } catch (error) {
    throw failures.verdict() ?? error;
  }
  const verdict = failures.verdict();
  if (verdict) throw verdict;
}

/** Writes the rows, or those that flags choose. */
export const writerTo = (ctx: Context, plan: SeriesPlan, out = ctx.out): RowWriter => ({
  async rows(rows, columns) {
    if (!plan.asked) return out.rows(rows, columns);
    const { writeChosen } = await import('./asked.ts');
    await writeChosen(changed<Context>(ctx, { out }), plan, { rows, columns });
  },
});

/** Continues the output of an interrupted run. */
async function writeResumable(ctx: Context, plan: SeriesPlan, name: string, files: boolean): Promise<void> {
  const { resumableWriter, withResumeNote } = await import('./resume.ts');
  const { openCheckpoint } = await import('./checkpoint.ts');
  const checkpoint = await openCheckpoint(ctx, name, files ? plan.companies : []);
  await withResumeNote(ctx, name, checkpoint, () =>
    files
      ? writeFiles(ctx, plan, { checkpoint, resumableWriter })
      : writeRows(ctx, plan, resumableWriter(ctx, plan, checkpoint.part())),
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
      await writeRows(
        ctx,
        own,
        resumable && part ? resumable.resumableWriter(ctx, own, part, out) : writerTo(ctx, own, out),
      );
    } catch (error) {
      failures.add(companyId, error, 'none');
    }
  };
  await Promise.all(plan.companies.map((companyId) => slot(() => one(companyId))));
  const verdict = failures.verdict();
  if (verdict) throw verdict;
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
