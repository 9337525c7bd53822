/** The widths of a table's columns on a terminal. */

export interface ColumnSize {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates, names that people copy); an `id` only to its start. */
  kind: 'whole' | 'id' | 'text' | 'wraps';
  /** Of a column of text: the widest cell that is an id, which is there to be copied. */
  ids?: number;
  /** Left out before others. */
  spare?: boolean | undefined;
}

/** Blanks between columns. */
export const gap = 2;
const leastText = 12;
const leastFirst = 16;
const leastWrapped = 12;
const leastWord = 9;
const leastHeading = 10;
const leastUnitHeading = 16;
/** The start of an id. */
export const shortIdCells = 9;

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Columns are in order of
 * importance. Ids are shown where everything else fits uncut, and there at least their start. Otherwise text is cut, the
 * widest before others; where that is not enough, columns that are spare are left out, then columns from the end.
 */
export function fit(sizes: readonly ColumnSize[], available: number): number[] {
  const natural = sizes.map(({ cells, heading }) => Math.max(cells, heading));
  const least = sizes.map(leastWidth);
  const isId = (at: number) => at > 0 && sizes[at]?.kind === 'id';
  let shown = sizes.map((_, index) => index);
  const widths = natural.map((cells, at) =>
    isId(at) ? Math.min(cells, Math.max(shortIdCells, sizes[at]?.heading ?? 0)) : cells,
  );
  while (shown.some(isId) && total(widths, shown) > available) {
    const last = shown.findLast(isId);
    shown = shown.filter((at) => at !== last);
  }
  while (shown.length > 1 && total(least, shown) > available) {
    const spare = shown.find((at) => at > 0 && sizes[at]?.spare);
    if (spare !== undefined) {
      shown = shown.filter((at) => at !== spare);
      continue;
    }
    const last = shown.at(-1) ?? 0;
    // Rather an id that is cut among texts than none of the texts.
    const waived = leastWidth({ ...(sizes[last] as ColumnSize), ids: 0 }, last);
    if (waived < (least[last] ?? 0)) least[last] = waived;
    else shown.pop();
  }
  for (const at of natural.keys()) if (!shown.includes(at)) widths[at] = 0;
  while (total(widths, shown) > available) {
    const widest = widestAbove(widths, least);
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  // Ids are uncut where there is room.
  for (const at of shown.filter(isId)) {
    const more = (natural[at] ?? 0) - (widths[at] ?? 0);
    if (total(widths, shown) + more <= available) widths[at] = natural[at] ?? 0;
  }
  // A single text column may shrink to one cell; an id or a number that is cut is useless.
  const [only] = shown;
  if (shown.length === 1 && only !== undefined && (sizes[only]?.kind === 'text' || sizes[only]?.kind === 'wraps')) {
    widths[only] = Math.min(widths[only] ?? 0, Math.max(available, 1));
  }
  return widths;
}

function total(widths: readonly number[], shown: readonly number[]): number {
  return shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + gap * (shown.length - 1);
}

function leastWidth({ cells, heading, kind, ids = 0 }: ColumnSize, at: number): number {
  const head = Math.min(heading, leastHeading);
  // The unit is at the end of the heading.
  if (kind === 'whole') return Math.max(cells, Math.min(heading, leastUnitHeading));
  if (kind === 'id') return at === 0 ? Math.max(cells, head) : Math.min(shortIdCells, cells);
  const most = kind === 'wraps' ? (at === 0 ? leastWord : leastWrapped) : at === 0 ? leastFirst : leastText;
  return Math.max(Math.min(cells, most), head, ids);
}

/** The widest column that may still give way; -1 when none may. */
function widestAbove(widths: readonly number[], floor: readonly number[]): number {
  let found = -1;
  for (const [index, width] of widths.entries()) {
    if (width > (floor[index] ?? 0) && (found < 0 || width > (widths[found] ?? 0))) found = index;
  }
  return found;
}
