/** The one formatter of values: cells as people read them, as programs read them, numbers and times for eyes. */
import { ExactNumber, isNumeric, type Numeric, plainDecimal, stringifyJson } from '../core/json.ts';
import { readDay, readInstant } from '../core/periods.ts';
import type { Cell, Column } from './column.ts';

/** Longer than this in plain digits, a number is shown as the API wrote it (`5e-324`). */
const mostDigits = 40;

const grouped: ReadonlySet<string | undefined> = new Set(['integer', 'number', 'currency', 'percent']);

/** Whether the column's cells are aligned to the right. */
export function isNumberColumn(column: Pick<Column, 'type'>): boolean {
  return grouped.has(column.type);
}

/** The cell of a row as text for people, not cleaned yet. Empty for null and absent. */
export function displayCell<Row>(column: Column<Row>, row: Row): string {
  const shown = column.shown?.(row);
  if (shown !== undefined) return shown;
  const cell = column.get(row);
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (isNumeric(cell)) {
    if (!isNumberColumn(column)) return String(cell);
    return withUnit(groupThousands(rounded(cell, column.digits)), unitOf(column, row));
  }
  if (typeof cell === 'object') return displayObject(cell);
  if (column.type === 'date' || column.type === 'datetime') return plainTime(cell, column.type);
  return cell;
}

/** At most so many digits after the point. Only for display: a double is exact enough. */
function rounded(value: Numeric, digits: number | undefined): Numeric {
  const double = Number(value);
  if (digits === undefined || !(Math.abs(double) < mostRounded)) return value;
  const fraction = /\.(\d+)$/.exec(String(value))?.[1] ?? '';
  return fraction.length > digits || /[eE]/.test(String(value)) ? Number(double.toFixed(digits)) : value;
}

/** Digits with `,` between thousands, all kept. Loading `Intl` takes half as long as a start of Node. */
export function groupThousands(value: Numeric): string {
  const text = String(value);
  if (/[eEIN]/.test(text)) {
    if (!(value instanceof ExactNumber) && !Number.isFinite(value)) return text;
    const exponent = Number(/[eE]([+-]?\d+)$/.exec(text)?.[1] ?? 0);
    if (Math.abs(exponent) > mostDigits) return text;
  }
  return groupDigits(plainDecimal(value));
}

