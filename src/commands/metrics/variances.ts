/** Actuals compared with a budget or forecast, and the thresholds of `--fail-on`. */

import type { Context } from '../../cli/context.ts';
import type { FlagValues } from '../../cli/define.ts';
import { selectedRows } from '../../cli/query.ts';
import { type PlanVersion, planVersions, type Version } from '../../contract/metrics.ts';
import { magnitude, quotient } from '../../core/decimal.ts';
import { Failure, listSome, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, monthNames, parsePeriod, partialWords } from '../../core/periods.ts';
import {
  changeOf,
  type FailOn,
  fails,
  parseFailOn,
  type Variance,
  type Verdict,
  variance,
} from '../../domain/analysis/difference.ts';
import { likeValues, type Point } from '../../domain/analysis/points.ts';
import type { Column } from '../../output/column.ts';
import { factsOf, showAnalyses } from './analyses.ts';
import {
  amountColumn,
  changeColumn,
  isGood,
  isPercent,
  type Metric,
  type MetricRow,
  type MetricsById,
  metric,
  months,
  noteColumn,
  period,
  rare,
  unit,
} from './columns.ts';
import type { varianceFlags } from './flags.ts';
import { type Analysis, type AnalysisRequest, alignPeriods, countsMonths, linesIn } from './read.ts';

export interface VarianceRow extends MetricRow, Partial<Record<Version, Numeric | null>> {
  periodKey: string;
  /** The version that the actual is compared with. */
  against: PlanVersion;
  difference: Numeric | null;
  percent: Numeric | null;
  verdict: Verdict;
  note: string;
  months?: string;
}

/** A narrow table drops the difference, the budget and then the verdict. @param coarse quarters or years */
export function varianceColumns(
  against: PlanVersion,
  coarse: boolean,
  metrics: MetricsById = new Map(),
): Column<VarianceRow>[] {
  const operands = (row: VarianceRow) => [row.actual, row[against]] as const;
  const percent = changeColumn<VarianceRow>('percent', '%', (row) => row.percent, {
    metrics,
    isGood: ({ verdict }) => isGood(verdict),
    compared: operands,
    areShown: () => true,
  });
  const difference = amountColumn<VarianceRow>('difference', 'Difference', (row) => row.difference);
  return [
    metric,
    period,
    { key: 'against', heading: 'Against', get: (row) => row.against, ...rare },
    amountColumn('actual', 'Actual', (row) => row.actual),
    {
      ...amountColumn<VarianceRow>(against, against === 'budget' ? 'Budget' : 'Forecast', (row) => row[against]),
      aliases: ['plan'],
      spare: 'last',
      required: false,
    },
    { ...difference, operands, points: (row) => isPercent(metrics, row), spare: true, computed: true },
    { ...percent, required: true },
    {
      key: 'verdict',
      heading: 'Verdict',
      tones: { good: 'green', bad: 'red', unknown: 'dim' },
      get: (row) => row.verdict,
      saidOnce: true,
      spare: 'last',
    },
    { ...noteColumn, saidOnce: true },
    unit,
    ...(coarse ? [months] : []),
  ];
}

/** Each period of each metric with an actual or a budget, oldest first. */
export function variancesOf(analysis: Analysis, against: PlanVersion, partial = false): VarianceRow[] {
  const { items, metrics, type } = alignPeriods(analysis, 'versions');
  const lines = linesIn({ items, metrics });
  return metrics.flatMap((metric) => {
    const pointsOf = (version: Version) => {
      const line = lines.find((candidate) => candidate.metricId === metric.id && candidate.version === version);
      return new Map(line?.points.map((point) => [point.index, point]));
    };
    const [actuals, plans] = [pointsOf('actual'), pointsOf(against)];
    const indexes = [...new Set([...actuals.keys(), ...plans.keys()])].sort((a, b) => a - b);
    return indexes.map((index) => {
      const periodKey = formatPeriod({ type, index });
      const pair = { periodKey, against, actual: actuals.get(index), plan: plans.get(index), partial };
      const row = varianceRow(metric, pair);
      const without = (actuals.get(index) ?? plans.get(index))?.note;
      if (without === undefined) return row;
      const isSum = isNumeric(row.actual) || isNumeric(row[against]);
      return { ...row, note: [isSum && row.note, without].filter(Boolean).join('; ') };
    });
  });
}

