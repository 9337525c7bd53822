/** A column as a table draws it: its heading, its cells, what may be cut of them, and their colour. */
import { isUuid } from '../../contract/validate.ts';
import { isNumeric } from '../../core/json.ts';
import type { Cell, Column } from '../column.ts';
import { type Color, cleanLine } from '../terminal-text.ts';
import {
  daysLeft,
  displayCell,
  formatChange,
  formatNumber,
  formatTime,
  isNumberColumn,
  numberStyle,
  percentWord,
  type Scale,
  unitLabel,
} from '../values.ts';
import { cut } from '../width.ts';

/** Settings of cells on a terminal. Elsewhere every value is exact, and every time in full. */
export interface Look {
  isScreen: boolean;
  now: Date;
  scale: Scale;
  exact: boolean;
  ascii: boolean;
  /** Units are in the headings. */
  header: boolean;
  nameOf(id: string): string | undefined;
  /** The length of shortened ids. */
  idLength?: number;
}

export interface ScreenColumn<Row> {
  column: Column<Row>;
  heading: string;
  align: 'left' | 'right';
  text(row: Row): string;
  tone(row: Row): Color | undefined;
}

/** Characters that are cleaned for a cell of a terminal. */
const cleanedPerCell = 64;

type Style = ReturnType<typeof numberStyle>;

const plainStyle: Style = { power: 0, decimals: undefined };

/** In the order of tables: by rank, ids last. */
export function byRank<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const rank = ({ rank, type, names }: Column<Row>) => rank ?? (type === 'id' && !names ? 90 : 10);
  return [...columns].sort((a, b) => rank(a) - rank(b));
}

/**
 * @param rows those that decide about units and scales
 * @param most cells of a terminal that a cell takes
 */
export function screenColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: Look,
  most = Number.POSITIVE_INFINITY,
): ScreenColumn<Row>[] {
  // Cleaning takes longer than cutting; what is cleaned away is rarely so much.
  const fitted = (text: string) => cut(cleanLine(text.slice(0, most * cleanedPerCell)), most, look.ascii);
  const styles = groupStyles(columns, rows, look);
  const said = columns.some(tellsScale);
  return columns.map((column) => {
    const own = said || !column.group ? column : { ...column, ownUnit: true, unitInRow: false };
    const draw = drawer(own, rows, { ...look, idLength: uniqueLength(namelessIds(column, rows, look)) }, styles);
    return {
      column,
      heading: fitted(draw.heading),
      align: isNumberColumn(column) ? 'right' : 'left',
      text: (row) => fitted(draw.text(row)),
      tone: (row) => column.tone?.(row) ?? toneOf(column, row, look),
    };
  });
}

/** A number is not read without the scale of its group, which a column of text says. */
export function tellsScale<Row>(column: Column<Row>): boolean {
  return column.group !== undefined && !isNumberColumn(column);
}

interface Drawer<Row> {
  heading: string;
  text(row: Row): string;
}

function drawer<Row>(
  column: Column<Row>,
  rows: readonly Row[],
  look: Look,
  styles: ReadonlyMap<string, Style>,
): Drawer<Row> {
  const heading = headingOf(column, look);
  if (!look.isScreen) return { heading, text: (row) => displayCell(column, row) };
  const { group } = column;
  const rules = ruleOf(look);
  if (group && tellsScale(column)) {
    return {
      heading,
      text: (row) => unitLabel(unitOf(column, row), styles.get(group(row)) ?? plainStyle),
    };
  }
  if (!isNumberColumn(column) || column.shown) return { heading, text: (row) => textCell(column, row, look) };
  const percent = column.type === 'percent' && column.unit === undefined;
  const unit = percent || group || column.unitInRow ? undefined : commonUnit(column, rows);
  const style = group
    ? undefined
    : numberStyle(cellsOf(column, rows), {
        ...column,
        ...rules,
        digits: column.digits,
        unit,
        isAmount: isAmount(column),
      });
  const headed = look.header && !group && !percent;
  const text = (row: Row): string => {
    const cell = column.get(row);
    if (!isNumeric(cell)) return textCell(column, row, look);
    // A change of points has two digits, as the percentages themselves.
    const ownStyle = column.points?.(row) ? { power: 0 as const, decimals: 2 } : group ? styles.get(group(row)) : style;
    const number = formatNumber(cell, ownStyle ?? plainStyle);
    const said = group && !column.ownUnit ? undefined : unitOf(column, row);
    const own = group && column.ownUnit ? unitLabel(said, styles.get(group(row)) ?? plainStyle) : said;
    const word = percent ? percentWord(column, row) : column.unitInRow || (headed && own === unit) ? '' : (own ?? '');
    const shown = column.change ? formatChange(number, cell, look.ascii) : number;
    return `${shown}${word === '' || word === '%' ? word : ` ${word}`}`;
  };
  const word = headed && style ? unitLabel(unit, style) : '';
  return { heading: word === '' ? heading : `${heading} ${word}`, text };
}

