/** Stays of an entry in the options of an attribute, from the entry's versions. */
import type { CustomListEntry } from '../../contract/lists.ts';
import { readInstant } from '../../core/periods.ts';
import type { Sync, Version } from './versions.ts';

/** Why a stay is no longer seen: the entry moved to another option, was archived or deleted, or the history ends. */
export type StayEnd = 'moved' | 'archived' | 'deleted' | 'open';

/** A time without interruption in one option. Times are milliseconds since 1970. */
export interface Stay {
  /** The id of the option; null: no value. */
  option: string | null;
  /** When it began; where that was not seen, the first sync. */
  from: number;
  /** Whether its beginning was seen. */
  seen: boolean;
  /** When it ended, or until when it was observed. */
  to: number;
  end: StayEnd;
}

export interface Path {
  /** Its newest version. */
  entry: CustomListEntry;
  stays: Stay[];
}

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
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return this.times[low - 1];
  }
}

export function instantOf(text: string | undefined): number | undefined {
  const found = text === undefined ? undefined : readInstant(text);
  return found === undefined ? undefined : Math.floor(found);
}

/**
 * The stays of one entry, oldest first. A change lies between two syncs: the time of the entry's last write is taken
 * where it lies between them, else that of the sync that saw the change. An archived entry is not observed.
 * @param versions of the entry, by time
 */
export function pathOf(
  versions: readonly Version<CustomListEntry>[],
  slug: string,
  syncs: SyncTimes,
): Path | undefined {
  const newest = versions.at(-1);
  if (!newest) return undefined;
  const stays: Stay[] = [];
  let current: Stay | undefined;
  let seenUntil: number | undefined;
  const leave = (end: StayEnd, at: number) => {
    if (current) stays.push({ ...current, end, to: Math.max(at, current.from) });
    current = undefined;
  };
  for (const { seenFrom, seenTo, value } of versions) {
    const from = instantOf(seenFrom) ?? 0;
    if (seenUntil !== undefined && seenUntil < from) leave('deleted', seenUntil);
    const isNew = seenUntil === undefined || seenUntil < from;
    const at = isNew ? createdOr(value, from, syncs) : { time: writtenOr(value, from, syncs), seen: true };
    const option = optionOf(value, slug);
    if (value.archived) leave('archived', at.time);
    else if (current === undefined || current.option !== option) {
      leave('moved', at.time);
      current = { option, from: at.time, seen: at.seen, to: at.time, end: 'open' };
    }
    seenUntil = seenTo === undefined ? undefined : instantOf(seenTo);
  }
  if (seenUntil !== undefined) leave('deleted', seenUntil);
  leave('open', syncs.newest);
  return { entry: newest.value, stays };
}

function optionOf({ values }: CustomListEntry, slug: string): string | null {
  const value = values && Object.hasOwn(values, slug) ? values[slug] : undefined;
  return typeof value === 'string' ? value : null;
}

/** A value of the first sync began at an unknown time, whatever the entry's own times say. */
function createdOr({ created_at }: CustomListEntry, seen: number, syncs: SyncTimes): { time: number; seen: boolean } {
  const before = syncs.before(seen);
  if (before === undefined) return { time: seen, seen: false };
  return { time: within(instantOf(created_at), before, seen), seen: true };
}

function writtenOr({ updated_at }: CustomListEntry, seen: number, syncs: SyncTimes): number {
  return within(instantOf(updated_at), syncs.before(seen) ?? seen, seen);
}

/** The time if it lies between two syncs, else the later sync. */
function within(time: number | undefined, before: number, seen: number): number {
  return time !== undefined && time > before && time <= seen ? time : seen;
}
