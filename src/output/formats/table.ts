/**
 * Tables for people. Rows are gathered in blocks: the first block decides units and widths, later blocks keep them, so
 * that a result of any size needs the memory of one block.
 */
import { isUuid } from '../../contract/validate.ts';
import { withoutTrailing } from '../../core/json.ts';
import type { Column } from '../column.ts';
import {
  byRank,
  headingOf,
  type ScreenColumn,
  screenColumns,
  shortestId,
  shortId,
  tellsScale,
  textCell,
  uniqueLength,
} from '../screen-column.ts';
import { type Color, cleanLine, painter } from '../terminal-text.ts';
import { displayCell, isNumberColumn } from '../values.ts';
import { cut, cutWords, longestWord, width, wrapped } from '../width.ts';
import type { Result, RowWriter, TableRules } from './writer.ts';

/** Rows of one block: enough to find good widths, few enough to wait for. */
const mostRows = 512;
const leastRows = 4;
/** Cells of one block: signals are heard between blocks. */
const mostCells = 20_000;

export function tableWriter<Row>(result: Result<Row>, rules: TableRules): RowWriter<Row> {
  const isArranged = rules.look.isScreen && !result.chosen;
  const ordered = isArranged ? byRank(result.columns) : result.columns;
  const block = Math.min(Math.max(Math.floor(mostCells / ordered.length), leastRows), mostRows);
  const isReady = turnTaker(rules.turn);
  let pending: Row[] = [];
  let screen: ScreenColumn<Row>[] | undefined;
  let sizes: ColumnSize[] = [];
  let widths: number[] = [];

  /** The cells of the rows; the first block decides the widths, and without a terminal each block widens them. */
  const measure = async (columns: readonly ScreenColumn<Row>[], rows: readonly Row[], isFirst: boolean) => {
    const isSized = isFirst || rules.width === undefined;
    if (isFirst) {
      const headingOf = ({ heading }: ScreenColumn<Row>) => (result.header ? heading : '');
      sizes = columns.map((each) => emptySize(each.column, headingOf(each), result.chosen === true));
    }
    const cells: string[][] = [];
    for (const row of rows) {
      const texts = columns.map(({ text }) => text(row));
      cells.push(texts);
      if (isSized) for (const [at, text] of texts.entries()) widen(sizes[at], text);
      await isReady();
    }
    if (isFirst) for (const [at, size] of sizes.entries()) size.idCells = idCells(size, at, cells, rules.look.ascii);
    if (rules.width === undefined) widths = sizes.map(({ cells, heading }) => Math.max(cells, heading, 1));
    else if (isFirst) widths = fit(sizes, rules.width);
    return cells;
  };

  const draw = async (isAll: boolean): Promise<string> => {
    const paint = await painter(rules.color);
    const rows = pending;
    pending = [];
    const isFirst = screen === undefined;
    const columns = isAll && isArranged ? filled(ordered, rows, rules) : ordered;
    screen ??= screenColumns(columns, rows, rules.look, { most: rules.mostCellWidth });
    let cells = await measure(screen, rows, isFirst);
    // Without room for the units each number shows its own, and differences without room need no decimals.
    for (let left = isFirst ? decisive(screen, widths) : []; left.length > 0; left = decisive(screen, widths)) {
      rules.left.columns.push(...left.filter((column) => !tellsScale(column)).map(({ key }) => key));
      const others: Column<Row>[] = screen.map(({ column }) => column).filter((column) => !left.includes(column));
      screen = screenColumns(others, rows, rules.look, { most: rules.mostCellWidth });
      cells = await measure(screen, rows, isFirst);
    }
    const visible = screen.flatMap((column, at) => {
      const width = widths[at] ?? 0;
      return width > 0 ? [{ ...column, at, width, kind: sizes[at]?.kind ?? 'text', idCells: sizes[at]?.idCells }] : [];
    });
    const { ascii } = rules.look;
    const isHeaded = isFirst && result.header;
    const body: DrawnRow[] = [];
    if (isHeaded) body.push({ cells: visible.map(({ heading, width }) => cut(heading, width, ascii)) });
    for (const [index, row] of rows.entries()) {
      const all = cells[index] ?? [];
      // Without a terminal every column is as wide as its cells.
      if (rules.width === undefined && !rules.color) body.push({ cells: all });
      else {
        const texts = visible.map(({ at }) => all[at] ?? '');
        const tones = rules.color ? visible.map(({ tone }) => tone(row)) : [];
        body.push(drawnRow(texts, tones, visible, { width: rules.width, ascii, paint }));
      }
      await isReady();
    }
    const lines = await layOut(body, visible, isFirst, isReady);
    const [first] = lines;
    if (isHeaded && first !== undefined) lines[0] = paint('bold', first);
    return lines.map((line) => `${line}\n`).join('');
  };

  return {
    rows(rows) {
      for (const row of rows) pending.push(row);
      return pending.length >= block ? draw(false) : '';
    },
    broken: async () => (pending.length > 0 ? draw(false) : ''),
    async close() {
      const text = pending.length > 0 ? await draw(screen === undefined) : '';
      const missing = (screen ?? []).filter((_, at) => widths[at] === 0).map(({ column }) => column);
      const [ids, others] = [missing.filter(isId), missing.filter((column) => !isId(column))];
      rules.left.ids ||= ids.length > 0;
      rules.left.columns.push(...others.map(({ key }) => key));
      return text;
    },
  };
}

