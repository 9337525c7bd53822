/** Values of results: printing, sorting and grouping. */

import { compare as compareDecimals } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, periodAt } from '../../core/periods.ts';
import { numberKey } from '../../core/same.ts';
import { checkValue } from '../expression/check.ts';
import { evaluate, type Value } from '../expression/evaluate.ts';
import { type Node, parse, problem } from '../expression/parser.ts';
import { isSpan, type Span } from '../expression/time.ts';
import { type Scope, type Typed, typeNames } from '../expression/typed.ts';

/** A value to print and the value to sort by. */
export interface Cell {
  value: string | Numeric | boolean | null;
  order: Value;
  /** The dividend and divisor of a value that may be rounded. */
  quotient?: readonly [Numeric, Numeric];
}

const none: Cell = { value: null, order: null };
export const grains = ['day', 'week', 'month', 'quarter', 'year'] as const;
type Grain = (typeof grains)[number];

export function isGrain(text: string): text is Grain {
  return (grains as readonly string[]).includes(text);
}

/** Makes cells of values. An option shows its label and sorts by its place in the list. */
export function cellReader<Row>(value: Typed<Row>, grain?: Grain): (value: Value) => Cell {
  const options = value.kind === 'column' ? value.column.options : undefined;
  const places = new Map(options?.map(({ id, label }, index) => [id, { value: label, order: index }]));
  const days = new Map<number, Cell>();
  // All instants of a day share a period.
  const periodCell = (span: Span, of: Grain): Cell => {
    const day = Math.floor(span.start / dayMs);
    const known = days.get(day) ?? timeCell(span, of);
    days.set(day, known);
    return known;
  };
  return (cellValue) => {
    if (cellValue === null) return none;
    if (typeof cellValue === 'string') return places.get(cellValue) ?? { value: cellValue, order: cellValue };
    if (typeof cellValue === 'boolean' || isNumeric(cellValue)) return { value: cellValue, order: cellValue };
    if (isSpan(cellValue)) return grain === undefined ? timeCell(cellValue, grain) : periodCell(cellValue, grain);
    return { value: Array.isArray(cellValue) ? cellValue.join('; ') : null, order: cellValue };
  };
}

const dayMs = 86_400_000;

/** @throws usage for a time that is computed and has no text: `date + 1mo` of 9999-12-31 */
function timeCell(span: Span, grain: Grain | undefined): Cell {
  const date = writable(new Date(span.start));
  switch (grain) {
    case undefined:
      return { value: span.end - span.start === dayMs ? dayOf(date) : date.toISOString(), order: span };
    case 'day':
      return { value: dayOf(date), order: dayOf(date) };
    case 'week': {
      const monday = writable(new Date(span.start - ((date.getUTCDay() + 6) % 7) * dayMs));
      return { value: dayOf(monday), order: dayOf(monday) };
    }
    default: {
      const period = formatPeriod(periodAt(date, grain));
      return { value: period, order: period };
    }
  }
}

