/** How two moments of a history differ. */
import { sameValue } from '../../core/same.ts';
import type { Version } from './versions.ts';

/** One thing at both moments; undefined: it was not there. */
export interface Pair<T> {
  before: T | undefined;
  after: T | undefined;
}

export interface FieldChange {
  /** A path such as `values.stage`; null for the thing itself. */
  field: string | null;
  before: unknown;
  after: unknown;
}

/**
 * The things that are not the same at both moments, in the order in which they come.
 * @param versions the ones of each thing together, by time
 * @param earlier `seenAt` of a sync; as `later`
 */
export async function* pairs<T>(
  versions: AsyncIterable<Version<T>>,
  keyOf: (value: T) => string,
  earlier: string,
  later: string,
): AsyncGenerator<Pair<T>> {
  let key: string | undefined;
  let pair: Pair<T> = { before: undefined, after: undefined };
  const differs = () => pair.before !== pair.after;
  for await (const version of versions) {
    const own = keyOf(version.value);
    if (own !== key) {
      if (differs()) yield pair;
      key = own;
      pair = { before: undefined, after: undefined };
    }
    if (isAt(version, earlier)) pair.before = version.value;
    if (isAt(version, later)) pair.after = version.value;
  }
  if (differs()) yield pair;
}

/** Whether the version was the current one just after a sync. */
export function isAt({ seenFrom, seenTo }: Version<unknown>, seenAt: string): boolean {
  return seenFrom <= seenAt && (seenTo === undefined || seenTo > seenAt);
}

/** Fields that change with every other one. */
const consequences: ReadonlySet<string> = new Set(['updated_at', 'updatedAt']);

/** The fields that differ; the fields of `nested` one by one. Nothing: only times of writing differ. */
export function fieldChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  nested: readonly string[] = [],
): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): FieldChange[] => {
    if (consequences.has(name)) return [];
    const [a, b] = [own(before, name), own(after, name)];
    if (!nested.includes(name)) return sameValue(a, b) ? [] : [{ field: name, before: a, after: b }];
    return fieldChanges(record(a), record(b)).map((each) => ({ ...each, field: `${name}.${each.field}` }));
  });
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
