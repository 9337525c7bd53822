/** `--where`, `--sort`, `--one` and `--changed-since` of a series: its rows, chosen as they stream by. */

import { ask, refuseRawAsking, showChosen } from '../../../cli/asking.ts';
import { columnScope, type ScopeRules } from '../../../cli/column-scope.ts';
import type { Context } from '../../../cli/context.ts';
import { versions } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { checkCondition } from '../../../domain/expression/check.ts';
import type { Column as Named, Scope } from '../../../domain/expression/scope.ts';
import { sortOrder } from '../../../domain/query/sort.ts';
import type { Column } from '../../../output/column.ts';
import { alone, Batches } from '../../../output/write/rows.ts';
import { nameOf } from '../analysis/asked.ts';
import { calcOf } from '../analysis/computed.ts';
import { pivotPeriod } from '../analysis-columns.ts';
import { computes, type SeriesFlags } from '../flags.ts';
import { longColumns, transposedColumns, versionsColumns, wideColumns } from '../series-columns.ts';
import type { SeriesPlan } from './plan.ts';

const rules: ScopeRules = { periodKey: 'period', version: versions };

/** Before anything is read. @throws usage for flags that do not go together, and for names that no row has */
export async function checkAsked(ctx: Context, plan: SeriesPlan, flags: SeriesFlags): Promise<void> {
  refuseRawAsking(ctx, flags);
  const { shape, transpose, checkpoint } = plan.options;
  if (checkpoint !== undefined) {
    throw usage('--checkpoint resumes a complete export, and these flags choose rows of it', 'omit one of them');
  }
  if (flags.changedSince !== undefined && (transpose || (await computes(ctx, flags)))) {
    const why = transpose ? 'rows of --transpose' : 'computed rows';
    throw usage(`--changed-since needs rows that say when they changed, and ${why} do not`, 'omit one of them');
  }
  const ids = plan.request.metricIds;
  // Without -m the catalog names the columns.
  if (shape === 'wide' && !transpose && ids === undefined) return;
  const { shown = [] } = (await calcOf(ctx, flags)) ?? {};
  const options = {
    company: plan.several,
    currency: true,
    derived: plan.derive !== undefined,
    months: true,
    dates: true,
  };
  const scope = (() => {
    if (transpose) return scopeOf(ctx, transposedColumns([], options), true);
    if (shape === 'long') return scopeOf(ctx, longColumns(options));
    if (shape === 'versions') return scopeOf(ctx, versionsColumns(plan.versions, options));
    return scopeOf(
      ctx,
      wideColumns(
        [...(ids ?? []), ...shown].map((id) => ({ id })),
        options,
      ),
    );
  })() as Scope<unknown>;
  for (const text of flags.where ?? []) checkCondition(text, scope, '--where');
  if (flags.sort) sortOrder(flags.sort, scope);
}

function scopeOf<Row>(ctx: Context, columns: readonly Column<Row>[], periods = false): Scope<Row> {
  return columnScope(
    columns,
    ctx.now,
    rules,
    periods ? (pivotPeriod as (name: string) => Named<Row> | undefined) : undefined,
  );
}

/** Writes the rows that are chosen. */
export async function writeChosen<Row extends { periodKey?: string }>(
  ctx: Context,
  { asked: flags = {}, companies, request, options: { shape } }: SeriesPlan,
  { rows, columns }: { rows: AsyncIterable<Row>; columns: readonly Column<Row>[] },
): Promise<void> {
  const { metricIds, from, to, periodType, versions: wanted } = request;
  const chosen = [companies, metricIds, from, to, periodType, wanted, shape, flags.where];
  const question = await ask(ctx, {
    ...{ scope: scopeOf(ctx, columns), flags },
    command: ['metrics series', ...chosen],
  });
  const pages = rows instanceof Batches ? (rows as Batches<Row>).batches : alone(rows);
  await showChosen(ctx, { question, flags, pages }, columns, { name: nameOf, empty: 'No such rows.' });
}
