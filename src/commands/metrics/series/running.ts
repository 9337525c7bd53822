/** Marks the actuals of the running month, and says whether the rows have a column for it. */

import type { Context } from '../../../cli/context.ts';
import type { SeriesPage } from '../../../client/series.ts';
import { formatPeriod, periodAt } from '../../../core/periods.ts';
import { type Marked, markRunning } from '../../../domain/series/running.ts';
import type { SeriesPlan } from './plan.ts';

interface Placed {
  periodKey: string;
  version: string;
}

/**
 * The pages with their running rows marked, and whether rows say of how many months they are. A range with an end says
 * so itself; without one the first rows decide, the newest by default. Of a running month that follows without such a
 * column a note tells. What time it is comes with the first response.
 */
export async function markMonths<Row extends Placed>(
  ctx: Context,
  { scope, versions, options, derive }: SeriesPlan,
  stored: AsyncIterable<SeriesPage<Row>>,
  columns: boolean,
): Promise<{ months: boolean; pages: AsyncIterable<SeriesPage<Row & Marked>> }> {
  if (scope.periodType !== 'month' || !versions.includes('actual')) return { months: false, pages: stored };
  const pages = marked(ctx, stored);
  if (scope.to) return { months: scope.to.index >= periodAt(ctx.now(), 'month').index, pages };
  if (derive || !columns) return { months: false, pages };
  // A resumed export has the columns of its first run.
  if (options.checkpoint !== undefined) return { months: false, pages: told(ctx, pages) };
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  const months = !first.done && first.value.rows.some(isRunning);
  const all = continued(first, iterator);
  return { months, pages: months ? all : told(ctx, all) };
}

async function* marked<Row extends Placed>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row & Marked>> {
  let newest: string | undefined;
  for await (const { companyId, rows } of pages) {
    newest ??= formatPeriod(periodAt(ctx.now(), 'month'));
    yield { companyId, rows: markRunning(rows, newest) };
  }
}

const isRunning = (row: Marked) => row.months !== undefined;

async function* told<Row extends Placed & Marked>(
  ctx: Context,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row>> {
  let said = false;
  for await (const page of pages) {
    const row = said ? undefined : page.rows.find(isRunning);
    if (row) {
      said = true;
      ctx.out.note(`${row.periodKey} has not ended: its actuals are of part of it.`);
    }
    yield page;
  }
}

/** The pages from one that was read already. */
export async function* continued<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
