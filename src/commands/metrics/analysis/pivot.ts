/** Metrics as rows and periods as columns, with trend and latest change. */

import type { Context } from '../../../cli/context.ts';
import type { Numeric } from '../../../core/json.ts';
import { formatPeriod } from '../../../core/periods.ts';
import { changes } from '../../../domain/analysis/growth.ts';
import { percent } from '../../../domain/analysis/percent.ts';
import { indexOf, type Point, whole } from '../../../domain/analysis/points.ts';
import { sparkline } from '../../../domain/analysis/sparkline.ts';
import type { PivotRow } from '../analysis-columns.ts';
import type { Analysis } from '../read.ts';
import { linesInTurn } from './items.ts';

interface Pivot {
  /** Newest first, from the newest with a value; those without any are included. */
  periods: string[];
  rows: Iterable<PivotRow>;
  /** By period, `2/3` where only some months have data. */
  partial: ReadonlyMap<string, string>;
}

interface PivotOptions {
  ascii: boolean;
  asc: boolean;
  partial: boolean;
}

export function pivotOf(analysis: Analysis, options: PivotOptions): Pivot {
  const { items, metrics, type, range } = analysis;
  const ids = new Set(metrics.map(({ id }) => id));
  const found = new Set<number>();
  for (const item of items) if (Object.keys(item.metrics).some((id) => ids.has(id))) found.add(indexOf(item));
  if (found.size === 0) return { periods: [], rows: [], partial: new Map() };
  const indexes = [...found];
  const newest = indexes.reduce((a, b) => Math.max(a, b));
  const oldest = range.from?.index ?? indexes.reduce((a, b) => Math.min(a, b));
  const all = Array.from({ length: Math.max(newest - oldest + 1, 0) }, (_, step) => oldest + step);
  const partial = new Map<string, string>();
  if (items.partial) {
    for (const { points } of linesInTurn(items, [...ids])) {
      for (const { index, incomplete } of points) {
        if (incomplete) partial.set(formatPeriod({ type, index }), incomplete);
      }
    }
  }
  const periods = all.map((index) => formatPeriod({ type, index }));
  const rows = { [Symbol.iterator]: () => pivotRows(analysis, all, options) };
  return { periods: options.asc ? periods : periods.toReversed(), rows, partial };
}

function* pivotRows(
  { items, metrics, type }: Analysis,
  all: readonly number[],
  options: PivotOptions,
): Generator<PivotRow> {
  const key = (index: number) => formatPeriod({ type, index });
  const byId = new Map(metrics.map((metric) => [metric.id, metric]));
  for (const { metricId, version, points } of linesInTurn(items, [...byId.keys()])) {
    const { label, unit } = byId.get(metricId) ?? {};
    const byIndex = new Map(points.map(({ index, value }) => [index, value]));
    const incomplete = new Map(points.flatMap((point) => (point.incomplete ? [[point.index, point.incomplete]] : [])));
    yield {
      metricId,
      ...(label !== undefined && { label }),
      ...(unit !== undefined && { unit }),
      version,
      change: percent(lastChange(options.partial ? points : whole(points))),
      trend: sparkline(
        all.map((index) => byIndex.get(index)),
        { ascii: options.ascii, partial: new Set(all.flatMap((index, at) => (incomplete.has(index) ? [at] : []))) },
      ),
      values: Object.fromEntries(points.map(({ index, value }) => [key(index), value])),
      ...(incomplete.size > 0 && {
        months: Object.fromEntries([...incomplete].map(([index, months]) => [key(index), months])),
      }),
    };
  }
}

/** Of the newest value against the period before it. */
function lastChange(points: readonly Point[]): Numeric | null {
  const newest = points.findLast(({ value }) => value !== null);
  if (!newest) return null;
  const two = points.filter(({ index }) => index === newest.index || index === newest.index - 1);
  return changes(two, 1).findLast(({ value }) => value !== null)?.ratio ?? null;
}

/** So many values of rows are printed at once. */
const valuesAtOnce = 30_000;

/** Rows over many periods are long. */
export function rowsAtOnce(periods: number): number {
  return Math.max(1, Math.floor(valuesAtOnce / Math.max(1, periods)));
}

/** The periods of several companies as one header. */
export function joinedPivots(pivots: readonly Pivot[], asc: boolean): Pick<Pivot, 'periods' | 'partial'> {
  const periods = [...new Set(pivots.flatMap(({ periods }) => periods))].sort();
  return {
    periods: asc ? periods : periods.reverse(),
    partial: new Map(pivots.flatMap(({ partial }) => [...partial])),
  };
}

/** Time runs from left to right where people read; data begin with the newest period, as series do. */
export function orderOf({ settings }: Context, asked: string | undefined): string {
  if (asked !== undefined) return asked;
  return settings.output.value === 'table' || settings.output.value === 'md' ? 'asc' : 'desc';
}
