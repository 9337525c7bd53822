/** Differences: of two numbers, from period to period, from a plan, from one value to another in steps, and of two states. */
import { compare, difference, magnitude, product, quotient, sum } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import { isShare, wholes } from '../series/units.ts';
import { likeValues, type Point } from './points.ts';

interface PeriodChange {
  index: number;
  value: Numeric | null;
  /** The value `steps` periods before; undefined when there is no row there. */
  base: Numeric | null | undefined;
  difference: Numeric | null;
  /** The difference as a fraction of the base's magnitude; null when the base is zero, null or missing. */
  ratio: Numeric | null;
  note: string;
  /** The positions of the compared months, of periods that are not complete. */
  months?: readonly number[] | undefined;
}

/** The change of each point against the one `steps` periods before it (12 for yoy of months, 3 for qoq of months). */
export function changes(points: readonly Point[], steps: number): PeriodChange[] {
  const byIndex = new Map(points.map((point) => [point.index, point]));
  return points.map((point) => {
    const { index } = point;
    const before = byIndex.get(index - steps);
    const { values, months } = likeValues(before ? [point, before] : [point]);
    const [value = null, base] = values;
    if (!isNumeric(value) || !isNumeric(base)) {
      const missing = before ? 'the base lacks months' : 'no complete base period';
      const note = point.value === null ? 'the value is null' : before?.value === null ? 'the base is null' : missing;
      return { index, value: point.value, base, difference: null, ratio: null, note };
    }
    const gap = gapBetween(base, value);
    const note = gap.ratio === null ? 'the base is zero: no percentage' : '';
    return { index, value, base, ...gap, note, months };
  });
}

/** The difference of two values, and its fraction of the first one's magnitude; null where that is zero. */
function gapBetween(before: Numeric, after: Numeric) {
  const gap = difference(after, before);
  return { difference: gap, ratio: quotient(gap, magnitude(before)) };
}

/** The compound annual growth rate from the first to the last value. @param perYear periods of the grain in a year */
export function cagr(points: readonly Point[], perYear: number): { ratio: number | null; years: number; note: string } {
  const valued = points.filter((point) => point.value !== null).sort((a, b) => a.index - b.index);
  const first = valued[0];
  const last = valued.at(-1);
  if (!first || !last || first.index === last.index) {
    return { ratio: null, years: 0, note: 'needs two periods with a value' };
  }
  const years = (last.index - first.index) / perYear;
  if (compare(first.value as Numeric, 0) <= 0 || compare(last.value as Numeric, 0) < 0) {
    return { ratio: null, years, note: 'needs a first value above zero and a last one not below it' };
  }
  return { ratio: (Number(last.value) / Number(first.value)) ** (1 / years) - 1, years, note: '' };
}

/** A change in percent, of a percentage in points: never in percent of percent. */
export function changeOf(
  { difference: gap, ratio }: Pick<PeriodChange, 'difference' | 'ratio'>,
  measure: string | undefined,
): Numeric | null {
  const points = gap === null ? undefined : pointsOf(gap, measure);
  return points ?? percent(ratio);
}

/** The points of a change of a share of a whole, `0.92` of 2.60 % to 3.52 %; undefined: the change is in percent. */
function pointsOf(change: Numeric, measure: string | undefined): Numeric | undefined {
  if (measure === undefined || !isShare(measure)) return undefined;
  return measure === 'percent' ? change : (quotient(product(change, 100), wholes[measure] ?? 100) ?? undefined);
}

export function percent(ratio: Numeric | null): Numeric | null {
  return ratio === null ? null : product(ratio, 100);
}

/** `good` and `bad` by the metric's direction; `even` for no difference; `unknown` without a verdict. */
export type Verdict = 'good' | 'bad' | 'even' | 'unknown';

export interface Variance {
  difference: Numeric | null;
  /** The difference as a fraction of the plan's magnitude (0.1 = 10 %); null when the plan is zero or missing. */
  ratio: Numeric | null;
  verdict: Verdict;
  /** Why there is no difference, ratio or verdict; empty when there is nothing to explain. */
  note: string;
}

/** A pair of values; undefined without a row or the metric in it, null for an unknown value. */
interface PlannedValue {
  actual: Numeric | null | undefined;
  plan: Numeric | null | undefined;
  planName: string;
  /** The grain of the rows that a plan would be in, `by quarter`. */
  rowName?: string;
  /** The catalog's `direction`: `up` (more is better), `down` (less is better), anything else unknown. */
  direction: string | null | undefined;
}

