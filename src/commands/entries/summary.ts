/** `entries count --by` and `entries summarize`: groups of entries as rows. */

import type { Context } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import type { RowFlags } from '../../cli/query.ts';
import { shellWord } from '../../cli/words.ts';
import { usage } from '../../core/errors.ts';
import type { Attribute } from '../../domain/entries/options.ts';
import { type Entry, entryScope } from '../../domain/entries/scope.ts';
import { aggregates } from '../../domain/query/aggregates.ts';
import type { Cell } from '../../domain/query/cells.ts';
import { groupKeys, type SummaryColumn, summary } from '../../domain/query/groups.ts';
import type { Column } from '../../output/column.ts';
import { readList } from '../lists/read.ts';
import { entryColumns } from './columns.ts';
import { entryPages, queryEntries, type selectionFlags } from './read.ts';

interface SummaryFlags extends RowFlags, Partial<FlagValues<typeof selectionFlags>> {
  by?: string;
  agg?: string;
  total?: boolean;
  pivot?: string;
}

/** @param allKnown a row for each option of a single key, also without entries */
export async function showSummary(
  ctx: Context,
  target: string,
  flags: SummaryFlags,
  { verb, allKnown }: { verb: string; allKnown: boolean },
): Promise<void> {
  const list = await readList(ctx, target);
  const attributes = list.list_attributes ?? [];
  const scope = entryScope(attributes, ctx.now);
  const keys = flags.by === undefined ? [] : groupKeys(flags.by, scope, '--by');
  const { pivot, total: totals } = flags;
  if (pivot !== undefined && keys.every(({ label }) => label !== pivot)) {
    groupKeys(pivot, scope, '--pivot');
    throw usage(
      `--pivot ${pivot} is not in --by`,
      `write --by ${shellWord([flags.by, pivot].filter(Boolean).join(','))}`,
    );
  }
  const folds = aggregates(flags.agg ?? 'count', scope, '--agg');
  // --sort and --one apply to groups, not to entries.
  const { sort, one, ...choosing } = flags;
  const { input, question } = await queryEntries(ctx, list, choosing, verb);
  const pages = question.select(entryPages(ctx, input));
  const table = await summary(pages, { keys, aggregates: folds, allKnown, pivot, totals, sort });
  const units = new Map(entryColumns(attributes).map((column) => [column.key, column]));
  const columns = table.columns.map((column, at) => summaryColumn(column, at, units, attributes));
  const json = (row: Cell[]) => Object.fromEntries(columns.map(({ key, get }) => [key, get(row)]));
  const end = table.rows.length - table.totalRows;
  const groups = table.rows.slice(0, end);
  // --limit counts groups; totals are of all groups.
  const all = [...groups.slice(0, ctx.settings.limit ?? undefined), ...table.rows.slice(end)];
  if (one) {
    const { onlyRow } = await import('../../cli/row-query.ts');
    const row = await onlyRow(groups, ([first]) => String(first?.value ?? '(empty)'));
    await ctx.out.value(row, columns, { json: json(row) });
  } else await ctx.out.rows(all, columns, { json, empty: 'No entries.', isCut: true });
  if (table.isRepeating) ctx.out.note('An entry with several values is in several groups, and once in a total.');
  question.finished();
}

/** The heading of a column: the name of its attribute; options and aggregates as they are written. */
function headingOf(label: string, isKey: boolean, attributes: readonly Attribute[]): string {
  if (!isKey && label !== 'count') return label;
  const name = attributes.find(({ slug }) => slug === label)?.name;
  return name ?? `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

function summaryColumn(
  { label, aggregate }: SummaryColumn<Entry>,
  at: number,
  units: ReadonlyMap<string, Pick<Column, 'type' | 'unit'>>,
  attributes: readonly Attribute[],
): Column<Cell[]> {
  const of = aggregate?.column === undefined ? undefined : units.get(aggregate.column);
  const unit = typeof of?.unit === 'string' ? { unit: of.unit } : aggregate?.unit && { unit: aggregate.unit };
  const type = aggregate?.isNumber ? (of?.type ?? 'number') : (of?.type ?? undefined);
  return {
    key: label,
    heading: headingOf(label, aggregate === undefined, attributes),
    ...(type !== undefined && { type }),
    ...unit,
    ...(aggregate?.digits !== undefined && { digits: aggregate.digits }),
    get: (row) => row[at]?.value,
    ...(aggregate === undefined && {
      shown: (row: Cell[]) => (row[at]?.value === null && at === 0 ? '(empty)' : undefined),
    }),
  };
}
