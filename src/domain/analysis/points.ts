/** The rows of a series as one line of points for each metric and version: the start of every analysis. */
import { type Version, versions as versionOrder } from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { runningMonths } from '../../core/periods.ts';
import { periodOf } from '../series/plan.ts';
import type { MonthlyValues, SeriesItem } from '../series/shapes.ts';

export interface Point {
  /** Months, quarters or years since year 0, by the series' grain. */
  index: number;
  value: Numeric | null;
  updatedAt?: string | null | undefined;
  /** `2/3`: the months of the period that have values. */
  incomplete?: string;
  monthly?: MonthlyValues;
  /** The companies that a total leaves out. */
  note?: string;
}

/** The points of a metric in one version, oldest first. Periods without a row are left out. */
export interface MetricLine {
  metricId: string;
  version: Version;
  points: Point[];
}

/** The lines of the rows, by metric in the order of `ids` or of their first rows, actuals first. */
export function linesOf(items: Iterable<SeriesItem>, ids?: readonly string[]): MetricLine[] {
  const byId = new Map<string, Map<Version, MetricLine>>((ids ?? []).map((id) => [id, new Map()]));
  for (const item of items) {
    for (const metricId of Object.keys(item.metrics)) {
      if (ids && !byId.has(metricId)) continue;
      const versions = byId.get(metricId) ?? new Map<Version, MetricLine>();
      byId.set(metricId, versions);
      const line = versions.get(item.version) ?? { metricId, version: item.version, points: [] };
      versions.set(item.version, line);
      line.points.push(pointOf(item, metricId));
    }
  }
  const lines = [...byId.values()].flatMap((byVersion) =>
    versionOrder.flatMap((version) => byVersion.get(version) ?? []),
  );
  for (const line of lines) line.points.sort((a, b) => a.index - b.index);
  return lines;
}

export function pointOf(item: SeriesItem, metricId: string): Point {
  const incomplete = item.incomplete?.[metricId];
  const monthly = item.monthly?.(metricId);
  const note = item.notes?.[metricId];
  return {
    index: indexOf(item),
    value: item.metrics[metricId] ?? null,
    updatedAt: item.updatedAt,
    ...(incomplete && { incomplete }),
    ...(monthly && { monthly }),
    ...(note !== undefined && { note }),
  };
}

interface LikeValues {
  /** Undefined where a period lacks one of the months. */
  values: (Numeric | null | undefined)[];
  /** The positions of the compared months; undefined for complete periods. */
  months?: readonly number[];
}

/** The values over the months that the first of the points has. */
export function likeValues(points: readonly Point[]): LikeValues {
  const counts = new Set(points.map(({ incomplete }) => incomplete));
  counts.delete(runningMonths);
  const isComplete = counts.size === 0 || (counts.size === 1 && counts.has(undefined));
  const hasMonths = points.some(({ monthly }) => monthly);
  if (isComplete || (!hasMonths && counts.size === 1)) return { values: points.map(({ value }) => value) };
  if (!hasMonths) return { values: points.map(() => undefined) };
  const months = points[0]?.monthly?.positions ?? [];
  return { values: points.map(({ monthly }) => (months.length === 0 ? undefined : monthly?.over(months))), months };
}

/** Compares rows by period, within it by the order of the versions. */
export function byTime(
  a: Pick<SeriesItem, 'periodKey' | 'version'>,
  b: Pick<SeriesItem, 'periodKey' | 'version'>,
): number {
  if (a.periodKey !== b.periodKey) return a.periodKey < b.periodKey ? -1 : 1;
  return versionOrder.indexOf(a.version) - versionOrder.indexOf(b.version);
}

/** The position of a row in its grain. @throws Failure rejected for a key that is not a period */
export function indexOf(item: Pick<SeriesItem, 'periodKey'>): number {
  return periodOf(item).index;
}

/** The points of complete periods: a quarter with two months cannot be compared. */
export function whole(points: readonly Point[]): Point[] {
  return points.filter(({ incomplete }) => incomplete === undefined);
}