const ruleOf = ({ exact, scale }: Look) => ({
  scale: exact ? undefined : scale,
});
const isAmount = ({ type }: Column<never>) => type === 'currency';

export function headingOf<Row>({ title, heading, key }: Column<Row>, { isScreen }: Pick<Look, 'isScreen'>): string {
  return (isScreen ? title : undefined) ?? heading ?? key;
}

/** The scale of each group, by all of its numbers. */
function groupStyles<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: Look): Map<string, Style> {
  const groups = new Map<string, { cells: Cell[]; unit: string | undefined; digits: number | undefined }>();
  for (const column of columns) {
    const { group } = column;
    if (!group || !isNumberColumn(column)) continue;
    for (const row of rows) {
      const key = group(row);
      const known = groups.get(key) ?? {
        cells: [],
        unit: unitOf(column, row),
        digits: column.digits,
      };
      known.cells.push(column.get(row));
      groups.set(key, known);
    }
  }
  const rules = ruleOf(look);
  return new Map(
    [...groups].map(([key, { cells, ...rest }]) => [key, numberStyle(cells, { ...rest, ...rules, isAmount: false })]),
  );
}

function* cellsOf<Row>(column: Column<Row>, rows: readonly Row[]): Generator<Cell> {
  for (const row of rows) yield column.get(row);
}

/** The unit of every number of the column; undefined when they have several. */
function commonUnit<Row>(column: Column<Row>, rows: readonly Row[]): string | undefined {
  if (typeof column.unit !== 'function') return column.unit;
  const units = new Set<string | undefined>();
  for (const row of rows) if (isNumeric(column.get(row))) units.add(column.unit(row));
  return units.size === 1 ? [...units][0] : undefined;
}

function unitOf<Row>({ unit }: Column<Row>, row: Row): string | undefined {
  return typeof unit === 'function' ? unit(row) : unit;
}

/** A cell of a table or of one object that is not a number of a column. */
export function textCell<Row>(column: Column<Row>, row: Row, look: Look, full = false): string {
  if (!look.isScreen) return displayCell(column, row);
  const drawn = column.onScreen?.(row);
  if (drawn !== undefined) return drawn;
  const named = column.names?.(row);
  if (named) return look.nameOf(named) ?? (isUuid(named) && !full ? shortId(named, look.ascii, look.idLength) : named);
  const cell = column.get(row);
  const isTime = (column.type === 'date' || column.type === 'datetime') && typeof cell === 'string';
  if (isTime && !column.shown) {
    const style = column.dates ?? (full && column.type === 'datetime' ? 'minute' : 'day');
    return formatTime(cell, style, look.now);
  }
  const text = displayCell(column, row);
  return text === '' ? (column.absent ?? '') : text;
}

/** Shortens an id that has no name. */
export function shortId(id: string, ascii: boolean, length = shortest): string {
  return length >= id.length ? id : `${id.slice(0, length)}${ascii ? '...' : '…'}`;
}

const shortest = 8;

/** The number of characters that tell these ids apart. */
export function uniqueLength(ids: readonly string[]): number {
  const all = new Set(ids);
  let length = shortest;
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length += 1;
  return length;
}

/** The ids that a table writes in the place of names. */
function namelessIds<Row>({ names }: Column<Row>, rows: readonly Row[], { nameOf }: Look): string[] {
  const ids = names ? rows.flatMap((row) => names(row) ?? []) : [];
  return ids.filter((id) => nameOf(id) === undefined);
}

/** The colour of a word that has one, of an end that is near or past, of an id. */
function toneOf<Row>(column: Column<Row>, row: Row, look: Look): Color | undefined {
  const cell = column.get(row);
  if (typeof cell !== 'string') return undefined;
  if (column.tones) return Object.hasOwn(column.tones, cell) ? column.tones[cell] : undefined;
  if (column.type === 'id' && !column.names && isUuid(cell)) return 'dim';
  if (column.dates !== 'expiry') return undefined;
  const days = daysLeft(cell, look.now);
  if (days === undefined || days > 30) return undefined;
  return days < 0 ? 'red' : 'yellow';
}
