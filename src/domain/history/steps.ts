/** Changes between the versions of a history, and their times. */
import { Failure, usage } from '../../core/errors.ts';
import { textOf } from '../../core/json.ts';
import { minuteOfTime, readInstant } from '../../core/periods.ts';
import type { Sides } from '../analysis/difference.ts';
import { isSpan, parseDuration, parseTime, periodSpan, shiftSpan, timeWord } from '../expression/time.ts';
import type { Revision, Sync } from './versions.ts';

/** Times of a history's syncs: the first, the newest, and the one before each. */
export class SyncTimes {
  private readonly times: number[];

  constructor(syncs: readonly Sync[]) {
    this.times = syncs.map(({ seenAt }) => instantOf(seenAt) ?? 0);
  }

  get first(): number {
    return this.times[0] ?? 0;
  }

  get newest(): number {
    return this.times.at(-1) ?? 0;
  }

  /** The last sync before the time; undefined: there is none. */
  before(time: number): number | undefined {
    return this.times[this.countBefore(time) - 1];
  }

  /** The first sync after the time; undefined: there is none. */
  after(time: number): number | undefined {
    return this.times[this.countBefore(time + 1)];
  }

  private countBefore(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function instantOf(text: string | undefined): number | undefined {
  const instant = text === undefined ? undefined : readInstant(text);
  return instant === undefined ? undefined : Math.floor(instant);
}

/** A change of one resource, with the bounds of its time. */
export interface Step<T> extends Sides<T> {
  /** The last sync before it; null: no sync read the resource before. */
  notBefore: string | null;
  seen: string;
  /** The time of the write by the API, for a new one of its creation, where that is between the two. */
  when: string | null;
}

export interface StepRules<T> {
  /** Versions of one key follow each other, by time. */
  keyOf(value: T): string;
  writtenAt(value: T, isNew: boolean): string | undefined;
  timesOf(value: T): SyncTimes | Promise<SyncTimes>;
}

/** Two moments in milliseconds since 1970, all that changed since one of them, or all that syncs after one of them saw. */
export type Span = { from: number; to: number } | { since: number } | { after: string };

/** The changes in a span: those of each sync, or the one between two moments. */
export async function* changesOf<T>(
  versions: AsyncIterable<Revision<T>>,
  { keyOf, writtenAt, timesOf }: StepRules<T>,
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
    if ('since' in span) {
      yield* steps.filter((step) => isSince(step, span.since));
      continue;
    }
    const before = stepAt(steps, span.from)?.after;
    const until = stepAt(steps, span.to);
    if (!until || timeOf(until) <= span.from || before === until.after) continue;
    yield { ...until, before, notBefore: syncTime(syncs.before(span.from + 1)) };
  }
}

/** The last change of each resource until a moment: its state then. */
export async function* stepsUntil<T>(
  versions: AsyncIterable<Revision<T>>,
  { keyOf, writtenAt, timesOf }: StepRules<T>,
  moment: number,
): AsyncGenerator<Step<T>> {
  for await (const line of linesOf(versions, keyOf)) {
    const [first] = line;
    const step = first && stepAt(stepsOf(line, await timesOf(first.value), writtenAt), moment);
    if (step) yield step;
  }
}

function stepAt<T>(steps: readonly Step<T>[], moment: number): Step<T> | undefined {
  return steps.findLast((step) => timeOf(step) <= moment);
}

type Stamps = Partial<Record<'created_at' | 'createdAt' | 'updated_at' | 'updatedAt', unknown>>;

/** The time of the write that a step saw: a new resource was created, another one written last. */
export function writeTime({ created_at, createdAt, updated_at, updatedAt }: Stamps, isNew: boolean) {
  const created = textOf(created_at ?? createdAt);
  const written = textOf(updated_at ?? updatedAt);
  return isNew ? (created ?? written) : (written ?? created);
}

export async function* linesOf<T>(
  versions: AsyncIterable<Revision<T>>,
  keyOf: (value: T) => string,
): AsyncGenerator<Revision<T>[]> {
  let line: Revision<T>[] = [];
  for await (const version of versions) {
    if (line[0] && keyOf(line[0].value) !== keyOf(version.value)) {
      yield line;
      line = [];
    }
    line.push(version);
  }
  if (line.length > 0) yield line;
}

/** The changes of one resource, oldest first. In a gap between two versions it did not exist. */
export function stepsOf<T>(
  line: readonly Revision<T>[],
  syncs: SyncTimes,
  writtenAt: StepRules<T>['writtenAt'],
): Step<T>[] {
  const steps: Step<T>[] = [];
  const add = (before: T | undefined, after: T | undefined, seen: string) => {
    const seenAt = instantOf(seen) ?? 0;
    const last = syncs.before(seenAt);
    const written = after === undefined ? undefined : writtenAt(after, before === undefined);
    const isBetween = isWithin(instantOf(written), last, seenAt);
    steps.push({ before, after, seen, notBefore: syncTime(last), when: isBetween ? (written ?? null) : null });
  };
  let last: Revision<T> | undefined;
  for (const version of line) {
    const isGap = last?.seenTo !== undefined && last.seenTo < version.seenFrom;
    if (last && isGap) add(last.value, undefined, last.seenTo ?? '');
    add(isGap ? undefined : last?.value, version.value, version.seenFrom);
    last = version;
  }
  if (last?.seenTo !== undefined) add(last.value, undefined, last.seenTo);
  return steps;
}

/** The time of a step by the API, else of the sync that read it; for the first sync always that. */
function timeOf({ seen, when, notBefore }: Step<unknown>): number {
  return instantOf(notBefore === null ? seen : (when ?? seen)) ?? 0;
}

/** Whether it was written at a moment or later. What a sync saw at that moment is older. */
function isSince({ seen, when, notBefore }: Step<unknown>, moment: number): boolean {
  const written = notBefore === null ? undefined : instantOf(when ?? undefined);
  return written === undefined ? (instantOf(seen) ?? 0) > moment : written >= moment;
}

function syncTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

function isWithin(at: number | undefined, after: number | undefined, until: number): boolean {
  return at !== undefined && at <= until && (after === undefined || at > after);
}

/** The first or last instant that a text names; a duration counts back from now. @throws usage for any other text */
export function momentOf(text: string, now: () => Date, edge: 'first' | 'last', source: string): number {
  const word = text.trim();
  const duration = parseDuration(word.toLowerCase());
  const at = now().getTime();
  if (duration) return shiftSpan({ start: at, end: at + 1 }, duration, -1).start;
  const named = word === 'yesterday' ? undefined : timeWord(word, now);
  const span = parseTime(word) ?? (named === undefined || isSpan(named) ? named : periodSpan(named));
  const moment = word === 'yesterday' ? before(now) : span;
  if (moment) return edge === 'first' ? moment.start : moment.end - 1;
  throw usage(
    `${source} must be a time, got "${text}"`,
    'write a date such as 2026-01-31, a month, quarter or year, or an age such as 30d, 6w, 3m, 1y',
  );
}

function before(now: () => Date) {
  const today = timeWord('today', now);
  const day = parseDuration('1d');
  return today && isSpan(today) && day ? shiftSpan(today, day, -1) : undefined;
}

/** The last sync until a moment. @throws notFound before the first one */
export function syncAt(syncs: readonly Sync[], moment: number, source: string): Sync {
  const sync = syncs.findLast(({ seenAt }) => (readInstant(seenAt) ?? 0) <= moment);
  if (sync) return sync;
  const first = minuteOfTime(instantOf(syncs[0]?.seenAt) ?? 0);
  throw new Failure('notFound', `${source} is before the first sync of the mirror, at ${first}`, {
    hint: `name a later time, from ${first.slice(0, 10)} on: nothing is known of what was before`,
    code: 'before_history',
  });
}
