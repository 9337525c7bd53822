/** Which columns of a table a terminal has room for, and how wide each may be. */

export interface Wish {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates); nor are those of an `id`, which people copy. */
  kind: 'whole' | 'id' | 'text';
  /** Of a text column: the widest cell that is an id all the same. */
  ids?: number;
  /** Left out before others. */
  spare?: boolean | undefined;
}

/** Blanks between columns. */
export const gap = 2;
const leastText = 12;
const leastHeading = 10;

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Text is cut, the widest before
 * others. Where that is not enough columns are left out: ids after the first column that would take more than a third
 * of the room, then those that are spare, then columns from the right.
 */
export function fit(wishes: readonly Wish[], available: number): number[] {
  const least = wishes.map(leastWidth);
  let shown = wishes.map((_, index) => index);
  if (total(least, shown) > available) {
    shown = shown.filter((at) => at === 0 || wishes[at]?.kind !== 'id' || (least[at] ?? 0) * 3 <= available);
  }
  while (shown.length > 1 && total(least, shown) > available) {
    const spare = shown.find((at) => at > 0 && wishes[at]?.spare);
    if (spare !== undefined) {
      shown = shown.filter((at) => at !== spare);
      continue;
    }
    const last = shown.at(-1) ?? 0;
    // Rather an id that is cut among texts than none of the texts.
    const waived = leastWidth({ ...(wishes[last] as Wish), ids: 0 });
    if (waived < (least[last] ?? 0)) least[last] = waived;
    else shown.pop();
  }
  const widths = wishes.map(({ cells, heading }, at) => (shown.includes(at) ? Math.max(cells, heading) : 0));
  while (total(widths, shown) > available) {
    const widest = widestAbove(widths, least);
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  // Alone, text gives way to the last cell; an id or a number is no longer one when it is cut.
  if (shown.length === 1 && wishes[0]?.kind === 'text') {
    widths[0] = Math.min(widths[0] ?? 0, Math.max(available, wishes[0].ids ?? 1, 1));
  }
  return widths;
}

function total(widths: readonly number[], shown: readonly number[]): number {
  return shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + gap * (shown.length - 1);
}

function leastWidth({ cells, heading, kind, ids = 0 }: Wish): number {
  const head = Math.min(heading, leastHeading);
  if (kind !== 'text') return Math.max(cells, head);
  return Math.max(Math.min(cells, leastText), head, ids);
}

/** The widest column that may still give way; -1 when none may. */
function widestAbove(widths: readonly number[], floor: readonly number[]): number {
  let found = -1;
  for (const [index, width] of widths.entries()) {
    if (width > (floor[index] ?? 0) && (found < 0 || width > (widths[found] ?? 0))) found = index;
  }
  return found;
}
