/** Which columns of a table a terminal has room for, and how wide each may be. */

export interface Wish {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates, and ids, which people copy). */
  kind: 'whole' | 'text';
}

/** Blanks between columns. */
export const gap = 2;
const leastText = 12;
const leastHeading = 10;

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Text is cut, the widest before
 * others; where that is not enough columns are left out from the right.
 */
export function fit(wishes: readonly Wish[], available: number): number[] {
  const widths = wishes.map(({ cells, heading }) => Math.max(cells, heading));
  const least = wishes.map(leastWidth);
  let count = wishes.length;
  while (count > 1 && total(least, count) > available) count -= 1;
  while (total(widths, count) > available) {
    const widest = widestAbove(widths, least, count);
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  if (count === 1) widths[0] = Math.min(widths[0] ?? 0, Math.max(available, 1));
  return widths.map((width, index) => (index < count ? width : 0));
}

function total(widths: readonly number[], count: number): number {
  return widths.slice(0, count).reduce((sum, width) => sum + width, 0) + gap * (count - 1);
}

function leastWidth({ cells, heading, kind }: Wish): number {
  const head = Math.min(heading, leastHeading);
  if (kind === 'whole') return Math.max(cells, head);
  return Math.max(Math.min(cells, leastText), head);
}

/** The widest of the first `count` columns that may still give way; -1 when none may. */
function widestAbove(widths: readonly number[], floor: readonly number[], count: number): number {
  let found = -1;
  for (let index = 0; index < count; index += 1) {
    const width = widths[index] ?? 0;
    if (width > (floor[index] ?? 0) && (found < 0 || width > (widths[found] ?? 0))) found = index;
  }
  return found;
}
