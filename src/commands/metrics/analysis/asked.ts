/** Which rows of an analysis are printed, and in which order: the names of conditions are those of its columns. */

import { ask, showChosen } from '../../../cli/asking.ts';
import { columnScope, type ScopeRules } from '../../../cli/column-scope.ts';
import type { Context } from '../../../cli/context.ts';
import { type AskFlags, asks, type Question } from '../../../cli/query.ts';
import { versions } from '../../../contract/metrics.ts';
import type { Column as Named } from '../../../domain/expression/scope.ts';
import type { Column } from '../../../output/column.ts';
import { companyColumns, currencyColumn, type OfCompany } from '../columns.ts';

/** What columns of periods, versions and findings do not say of themselves. */
export const analysisRules: ScopeRules = {
  ...{ periodKey: 'period', from: 'period', to: 'period', version: versions, against: versions },
  verdict: ['good', 'bad', 'even', 'unknown'],
  kind: ['missing', 'null', 'stale', 'repeated', 'none'],
};

/**
 * Before anything is read.
 * @param columns all that the rows may have
 * @param more columns that are known when the rows are read
 */
export function askAnalysis<Row>(
  ctx: Context,
  flags: AskFlags & { total?: boolean | undefined },
  columns: readonly Column<Row>[],
  more?: (name: string) => Named<Row & OfCompany> | undefined,
): Promise<Question<Row & OfCompany>> {
  const several = ctx.settings.companies.value.length > 1 || flags.total === true;
  const own: readonly Column<Row & OfCompany>[] = columns;
  const known = several ? [...companyColumns, ...own, currencyColumn] : own;
  const scope = columnScope(known, ctx.now, analysisRules, more);
  return ask(ctx, { scope, flags, command: [] });
}

interface Shown<Row> {
  question: Question<Row>;
  flags: AskFlags;
  pages: Iterable<readonly Row[]>;
  /** What is said without rows, where none were refused. */
  empty: string;
}

export async function showAnalysis<Row extends OfCompany & { metricId: string }>(
  ctx: Context,
  { question, flags, pages, empty }: Shown<Row>,
  columns: readonly Column<Row>[],
): Promise<void> {
  await showChosen(ctx, { question, flags, pages }, columns, {
    id: ({ metricId }) => metricId,
    name: nameOf,
    empty: asks(flags) ? 'No such rows.' : empty,
  });
}

/** What a message calls a row: its company, metric, period and version, as far as it has them. */
export function nameOf(row: OfCompany & { metricId?: string; periodKey?: string; version?: string }): string {
  return [row.company, row.metricId, row.periodKey, row.version].filter(Boolean).join(' ');
}