/** The columns without room by which the numbers of others are styled. */
function decisive<Row>(screen: readonly ScreenColumn<Row>[], widths: readonly number[]): Column<Row>[] {
  const columns = screen.flatMap(({ column }, at) => (widths[at] === 0 ? [column] : []));
  return columns.filter((column) => tellsScale(column) || (column.spare && column.operands !== undefined));
}

/** Milliseconds of work between two turns of the event loop. */
const longestWork = 50;

/** Called after each row: signals are handled while rows of long texts are laid out. */
function turnTaker(turn: () => Promise<void>): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestWork) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}

const isId = <Row>({ type, names }: Column<Row>) => type === 'id' && !names;

/** Without the columns that are empty, or in which all rows say the same. */
function filled<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { look, left }: Pick<TableRules, 'look' | 'left'>,
): readonly Column<Row>[] {
  if (rows.length === 0) return columns;
  const isSame = (column: Column<Row>, text: string) => rows.every((row) => textCell(column, row, look) === text);
  const isUsual = ({ usual, get }: Column<Row>) => usual !== undefined && rows.every((row) => get(row) === usual);
  const empty = columns.filter((column, at) => at > 0 && column.absent === undefined && isSame(column, ''));
  left.empty.push(...empty.map((column) => headingOf(column, look)));
  const repeated = columns.flatMap((column) => {
    const text = textCell(column, rows[0] as Row, look);
    const isRepeated = column.saidOnce && rows.length > 1 && text !== '' && isSame(column, text);
    if (isRepeated) left.repeated.push(`${headingOf(column, look)}: ${cleanLine(text)}`);
    return isRepeated ? [column] : [];
  });
  return columns.filter((column) => !empty.includes(column) && !repeated.includes(column) && !isUsual(column));
}

/** One object: a line for each field, its heading before it, long text in several. */
export async function fieldsTable<Row>(
  row: Row,
  { columns, chosen }: Pick<Result<Row>, 'columns' | 'chosen'>,
  rules: Omit<TableRules, 'turn'>,
): Promise<string> {
  const isArranged = rules.look.isScreen && !chosen;
  const fields = isArranged ? filled(byRank(columns), [row], rules) : columns;
  const cells = screenColumns(fields, [row], { ...rules.look, header: false });
  const headings = fields.map((column) => cleanLine(headingOf(column, rules.look)));
  const room = (rules.width ?? Number.POSITIVE_INFINITY) - Math.max(...headings.map(width)) - gap;
  const lines = fields.map((column, at) => {
    const text = isNumberColumn(column) ? displayCell(column, row) : textCell(column, row, rules.look, true);
    const cutText = column.type === 'json' ? cut(cleanLine(text), Math.max(room, 8), rules.look.ascii) : text;
    return { heading: headings[at], text: cutText, tone: cells[at]?.tone(row) };
  });
  const fieldColumns: Column<(typeof lines)[number]>[] = [
    { key: 'field', whole: true, get: ({ heading }) => heading, tone: () => 'bold' },
    { key: 'value', wraps: true, get: ({ text }) => text, tone: ({ tone }) => tone },
  ];
  const writer = tableWriter(
    { columns: fieldColumns, json: (line) => line, id: () => undefined, header: false, chosen: true },
    { ...rules, mostCellWidth: Number.POSITIVE_INFINITY, turn: async () => {} },
  );
  return `${await writer.rows(lines)}${await writer.close?.(lines.length === 0)}`;
}

function emptySize<Row>(column: Column<Row>, heading: string, chosen: boolean): ColumnSize {
  const { spare, required } = column;
  return { cells: 0, heading: width(heading), kind: kindOf(column, chosen), spare, required };
}

function widen(size: ColumnSize | undefined, text: string): void {
  if (!size) return;
  size.cells = Math.max(size.cells, width(text));
}

/** The cells of shortened ids that tell those of a column apart. */
function idCells(
  { kind }: ColumnSize,
  at: number,
  cells: readonly (readonly string[])[],
  ascii: boolean,
): number | undefined {
  return kind === 'id' ? uniqueLength(cells.flatMap((texts) => texts[at] || [])) + markLength(ascii) : undefined;
}

