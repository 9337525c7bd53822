/** A column as a table draws it: its heading, its cells, what may be cut of them, and their colour. */
import { isUuid } from '../contract/validate.ts';
import { isNumeric } from '../core/json.ts';
import type { Cell, Column } from './column.ts';
import { type Color, cleanLine } from './terminal-text.ts';
import {
  type Comparison,
  daysLeft,
  displayCell,
  endsInUnit,
  formatChange,
  formatExact,
  formatNumber,
  formatTime,
  isNumberColumn,
  minorUnit,
  type NumberStyle,
  numberStyles,
  type Quantity,
  type Scale,
  shownDifference,
  unitLabel,
  unitWord,
} from './values.ts';
import { cut } from './width.ts';

/** Settings of cells on a terminal. Elsewhere every value is exact, and every time in full. */
export interface Look {
  isScreen: boolean;
  now: Date;
  scale: Scale;
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
  /** The unit at the end of the heading. */
  unit: string;
  align: 'left' | 'right';
  text(row: Row): string;
  tone(row: Row): Color | undefined;
}

/** Characters that are cleaned for each cell of width. */
const cleanedPerCell = 64;

const plainStyle: NumberStyle = { power: 0, decimals: undefined };

/** In the order of tables: by rank, ids last. */
export function byRank<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const rank = ({ rank, type, names }: Column<Row>) => rank ?? (type === 'id' && !names ? 90 : 10);
  return [...columns].sort((a, b) => rank(a) - rank(b));
}

interface ScreenRules {
  /** Cells of a terminal that a cell takes at most. */
  most?: number;
  /** The styles of numbers, by group or key of their column, where more than these rows decides them. */
  styles?: ReadonlyMap<string, NumberStyle> | undefined;
}

/** @param rows those that decide about units and scales */
export function screenColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: Look,
  { most = Number.POSITIVE_INFINITY, styles: pageStyles = new Map() }: ScreenRules = {},
): ScreenColumn<Row>[] {
  const styles = new Map([...stylesOf(columns, rows, look), ...pageStyles]);
  // Cleaning is slower than cutting, so long texts are cut first.
  const fitted = (text: string) => cut(cleanLine(text.slice(0, most * cleanedPerCell)), most, look.ascii);
  const hasScale = columns.some(tellsScale);
  return columns.map((column) => {
    const rule = hasScale || !column.group ? column : { ...column, ownUnit: true, unitInRow: false };
    const draw = drawer(rule, rows, { ...look, idLength: uniqueLength(namelessIds(column, rows, look)) }, styles);
    return {
      column,
      heading: fitted(draw.heading),
      unit: draw.unit ?? '',
      align: isNumberColumn(column) ? 'right' : 'left',
      text: (row) => fitted(draw.text(row)),
      tone: (row) => column.tone?.(row) ?? toneOf(column, row, look),
    };
  });
}

/** Whether the column tells the scale of the numbers in its row. */
export function tellsScale<Row>(column: Column<Row>): boolean {
  return column.group !== undefined && !isNumberColumn(column);
}

interface Drawer<Row> {
  heading: string;
  unit?: string;
  text(row: Row): string;
}

