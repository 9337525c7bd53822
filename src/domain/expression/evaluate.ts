/**
 * Evaluates checked expressions. Logic is three-valued as in SQL: a comparison with an empty value is neither
 * true nor false (null), and so is its negation. Numbers are exact decimals.
 */
import { asDouble, compare, difference, magnitude, product, quotient, roundTo, sum } from '../../core/decimal.ts';
import { Failure } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { foldCase } from '../../core/same.ts';
import { type Operator, orders } from './parser.ts';
import {
  compareDurations,
  compareSpans,
  type Duration,
  daySpan,
  instant,
  isSpan,
  parseTime,
  type Span,
  shiftSpan,
} from './time.ts';
import { type Column, type Order, type Typed, typeNames, type ValueType } from './typed.ts';
/** A value of a row or a constant; options are their ids. */
export type Value = Numeric | string | boolean | Span | Duration | readonly string[] | null;

/** The value of the expression for the row; null is empty or unknown. @throws Failure rejected for an unreadable time */
export function evaluate<Row>(node: Typed<Row>, row: Row): Value {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'column':
      return columnValue(node.name, node.column, row);
    case 'not':
      return negate(evaluate(node.of, row));
    case 'and':
      return joinParts(node.parts, row, false);
    case 'or': {
      const { among, parts } = node;
      return among
        ? mapValue(among.of, row, (value) => among.values.has(lookupKey(value)))
        : joinParts(parts, row, true);
    }
    case 'if':
      return evaluate(node.condition, row) === true ? evaluate(node.consequence, row) : true;
    case 'empty':
      return evaluate(node.of, row) === null;
    case 'equal':
      return mapBoth(node.left, node.right, row, (left, right) => equal(node, left, right));
    case 'order':
      return mapBoth(node.left, node.right, row, (left, right) => compareOrder(node.operator, node.left, left, right));
    case 'contains':
      return mapBoth(node.of, node.argument, row, contains);
    case 'matches':
      return mapValue(node.of, row, (text) => node.test(String(text)));
    case 'within':
      return mapValue(node.of, row, (time) => isSpan(time) && time.end > node.span.start && time.start < node.span.end);
    case 'near':
      return near(node, row);
    default:
      return compute(node, row);
  }
}

/** Whether a condition holds: neither false nor unknown. */
export function holds<Row>(node: Typed<Row>, row: Row): boolean {
  return evaluate(node, row) === true;
}

type Computed<Row> = Typed<Row> & { kind: 'negative' | 'arithmetic' | 'shift' | 'elapsed' | 'call' };

function compute<Row>(node: Computed<Row>, row: Row): Value {
  switch (node.kind) {
    case 'negative':
      return mapValue(node.of, row, (value) => (isNumeric(value) ? difference(0, value) : null));
    case 'arithmetic':
      return mapBoth(node.left, node.right, row, (left, right) =>
        isNumeric(left) && isNumeric(right) ? calculate(node.operator, left, right) : null,
      );
    case 'shift':
      return mapValue(node.of, row, (time) => (isSpan(time) ? shiftSpan(time, node.by, node.sign) : null));
    case 'elapsed':
      return mapBoth(node.left, node.right, row, (left, right) =>
        isSpan(left) && isSpan(right) ? { ms: left.start - right.start, months: 0, since: right.start } : null,
      );
    case 'call':
      return call(
        node.name,
        node.args.map((arg) => evaluate(arg, row)),
      );
  }
}

/** @throws Failure rejected for a value of another type: treating it as false would give a wrong result silently */
function columnValue<Row>(name: string, column: Column<Row>, row: Row): Value {
  const value = column.get(row);
  if (value === null || value === undefined || value === '') return null;
  const typed = readAs(column.type, value);
  if (typed !== undefined) return typed;
  const { type } = column;
  const says = type === 'date' || type === 'time' ? 'cannot be read as a time' : `is not ${typeNames[type]}`;
  throw new Failure('rejected', `${name} is ${JSON.stringify(value)}, which ${says}`);
}

