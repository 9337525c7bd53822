/** Marks the actuals of the running month, and decides whether the rows have a column for it. */

import type { Context } from '../../../cli/context.ts';
import type { SeriesPage } from '../../../client/series.ts';
import { formatPeriod, periodAt } from '../../../core/periods.ts';
import { type Marked, markRunning } from '../../../domain/series/running.ts';
import type { SeriesPlan } from './plan.ts';

interface Placed {
  periodKey: string;
  version: string;
}

/** The pages with their running rows marked. What time it is comes with the first response. */
export async function* markedPages<Row extends Placed>(
  ctx: Context,
  { scope, versions }: SeriesPlan,
  pages: AsyncIterable<SeriesPage<Row>>,
): AsyncGenerator<SeriesPage<Row & Marked>> {
  if (scope.periodType !== 'month' || !versions.includes('actual')) return yield* pages;
  let newest: string | undefined;
  for await (const { companyId, rows } of pages) {
    newest ??= formatPeriod(periodAt(ctx.now(), 'month'));
    yield { companyId, rows: markRunning(rows, newest) };
  }
}

/** Whether rows have a column that says which month has not ended: the range may hold it. */
export function hasMonths(ctx: Context, { scope, versions, derive }: SeriesPlan, columns: boolean): boolean {
  if (scope.periodType !== 'month' || !versions.includes('actual')) return false;
  if (scope.to) return scope.to.index >= periodAt(ctx.now(), 'month').index;
  // Derived rows have such a column anyway.
  return columns && !derive;
}

/** The pages from one that was read already. */
export async function* continued<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
