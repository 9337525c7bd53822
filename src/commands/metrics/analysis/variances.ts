/** Actuals compared with a plan, and the thresholds of `--fail-on`. */

import { Failure, usage } from '../../../core/errors.ts';
import { formatPeriod, parsePeriod, partialWords } from '../../../core/periods.ts';
import { percent } from '../../../domain/analysis/percent.ts';
import { linesOf, type MetricLine, type Point } from '../../../domain/analysis/points.ts';
import { type FailOn, fails, parseFailOn, type Variance, variance } from '../../../domain/analysis/variance.ts';
import type { VarianceRow } from '../analysis-columns.ts';
import type { Analysis, Metric } from '../read.ts';

export type Plan = 'budget' | 'forecast';

/** A row of output with its comparison. */
export interface Compared {
  row: VarianceRow;
  variance: Variance;
}

/** Each period of each metric with an actual or a plan, oldest first. */
export function variancesOf({ items, metrics, type }: Analysis, against: Plan, partial = false): Compared[] {
  const lines = linesOf(
    items,
    metrics.map(({ id }) => id),
  );
  const line = (id: string, version: string) =>
    lines.find(({ metricId, version: of }) => metricId === id && of === version);
  return metrics.flatMap((metric) => {
    const [actual, plan] = [byIndex(line(metric.id, 'actual')), byIndex(line(metric.id, against))];
    const indexes = [...new Set([...actual.keys(), ...plan.keys()])].sort((a, b) => a - b);
    return indexes.map((index) =>
      compared(metric, formatPeriod({ type, index }), against, actual.get(index), plan.get(index), partial),
    );
  });
}

function byIndex(line: MetricLine | undefined): Map<number, Point> {
  return new Map(line?.points.map((point) => [point.index, point]));
}

function compared(
  { id, unit, direction }: Metric,
  periodKey: string,
  against: Plan,
  actual: Point | undefined,
  plan: Point | undefined,
  comparePartial: boolean,
): Compared {
  const found = variance(id, periodKey, actual?.value, plan?.value, direction);
  // Two months cannot be compared with a plan for three.
  const partial = actual?.incomplete;
  const result: Variance =
    partial === undefined || comparePartial
      ? found
      : {
          ...found,
          difference: null,
          ratio: null,
          verdict: 'unknown',
          note: `actual ${partialWords(partial)}: not compared`,
        };
  // Plans are stored by grain: one by month is not one of the quarter.
  const grain = parsePeriod(periodKey)?.type;
  const ofGrain = plan === undefined && grain !== undefined && grain !== 'month' ? ` by ${grain}` : '';
  const note = result.note.replaceAll('plan', against).replace(`no ${against}`, `no ${against}${ofGrain}`);
  const row: VarianceRow = {
    metricId: id,
    periodKey,
    against,
    ...(actual && { actual: actual.value }),
    ...(plan && { plan: plan.value }),
    difference: result.difference,
    percent: percent(result.ratio),
    verdict: result.verdict,
    note,
    ...(partial !== undefined && { months: partial }),
    ...(unit !== undefined && { unit }),
  };
  return { row, variance: result };
}

/** The thresholds of `--fail-on`. @throws usage */
export function thresholds(given: readonly string[] | undefined): { text: string; rule: FailOn }[] {
  return (given ?? []).map((text) => {
    const rule = parseFailOn(text);
    if (rule) return { text, rule };
    throw usage(`--fail-on must be a threshold such as 'bad > 10%', 'bad > 1000' or 'any >= 5%', got "${text}"`);
  });
}

/** @throws Failure `no` for variances beyond a threshold, and when nothing could be compared */
export function failOn(found: readonly Compared[], rules: readonly { text: string; rule: FailOn }[]): void {
  if (rules.length === 0) return;
  if (!found.some(({ variance: { difference } }) => difference !== null)) {
    throw new Failure('no', 'nothing could be compared, so --fail-on has no answer', { code: 'nothing_compared' });
  }
  const says = rules.flatMap(({ text, rule }) => {
    const broken = found.filter((each) => fails(each.variance, rule));
    if (broken.length === 0) return [];
    const named = broken.slice(0, 3).map(({ row }) => `${row.metricId} ${row.periodKey}`);
    const more = broken.length > named.length ? ` and ${broken.length - named.length} more` : '';
    return [`${broken.length} of ${found.length} are ${text.trim()}: ${named.join(', ')}${more}`];
  });
  if (says.length > 0) throw new Failure('no', says.join('; '), { code: 'variance' });
}
