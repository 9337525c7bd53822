/** Which columns of a table a terminal has room for, and how wide each may be. */

export interface Wish {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates); `id`: cut last; `text`: cut first. */
  kind: 'whole' | 'id' | 'text';
}

/** Blanks between columns. */
export const gap = 2;
const leastText = 12;
const leastId = 9;
const leastHeading = 6;

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Text is cut before ids, the
 * widest first; where that is not enough, columns are left out from the right.
 */
export function fit(wishes: readonly Wish[], available: number): number[] {
  const least = wishes.map(leastWidth);
  let count = wishes.length;
  const total = (widths: readonly number[]) =>
    widths.slice(0, count).reduce((sum, width) => sum + width, 0) + gap * (count - 1);
  while (count > 1 && total(least) > available) count -= 1;
  const widths = wishes.map(({ cells, heading }) => Math.max(cells, heading));
  for (const kinds of [['text'], ['text', 'whole', 'id']]) {
    while (total(widths) > available) {
      const widest = widestOf(widths.slice(0, count), (index) => {
        const wish = wishes[index] as Wish;
        return kinds.includes(wish.kind) && (widths[index] ?? 0) > (least[index] ?? 0);
      });
      if (widest < 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  if (count === 1) widths[0] = Math.min(widths[0] ?? 0, Math.max(available, 1));
  return widths.map((width, index) => (index < count ? width : 0));
}

function leastWidth({ cells, heading, kind }: Wish): number {
  const head = Math.min(heading, leastHeading);
  if (kind === 'whole') return Math.max(cells, head);
  return Math.max(Math.min(cells, kind === 'id' ? leastId : leastText), head);
}

function widestOf(widths: readonly number[], may: (index: number) => boolean): number {
  let found = -1;
  for (let index = 0; index < widths.length; index += 1) {
    if (may(index) && (found < 0 || (widths[index] ?? 0) > (widths[found] ?? 0))) found = index;
  }
  return found;
}
