/** Paths of entries through the options of an attribute, counted by option. */

import type { Path, Stay } from './stays.ts';
import { type Observed, type Quantile, quantile, survivalSteps } from './survival.ts';

const dayMs = 86_400_000;

/** The share of stays that is over by the time that counts as usual. */
const usualShare = 0.9;

export interface StageCounts {
  /** The id of the option. */
  stage: string;
  /** Entries that were in it at the first sync. Their coming was not seen: only `now` counts them, too. */
  already: number;
  /** Entries that were seen coming into it, each once however often it came back. */
  entered: number;
  /** Of these, by their last stay: moved on, still in it, archived or deleted in it. */
  left: number;
  staying: number;
  gone: number;
  /** All entries in it at the newest sync, whenever they came. */
  now: number;
  /** Of the entered: how many were in a later stage afterwards, by its id. */
  reached: ReadonlyMap<string, number>;
  /** Entries that moved past it: from an earlier stage to a later one, without this one between. */
  skipped: number;
  /** Further stays of entries that came back. */
  repeated: number;
  /** Days of a stay. */
  median: Quantile;
  p90: Quantile;
  /** Mean days of the stays that ended by a move; null without one. */
  mean: number | null;
  /** Entries that have been in it for longer than `p90`; null where that is not known. */
  stale: number | null;
}

interface FunnelRange {
  /** Milliseconds since 1970: stays that began in this time. What became of them is followed to the end of the history. */
  from: number;
  /** Excluded. */
  to: number;
}

/** @param stages the ids of the options, in the order of the path; other options are left to, and not counted */
export function funnel(
  paths: readonly Path[],
  stages: readonly string[],
  range: FunnelRange,
  newest: number,
): StageCounts[] {
  const places = new Map(stages.map((stage, index) => [stage, index]));
  const counts = stages.map(() => new Counting());
  for (const path of paths) countPath(path, places, counts, range);
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
  skipped = 0;
  repeated = 0;
  readonly reached = new Map<string, number>();
  /** A stay each. */
  readonly observed: Observed[] = [];
}

function countPath(
  { stays }: Path,
  places: ReadonlyMap<string, number>,
  counts: readonly Counting[],
  { from, to }: FunnelRange,
): void {
  /** By stage: where in the path it was entered first and last, of the stays that count. */
  const visits = new Map<number, { first: number; last: Stay; stays: number }>();
  for (const [at, stay] of stays.entries()) {
    const place = stay.option === null ? undefined : places.get(stay.option);
    const count = place === undefined ? undefined : counts[place];
    if (place === undefined || !count) continue;
    if (!stay.seen) {
      count.already += 1;
      continue;
    }
    if (stay.from < from || stay.from >= to) continue;
    count.observed.push({ time: (stay.to - stay.from) / dayMs, ended: stay.end === 'moved' });
    const before = visits.get(place);
    visits.set(place, { first: before?.first ?? at, last: stay, stays: (before?.stays ?? 0) + 1 });
  }
  for (const [place, { first, last, stays: times }] of visits) {
    const count = counts[place] as Counting;
    count.entered += 1;
    count.repeated += times - 1;
    count[last.end === 'moved' ? 'left' : last.end === 'open' ? 'staying' : 'gone'] += 1;
    const afterwards = new Set(stays.slice(first + 1).map(({ option }) => option));
    for (const stage of afterwards) {
      if (stage !== null) count.reached.set(stage, (count.reached.get(stage) ?? 0) + 1);
    }
  }
  for (const place of passedOver(stays, places, from, to)) (counts[place] as Counting).skipped += 1;
}

/** The stages that a move forward left out, each once: `Sourced` to `Diligence` leaves out what is between. */
function passedOver(
  stays: readonly Stay[],
  places: ReadonlyMap<string, number>,
  from: number,
  to: number,
): ReadonlySet<number> {
  const found = new Set<number>();
  let highest: number | undefined;
  const known = stays.flatMap((stay) => {
    const place = stay.option === null ? undefined : places.get(stay.option);
    return place === undefined ? [] : [{ place, stay }];
  });
  for (const { place, stay } of known) {
    // Only the first way up counts: who falls back and jumps ahead again has been there.
    if (highest !== undefined && place > highest && stay.from >= from && stay.from < to) {
      for (let between = highest + 1; between < place; between += 1) found.add(between);
    }
    highest = Math.max(highest ?? place, place);
  }
  return found;
}

/** The stays in an option that have not ended. */
function openIn(paths: readonly Path[], stage: string): Stay[] {
  return paths.flatMap(({ stays }) => {
    const last = stays.at(-1);
    return last?.end === 'open' && last.option === stage ? [last] : [];
  });
}

/** How long the stay has lasted; at least so long, where its beginning was not seen. */
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

/** Entries that have been in their stage for longer than usual, the longest first. */
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
