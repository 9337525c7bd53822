/**
 * `comem/analysis`: the arithmetic of comem's metrics commands for scripts. Pure functions: nothing is read, sent or
 * printed, no clock is looked at, and numbers keep their digits.
 *
 * ```ts
 * import { linesOf, type MetricSeriesItem } from 'comem/analysis';
 *
 * const items: MetricSeriesItem[] = [
 *   { periodKey: '2024-01', periodType: 'month', version: 'actual', metrics: { mrr: 90 } },
 *   { periodKey: '2024-02', periodType: 'month', version: 'actual', metrics: { mrr: 99 } },
 * ];
 * for (const { metricId, points } of linesOf(items, ['mrr'])) console.log(metricId, points);
 * ```
 */

export type { MetricSeriesItem, Version } from '../../contract/metrics.ts';
export { average, compare, difference, magnitude, product, quotient, rounded, sum } from '../../core/decimal.ts';
export { ExactNumber, isNumeric, type Numeric, plainDecimal } from '../../core/json.ts';
export type { PeriodType } from '../../core/periods.ts';
export {
  addPeriods,
  comparePeriods,
  countPeriods,
  formatPeriod,
  type Period,
  parsePeriod,
  periodAt,
  periodHolding,
  periodRange,
} from '../../core/periods.ts';
export { aggregationOf, derive } from '../series/derive.ts';
export { type Aggregation, aggregations } from '../series/plan.ts';
export type { DerivedItem } from '../series/shapes.ts';
export { type DatedPoint, type Gap, type GapKind, type GapRules, gaps } from './gaps.ts';
export { type Change, cagr, changes, type IndexedPoint, trailingAverages } from './growth.ts';
export { type AnalysisItem, linesOf, type MetricLine, type Point, valueAt, whole } from './points.ts';
export {
  type Reading,
  type Restatement,
  type RestatementKind,
  readings,
  restatements,
  type SavedTable,
} from './saved.ts';
export { type SparkOptions, sparkline } from './sparkline.ts';
export { type FailOn, fails, parseFailOn, type Variance, type Verdict, variance } from './variance.ts';
