/** A bridge: from one value to another in steps that sum up to their difference, with all digits. */

import { compare, difference, magnitude, quotient, sum } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { percent } from './growth.ts';
import { type Point, valueAt } from './points.ts';

/** A total stands for itself; a step and the rest of the difference are changes. */
type StepKind = 'start' | 'step' | 'rest' | 'end';

export interface Step {
  name: string;
  kind: StepKind;
  value: Numeric;
  /** The total after it. */
  running: Numeric;
  /** The change in percent of the start; null where the start is zero. */
  percent: Numeric | null;
}

interface Ends {
  from: { name: string; value: Numeric };
  to: { name: string; value: Numeric };
}

/** @param rest the name of what the steps do not explain, which is a step of its own where it is not zero */
export function bridgeOf(
  { from, to }: Ends,
  changes: readonly { name: string; value: Numeric }[],
  rest: string,
): Step[] {
  const open = difference(difference(to.value, from.value), sum(changes.map(({ value }) => value)));
  const all = [
    ...changes.map((change) => ({ ...change, kind: 'step' as const })),
    ...(compare(open, 0) === 0 ? [] : [{ name: rest, value: open, kind: 'rest' as const }]),
  ];
  let running = from.value;
  const steps = all.map(({ name, kind, value }): Step => {
    running = sum([running, value]);
    return { name, kind, value, running, percent: percentOf(value, from.value) };
  });
  return [
    { ...from, kind: 'start', running: from.value, percent: null },
    ...steps,
    { ...to, kind: 'end', running: to.value, percent: percentOf(difference(to.value, from.value), from.value) },
  ];
}

function percentOf(change: Numeric, of: Numeric): Numeric | null {
  return percent(quotient(change, magnitude(of)));
}

/** The change of each point against the one before it, and the periods in between without a value. */
export function changesBetween(
  points: readonly Point[],
  from: number,
  to: number,
): { since: number; index: number; value: Numeric }[] {
  const known = points.filter(({ index, value }) => index >= from && index <= to && isNumeric(value));
  return known.slice(1).flatMap(({ index, value }, at) => {
    const before = known[at];
    if (!before || !isNumeric(value) || !isNumeric(before.value)) return [];
    return [{ since: before.index, index, value: difference(value, before.value) }];
  });
}

/** The sum of a flow over the periods after `from` up to `to`; undefined and the first period without a value. */
export function flowBetween(points: readonly Point[], from: number, to: number): { value?: Numeric; missing?: number } {
  const line = { metricId: '', version: 'actual' as const, points: [...points] };
  const values: Numeric[] = [];
  for (let index = from + 1; index <= to; index += 1) {
    const value = valueAt(line, index);
    if (!isNumeric(value)) return { missing: index };
    values.push(value);
  }
  return { value: sum(values) };
}
