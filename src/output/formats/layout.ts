/** The layout of tables: the widths of columns, rows as cells of these widths, and cells as lines. */
import { isUuid } from '../../contract/validate.ts';
import { withoutTrailing } from '../../core/json.ts';
import { minIdLength, shortId } from '../screen-column.ts';
import type { Color } from '../terminal-text.ts';
import { cut, cutWords, longestWord, width, wrap } from '../width.ts';

type Paint = (color: Color, text: string) => string;

interface CellPlace {
  heading: string;
  /** 0: without room. */
  width: number;
  kind: ColumnSize['kind'];
  idCells?: number | undefined;
}

interface RowRules {
  /** The width of the terminal; undefined: nothing is wrapped. */
  width: number | undefined;
  ascii: boolean;
  paint: Paint;
}

/** The heading in so many cells; the unit at its end is not cut. */
export function cutHeading(column: { heading: string; unit: string }, cells: number, ascii: boolean): string {
  const { heading, unit } = column;
  const room = cells - width(unit) - 1;
  if (unit === '' || width(heading) <= cells || room < minNameWidth) return cut(heading, cells, ascii);
  return `${cutWords(heading.slice(0, -unit.length - 1), room, ascii)} ${unit}`;
}

const minNameWidth = 4;
const indent = 2;

/**
 * A path, an address or an id is not broken, so that it can be copied: where its column has no room, it takes that of
 * empty cells at its right, or lines of its own below the row. So does a text whose column has no room at all.
 */
export function drawRow(
  texts: readonly string[],
  tones: readonly (Color | undefined)[],
  places: readonly CellPlace[],
  rules: RowRules,
): DrawnRow {
  const below: string[] = [];
  const cells: string[] = [];
  const last = texts.findLastIndex((text) => text !== '');
  const isLabelled = places.filter(({ kind }) => kind === 'wraps').length > 1;
  for (const [at, place] of places.entries()) {
    const text = texts[at] ?? '';
    const painted = (lines: readonly string[]) => paintedLines(lines, tones[at], rules.paint);
    const isWide = at > 0 && place.kind === 'wraps' && longestWord(text) > place.width;
    const room = isWide ? places.slice(at).reduce((sum, { width }) => sum + width + gap, -gap) : 0;
    if (isWide && place.width > 0 && at === last && longestWord(text) <= room) {
      cells.push(painted(wrap(text, room)));
      break;
    }
    if (isWide) below.push(painted(belowLines(isLabelled ? `${place.heading}: ${text}` : text, rules.width)));
    if (place.width > 0) cells.push(isWide ? '' : painted(fitCell(text, place, at === 0, rules.ascii)));
  }
  return { cells, below };
}

/** Indented lines over the whole width. The terminal breaks a longer word, which can still be copied whole. */
function belowLines(text: string, columns = Number.POSITIVE_INFINITY): string[] {
  const blanks = ' '.repeat(columns > 4 * indent ? indent : 0);
  return wrap(text, Math.max(columns - blanks.length, 1)).map((line) => blanks + line);
}

function paintedLines(lines: readonly string[], color: Color | undefined, paint: Paint): string {
  return (color === undefined ? lines : lines.map((line) => paint(color, line))).join('\n');
}

/** The cells of the mark after the start of an id. */
export const markLength = (ascii: boolean) => (ascii ? 3 : 1);

function fitCell(
  text: string,
  { width: cells, kind, idCells = minIdWidth }: CellPlace,
  isFirst: boolean,
  ascii: boolean,
): string[] {
  if (kind === 'wraps') return wrap(text, cells, isFirst);
  if (kind === 'id' && cells < 36 && isUuid(text)) return [shortId(text, ascii, idCells - markLength(ascii))];
  return [kind === 'text' ? cutWords(text, cells, ascii) : cut(text, cells, ascii)];
}

