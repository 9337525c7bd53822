/**
 * `comem/analysis`: the arithmetic of comem's metrics commands for scripts. Pure functions: nothing is read, sent or
 * printed, no clock is looked at, and numbers keep their digits.
 *
 * ```ts
 * import { linesOf, variance } from 'comem/analysis';
 *
 * const [actual, budget] = linesOf(page.items, ['mrr']);
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
export { aggregationOf, type DerivedItem, derive } from '../series/derive.ts';
export { type Aggregation, aggregations } from '../series/options.ts';
export { type DatedPoint, type Gap, type GapKind, type GapRules, gaps } from './gaps.ts';
export { type Change, cagr, changes, type IndexedPoint, trailingAverages } from './growth.ts';
export { type AnalysisItem, linesOf, type MetricLine, type Point, valueAt, whole } from './points.ts';
export { type Reading, type Restatement, type RestatementKind, restatements } from './restatements.ts';
export { readings, type SavedTable } from './saved.ts';
export { type SparkOptions, sparkline } from './sparkline.ts';
export { type FailOn, fails, parseFailOn, type Variance, type Verdict, variance } from './variance.ts';
