/** The states that the versions of a history make, and the changes from one to the next. */
import type { Pair } from '../analysis/difference.ts';
import { instantOf, type SyncTimes } from './stays.ts';
import type { Version } from './versions.ts';

/** A change of one thing, and what is known of its time. */
export interface Step<T> extends Pair<T> {
  /** The last sync that did not see it; null: no sync read the thing before. */
  notBefore: string | null;
  /** The sync that saw it. */
  seen: string;
  /** When the API says that it was written, where that lies between the two. */
  when: string | null;
}

/** Reads the versions of one kind of resource. */
interface Reading<T> {
  /** Versions of one key follow each other, by time. */
  keyOf(value: T): string;
  /** The time of the last write that the API tells. */
  writtenAt(value: T): string | null | undefined;
  /** The syncs that read the thing. */
  timesOf(value: T): SyncTimes | Promise<SyncTimes>;
}

/** Two moments in milliseconds since 1970, or all that was seen after one of them. */
export type Span = { from: number; to: number } | { after: string };

/** The changes in a span: one for each sync that saw one, or one between two moments. */
export async function* changesOf<T>(
  versions: AsyncIterable<Version<T>>,
  { keyOf, writtenAt, timesOf }: Reading<T>,
  span: Span,
): AsyncGenerator<Step<T>> {
  for await (const line of linesOf(versions, keyOf)) {
    const [first] = line;
    if (!first) continue;
    const syncs = await timesOf(first.value);
    const steps = stepsOf(line, syncs, writtenAt);
    if ('after' in span) {
      yield* steps.filter(({ seen }) => seen > span.after);
      continue;
    }
    const since = steps.findIndex((step) => timeOf(step) > span.from);
    const until = steps.findLast((step) => timeOf(step) <= span.to);
    const next = steps[since];
    if (!next || !until || timeOf(until) <= span.from || next.before === until.after) continue;
    yield { ...until, before: next.before, notBefore: syncTime(syncs.before(span.from + 1)) };
  }
}

/** The versions of each thing together. */
export async function* linesOf<T>(
  versions: AsyncIterable<Version<T>>,
  keyOf: (value: T) => string,
): AsyncGenerator<Version<T>[]> {
  let line: Version<T>[] = [];
  for await (const version of versions) {
    if (line[0] && keyOf(line[0].value) !== keyOf(version.value)) {
      yield line;
      line = [];
    }
    line.push(version);
  }
  if (line.length > 0) yield line;
}

/** The changes of one thing, oldest first. A gap between two versions is an end and a new beginning. */
export function stepsOf<T>(
  line: readonly Version<T>[],
  syncs: SyncTimes,
  writtenAt: (value: T) => string | null | undefined,
): Step<T>[] {
  const steps: Step<T>[] = [];
  const add = (before: T | undefined, after: T | undefined, seen: string) => {
    const last = syncs.before(instantOf(seen) ?? 0);
    const written = after === undefined ? undefined : writtenAt(after);
    const isBetween = isWithin(instantOf(written ?? undefined), last, instantOf(seen) ?? 0);
    steps.push({ before, after, seen, notBefore: syncTime(last), when: isBetween ? (written ?? null) : null });
  };
  let last: Version<T> | undefined;
  for (const version of line) {
    const isGap = last?.seenTo !== undefined && last.seenTo < version.seenFrom;
    if (last && isGap) add(last.value, undefined, last.seenTo ?? '');
    add(isGap ? undefined : last?.value, version.value, version.seenFrom);
    last = version;
  }
  if (last?.seenTo !== undefined) add(last.value, undefined, last.seenTo);
  return steps;
}

/** When it happened: by the API, else when a sync saw it. What was there before the first sync is known from then on. */
function timeOf({ seen, when, notBefore }: Step<unknown>): number {
  return instantOf(notBefore === null ? seen : (when ?? seen)) ?? 0;
}

function syncTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

function isWithin(at: number | undefined, after: number | undefined, until: number): boolean {
  return at !== undefined && at <= until && (after === undefined || at > after);
}
