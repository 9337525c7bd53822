/** Metrics as rows and periods as columns, with trend and latest change. */

import type { Context } from '../../../cli/context.ts';
import { formatPeriod } from '../../../core/periods.ts';
import { changes } from '../../../domain/analysis/growth.ts';
import { percent } from '../../../domain/analysis/percent.ts';
import { linesOf, whole } from '../../../domain/analysis/points.ts';
import { sparkline } from '../../../domain/analysis/sparkline.ts';
import type { PivotRow } from '../analysis-columns.ts';
import type { Analysis } from '../read.ts';

interface Pivot {
  /** Newest first, from the newest with a value; those without any are included. */
  periods: string[];
  rows: PivotRow[];
  /** By period, `2/3` where only some months have data. */
  partial: ReadonlyMap<string, string>;
}

export function pivotOf(
  { items, metrics, type, range }: Analysis,
  options: { ascii: boolean; asc: boolean; partial: boolean },
): Pivot {
  const lines = linesOf(
    items,
    metrics.map(({ id }) => id),
  );
  const indexes = lines.flatMap(({ points }) => points.map(({ index }) => index));
  if (indexes.length === 0) return { periods: [], rows: [], partial: new Map() };
  const newest = indexes.reduce((a, b) => Math.max(a, b));
  const oldest = range.from?.index ?? indexes.reduce((a, b) => Math.min(a, b));
  const all = Array.from({ length: Math.max(newest - oldest + 1, 0) }, (_, step) => oldest + step);
  const key = (index: number) => formatPeriod({ type, index });
  const rows = lines.map((line): PivotRow => {
    const metric = metrics.find(({ id }) => id === line.metricId);
    const byIndex = new Map(line.points.map(({ index, value }) => [index, value]));
    const incomplete = new Map(
      line.points.flatMap((point) => (point.incomplete ? [[point.index, point.incomplete]] : [])),
    );
    const last = changes(options.partial ? line.points : whole(line.points), 1).findLast(({ value }) => value !== null);
    return {
      metricId: line.metricId,
      ...(metric?.label !== undefined && { label: metric.label }),
      ...(metric?.unit !== undefined && { unit: metric.unit }),
      version: line.version,
      change: percent(last?.ratio ?? null),
      trend: sparkline(
        all.map((index) => byIndex.get(index)),
        { ascii: options.ascii, partial: new Set(all.flatMap((index, at) => (incomplete.has(index) ? [at] : []))) },
      ),
      values: Object.fromEntries(line.points.map(({ index, value }) => [key(index), value])),
      ...(incomplete.size > 0 && {
        months: Object.fromEntries([...incomplete].map(([index, months]) => [key(index), months])),
      }),
    };
  });
  const periods = all.map(key);
  const partial = new Map(rows.flatMap(({ months = {} }) => Object.entries(months)));
  return { periods: options.asc ? periods : periods.toReversed(), rows, partial };
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
