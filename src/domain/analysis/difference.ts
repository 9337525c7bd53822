/** The difference between two states: of things, of their fields, and of numbers. */
import { difference, magnitude, quotient } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import { changeOf } from './growth.ts';

export interface Pair<T> {
  /** Undefined: it did not exist. */
  before: T | undefined;
  after: T | undefined;
}

/** The things of two states that are not the same one, in the order of the first and then of the second. */
export function* pairsOf<T>(before: Iterable<T>, after: Iterable<T>, keyOf: (value: T) => string): Generator<Pair<T>> {
  const later = new Map<string, T>();
  for (const value of after) later.set(keyOf(value), value);
  for (const value of before) {
    yield { before: value, after: later.get(keyOf(value)) };
    later.delete(keyOf(value));
  }
  for (const value of later.values()) yield { before: undefined, after: value };
}

export interface FieldChange {
  /** A path such as `values.stage`; null for the thing itself. */
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

/** The keys whose values differ. */
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

interface NumberChange {
  difference: Numeric | null;
  percent: Numeric | null;
}

/** The difference of two numbers, of a share in points; null where one is not a number. */
export function numberChange(before: unknown, after: unknown, measure?: string): NumberChange {
  if (!isNumeric(before) || !isNumeric(after)) return { difference: null, percent: null };
  const gap = difference(after, before);
  return { difference: gap, percent: changeOf({ difference: gap, ratio: quotient(gap, magnitude(before)) }, measure) };
}
