/** Metrics as rows and periods as columns, with trend and latest change. */

import { compare, difference } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, markedPeriod, type PeriodType, parsePeriod, periodSpans } from '../../core/periods.ts';
import { changeOf, changes } from '../../domain/analysis/difference.ts';
import { indexOf, type MetricLine, type Point, whole } from '../../domain/analysis/points.ts';
import { sparkline } from '../../domain/analysis/sparkline.ts';
import type { Column as Named } from '../../domain/expression/typed.ts';
import type { Column } from '../../output/column.ts';
import {
  amountColumn,
  changeColumn,
  isGoodChange,
  type MetricFacts,
  type MetricRow,
  metric,
  noteColumn,
  rare,
  unit,
} from './columns.ts';
import { comparedMonths } from './growth-rows.ts';
import { type Analysis, aligned, linesIn } from './read.ts';

interface PivotRow extends MetricRow {
  label?: string;
  version: string;
  /** The newest change between two consecutive periods, in percent. */
  change: Numeric | null;
  trend: string;
  /** Values by period; a period without a row is absent. */
  values: Record<string, Numeric | null>;
  /** `2/3` by period, where only some months have data. */
  months?: Record<string, string>;
  /** The companies that a total leaves out. */
  note?: string;
}

interface PivotLook {
  /** Several versions are shown. */
  versions: boolean;
  /** The requested order. */
  order: string | undefined;
  grain: PeriodType;
  metrics: MetricFacts;
  /** Rows of a total name the companies that it leaves out. */
  notes: boolean;
}

/** The name of a period's value in conditions. */
export function pivotPeriod(name: string): Named<PivotRow> | undefined {
  if (!parsePeriod(name)) return undefined;
  return { type: 'number', get: ({ values }) => (Object.hasOwn(values, name) ? values[name] : undefined) };
}

const changeTitles: Readonly<Record<PeriodType, string>> = {
  month: 'Δ m/m',
  quarter: 'Δ q/q',
  year: 'Δ y/y',
};

export function pivotColumns(
  { periods, partial }: { periods: readonly string[]; partial: ReadonlyMap<string, string> },
  { versions, order, grain, metrics, notes }: PivotLook,
): Column<PivotRow>[] {
  const oldestFirst = order !== 'desc';
  const newest = periods.reduce((a, b) => (a > b ? a : b), '');
  const inTime = periods.toSorted();
  // One period has neither a trend nor a change.
  const isOne = periods.length === 1;
  return [
    metric,
    { key: 'label', heading: 'Label', get: (row) => row.label, ...rare },
    { ...unit, hidden: false },
    { key: 'version', heading: 'Version', get: (row) => row.version, hidden: !versions, rank: 2 },
    { key: 'trend', heading: 'Trend', rank: 4, whole: true, hidden: isOne, get: (row) => row.trend },
    {
      ...changeColumn<PivotRow>('change', 'Change', (row) => row.change, {
        metrics,
        isGood: (row) => isGoodChange(metrics, row.metricId, row.change),
        operands: comparedValues,
      }),
      title: changeTitles[grain],
      hidden: isOne,
      rank: 5,
    },
    ...(notes ? [{ ...noteColumn, rank: 80 }] : []),
    ...periods.map(
      (period): Column<PivotRow> => ({
        ...amountColumn<PivotRow>(period, markedPeriod(period, partial.get(period)), (row) =>
          Object.hasOwn(row.values, period) ? row.values[period] : undefined,
        ),
        path: ['values', period],
        unitInRow: true,
        // Time runs from left to right, and a narrow table keeps the newest.
        rank: 20 + (oldestFirst ? inTime.indexOf(period) : periods.length - inTime.indexOf(period)),
        spare: oldestFirst && period !== newest,
        required: period === newest,
      }),
    ),
    ...(partial.size > 0
      ? [{ key: 'months', type: 'json' as const, get: (row: PivotRow) => row.months, ...rare }]
      : []),
  ];
}

/** The newest two values of which the change is the difference. */
function comparedValues({ values, change }: PivotRow): readonly [Numeric | undefined, Numeric | undefined] {
  const inTime = Object.keys(values).sort();
  const at = inTime.findLastIndex((period, index) => {
    const [after, before] = [values[period], values[inTime[index - 1] ?? '']];
    return (
      isNumeric(after) && isNumeric(before) && isNumeric(change) && compare(difference(after, before), change) === 0
    );
  });
  return [values[inTime[at] ?? ''] ?? undefined, values[inTime[at - 1] ?? ''] ?? undefined];
}