/** A number in plain digits, with `,` between thousands. */
export function groupDigits(plain: string): string {
  const [whole = '', fraction] = plain.split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const first = digits.length % 3;
  const groups = first === 0 ? [] : [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  const commas = sign + groups.join(',');
  return fraction === undefined ? commas : `${commas}.${fraction}`;
}

/** Days as they are; times to the minute, in UTC. Other text stays as it is. */
export function plainTime(text: string, type: 'date' | 'datetime'): string {
  if (type === 'date') return /^\d{4}-\d{2}-\d{2}/.test(text) ? text.slice(0, 10) : text;
  const time = readInstant(text);
  return time === undefined ? text : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

function unitOf<Row>(column: Column<Row>, row: Row): string | undefined {
  if (column.unitInRow) return undefined;
  const unit = typeof column.unit === 'function' ? column.unit(row) : column.unit;
  return unit ?? (column.type === 'percent' ? percentWord(column, row) : undefined);
}

/** The word after a number of percent, or of points. */
export function percentWord<Row>({ points }: Column<Row>, row: Row): string {
  return points?.(row) ? 'pp' : '%';
}

function withUnit(number: string, unit: string | undefined): string {
  if (unit === undefined || unit === '') return number;
  return unit === '%' ? `${number}%` : `${number} ${unit}`;
}

/** A list of words is read more easily without its brackets and quotes. */
function displayObject(cell: Exclude<Cell, string | number | boolean | null | undefined>): string {
  if (Array.isArray(cell) && cell.every((item) => typeof item === 'string' || isNumeric(item))) return cell.join(', ');
  return stringifyJson(cell);
}

/** A cell as programs read it: nothing for null and absent, numbers in plain decimal, nested values as compact JSON. */
export function machineCell(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined || cell === null) return '';
  if (isNumeric(cell)) return plainDecimal(cell);
  return typeof cell === 'boolean' ? String(cell) : stringifyJson(cell);
}

/** `auto`: by the typical amount, the median. */
export type Scale = 'auto' | 'k' | 'M' | 'none';

interface NumberStyle {
  power: 0 | 3 | 6 | 9;
  /** Digits after the point; undefined: all that there are. */
  decimals: number | undefined;
}

const letters = { 0: '', 3: 'k', 6: 'M', 9: 'B' } as const;
/** Units that say nothing about a number. */
const plain: ReadonlySet<string> = new Set(['count', 'ratio', 'number']);

const isCurrency = (unit: string | undefined) => unit !== undefined && /^[A-Z]{3}$/.test(unit);

/** Above this a double has no digits after the point, and not all of those before it. */
const mostRounded = 2 ** 53;

interface StyleRules {
  /** Undefined: every digit is shown. */
  scale: Scale | undefined;
  unit: string | undefined;
  isAmount: boolean;
  /** The most digits after the point, where the column says so. */
  digits: number | undefined;
}

/** The style in which these numbers can be compared: one scale for the typical one, digits enough for the smallest. */
export function numberStyle(cells: Iterable<Cell>, { scale, unit, isAmount, digits }: StyleRules): NumberStyle {
  if (scale === undefined) return { power: 0, decimals: undefined };
  const sizes: number[] = [];
  let fraction = 0;
  for (const cell of cells) {
    if (!isNumeric(cell)) continue;
    const size = Math.abs(Number(cell));
    if (!Number.isFinite(size)) return { power: 0, decimals: undefined };
    if (size > 0) sizes.push(size);
    fraction = Math.max(fraction, fractionOf(cell));
  }
  sizes.sort((a, b) => a - b);
  const [least = Number.POSITIVE_INFINITY] = sizes;
  const typical = sizes[(sizes.length - 1) >> 1] ?? 0;
  const amount = isAmount || isCurrency(unit);
  const power = amount ? powerOf(scale, least, typical) : 0;
  const significant = least === Number.POSITIVE_INFINITY ? 0 : 2 - Math.floor(Math.log10(least / 10 ** power));
  if (power > 0) return { power, decimals: Math.min(Math.max(significant, 0), 2) };
  const wanted = digits ?? Math.min(Math.max(significant, amount ? 2 : 1), 8);
  return { power, decimals: Math.min(fraction, wanted) };
}

const scales = [
  [9, 1e9],
  [6, 1e6],
  [3, 1e4],
] as const;

/** The power of the typical amount, if the smallest amount keeps digits. */
function powerOf(scale: Scale, least: number, typical: number): NumberStyle['power'] {
  if (scale === 'k') return 3;
  if (scale === 'M') return 6;
  if (scale === 'none') return 0;
  return scales.find(([power, from]) => typical >= from && least >= 10 ** (power - 2))?.[0] ?? 0;
}

function fractionOf(value: Numeric): number {
  const text = String(value);
  return /[eE]/.test(text) ? 20 : text.length - 1 - (text.includes('.') ? text.indexOf('.') : text.length - 1);
}

export function formatNumber(value: Numeric, { power, decimals }: NumberStyle): string {
  const double = Number(value) / 10 ** power;
  if (decimals === undefined || !(Math.abs(double) < mostRounded)) return groupThousands(value);
  const text = double.toFixed(decimals);
  return groupDigits(/^-0\.?0*$/.test(text) ? text.slice(1) : text);
}

/** A change with its sign, and an arrow where the terminal has one. */
export function formatChange(number: string, value: Numeric, ascii: boolean): string {
  if (!/[1-9]/.test(number)) return number;
  const up = Number(value) > 0;
  return `${ascii ? '' : up ? '▲ ' : '▼ '}${up ? '+' : ''}${number}`;
}

/** The unit in a heading: `USD M`, `EUR`, `%`, `months`. */
export function unitLabel(unit: string | undefined, { power }: NumberStyle): string {
  if (unit === undefined || plain.has(unit)) return letters[power];
  return power === 0 || !isCurrency(unit) ? unit : `${unit} ${letters[power]}`;
}

/** Formats the numbers of one picture, all in one scale with its letter behind them. */
export function pictureFormat(cells: Iterable<Cell>, unit?: string): (value: Numeric) => string {
  const style = numberStyle(cells, { scale: 'auto', unit, isAmount: true, digits: undefined });
  return (value) => {
    const double = Number(value);
    if (Math.abs(double) >= 1e15) return double.toExponential(2).replace('e+', 'e');
    return `${formatNumber(value, style)}${letters[style.power]}${unit === '%' ? '%' : ''}`;
  };
}

const day = 86_400_000;
/** Days within which an end is near. */
const near = 90;

/** A time as it can be typed, in UTC, an end that is near with its distance. Text that is not a time stays as it is. */
export function formatTime(text: string, style: 'day' | 'minute' | 'expiry', now: Date): string {
  const at = instantOf(text);
  if (at === undefined) return text;
  const time = new Date(at).toISOString();
  const shown = time.slice(0, 10);
  if (style === 'minute') return `${shown} ${time.slice(11, 16)}`;
  const days = daysUntil(at, now);
  if (style === 'day' || Math.abs(days) > near) return shown;
  return `${shown} (${distance(days, at < now.getTime())})`;
}

/** Whole days to an end, negative after it; undefined for text that is not a time. */
export function daysLeft(text: string, now: Date): number | undefined {
  const at = instantOf(text);
  return at === undefined ? undefined : at < now.getTime() ? Math.min(daysUntil(at, now), -1) : daysUntil(at, now);
}

/** Days of the calendar. */
function daysUntil(at: number, now: Date): number {
  return Math.floor(at / day) - Math.floor(now.getTime() / day);
}

function distance(days: number, isOver: boolean): string {
  if (days === 0) return isOver ? 'earlier today' : 'today';
  const count = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`;
  return days < 0 ? `${count} ago` : count;
}

function instantOf(text: string): number | undefined {
  return readDay(text) ?? readInstant(text);
}