function writable(date: Date): Date {
  const year = date.getUTCFullYear();
  if (year >= 0 && year <= 9999) return date;
  throw usage('a computed time is not in the years 0000 to 9999', 'leave such rows out with a condition');
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The identity of a group: numbers by size, other values as printed. */
export function groupId(cells: readonly Cell[]): string {
  return JSON.stringify(cells.map(({ value }) => (isNumeric(value) ? [numberKey(value)] : value)));
}

export function compareCells(a: readonly Cell[], b: readonly Cell[]): number {
  for (const [index, cell] of a.entries()) {
    const order = compareValues(cell.order, b[index]?.order ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

interface SortKey<Row> {
  value: Typed<Row>;
  places: ReadonlyMap<string, number> | undefined;
  descending: boolean;
}

/** Rows in pages: iterating single rows asynchronously would cost a turn of the event loop each. */
export type Pages<Row> = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;

interface SortOrder<Row> {
  columns: readonly string[];
  key(row: Row): Value[];
  /** Negative when `a` comes first. */
  compare(a: Value[], b: Value[]): number;
}

/** The first rows in an order; the sort is stable. Holds at most twice as many rows. */
export async function sortedRows<Row>(
  pages: Pages<Row>,
  { key, compare }: Pick<SortOrder<Row>, 'key' | 'compare'>,
  limit: number,
): Promise<Row[]> {
  let sorted: { row: Row; key: Value[] }[] = [];
  const sort = () => sorted.sort((a, b) => compare(a.key, b.key));
  for await (const page of pages) {
    for (const row of page) sorted.push({ row, key: key(row) });
    if (sorted.length >= 2 * limit) sorted = sort().slice(0, limit);
  }
  return sort()
    .slice(0, limit)
    .map(({ row }) => row);
}

/** @throws usage for an unknown column, or one that has no order */
export function sortOrder<Row>(written: readonly string[], scope: Scope<Row>, where: string): SortOrder<Row> {
  const keys = written.flatMap((text) => parts(text, where)).map((text) => sortKey(text, scope, where));
  return {
    columns: keys.flatMap(({ value }) => (value.kind === 'column' ? value.name : [])),
    key: (row) => keys.map((key) => sortable(key, evaluate(key.value, row))),
    compare(a, b) {
      for (const [index, { descending }] of keys.entries()) {
        const [left = null, right = null] = [a[index], b[index]];
        const order = compareDirected(left, right, descending);
        if (order !== 0) return order;
      }
      return 0;
    },
  };
}

/** A whole column, which may be called like a date (2026-02) or be of several words, else an expression. */
export function keyNode<Row>(key: string, scope: Scope<Row>, where: string): Node {
  return scope.column(key) ? { kind: 'name', at: 0, name: key, quoted: true } : parse(key, where);
}

function sortKey<Row>(text: string, scope: Scope<Row>, where: string): SortKey<Row> {
  const [, key = text, after, beside] = /^(.*?)(?:\s*:\s*(\w*)|\s+(asc|desc))?$/is.exec(text) ?? [];
  const source = { text, where };
  const word = (after ?? beside ?? 'asc').toLowerCase();
  if (word !== 'asc' && word !== 'desc') {
    throw problem(source, key.length, `"${word}" is not a direction`, `write ${key}:desc or ${key}:asc`);
  }
  const value = checkValue(keyNode(key, scope, where), scope, { text: key, where });
  if (value.type === 'unknown') throw problem(source, 0, `${key} is of an unknown type and has no order`);
  if (value.kind === 'constant') throw problem(source, 0, `${key} is ${typeNames[value.type]}, not a column`);
  return { value, places: placesOf(value), descending: word === 'desc' };
}

function placesOf<Row>(value: Typed<Row>): ReadonlyMap<string, number> | undefined {
  const options = value.kind === 'column' ? value.column.options : undefined;
  return options && new Map(options.map(({ id }, index) => [id, index]));
}

/** An option sorts by its position; a removed option is text, which sorts after all options. */
function sortable<Row>({ places }: SortKey<Row>, value: Value): Value {
  if (!places || value === null) return value;
  if (Array.isArray(value)) {
    const ranks = value.map((id) => places.get(id) ?? places.size).sort((a, b) => a - b);
    return ranks.map((rank) => String(rank).padStart(6, '0')).join();
  }
  return typeof value === 'string' ? (places.get(value) ?? value) : value;
}

/** English rules on every machine. */
const collator = new Intl.Collator('en', { numeric: true });

/** Empty is last in either direction. */
export function compareDirected(a: Value, b: Value, descending: boolean): number {
  const order = compareValues(a, b);
  return descending && a !== null && b !== null ? -order : order;
}

/** Empty is last. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (isNumeric(a) && isNumeric(b)) return compareDecimals(a, b);
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
  if (isSpan(a) && isSpan(b)) return a.start - b.start || a.end - b.end;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'object' && 'ms' in a && typeof b === 'object' && 'ms' in b) return a.ms - b.ms;
  // An option beside a removed one.
  return typeof a === 'string' ? 1 : -1;
}

/** Splits at commas outside of brackets and quotes. @throws usage for an empty part */
export function parts(text: string, where: string): string[] {
  const names: string[] = [];
  let [depth, from] = [0, 0];
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if ('"\'`'.includes(character)) quote = character;
    else if ('(['.includes(character)) depth += 1;
    else if (')]'.includes(character)) depth -= 1;
    else if (character === ',' && depth === 0) {
      names.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  names.push(text.slice(from).trim());
  if (names.includes('')) throw usage(`${where}: a name is missing in "${text}"`, 'names are separated by commas');
  return names;
}