/** The cells of the mark after the start of an id. */
const markLength = (ascii: boolean) => (ascii ? 3 : 1);

function kindOf<Row>(column: Column<Row>, chosen: boolean): ColumnSize['kind'] {
  if (column.wraps) return 'wraps';
  if (isId(column)) return chosen || column.whole ? 'whole' : 'id';
  return isWhole(column) ? 'whole' : 'text';
}

function isWhole<Row>({ type, whole, names }: Column<Row>): boolean {
  return whole === true || !(names || type === undefined || type === 'text' || type === 'id' || type === 'json');
}

type Paint = (color: Color, text: string) => string;

interface CellPlace {
  heading: string;
  width: number;
  kind: ColumnSize['kind'];
  idCells: number | undefined;
}

interface RowRules {
  /** The width of the terminal; undefined: nothing is wrapped. */
  width: number | undefined;
  ascii: boolean;
  paint: Paint;
}

const indent = 2;

/**
 * A path, an address or an id is not broken, so that it can be copied: where its column has no room, it takes that of
 * empty cells at its right, or lines of its own below the row.
 */
function drawnRow(
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
    if (isWide && at === last && longestWord(text) <= room) {
      cells.push(painted(wrapped(text, room)));
      break;
    }
    if (isWide) {
      below.push(painted(belowLines(isLabelled ? `${place.heading}: ${text}` : text, rules.width)));
      cells.push('');
    } else cells.push(painted(fitted(text, place, at === 0, rules.ascii)));
  }
  return { cells, below };
}

/** Indented lines over the whole width. The terminal breaks a longer word, which can still be copied whole. */
function belowLines(text: string, columns = Number.POSITIVE_INFINITY): string[] {
  const blanks = ' '.repeat(columns > 4 * indent ? indent : 0);
  return wrapped(text, Math.max(columns - blanks.length, 1)).map((line) => blanks + line);
}

function paintedLines(lines: readonly string[], color: Color | undefined, paint: Paint): string {
  return (color === undefined ? lines : lines.map((line) => paint(color, line))).join('\n');
}

function fitted(
  text: string,
  { width: cells, kind, idCells = shortestIdCells }: CellPlace,
  isFirst: boolean,
  ascii: boolean,
): string[] {
  if (kind === 'wraps') return wrapped(text, cells, isFirst);
  if (kind === 'id' && cells < 36 && isUuid(text)) return [shortId(text, ascii, idCells - markLength(ascii))];
  return [kind === 'text' ? cutWords(text, cells, ascii) : cut(text, cells, ascii)];
}

interface ColumnSize {
  /** The widest cell, without the heading. */
  cells: number;
  heading: number;
  /** `whole`: cells are never cut (numbers, dates, names that people copy); an `id` only to its start. */
  kind: 'whole' | 'id' | 'text' | 'wraps';
  /** The cells of shortened ids. */
  idCells?: number | undefined;
  /** Left out before others. */
  spare?: boolean | undefined;
  /** Never left out. */
  required?: boolean | undefined;
}

/** Blanks between columns. */
const gap = 2;
const between = ' '.repeat(gap);
const leastText = 12;
const leastFirst = 16;
const leastWrapped = 12;
const leastWord = 9;
const leastHeading = 10;
const leastUnitHeading = 16;
const shortestIdCells = shortestId + markLength(false);

/**
 * The width of each column within `available` cells; 0 for a column that is left out. Columns are in order of
 * importance. Ids are shown where everything else fits uncut, and there at least their start. Otherwise text is cut, the
 * widest before others and what names a row last; where that is not enough, columns that are spare are left out, then columns from the end.
 */
