/** Paths of entries through the options of an attribute, counted by option. */

import type { CustomListEntry } from '../../contract/lists.ts';
import { propertyOf } from '../../core/json.ts';
import { instantOf, type SyncTimes, stepsOf, writeTime } from './steps.ts';
import type { Revision } from './versions.ts';

/** Why a stay ended: the entry moved to another option, was archived or deleted; `open` where the history ends. */
export type StayEnd = 'moved' | 'archived' | 'deleted' | 'open';

/** An uninterrupted time in one option. Times are milliseconds since 1970. */
interface Stay {
  /** The id of the option; null: no value. */
  option: string | null;
  /** The start of the stay, at the latest the first sync. */
  from: number;
  /** Whether its beginning is known: it is later than the first sync. */
  isStartKnown: boolean;
  /** The end of the stay; for an open one, the newest sync. */
  to: number;
  end: StayEnd;
}

export interface Path {
  entry: CustomListEntry;
  stays: Stay[];
}

/**
 * The stays of one entry, oldest first. A change lies between two syncs: the time of the entry's last write is taken
 * where it lies between them, of a new entry that of its creation, else that of the sync that saw the change. An archived entry is not observed.
 * @param versions of the entry, by time
 */
export function pathOf(
  versions: readonly Revision<CustomListEntry>[],
  slug: string,
  syncs: SyncTimes,
): Path | undefined {
  const newest = versions.at(-1);
  if (!newest) return undefined;
  const stays: Stay[] = [];
  let current: Stay | undefined;
  const leave = (end: StayEnd, at: number) => {
    if (current) stays.push({ ...current, end, to: Math.max(at, current.from) });
    current = undefined;
  };
  for (const { before, after, notBefore, seen, when } of stepsOf(versions, syncs, writeTime)) {
    const seenAt = instantOf(seen) ?? 0;
    if (!after) {
      leave('deleted', seenAt);
      continue;
    }
    // A value of the first sync began at an unknown time, whatever the entry's own times say.
    const from = instantOf((notBefore === null ? null : when) ?? seen) ?? 0;
    const option = optionOf(after, slug);
    if (after.archived) leave('archived', from);
    else if (current === undefined || current.option !== option) {
      leave('moved', from);
      current = { option, from, isStartKnown: notBefore !== null || before !== undefined, to: from, end: 'open' };
    }
  }
  leave('open', syncs.newest);
  return { entry: newest.value, stays };
}

function optionOf({ values }: CustomListEntry, slug: string): string | null {
  const value = propertyOf(values, slug);
  return typeof value === 'string' ? value : null;
}

const dayMs = 86_400_000;

/** The share of stays that is over by the time that counts as usual. */
const usualShare = 0.9;

export interface StageCounts {
  stage: string;
  /** Entries that were in it at the first sync; of the other counts only `now` and `stale` include them. */
  already: number;
  /** Entries that entered it after the first sync, each once however often it came back. */
  entered: number;
  /** The same by their last stay: moved on, still in it, archived or deleted in it. */
  left: number;
  staying: number;
  gone: number;
  now: number;
  /** The number of entered ones that were in a later stage afterwards, by its id. */
  reached: ReadonlyMap<string, number>;
  median: Quantile;
  p90: Quantile;
  /** Mean days of the stays that ended by a move; null without one. */
  mean: number | null;
  /** Entries that have been in it for longer than `p90`; null where that is not known. */
  stale: number | null;
}

interface FunnelRange {
  /** The first start of a stay, in milliseconds since 1970. Stays are followed to the end of the history. */
  from: number;
  to: number;
}

/** @param stages the ids of the options, in their order; other options are not counted */
export function funnel(
  paths: readonly Path[],
  stages: readonly string[],
  range: FunnelRange,
  newest: number,
): StageCounts[] {
  const ranks = new Map(stages.map((stage, index) => [stage, index]));
  const counts = stages.map(() => new Counting());
  for (const path of paths) countPath(path, ranks, counts, range);
  return stages.map((stage, index) => {
    const { observed, reached, ...numbers } = counts[index] ?? new Counting();
    const ended = observed.filter((stay) => stay.ended);
    const mean = ended.length === 0 ? null : ended.reduce((sum, { time }) => sum + time, 0) / ended.length;
    const steps = survivalSteps(observed);
    const [median, p90] = [quantile(steps, observed, 0.5), quantile(steps, observed, usualShare)];
    const open = openIn(paths, stage);
    const usual = p90.time;
    const stale = usual === null ? null : open.filter((stay) => daysOf(stay, newest) > usual).length;
    const later = new Map(stages.slice(index + 1).map((next) => [next, reached.get(next) ?? 0]));
    return { stage, ...numbers, now: open.length, reached: later, median, p90, mean, stale };
  });
}

class Counting {
  already = 0;
  entered = 0;
  left = 0;
  staying = 0;
  gone = 0;
  readonly reached = new Map<string, number>();
  readonly observed: Observed[] = [];
}

