/** When things of the demo became what they were, and which sync saw it first. */
const weekMs = 7 * 86_400_000;

/** What a thing is from a moment on; a value that is undefined: it is gone. */
export interface State<T> {
  /** Milliseconds since 1970. */
  at: number;
  value: T | undefined;
}

export interface SeenState<T> {
  /** Numbers of syncs. */
  from: number;
  to: number | null;
  value: T;
}

/** A sync each week for two years, the last one at the demo's own time. */
export function weeklySyncs(last: string): number[] {
  const weeks = 104;
  return Array.from({ length: weeks + 1 }, (_, week) => Date.parse(last) - (weeks - week) * weekMs);
}

/** The states that a sync saw; what lasted from one to the next is not seen. */
export function seenStates<T>(states: readonly State<T>[], syncs: readonly number[]): SeenState<T>[] {
  const seen = states.map(({ at, value }) => ({ sync: syncs.findIndex((time) => time >= at) + 1, value }));
  return seen.flatMap(({ sync, value }, index): SeenState<T>[] => {
    const next = seen[index + 1]?.sync;
    if (sync === 0 || value === undefined || next === sync) return [];
    return [{ from: sync, to: next || null, value }];
  });
}