function readAs(type: ValueType, value: unknown): Value | undefined {
  switch (type) {
    case 'number':
      return isNumeric(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'date':
      return typeof value === 'string' ? (daySpan(value) ?? instant(value)) : undefined;
    case 'time':
      return typeof value === 'string' ? parseTime(value) : undefined;
    case 'options':
      return Array.isArray(value) ? (value.length > 0 ? value.map(String) : null) : undefined;
    case 'text':
      // Combined and separate accents compare equal.
      return typeof value === 'string' ? value.normalize() : undefined;
    case 'option':
      return typeof value === 'string' ? value : undefined;
    case 'unknown':
      return ofOwnType(value);
  }
}

/** A value of an unknown type has its type of JSON. */
function ofOwnType(value: unknown): Value {
  if (isNumeric(value) || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.normalize();
  return Array.isArray(value) && value.length > 0 ? value.map(String) : null;
}

function negate(value: Value): Value {
  return value === null ? null : value !== true;
}

/** `and` ends at the first false, `or` at the first true; one unknown part makes the rest unknown. */
function joinParts<Row>(parts: readonly Typed<Row>[], row: Row, ending: boolean): boolean | null {
  let unknown = false;
  for (const part of parts) {
    const value = evaluate(part, row);
    if (value === ending) return ending;
    unknown ||= value === null;
  }
  return unknown ? null : !ending;
}

/** Exact numbers as doubles if these print the same digits, as constants do. */
function lookupKey(value: NonNullable<Value>): unknown {
  return isNumeric(value) ? asDouble(value) : value;
}

function mapValue<Row>(node: Typed<Row>, row: Row, test: (value: NonNullable<Value>) => Value): Value {
  const value = evaluate(node, row);
  return value === null ? null : test(value);
}

function mapBoth<Row>(
  leftNode: Typed<Row>,
  rightNode: Typed<Row>,
  row: Row,
  test: (left: NonNullable<Value>, right: NonNullable<Value>) => Value,
): Value {
  const left = evaluate(leftNode, row);
  if (left === null) return null;
  const right = evaluate(rightNode, row);
  return right === null ? null : test(left, right);
}

function equal<Row>({ left: node, right: other }: Typed<Row> & { kind: 'equal' }, left: Value, right: Value): boolean {
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right) === 0;
  if (isSpan(left) && isSpan(right)) return compareSpans('=', left, right);
  if (isDuration(left) && isDuration(right)) return compareDurations(left, right) === 0;
  // A constant option is an id; options of two columns are equal if their labels are.
  if (node.kind === 'constant' || other.kind === 'constant') return left === right;
  return labelOf(node, left) === labelOf(other, right);
}

function labelOf<Row>(node: Typed<Row>, value: Value): Value {
  if (node.kind !== 'column' || node.column.type !== 'option') return value;
  return node.column.options?.find(({ id }) => id === value)?.label ?? value;
}

function compareOrder<Row>(operator: Order, node: Typed<Row>, left: Value, right: Value): boolean | null {
  if (isSpan(left) && isSpan(right)) return compareSpans(operator, left, right);
  const order = orderOf(node, left, right);
  return order === undefined ? null : orders[operator](order);
}

function orderOf<Row>(node: Typed<Row>, left: Value, right: Value): number | undefined {
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (isDuration(left) && isDuration(right)) return compareDurations(left, right);
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  const options = node.kind === 'column' ? node.column.options : undefined;
  if (node.type !== 'option' || !options) return left < right ? -1 : left > right ? 1 : 0;
  const rank = (id: string) => options.findIndex((option) => option.id === id);
  return rank(left) < 0 || rank(right) < 0 ? undefined : rank(left) - rank(right);
}

/** Doubles that print their own literal can be compared directly. */
function compareNumbers(a: Numeric, b: Numeric): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compare(a, b);
}

function contains(of: Value, argument: Value): boolean {
  if (Array.isArray(of)) return of.includes(argument);
  return foldCase(String(of)).includes(foldCase(String(argument)));
}

function near<Row>({ left, center, width, relative }: Typed<Row> & { kind: 'near' }, row: Row): boolean | null {
  const values = [evaluate(left, row), evaluate(center, row), evaluate(width, row)];
  const [value, middle, size] = values;
  if (!isNumeric(value) || !isNumeric(middle) || !isNumeric(size)) return null;
  const most = relative ? product(magnitude(middle), size) : size;
  return compare(magnitude(difference(value, middle)), most) <= 0;
}

/** Quotients have at most 15 significant digits; division by zero is empty. */
export function calculate(operator: Operator, left: Numeric, right: Numeric): Numeric | null {
  switch (operator) {
    case '+':
      return sum([left, right]);
    case '-':
      return difference(left, right);
    case '*':
      return product(left, right);
    case '/':
      return quotient(left, right);
  }
}

function call(name: (Typed<unknown> & { kind: 'call' })['name'], [value = null, part = null]: readonly Value[]): Value {
  if (name === 'empty') return value === null;
  if (value === null) return null;
  switch (name) {
    case 'lower':
      return String(value).toLowerCase();
    case 'upper':
      return String(value).toUpperCase();
    case 'trim':
      // A text of blanks is empty.
      return String(value).trim() || null;
    case 'length':
      return Array.isArray(value) ? value.length : [...String(value)].length;
    case 'abs':
      return isNumeric(value) ? magnitude(value) : null;
    case 'round':
      return isNumeric(value) ? roundTo(value, isNumeric(part) ? Number(part) : 0) : null;
    case 'starts':
      return part === null ? null : String(value).startsWith(String(part));
    case 'ends':
      return part === null ? null : String(value).endsWith(String(part));
  }
}

function isDuration(value: Value): value is Duration {
  return typeof value === 'object' && value !== null && 'ms' in value;
}