function drawer<Row>(
  column: Column<Row>,
  rows: readonly Row[],
  look: Look,
  styles: ReadonlyMap<string, NumberStyle>,
): Drawer<Row> {
  const heading = headingOf(column, look);
  const { group } = column;
  if (group && tellsScale(column)) {
    if (!look.isScreen) return { heading, text: (row) => displayCell(column, row) };
    return { heading, text: (row) => unitLabel(unitOf(column, row), styles.get(group(row) ?? '') ?? plainStyle) };
  }
  if (!isNumberColumn(column) || column.shown) return { heading, text: (row) => textCell(column, row, look) };
  const scale = scaleOf(look, column.digits !== undefined);
  const percent = column.type === 'percent' && column.unit === undefined;
  const isApart = percent || group || column.unitInRow || !(look.isScreen || isScaledTo(look));
  const unit = isApart ? undefined : commonUnit(column, rows);
  const styleOf = (row: Row) => styles.get(column.key) ?? styles.get(quantityOf(column, row)) ?? plainStyle;
  const first = rows.find((row) => isNumeric(column.get(row)));
  const style = group || first === undefined ? undefined : styleOf(first);
  // Cells with several units say the scale, too.
  const isMixed = unit === undefined && rows.some((row) => unitOf(column, row) !== undefined);
  const isHeaded = look.header && style && !isApart && !isMixed;
  /** The unit after a number, unless its heading or another column says it. */
  const wordOf = (row: Row, style: NumberStyle): string => {
    if (percent || column.points?.(row)) return unitWord(column, row) ?? '';
    if (column.unitInRow && !group) return look.header ? '' : unitLabel(undefined, style);
    if (column.unitInRow || (look.isScreen && group && !column.ownUnit)) return '';
    const word = unitOf(column, row);
    if (group) return unitLabel(word, style);
    if (isHeaded && word === unit) return '';
    return style.power > 0 ? unitLabel(word, style) : (word ?? '');
  };
  const text = (row: Row): string => {
    const cell = column.get(row);
    if (!isNumeric(cell)) return textCell(column, row, look);
    const numberLook = styleOf(row);
    const comparison = comparisonOf(column, row);
    const value = comparison ? shownDifference(comparison, numberLook) : cell;
    const number = scale === 'exact' ? formatExact(value, numberLook) : formatNumber(value, numberLook);
    const isChange = comparison !== undefined || column.change;
    const printed = isChange ? formatChange(number, look.isScreen && !look.ascii) : number;
    const word = wordOf(row, numberLook);
    return `${printed}${word === '' || word === '%' ? word : ` ${word}`}`;
  };
  const isScaled = look.header && style && column.unitInRow;
  const headedUnit = endsInUnit(heading, unit) ? undefined : unit;
  const word = isHeaded ? unitLabel(headedUnit, style) : isScaled ? unitLabel(undefined, style) : '';
  return { heading: word === '' ? heading : `${heading} ${word}`, unit: word, text };
}

/** Outside of a terminal data that nobody rounds keeps its digits. */
function scaleOf({ isScreen, scale }: Look, isRounded: boolean): Scale {
  if (isScreen || scale === 'exact' || isScaledTo({ scale })) return scale;
  return isRounded ? 'none' : 'exact';
}

/** Whether `--scale` names one, which counts in a pipe, too. */
const isScaledTo = ({ scale }: Pick<Look, 'scale'>) => scale === 'k' || scale === 'M';

export function headingOf<Row>({ title, heading, key }: Column<Row>, { isScreen }: Pick<Look, 'isScreen'>): string {
  return (isScreen ? title : undefined) ?? heading ?? key;
}

/** The style of each quantity: those of columns with groups have one scale, each other column its own. */
function stylesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: Look): Map<string, NumberStyle> {
  const numbers = columns.filter((column) => isNumberColumn(column) && !column.shown);
  const grouped = numbers.filter(({ group }) => group);
  const others = numbers.filter(({ group }) => !group);
  return new Map([
    ...numberStyles(quantitiesOf(grouped, rows), scaleOf(look, true)),
    ...others.flatMap((column) => [
      ...numberStyles(quantitiesOf([column], rows), scaleOf(look, column.digits !== undefined)),
    ]),
  ]);
}

function quantitiesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Map<string, Quantity> {
  const quantities = new Map<string, Quantity & { cells: Cell[]; comparisons: Comparison[]; ratios: Comparison[] }>();
  const quantityAt = (key: string) => {
    const quantity = quantities.get(key) ?? { cells: [], comparisons: [], ratios: [], minor: undefined };
    quantities.set(key, quantity);
    return quantity;
  };
  for (const column of columns) {
    for (const row of rows) {
      const quantity = quantityAt(quantityOf(column, row));
      quantity.minor ??= minorOf(column, row);
      const comparison = comparisonOf(column, row);
      if (comparison) quantity.comparisons.push(comparison);
      // Points are among values, and not one of them.
      else if (column.type !== 'percent' || column.group?.(row) === undefined) {
        quantity.cells.push(column.get(row));
        // Points of basis points are small.
        if (column.type === 'percent') quantity.digits = column.points?.(row) ? 2 : column.digits;
      }
      const { group, after, before } = (column.ratio && isNumeric(column.get(row)) && column.ratio(row)) || {};
      if (group !== undefined && isNumeric(after) && isNumeric(before)) {
        quantityAt(group).ratios.push({ after, before });
      }
    }
  }
  return quantities;
}

