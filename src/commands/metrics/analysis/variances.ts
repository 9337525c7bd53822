/** Actuals compared with a plan, and the thresholds of `--fail-on`. */

import { magnitude, quotient } from '../../../core/decimal.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { formatPeriod, parsePeriod, partialWords } from '../../../core/periods.ts';
import { percent } from '../../../domain/analysis/percent.ts';
import type { MetricLine, Point } from '../../../domain/analysis/points.ts';
import { type FailOn, fails, parseFailOn, type Variance, variance } from '../../../domain/analysis/variance.ts';
import type { VarianceRow } from '../analysis-columns.ts';
import { linesByMetric } from './items.ts';
import type { Lined, Metric } from './parts.ts';

export type Plan = 'budget' | 'forecast';

/** Each period of each metric with an actual or a plan, oldest first. */
export function* variancesOf({ items, metrics, type }: Lined, against: Plan, partial = false): Generator<VarianceRow> {
  const byId = new Map(metrics.map((metric) => [metric.id, metric]));
  for (const [id, lines] of linesByMetric(items, [...byId.keys()])) {
    const metric = byId.get(id) as Metric;
    const line = (version: string) => byIndex(lines.find((one) => one.version === version));
    const [actual, plan] = [line('actual'), line(against)];
    const indexes = [...new Set([...actual.keys(), ...plan.keys()])].sort((a, b) => a - b);
    for (const index of indexes) {
      yield compared(metric, formatPeriod({ type, index }), against, actual.get(index), plan.get(index), partial);
    }
  }
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
): VarianceRow {
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
  return {
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
}

/** The thresholds of `--fail-on`. @throws usage */
export function thresholds(given: readonly string[] | undefined): { text: string; rule: FailOn }[] {
  return (given ?? []).map((text) => {
    const rule = parseFailOn(text);
    if (rule) return { text, rule };
    throw usage(`--fail-on must be a threshold such as 'bad > 10%', 'bad > 1000' or 'any >= 5%', got "${text}"`);
  });
}

/** With the digits that a percentage does not have. */
function ratioOf({ difference, plan }: VarianceRow): Numeric | null {
  return difference !== null && isNumeric(plan) ? quotient(difference, magnitude(plan)) : null;
}

/** @throws Failure `no` for variances beyond a threshold, and when nothing could be compared */
export async function failOn(
  found: AsyncIterable<readonly VarianceRow[]>,
  rules: readonly { text: string; rule: FailOn }[],
): Promise<void> {
  if (rules.length === 0) return;
  let all = 0;
  let isCompared = false;
  const broken = rules.map(() => ({ count: 0, named: [] as string[] }));
  for await (const rows of found) {
    for (const row of rows) {
      all += 1;
      isCompared ||= row.difference !== null;
      for (const [at, { rule }] of rules.entries()) {
        const own = broken[at];
        if (!own || !fails({ ...row, ratio: ratioOf(row) }, rule)) continue;
        own.count += 1;
        if (own.named.length < 3) own.named.push(`${row.metricId} ${row.periodKey}`);
      }
    }
  }
  if (!isCompared) {
    throw new Failure('no', 'nothing could be compared, so --fail-on has no answer', { code: 'nothing_compared' });
  }
  const says = rules.flatMap(({ text }, at) => {
    const { count, named } = broken[at] ?? { count: 0, named: [] };
    if (count === 0) return [];
    const more = count > named.length ? ` and ${count - named.length} more` : '';
    return [`${count} of ${all} are ${text.trim()}: ${named.join(', ')}${more}`];
  });
  if (says.length > 0) throw new Failure('no', says.join('; '), { code: 'variance' });
}
