/** What syncs saw to change, thing by thing. */
import { sameValue } from '../../core/same.ts';
import type { Version } from './versions.ts';

export interface LoggedChange<T> {
  change: 'added' | 'changed' | 'deleted';
  /** The sync that saw it. */
  seen: string;
  /** The versions before and after it. */
  before: T | undefined;
  after: T | undefined;
}

/**
 * The changes of things whose versions follow each other.
 * @param since only changes that were seen after it; what the first sync sees was there before
 */
export async function* loggedChanges<T>(
  versions: AsyncIterable<Version<T>>,
  keyOf: (value: T) => string,
  since: string,
): AsyncGenerator<LoggedChange<T>> {
  let last: Version<T> | undefined;
  const end = (next: Version<T> | undefined): LoggedChange<T> | undefined => {
    const seen = last?.seenTo;
    if (seen === undefined || seen <= since || next?.seenFrom === seen) return undefined;
    return { change: 'deleted', seen, before: last?.value, after: undefined };
  };
  for await (const version of versions) {
    const isSame = last !== undefined && keyOf(last.value) === keyOf(version.value);
    const ended = end(isSame ? version : undefined);
    if (ended) yield ended;
    const seen = version.seenFrom;
    if (seen > since) {
      const before = isSame && last?.seenTo === seen ? last.value : undefined;
      yield { change: before === undefined ? 'added' : 'changed', seen, before, after: version.value };
    }
    last = version;
  }
  const ended = end(undefined);
  if (ended) yield ended;
}

export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

/** The fields in which two objects differ. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  without: ReadonlySet<string>,
): FieldChange[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => {
    const [from, to] = [own(before, field), own(after, field)];
    return without.has(field) || sameValue(from, to) ? [] : [{ field, from, to }];
  });
}

function own(object: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}