function countPath(
  { stays }: Path,
  ranks: ReadonlyMap<string, number>,
  counts: readonly Counting[],
  { from, to }: FunnelRange,
): void {
  /** The index of the first stay in each stage, and the last stay. */
  const visits = new Map<number, { first: number; last: Stay }>();
  for (const [at, stay] of stays.entries()) {
    const rank = stay.option === null ? undefined : ranks.get(stay.option);
    const count = rank === undefined ? undefined : counts[rank];
    if (rank === undefined || !count) continue;
    if (!stay.isStartKnown) {
      count.already += 1;
      continue;
    }
    if (stay.from < from || stay.from >= to) continue;
    count.observed.push({ time: (stay.to - stay.from) / dayMs, ended: stay.end === 'moved' });
    visits.set(rank, { first: visits.get(rank)?.first ?? at, last: stay });
  }
  for (const [rank, { first, last }] of visits) {
    const count = counts[rank] as Counting;
    count.entered += 1;
    count[last.end === 'moved' ? 'left' : last.end === 'open' ? 'staying' : 'gone'] += 1;
    const afterwards = new Set(stays.slice(first + 1).map(({ option }) => option));
    for (const stage of afterwards) {
      if (stage !== null) count.reached.set(stage, (count.reached.get(stage) ?? 0) + 1);
    }
  }
}

function openIn(paths: readonly Path[], stage: string): Stay[] {
  return paths.flatMap(({ stays }) => {
    const last = stays.at(-1);
    return last?.end === 'open' && last.option === stage ? [last] : [];
  });
}

/** The length of the stay in days; at least so long, where its beginning is not known. */
function daysOf(stay: Stay, newest: number): number {
  return ((stay.end === 'open' ? newest : stay.to) - stay.from) / dayMs;
}

interface StaleStay {
  path: Path;
  stay: Stay;
  days: number;
  /** Days by which nine of ten stays are over. */
  usual: number;
}

/** Entries that have been in their stage for longer than nine of ten stays, the longest first. */
export function staleStays(paths: readonly Path[], counts: readonly StageCounts[], newest: number): StaleStay[] {
  const usualOf = new Map(counts.map(({ stage, p90 }) => [stage, p90.time]));
  return paths
    .flatMap((path): StaleStay[] => {
      const stay = path.stays.at(-1);
      if (stay?.end !== 'open' || stay.option === null) return [];
      const usual = usualOf.get(stay.option);
      const days = daysOf(stay, newest);
      return usual === undefined || usual === null || days <= usual ? [] : [{ path, stay, days, usual }];
    })
    .sort((a, b) => b.days - b.usual - (a.days - a.usual));
}

/** A length for the product-limit estimator of Kaplan and Meier (1958), which takes lengths that have not ended. */
export interface Observed {
  /** The length of the stay, up to the end of the observation. */
  time: number;
  ended: boolean;
}

interface SurvivalStep {
  time: number;
  /** The number of stays that lasted until just before this time. */
  atRisk: number;
  ended: number;
  survival: number;
}

/**
 * The steps of the survival curve, one for each time at which stays ended. A stay that is cut at such a time was still
 * at risk. Factors between two cuts cancel out, so that a share without cuts is one division.
 */
export function survivalSteps(all: readonly Observed[]): SurvivalStep[] {
  const sorted = [...all].sort((a, b) => a.time - b.time);
  const steps: SurvivalStep[] = [];
  // Survival and stays at risk at the start of the block, in which no stay was cut.
  let [before, atBlock] = [1, sorted.length];
  let survival = 1;
  for (let at = 0; at < sorted.length; ) {
    const time = sorted[at]?.time ?? 0;
    const atRisk = sorted.length - at;
    let [ended, cut] = [0, 0];
    for (; at < sorted.length && sorted[at]?.time === time; at += 1) {
      if (sorted[at]?.ended) ended += 1;
      else cut += 1;
    }
    if (ended > 0) {
      survival = (before * (atRisk - ended)) / atBlock;
      steps.push({ time, atRisk, ended, survival });
    }
    if (cut > 0) [before, atBlock] = [survival, sorted.length - at];
  }
  return steps;
}

/** The time by which a share of the stays has ended. */
export interface Quantile {
  /** Null: fewer than the share have ended. */
  time: number | null;
  /** The longest observed time, where the quantile is longer. */
  beyond: number | null;
}

/** Rounding errors of shares are smaller. */
const tolerance = 1e-12;

/** The first time at which at most `1 - share` last longer. */
export function quantile(steps: readonly SurvivalStep[], all: readonly Observed[], share: number): Quantile {
  const step = steps.find(({ survival }) => survival <= 1 - share + tolerance);
  if (step) return { time: step.time, beyond: null };
  const longest = all.reduce((most: number | null, { time }) => Math.max(most ?? time, time), null);
  return { time: null, beyond: longest };
}
