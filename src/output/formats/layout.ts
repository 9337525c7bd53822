/** The layout of every table: the widths of columns on a terminal, and rows as lines. */
import { withoutTrailing } from '../../core/json.ts';
import { width } from '../width.ts';

export interface ColumnSize {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates, names that people copy); an `id` only to its start. */
  kind: 'whole' | 'id' | 'text' | 'wraps';
  /** The width of the widest id in a column of text: ids are there to be copied. */
  ids?: number;
  /** Left out before others. */
  spare?: boolean | undefined;
  /** Never left out. */
  required?: boolean | undefined;
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
 * widest before others and what names a row last; where that is not enough, columns that are spare are left out, then columns from the end.
 */
export function fit(sizes: readonly ColumnSize[], available: number): number[] {
  const natural = sizes.map(({ cells, heading }) => Math.max(cells, heading));
  const least = sizes.map((size, at) => leastWidth(size, at, available));
  const isId = (at: number) => at > 0 && sizes[at]?.kind === 'id';
  let shown = sizes.map((_, index) => index);
  const widths = natural.map((cells, at) =>
    isId(at) ? Math.min(cells, Math.max(shortIdCells, sizes[at]?.heading ?? 0)) : cells,
  );
  while (shown.some(isId) && total(widths, shown) > available) {
    const last = shown.findLast(isId);
    shown = shown.filter((at) => at !== last);
  }
  // An id among texts is there to be copied: what names the row gives way to it.
  if (sizes.some(({ ids = 0 }) => ids > 0) && total(least, shown) > available) {
    least[0] = Math.min(least[0] ?? 0, Math.max(leastFirst, sizes[0]?.ids ?? 0));
  }
  while (shown.length > 1 && total(least, shown) > available && !sizes[shown.at(-1) ?? 0]?.required) {
    const spare = shown.find((at) => at > 0 && sizes[at]?.spare);
    if (spare !== undefined) {
      shown = shown.filter((at) => at !== spare);
      continue;
    }
    const last = shown.at(-1) ?? 0;
    // Rather an id that is cut among texts than none of the texts.
    const waived = leastWidth({ ...(sizes[last] as ColumnSize), ids: 0 }, last, available);
    if (waived < (least[last] ?? 0)) least[last] = waived;
    else shown.pop();
  }
  for (const at of natural.keys()) if (!shown.includes(at)) widths[at] = 0;
  while (total(widths, shown) > available) {
    const others = widestAbove(widths, least, sizes[0]?.kind === 'wraps' ? 0 : 1);
    const widest = others < 0 ? widestAbove(widths, least, 0) : others;
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

function leastWidth({ cells, heading, kind, ids = 0 }: ColumnSize, at: number, available: number): number {
  const head = Math.min(heading, leastHeading);
  // The unit is at the end of the heading.
  if (kind === 'whole') return Math.max(cells, Math.min(heading, leastUnitHeading));
  if (kind === 'id') return at === 0 ? Math.max(cells, head) : Math.min(shortIdCells, cells);
  // The column that names a row may take half of the screen.
  const name = Math.max(leastFirst, Math.floor(available / 2));
  const most = kind === 'wraps' ? (at === 0 ? leastWord : leastWrapped) : at === 0 ? name : leastText;
  return Math.max(Math.min(cells, most), head, ids);
}

/** The widest column from a place on that may still give way; -1 when none may. */
function widestAbove(widths: readonly number[], floor: readonly number[], from: number): number {
  let widest = -1;
  for (const [at, width] of widths.entries()) {
    if (at >= from && width > (floor[at] ?? 0) && (widest < 0 || width > (widths[widest] ?? 0))) widest = at;
  }
  return widest;
}

/** A row as text that fits into its columns. */
export interface DrawnRow {
  /** Fewer than columns: the last one has the room of all others at its right. */
  cells: readonly string[];
  /** Lines after the row: texts with a word that is wider than their column. */
  below: readonly string[];
}

interface LaidOutColumn {
  width: number;
  align: 'left' | 'right';
}

/** The rows that the library lays out. Its time grows with the square of columns and of lines. */
const firstRows = 64;
const mostColumns = 64;
const mostCellLength = 1000;
const mostLaidOut = 16;

/** The lines of rows whose cells fit into their columns, columns `gap` blanks apart, no blanks at line ends. */
export async function layOut(
  rows: readonly DrawnRow[],
  columns: readonly LaidOutColumn[],
  isFirst = true,
): Promise<string[]> {
  const lines: string[] = [];
  let pending: DrawnRow[] = [];
  const flush = async () => {
    if (pending.length > 0) lines.push(...(await laidOutByLibrary(pending, columns)));
    pending = [];
  };
  for (const [at, row] of rows.entries()) {
    const isPlain = row.cells.length === columns.length && row.cells.every((cell) => cell.length <= mostCellLength);
    if (isFirst && at < firstRows && columns.length <= mostColumns && isPlain) pending.push(row);
    else {
      await flush();
      lines.push(...rowLines(row, columns));
    }
    // A line of its own below a row ends what the library lays out at once, whose time grows with the square of the rows.
    if (row.below.length > 0 || pending.length === mostLaidOut) await flush();
  }
  await flush();
  return lines;
}

const border = ['top', 'bottom', 'left', 'right', 'mid', 'top-mid', 'top-left', 'top-right', 'bottom-mid'];
const corner = ['bottom-left', 'bottom-right', 'left-mid', 'mid-mid', 'right-mid'];
const noBorders = Object.fromEntries([...border, ...corner].map((name) => [name, '']));

/** Rows with a cell for each column; only the last may have lines below it. */
async function laidOutByLibrary(rows: readonly DrawnRow[], columns: readonly LaidOutColumn[]): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(gap) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align }) => align),
  });
  for (const { cells } of rows) table.push([...cells]);
  const lines = table.toString().split('\n');
  return [...lines.map((line) => withoutTrailing(line, ' ')), ...(rows.at(-1)?.below ?? [])];
}

/** The same lines as the library's, for rows that stream past the first screens. */
function rowLines({ cells, below }: DrawnRow, columns: readonly LaidOutColumn[]): string[] {
  const texts = cells.map((cell) => cell.split('\n'));
  const height = texts.reduce((most, lines) => Math.max(most, lines.length), 1);
  const lines = Array.from({ length: height }, (_, at) => {
    const parts = texts.map((lines, index) => {
      const { width: room, align } = columns[index] ?? { width: 0, align: 'left' };
      const part = lines[at] ?? '';
      const blanks = ' '.repeat(Math.max(room - width(part), 0));
      return align === 'right' ? blanks + part : part + blanks;
    });
    return withoutTrailing(parts.join(' '.repeat(gap)), ' ');
  });
  return [...lines, ...below];
}
