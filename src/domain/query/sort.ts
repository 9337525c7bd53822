/**
 * `--sort KEY[:desc],…`: options in their list's order, text as people sort it (numbers within text by value), times
 * from the earliest, false before true, and what is empty last in either direction.
 */
import { compare as compareDecimals } from '../../core/decimal.ts';
import { isNumeric } from '../../core/json.ts';
import type { Order } from '../../core/sorted-rows.ts';
import { checkValue } from '../expression/check.ts';
import { evaluate, type Value } from '../expression/evaluate.ts';
import { problem } from '../expression/lexer.ts';
import { parse } from '../expression/parser.ts';
import type { Scope } from '../expression/scope.ts';
import { isSpan } from '../expression/time.ts';
import { type Typed, typeNames } from '../expression/typed.ts';
import { parts } from './parts.ts';

interface SortKey<Row> {
  value: Typed<Row>;
  /** Places of options by id. */
  places: ReadonlyMap<string, number> | undefined;
  descending: boolean;
}

interface SortOrder<Row> extends Order<Row, Value[]> {
  /** The keys that are columns and no expressions. */
  columns: readonly string[];
}

/** @throws usage for an unknown column, or one that has no order */
export function sortOrder<Row>(written: readonly string[], scope: Scope<Row>, where = '--sort'): SortOrder<Row> {
  const keys = written.flatMap((text) => parts(text, where)).map((text) => sortKey(text, scope, where));
  return {
    columns: keys.flatMap(({ value }) => (value.kind === 'column' ? value.name : [])),
    key: (row) => keys.map((key) => sortable(key, evaluate(key.value, row))),
    compare(a, b) {
      for (const [index, { descending }] of keys.entries()) {
        const [left = null, right = null] = [a[index], b[index]];
        const order = compareValues(left, right);
        if (order !== 0) return descending && left !== null && right !== null ? -order : order;
      }
      return 0;
    },
  };
}

function sortKey<Row>(text: string, scope: Scope<Row>, where: string): SortKey<Row> {
  const [, key = text, after, beside] = /^(.*?)(?:\s*:\s*(\w*)|\s+(asc|desc))?$/is.exec(text) ?? [];
  const source = { text, where };
  const word = (after ?? beside ?? 'asc').toLowerCase();
  if (word !== 'asc' && word !== 'desc') {
    throw problem(source, key.length, `"${word}" is not a direction`, `write ${key}:desc or ${key}:asc`);
  }
  // A column may be called like a date: 2026-02.
  const node = scope.column(key) ? { kind: 'name' as const, at: 0, name: key, quoted: true } : parse(key, where);
  const value = checkValue(node, scope, { text: key, where });
  if (value.type === 'unknown') throw problem(source, 0, `${key} is of an unknown type and has no order`);
  if (value.kind === 'constant') throw problem(source, 0, `${key} is ${typeNames[value.type]}, not a column`);
  return { value, places: placesOf(value), descending: word === 'desc' };
}

function placesOf<Row>(value: Typed<Row>): ReadonlyMap<string, number> | undefined {
  const options = value.kind === 'column' ? value.column.options : undefined;
  return options && new Map(options.map(({ id }, index) => [id, index]));
}

/** An option as its place; one that the column does not have (any more) stays text and comes after all others. */
function sortable<Row>({ places }: SortKey<Row>, value: Value): Value {
  if (!places || value === null) return value;
  if (Array.isArray(value)) {
    const found = value.map((id) => places.get(id) ?? places.size).sort((a, b) => a - b);
    return found.map((place) => String(place).padStart(6, '0')).join();
  }
  return typeof value === 'string' ? (places.get(value) ?? value) : value;
}

/** The rules of one language, whatever the machine is set to. */
const collator = new Intl.Collator('en', { numeric: true });

/** Empty is last. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (isNumeric(a) && isNumeric(b)) return compareDecimals(a, b);
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
  if (isSpan(a) && isSpan(b)) return a.start - b.start || a.end - b.end;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'object' && 'ms' in a && typeof b === 'object' && 'ms' in b) return a.ms - b.ms;
  // An option beside one that was removed.
  return typeof a === 'string' ? 1 : -1;
}