/** The numbers of a column, in currencies of one minor unit, unless it has groups. */
function quantityOf<Row>(column: Column<Row>, row: Row): string {
  return column.group?.(row) ?? `${column.key} ${column.points?.(row) ? 'points' : (minorOf(column, row) ?? '')}`;
}

/** The digits after the point of an amount of money; of an unknown currency two. */
function minorOf<Row>(column: Column<Row>, row: Row): number | undefined {
  return minorUnit(unitOf(column, row)) ?? (column.type === 'currency' ? 2 : undefined);
}

/** The values whose difference the cell is, where all are numbers. */
function comparisonOf<Row>({ get, operands }: Column<Row>, row: Row): Comparison | undefined {
  const [after, before] = operands?.(row) ?? [];
  return isNumeric(get(row)) && isNumeric(after) && isNumeric(before) ? { after, before } : undefined;
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
  const named = column.names?.(row);
  if (!look.isScreen) {
    const text = displayCell(column, row);
    return (named && isUuid(text) && look.nameOf(named)) || text || (column.absent ?? '');
  }
  const onScreen = column.onScreen?.(row);
  if (onScreen !== undefined) return onScreen;
  if (named) return look.nameOf(named) ?? (isUuid(named) && !full ? shortId(named, look.ascii, look.idLength) : named);
  const cell = column.get(row);
  const isTime = (column.type === 'date' || column.type === 'datetime') && typeof cell === 'string';
  if (isTime && !column.shown) {
    const style = column.dates ?? (full && column.type === 'datetime' ? 'minute' : 'day');
    return formatTime(cell, style, look.now);
  }
  const text = displayCell(column, row) || (column.absent ?? '');
  return column.hasIds ? text.replace(uuids, (id) => look.nameOf(id) ?? shortId(id, look.ascii, look.idLength)) : text;
}

/** Shortens an id that has no name. */
export function shortId(id: string, ascii: boolean, length = minIdLength): string {
  return length >= id.length ? id : `${id.slice(0, length)}${ascii ? '...' : '…'}`;
}

/** The characters of an id that are shown at least. */
export const minIdLength = 8;

/** The number of characters that tell these ids apart. */
export function uniqueLength(ids: readonly string[]): number {
  const all = new Set(ids);
  let length = minIdLength;
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length += 1;
  return length;
}

const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const backticksOrIds = new RegExp(`\`[^\`]*\`|${uuids.source}`, 'g');

/** Lines for a terminal: ids as their names, or as short as is unique among them, but for those of commands. */
export function withShortIds(lines: readonly string[], { ascii, nameOf }: Pick<Look, 'ascii' | 'nameOf'>): string[] {
  const ids = lines.flatMap((line) => line.match(backticksOrIds) ?? []).filter(isUuid);
  const length = uniqueLength(ids.filter((id) => nameOf(id) === undefined));
  const shorten = (text: string) => (isUuid(text) ? (nameOf(text) ?? shortId(text, ascii, length)) : text);
  return lines.map((line) => line.replace(backticksOrIds, shorten));
}

/** The ids that have no name. */
function namelessIds<Row>(column: Column<Row>, rows: readonly Row[], { nameOf }: Look): string[] {
  const { names, hasIds } = column;
  if (!names && !hasIds) return [];
  const ids = rows.flatMap((row) => (hasIds ? displayCell(column, row).match(uuids) : names?.(row)) ?? []);
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
