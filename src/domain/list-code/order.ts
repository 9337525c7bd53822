/** Positions that put attributes into an order, with few writes. */

/** One attribute of the wanted order. */
interface Ranked {
  /** What it has; undefined when it is new or the server does not say. */
  position?: number | undefined;
  /** Its place in the order that there is; undefined when it is new. */
  place?: number | undefined;
}

/**
 * The position to write for each, undefined where it stays. Attributes that are in order already keep their positions,
 * new ones at the end follow.
 * @param highest of all positions of the list, those of attributes that the order does not name too
 */
export function positionsFor(wanted: readonly Ranked[], highest: number | undefined): (number | undefined)[] {
  const places = wanted.flatMap(({ place }) => place ?? []);
  const ordered = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
  const firstNew = wanted.findIndex(({ place }) => place === undefined);
  const newBehind = firstNew < 0 || wanted.slice(firstNew).every(({ place }) => place === undefined);
  if (ordered && newBehind) {
    const next = (highest ?? -1) + 1;
    return wanted.map(({ place }, index) => (place === undefined ? next + index - firstNew : undefined));
  }
  const candidates = [rising(wanted), wanted.map((_, index) => index)];
  const writes = candidates.map((positions) =>
    positions.map((position, index) => (wanted[index]?.position === position ? undefined : position)),
  );
  const count = (some: readonly (number | undefined)[]) => some.filter((one) => one !== undefined).length;
  return writes.reduce((best, other) => (count(other) < count(best) ? other : best));
}

/** Each keeps its position if that is above the previous one, and else comes right after it. */
function rising(wanted: readonly Ranked[]): number[] {
  let before = -1;
  return wanted.map(({ position }) => {
    before = position !== undefined && Number.isSafeInteger(position) && position > before ? position : before + 1;
    return before;
  });
}
