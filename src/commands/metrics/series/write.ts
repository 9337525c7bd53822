/** The rows of a series to the output of the command. */

import type { Context } from '../../../cli/context.ts';
import { type CompanyFailures, companyFailures } from '../../../cli/each-company.ts';
import { Batches } from '../../../output/write/rows.ts';
import type { SeriesPlan } from './plan.ts';
import { type RowWriter, writeRows } from './rows.ts';

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
    const { writeChosen } = await import('./plan.ts');
    await writeChosen(ctx, plan, { rows, columns });
  };