export function fit(sizes: readonly ColumnSize[], available: number): number[] {
  const natural = sizes.map(({ cells, heading }) => Math.max(cells, heading));
  const least = sizes.map((size, at) => leastWidth(size, at, available));
  const isId = (at: number) => at > 0 && sizes[at]?.kind === 'id';
  let columns = sizes.map((_, index) => index);
  const widths = natural.map((cells, at) =>
    isId(at) ? Math.min(cells, Math.max(shortIdCells(sizes[at]), sizes[at]?.heading ?? 0)) : cells,
  );
  while (columns.some(isId) && total(widths, columns) > available) {
    const last = columns.findLast(isId);
    columns = columns.filter((at) => at !== last);
  }
  while (columns.length > 1 && total(least, columns) > available && !sizes[columns.at(-1) ?? 0]?.required) {
    const spare = columns.find((at) => at > 0 && sizes[at]?.spare);
    if (spare !== undefined) {
      columns = columns.filter((at) => at !== spare);
      continue;
    }
    columns.pop();
  }
  for (const at of natural.keys()) if (!columns.includes(at)) widths[at] = 0;
  while (total(widths, columns) > available) {
    const others = widestAbove(widths, least, sizes[0]?.kind === 'wraps' ? 0 : 1);
    const widest = others < 0 ? widestAbove(widths, least, 0) : others;
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
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

function shortIdCells({ cells = 0, idCells = shortestIdCells }: Partial<ColumnSize> = {}): number {
  return Math.min(idCells, cells);
}

function leastWidth(size: ColumnSize, at: number, available: number): number {
  const { cells, heading, kind } = size;
  const head = Math.min(heading, leastHeading);
  // The unit is at the end of the heading.
  if (kind === 'whole') return Math.max(cells, Math.min(heading, leastUnitHeading));
  if (kind === 'id') return at === 0 ? Math.max(cells, head) : shortIdCells(size);
  if (kind === 'wraps') return Math.max(Math.min(cells, at === 0 ? leastWord : leastWrapped), head);
  // The column that names a row may take half of the screen, with its heading.
  if (at === 0) return Math.min(Math.max(cells, heading), Math.max(leastFirst, Math.floor(available / 2)));
  return Math.max(Math.min(cells, leastText), head);
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
interface DrawnRow {
  /** If there are fewer cells than columns, the last cell has the remaining room. */
  cells: readonly string[];
  /** Lines after the row: texts with a word that is wider than their column. */
  below?: readonly string[];
}

interface LaidOutColumn {
  width: number;
  align: 'left' | 'right';
}

/** The rows and lines that the library lays out. Its time grows with the square of columns and of lines. */
const firstRows = 64;
const mostColumns = 64;
const mostCellLength = 200;
const mostLines = 16;

/** The lines of rows whose cells fit into their columns, columns `gap` blanks apart, no blanks at line ends. */
async function layOut(
  rows: readonly DrawnRow[],
  columns: readonly LaidOutColumn[],
  isFirst = true,
  isReady: () => Promise<void> | undefined = () => undefined,
): Promise<string[]> {
  const lines: string[] = [];
  let pending: DrawnRow[] = [];
  let height = 0;
  const flush = async () => {
    if (pending.length > 0) lines.push(...(await laidOutByLibrary(pending, columns)));
    [pending, height] = [[], 0];
  };
  for (const [at, row] of rows.entries()) {
    await isReady();
    if (!isFirst || at >= firstRows || columns.length > mostColumns || !isShort(row, columns)) {
      await flush();
      lines.push(...rowLines(row, columns));
      continue;
    }
    const rowHeight = heightOf(row);
    if (height + rowHeight > mostLines) await flush();
    pending.push(row);
    height += rowHeight;
    // Only the last row may have lines below it.
    if (row.below?.length) await flush();
  }
  await flush();
  return lines;
}

function isShort(row: DrawnRow, columns: readonly LaidOutColumn[]): boolean {
  const isPlain = row.cells.length === columns.length && row.cells.every((cell) => cell.length <= mostCellLength);
  return isPlain && heightOf(row) <= mostLines;
}

function heightOf({ cells }: DrawnRow): number {
  return cells.reduce((most, cell) => Math.max(most, cell.split('\n').length), 1);
}

const border = ['top', 'bottom', 'left', 'right', 'mid', 'top-mid', 'top-left', 'top-right', 'bottom-mid'];
const corner = ['bottom-left', 'bottom-right', 'left-mid', 'mid-mid', 'right-mid'];
const noBorders = Object.fromEntries([...border, ...corner].map((name) => [name, '']));

/** Rows with a cell for each column; only the last may have lines below it. */
async function laidOutByLibrary(rows: readonly DrawnRow[], columns: readonly LaidOutColumn[]): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars: { ...noBorders, middle: between },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align }) => align),
  });
  for (const { cells } of rows) table.push([...cells]);
  const lines = table.toString().split('\n');
  return [...lines.map((line) => withoutTrailing(line, ' ')), ...(rows.at(-1)?.below ?? [])];
}

/** The same lines as the library's, for rows that stream past the first screens. */
function rowLines({ cells, below = [] }: DrawnRow, columns: readonly LaidOutColumn[]): string[] {
  if (!cells.some((cell) => cell.includes('\n'))) return [paddedLine(cells, columns), ...below];
  const texts = cells.map((cell) => cell.split('\n'));
  const height = texts.reduce((most, lines) => Math.max(most, lines.length), 1);
  const lines = Array.from({ length: height }, (_, at) =>
    paddedLine(
      texts.map((part) => part[at] ?? ''),
      columns,
    ),
  );
  return [...lines, ...below];
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