export interface ColumnSize {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates, names that people copy); an `id` only to its start. */
  kind: 'whole' | 'id' | 'text' | 'wraps';
  /** The cells of shortened ids. */
  idCells?: number | undefined;
  /** Names the row together with the first column. */
  names?: boolean;
  /** Left out before others; `last`: after the other ones that are. */
  spare?: boolean | 'last' | undefined;
  /** Left out after all others. */
  required?: boolean | undefined;
}

/** Blanks between columns. */
export const gap = 2;
const between = ' '.repeat(gap);
const minTextWidth = 12;
const minFirstWidth = 16;
const minWrappedWidth = 12;
const minWordWidth = 9;
const minHeadingWidth = 10;
const minUnitHeadingWidth = 16;
/** Names are cut to this width before the first column is cut to half of the screen. */
const readableName = 20;
const minIdWidth = minIdLength + markLength(false);

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Columns are in order of
 * importance. Ids are shown where everything else fits uncut, and there at least their start. Otherwise text is cut, the
 * widest before others and what names a row last. Where that is not enough, spare columns are left out, then columns from
 * the end, then required ones.
 */
export function fit(sizes: readonly ColumnSize[], available: number): number[] {
  const natural = sizes.map(({ cells, heading }) => Math.max(cells, heading));
  const isId = (at: number) => at > 0 && sizes[at]?.kind === 'id';
  let columns = sizes.map((_, index) => index);
  const leave = (left: number | undefined) => {
    columns = columns.filter((at) => at !== left);
  };
  const widths = natural.map((cells, at) =>
    isId(at) ? Math.min(cells, Math.max(shortIdCells(sizes[at]), sizes[at]?.heading ?? 0)) : cells,
  );
  while (columns.some(isId) && total(widths, columns) > available) leave(columns.findLast(isId));
  const half = Math.max(minFirstWidth, Math.floor(available / 2));
  const least = sizes.map((size, at) => minWidth(size, at, half));
  const lastNeeded = sizes.findLastIndex(({ required, spare }) => required || spare === 'last');
  const needed = columns.filter((at) => at <= lastNeeded && sizes[at]?.spare !== true);
  const [first] = sizes;
  const missing = total(least, needed) - available;
  // The name gives way to what is needed, and to nothing else.
  if (first && missing > 0) least[0] = Math.max(minWidth(first, 0, minFirstWidth), (least[0] ?? 0) - missing);
  while (columns.length > 1 && total(least, columns) > available) {
    const others = columns.slice(1);
    leave(
      others.find((at) => sizes[at]?.spare === true) ??
        others.findLast((at) => at > lastNeeded) ??
        others.find((at) => sizes[at]?.spare === 'last') ??
        others.findLast((at) => !sizes[at]?.required) ??
        others.at(-1),
    );
  }
  for (const at of natural.keys()) if (!columns.includes(at)) widths[at] = 0;
  const shrink = (floor: readonly number[]) => {
    while (total(widths, columns) > available) {
      const widest = widestAbove(widths, floor);
      if (widest < 0) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  if (first && first.kind !== 'wraps') {
    const [whole = 0] = natural;
    const names = sizes.map((size, at) =>
      Math.max(least[at] ?? 0, size.names ? Math.min(readableName, size.cells) : 0),
    );
    shrink(names.with(0, whole));
    shrink(names.with(0, Math.max(least[0] ?? 0, Math.min(whole, half))));
  }
  shrink(least);
  // Ids are whole where there is room.
  for (const at of columns.filter(isId)) {
    const more = (natural[at] ?? 0) - (widths[at] ?? 0);
    if (total(widths, columns) + more <= available) widths[at] = natural[at] ?? 0;
  }
  // A single text column may shrink to one cell; an id or a number that is cut is useless.
  const [only] = columns;
  if (columns.length === 1 && only !== undefined && (sizes[only]?.kind === 'text' || sizes[only]?.kind === 'wraps')) {
    widths[only] = Math.min(widths[only] ?? 0, Math.max(available, 1));
  }
  return widths;
}

function total(widths: readonly number[], shown: readonly number[]): number {
  return shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + gap * (shown.length - 1);
}

function shortIdCells({ cells = 0, idCells = minIdWidth }: Partial<ColumnSize> = {}): number {
  return Math.min(idCells, cells);
}

/** @param first what the column that names a row keeps */
function minWidth({ cells, heading, kind }: ColumnSize, at: number, first: number): number {
  const head = Math.min(heading, minHeadingWidth);
  // The unit is at the end of the heading.
  if (kind === 'whole') return Math.max(cells, Math.min(heading, minUnitHeadingWidth));
  if (kind === 'id') return at === 0 ? Math.max(cells, head) : shortIdCells({ cells });
  if (kind === 'wraps') return Math.max(Math.min(cells, at === 0 ? minWordWidth : minWrappedWidth), head);
  if (at === 0) return Math.min(Math.max(cells, heading), first);
  return Math.max(Math.min(cells, minTextWidth), head);
}

/** The widest column that may still give way; -1 when none may. */
function widestAbove(widths: readonly number[], floor: readonly number[]): number {
  let widest = -1;
  for (const [at, width] of widths.entries()) {
    if (width > (floor[at] ?? 0) && (widest < 0 || width > (widths[widest] ?? 0))) widest = at;
  }
  return widest;
}

/** A row as text that fits into its columns. */
export interface DrawnRow {
  /** Where a row has fewer cells than columns, the last cell takes the remaining room. */
  cells: readonly string[];
  /** Lines after the row: texts with a word that is wider than their column. */
  below?: readonly string[];
}

interface LaidOutColumn {
  width: number;
  align: 'left' | 'right';
}

/** The rows that the library lays out: those of the first screens. Its time grows with the square of columns and of lines. */
const libraryRows = 64;
const maxColumns = 64;
const maxCellLength = 200;

/** The lines of rows whose cells fit into their columns, columns `gap` blanks apart, no blanks at line ends. */
export async function layOut(
  rows: readonly DrawnRow[],
  columns: readonly LaidOutColumn[],
  isFirst: boolean,
  isReady: () => Promise<void> | undefined,
): Promise<string[]> {
  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    await isReady();
    const isShort = row.cells.length === columns.length && row.cells.every((cell) => cell.length <= maxCellLength);
    const isByLibrary = isFirst && at < libraryRows && columns.length <= maxColumns && isShort;
    lines.push(...(isByLibrary ? await libraryLines(row, columns) : rowLines(row, columns)), ...(row.below ?? []));
  }
  return lines;
}

const border = ['top', 'bottom', 'left', 'right', 'mid', 'top-mid', 'top-left', 'top-right', 'bottom-mid'];
const corner = ['bottom-left', 'bottom-right', 'left-mid', 'mid-mid', 'right-mid'];
const noBorders = Object.fromEntries([...border, ...corner].map((name) => [name, '']));

async function libraryLines({ cells }: DrawnRow, columns: readonly LaidOutColumn[]): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars: { ...noBorders, middle: between },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align }) => align),
  });
  table.push([...cells]);
  return table
    .toString()
    .split('\n')
    .map((line) => withoutTrailing(line, ' '));
}

/** The same lines as the library's, for rows that stream past the first screens. */
function rowLines({ cells }: DrawnRow, columns: readonly LaidOutColumn[]): string[] {
  if (!cells.some((cell) => cell.includes('\n'))) return [paddedLine(cells, columns)];
  const texts = cells.map((cell) => cell.split('\n'));
  const height = texts.reduce((most, lines) => Math.max(most, lines.length), 1);
  return Array.from({ length: height }, (_, at) =>
    paddedLine(
      texts.map((part) => part[at] ?? ''),
      columns,
    ),
  );
}

function paddedLine(cells: readonly string[], columns: readonly LaidOutColumn[]): string {
  let line = '';
  for (const [at, cell] of cells.entries()) {
    const { width: room = 0, align } = columns[at] ?? {};
    const blanks = ' '.repeat(Math.max(room - width(cell), 0));
    line += (at > 0 ? between : '') + (align === 'right' ? blanks + cell : cell + blanks);
  }
  return withoutTrailing(line, ' ');
}