/** The periods from the start of the range to the newest with a value; those without any are included. */
function indexesOf({ items, metrics, range }: Analysis): number[] {
  const ids = metrics.map(({ id }) => id);
  const valued = items.filter((item) => ids.some((id) => Object.hasOwn(item.metrics, id))).map(indexOf);
  if (valued.length === 0) return [];
  const newest = valued.reduce((a, b) => Math.max(a, b));
  const oldest = range.from?.index ?? valued.reduce((a, b) => Math.min(a, b));
  return Array.from({ length: Math.max(newest - oldest + 1, 0) }, (_, step) => oldest + step);
}

export function periodsOf(analysis: Analysis): string[] {
  return indexesOf(analysis).map((index) => formatPeriod({ type: analysis.type, index }));
}

/** Periods of which only some months have data, with `2/3`. */
export function partialPeriods(analysis: Analysis): (readonly [period: string, months: string])[] {
  return linesIn(analysis).flatMap(({ points }) =>
    points.flatMap(({ index, incomplete }) =>
      incomplete ? [[formatPeriod({ type: analysis.type, index }), incomplete] as const] : [],
    ),
  );
}

export function pivotRows(stored: Analysis, { ascii, partial }: { ascii: boolean; partial: boolean }): PivotRow[] {
  const analysis = aligned(stored, 'periods');
  const key = (index: number) => formatPeriod({ type: analysis.type, index });
  const byId = new Map(analysis.metrics.map((metric) => [metric.id, metric]));
  const indexes = indexesOf(analysis);
  const lines = linesIn(analysis);
  const present = new Set(lines.map(({ metricId }) => metricId));
  const computed = analysis.metrics.filter(({ id, note }) => note !== undefined && !present.has(id));
  const empty = computed.map(({ id }): MetricLine => ({ metricId: id, version: 'actual', points: [] }));
  return [...lines, ...empty].map(({ metricId, version, points }) => {
    const { label, unit, measure } = byId.get(metricId) ?? {};
    const { change, months } = newestChange(partial ? points : whole(points), measure, analysis.type);
    const without = analysis.leftOut.get(`${metricId} ${version}`) ?? byId.get(metricId)?.note;
    const reasons = without === undefined ? blankReasons(analysis, metricId, version) : [];
    const note = [without, months, ...reasons].filter(Boolean).join('; ') || undefined;
    const byIndex = new Map(points.map(({ index, value }) => [index, value]));
    const incomplete = new Map(points.flatMap((point) => (point.incomplete ? [[point.index, point.incomplete]] : [])));
    return {
      metricId,
      ...(label !== undefined && { label }),
      ...(unit !== undefined && { unit }),
      version,
      change,
      trend: sparkline(
        indexes.map((index) => byIndex.get(index)),
        { ascii, partial: new Set(indexes.flatMap((index, at) => (incomplete.has(index) ? [at] : []))) },
      ),
      ...(note !== undefined && { note }),
      values: Object.fromEntries(points.map(({ index, value }) => [key(index), value])),
      ...(incomplete.size > 0 && {
        months: Object.fromEntries([...incomplete].map(([index, months]) => [key(index), months])),
      }),
    };
  });
}

/** `2024-Q3: burn is of 2/3 months`: why periods of a computed metric are blank. */
function blankReasons({ items, range }: Analysis, metricId: string, version: string): string[] {
  const periods = new Map<string, string[]>();
  for (const item of items) {
    const reason = item.notes?.[metricId];
    const isBefore = range.from !== undefined && indexOf(item) < range.from.index;
    if (reason === undefined || item.version !== version || isBefore) continue;
    periods.set(reason, [...(periods.get(reason) ?? []), item.periodKey]);
  }
  return [...periods].map(([reason, keys]) => `${periodSpans(keys).join(', ')}: ${reason}`);
}

/** The change of the newest value against the period before it, and the months of both where they are incomplete. */
function newestChange(points: readonly Point[], measure: string | undefined, type: PeriodType) {
  const newest = points.findLast(({ value }) => value !== null);
  const two = points.filter(({ index }) => newest && (index === newest.index || index === newest.index - 1));
  const change = changes(two, 1).findLast(({ value }) => value !== null);
  if (!change) return { change: null };
  const period = { type, index: change.index };
  return { change: changeOf(change, measure), months: comparedMonths(period, change.months) };
}
