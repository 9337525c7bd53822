/** The rows of a series as one line of points for each metric and version: the start of every analysis. */
import { type MetricSeriesItem, type Version, versions as versionOrder } from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { periodOf } from '../series/plan.ts';

/** A series row; a derived one marks its incomplete values. */
export interface AnalysisItem extends MetricSeriesItem {
  /** `2/3` by metric: the months with a value, where that is fewer than the period holds. */
  incomplete?: Record<string, string>;
  /** The row is derived from months. */
  derived?: true;
  /** The months of a derived row, or of one whose month is running. */
  months?: string;
}

export interface Point {
  /** Months, quarters or years since year 0, by the series' grain. */
  index: number;
  value: Numeric | null;
  updatedAt?: string | null | undefined;
  /** `2/3`: the months of the period that have values. */
  incomplete?: string;
}

/** One metric in one version, oldest first. Periods without a row for the metric are not in it. */
export interface MetricLine {
  metricId: string;
  version: Version;
  points: Point[];
}

/**
 * The lines of the rows, by metric in the order of `ids`, within it actuals first.
 * @param ids the metrics wanted; default: all that the rows hold, in the order of their first rows
 */
export function linesOf(items: Iterable<AnalysisItem>, ids?: readonly string[]): MetricLine[] {
  const byId = new Map<string, Map<Version, MetricLine>>((ids ?? []).map((id) => [id, new Map()]));
  for (const item of items) {
    const index = indexOf(item);
    for (const [metricId, value] of Object.entries(item.metrics)) {
      if (ids && !byId.has(metricId)) continue;
      const versions = byId.get(metricId) ?? new Map<Version, MetricLine>();
      byId.set(metricId, versions);
      const line = versions.get(item.version) ?? { metricId, version: item.version, points: [] };
      versions.set(item.version, line);
      const incomplete = item.incomplete?.[metricId];
      line.points.push({ index, value, updatedAt: item.updatedAt, ...(incomplete && { incomplete }) });
    }
  }
  const lines = [...byId.values()].flatMap((byVersion) =>
    versionOrder.flatMap((version) => byVersion.get(version) ?? []),
  );
  for (const line of lines) line.points.sort((a, b) => a.index - b.index);
  return lines;
}

/** Compares rows by period, within it by the order of the versions. */
export function byTime(
  a: Pick<AnalysisItem, 'periodKey' | 'version'>,
  b: Pick<AnalysisItem, 'periodKey' | 'version'>,
): number {
  if (a.periodKey !== b.periodKey) return a.periodKey < b.periodKey ? -1 : 1;
  return versionOrder.indexOf(a.version) - versionOrder.indexOf(b.version);
}

/** The position of a row in its grain. @throws Failure rejected for a key that is not a period */
export function indexOf(item: Pick<AnalysisItem, 'periodKey'>): number {
  return periodOf(item).index;
}

/** The points of complete periods: a quarter with two months cannot be compared. */
export function whole(points: readonly Point[]): Point[] {
  return points.filter(({ incomplete }) => incomplete === undefined);
}

/** The value at a position: undefined without a row, null for an unknown value. */
export function valueAt(line: MetricLine | undefined, index: number): Numeric | null | undefined {
  return line?.points.find((point) => point.index === index)?.value;
}