interface VersionPair {
  periodKey: string;
  against: PlanVersion;
  actual: Point | undefined;
  plan: Point | undefined;
  /** Periods that are not complete are compared, too. */
  partial: boolean;
}

function varianceRow(
  { id, unit, measure, direction }: Metric,
  { periodKey, against, partial, ...pair }: VersionPair,
): VarianceRow {
  const months = pair.actual?.incomplete;
  const like = partial && pair.actual && pair.plan ? likeValues([pair.actual, pair.plan]) : undefined;
  const [actual, plan] = like?.values.every(isNumeric) ? like.values : [pair.actual?.value, pair.plan?.value];
  const period = parsePeriod(periodKey);
  // Budgets are stored by grain: one by month is not one of the quarter.
  const rowName = period && period.type !== 'month' ? ` by ${period.type}` : '';
  const isLike = like?.values.every(isNumeric) === true;
  // Two months cannot be compared with a budget for three.
  const result: Variance =
    months === undefined || isLike
      ? variance({ actual, plan, planName: against, rowName, direction })
      : {
          difference: null,
          ratio: null,
          verdict: 'unknown',
          note: `actual ${partialWords(months)}: ${like ? `no ${against} of these months` : 'not compared'}`,
        };
  const compared = period && isLike && like?.months ? `both of ${monthNames(period, like.months)}` : '';
  const note = [compared, result.note].filter(Boolean).join('; ');
  return {
    metricId: id,
    periodKey,
    against,
    ...(actual !== undefined && { actual }),
    ...(plan !== undefined && { [against]: plan }),
    difference: result.difference,
    percent: changeOf(result, measure),
    verdict: result.verdict,
    note,
    ...(months !== undefined && { months }),
    ...(unit !== undefined && { unit }),
  };
}

/** Shows variances, and judges those that flags choose. @param last the periods where no range is given */
export async function showVariances(
  ctx: Context,
  flags: FlagValues<typeof varianceFlags> & AnalysisRequest,
  last: string,
): Promise<void> {
  const limits = thresholds(flags.failOn);
  const against = planVersions.find((version) => version === flags.against) ?? 'budget';
  const { question, rows, verdict } = await showAnalyses(ctx, flags, {
    options: { versions: ['actual', against], last },
    known: varianceColumns(against, true),
    rowsOf: (analysis) => variancesOf(analysis, against, flags.partial),
    columnsOf: (analyses) =>
      varianceColumns(
        against,
        analyses.parts.some(({ value }) => countsMonths(value)),
        factsOf(analyses),
      ),
    reasonOf: ({ difference, note }) => (difference === null ? note : undefined),
    empty: `Neither actuals nor a ${against} in the range.`,
  });
  failOn(await selectedRows(question, rows), limits);
  verdict();
}

/** The thresholds of `--fail-on`. @throws usage */
function thresholds(words: readonly string[] | undefined): { text: string; rule: FailOn }[] {
  return (words ?? []).map((text) => {
    const rule = parseFailOn(text);
    if (rule) return { text, rule };
    throw usage(`--fail-on must be a threshold such as 'bad > 10%', 'bad > 1000' or 'any >= 5%', got "${text}"`);
  });
}

/** The ratio of a variance, exact: `percent` is rounded, or in points. */
function ratioOf(row: VarianceRow): Numeric | null {
  const { difference, [row.against]: plan } = row;
  return difference !== null && isNumeric(plan) ? quotient(difference, magnitude(plan)) : null;
}

/** @throws Failure `no` for variances beyond a threshold, and when nothing could be compared */
function failOn(rows: readonly VarianceRow[], rules: readonly { text: string; rule: FailOn }[]): void {
  if (rules.length === 0) return;
  if (rows.every(({ difference }) => difference === null)) {
    throw new Failure('no', 'nothing could be compared, so --fail-on has no answer', { code: 'nothing_compared' });
  }
  const sentences = rules.flatMap(({ text, rule }) => {
    const broken = rows.filter((row) => fails({ ...row, ratio: ratioOf(row) }, rule));
    if (broken.length === 0) return [];
    const names = broken.map(({ metricId, periodKey }) => `${metricId} ${periodKey}`);
    return [`${broken.length} of ${rows.length} are ${text.trim()}: ${listSome(names, 3)}`];
  });
  if (sentences.length > 0) throw new Failure('no', sentences.join('; '), { code: 'variance' });
}
