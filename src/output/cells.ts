/** Cells as people read them (tables, Markdown) and as programs read them. */

import { ExactNumber, isNumeric, type Numeric, plainDecimal, stringifyJson } from '../core/json.ts';
import { readInstant } from '../core/periods.ts';
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
    return withUnit(groupThousands(shortened(cell, column.digits)), unitOf(column, row));
  }
  if (typeof cell === 'object') return displayObject(cell);
  if (column.type === 'date' || column.type === 'datetime') return shortTime(cell, column.type);
  return cell;
}

/** Above this a double has no digits after the point that could be rounded. */
const mostRounded = 2 ** 53;

/** At most so many digits after the point. Only for display: a double is exact enough. */
function shortened(value: Numeric, digits: number | undefined): Numeric {
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
export function shortTime(text: string, type: 'date' | 'datetime'): string {
  if (type === 'date') return /^\d{4}-\d{2}-\d{2}/.test(text) ? text.slice(0, 10) : text;
  const time = readInstant(text);
  return time === undefined ? text : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

function unitOf<Row>(column: Column<Row>, row: Row): string | undefined {
  if (column.unitInRow) return undefined;
  const unit = typeof column.unit === 'function' ? column.unit(row) : column.unit;
  return unit ?? (column.type === 'percent' ? '%' : undefined);
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
