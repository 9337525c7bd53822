/** Actual against plan, period by period. */

import { compare, difference, magnitude, quotient } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';

/** `good` and `bad` by the metric's direction; `even` for no difference; `unknown` without a verdict. */
export type Verdict = 'good' | 'bad' | 'even' | 'unknown';

export interface Variance {
  metricId: string;
  periodKey: string;
  /** undefined: no row or no such metric in it; null: the API says null. */
  actual: Numeric | null | undefined;
  plan: Numeric | null | undefined;
  /** actual - plan, exact; null when one of them is missing. */
  difference: Numeric | null;
  /** The difference as a fraction of the plan's magnitude (0.1 = 10 %); null when the plan is zero or missing. */
  ratio: Numeric | null;
  verdict: Verdict;
  /** Why there is no difference, ratio or verdict; empty when there is nothing to explain. */
  note: string;
}

/**
 * Compares one pair of values.
 * @param direction the catalog's `direction`: `up` (more is better), `down` (less is better), anything else unknown
 */
export function variance(
  metricId: string,
  periodKey: string,
  actual: Numeric | null | undefined,
  plan: Numeric | null | undefined,
  direction: string | null | undefined,
): Variance {
  if (!isNumeric(actual) || !isNumeric(plan)) {
    const note = missingNote(actual, plan);
    return { metricId, periodKey, actual, plan, difference: null, ratio: null, verdict: 'unknown', note };
  }
  const gap = difference(actual, plan);
  const ratio = quotient(gap, magnitude(plan));
  const verdict = verdictOf(gap, direction);
  const notes = [
    ...(ratio === null ? ['the plan is zero: no percentage'] : []),
    ...(verdict === 'unknown' ? ['the catalog gives no direction: neither good nor bad'] : []),
  ];
  return { metricId, periodKey, actual, plan, difference: gap, ratio, verdict, note: notes.join('; ') };
}

/** Whether a change is good, by the direction of its metric. */
export function verdictOf(change: Numeric, direction: string | null | undefined): Verdict {
  const sign = compare(change, 0);
  if (sign === 0) return 'even';
  if (direction !== 'up' && direction !== 'down') return 'unknown';
  return sign > 0 === (direction === 'up') ? 'good' : 'bad';
}

function missingNote(actual: unknown, plan: unknown): string {
  const reason = (name: string, value: unknown): string[] =>
    isNumeric(value) ? [] : [value === null ? `${name} is null` : `no ${name}`];
  return [...reason('actual', actual), ...reason('plan', plan)].join(', ');
}

/** A threshold: which verdicts fail, and from which difference. */
export interface FailOn {
  verdict: 'good' | 'bad' | 'any';
  operator: '>' | '>=';
  /** A fraction of the plan (`10%` is 0.1) or an absolute difference. */
  amount: number;
  relative: boolean;
}

/** Reads `bad > 10%`, `any >= 5%`, `bad > 1000`; undefined for any other text. */
export function parseFailOn(text: string): FailOn | undefined {
  const match = /^\s*(good|bad|any)\s*(?:(>=?)\s*(\d+(?:\.\d+)?)\s*(%?)\s*)?$/.exec(text);
  if (!match) return undefined;
  const [, verdict, operator = '>', amount = '0', percent] = match;
  const relative = percent === '%';
  return {
    verdict: verdict as FailOn['verdict'],
    operator: operator as FailOn['operator'],
    amount: relative ? Number(amount) / 100 : Number(amount),
    relative,
  };
}

/** Whether a variance is beyond the threshold. A missed plan of zero is beyond every relative one. */
export function fails(row: Pick<Variance, 'difference' | 'ratio' | 'verdict'>, rule: FailOn): boolean {
  if (row.difference === null || row.verdict === 'even') return false;
  if (rule.verdict !== 'any' && row.verdict !== rule.verdict) return false;
  const size = rule.relative ? row.ratio : row.difference;
  if (size === null) return true;
  const order = compare(magnitude(size), rule.amount);
  return rule.operator === '>' ? order > 0 : order >= 0;
}