export function variance({ actual, plan, planName, rowName = '', direction }: PlannedValue): Variance {
  if (!isNumeric(actual) || !isNumeric(plan)) {
    const reasons = [
      ...(isNumeric(actual) ? [] : [actual === null ? 'actual is null' : 'no actual']),
      ...(isNumeric(plan) ? [] : [plan === null ? `${planName} is null` : `no ${planName}${rowName}`]),
    ];
    return { difference: null, ratio: null, verdict: 'unknown', note: reasons.join(', ') };
  }
  const gap = gapBetween(plan, actual);
  const verdict = verdictOf(gap.difference, direction);
  const notes = [
    ...(gap.ratio === null ? [`the ${planName} is zero: no percentage`] : []),
    ...(verdict === 'unknown' ? ['no direction in the catalog'] : []),
  ];
  return { ...gap, verdict, note: notes.join('; ') };
}

/** Whether a change is good, by the direction of its metric. */
export function verdictOf(change: Numeric, direction: string | null | undefined): Verdict {
  const sign = compare(change, 0);
  if (sign === 0) return 'even';
  if (direction !== 'up' && direction !== 'down') return 'unknown';
  return sign > 0 === (direction === 'up') ? 'good' : 'bad';
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

/** A total stands for itself; a step and the rest of the difference are changes. */
type StepKind = 'start' | 'step' | 'rest' | 'end';

export interface BridgeStep {
  name: string;
  kind: StepKind;
  value: Numeric;
  running: Numeric;
  /** The change in percent of the start; null where the start is zero. */
  percent: Numeric | null;
}

interface BridgeEnds {
  from: { name: string; value: Numeric };
  to: { name: string; value: Numeric };
}

/** The steps from one value to the other; a difference that no change explains is a step of its own. */
export function bridgeOf({ from, to }: BridgeEnds, changes: readonly { name: string; value: Numeric }[]): BridgeStep[] {
  const open = difference(difference(to.value, from.value), sum(changes.map(({ value }) => value)));
  const all = [
    ...changes.map((change) => ({ ...change, kind: 'step' as const })),
    ...(compare(open, 0) === 0 ? [] : [{ name: 'other', value: open, kind: 'rest' as const }]),
  ];
  let running = from.value;
  const steps = all.map(({ name, kind, value }): BridgeStep => {
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
  const values: Numeric[] = [];
  for (let index = from + 1; index <= to; index += 1) {
    const value = points.find((point) => point.index === index)?.value;
    if (!isNumeric(value)) return { missing: index };
    values.push(value);
  }
  return { value: sum(values) };
}

export interface Sides<T> {
  before: T | undefined;
  after: T | undefined;
}

export function kindOfPair({ before, after }: Sides<unknown>): 'added' | 'changed' | 'removed' {
  return before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
}

/** The differing items of two states, in the order of the first and then of the second. */
export function* pairsOf<T>(before: Iterable<T>, after: Iterable<T>, keyOf: (value: T) => string): Generator<Sides<T>> {
  const later = new Map<string, T>();
  for (const value of after) later.set(keyOf(value), value);
  for (const value of before) {
    yield { before: value, after: later.get(keyOf(value)) };
    later.delete(keyOf(value));
  }
  for (const value of later.values()) yield { before: undefined, after: value };
}

export interface FieldChange {
  /** A path such as `values.stage`; null for the resource itself. */
  field: string | null;
  before: unknown;
  after: unknown;
}

/** Fields that change with every other one. */
const marks: ReadonlySet<string> = new Set(['updated_at', 'updatedAt']);

/** The fields that differ, but for times of writing; those of `nested` one by one. */
export function fieldChanges(before: object, after: object, nested: readonly string[] = []): FieldChange[] {
  return differences(before, after).flatMap((change) => {
    if (marks.has(change.field)) return [];
    if (!nested.includes(change.field)) return [change];
    const inner = differences(record(change.before), record(change.after));
    return inner.map((each) => ({ ...each, field: `${change.field}.${each.field}` }));
  });
}

export function differences(before: object, after: object): (FieldChange & { field: string })[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [a, b] = [old.get(field), now.get(field)];
    return sameValue(a, b) ? [] : [{ field, before: a, after: b }];
  });
}

function record(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** The difference of two numbers, of a share in points; null where one is not a number. */
export function numberChange(before: unknown, after: unknown, measure?: string) {
  if (!isNumeric(before) || !isNumeric(after)) return { difference: null, percent: null };
  const gap = gapBetween(before, after);
  return { difference: gap.difference, percent: changeOf(gap, measure) };
}
