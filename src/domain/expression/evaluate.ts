/** What a parsed expression says of a row (grammar and meaning: `expression.ts`). */
import { isNumeric } from '../../core/json.ts';
import type { Expression, Node } from './expression.ts';

/** The value of a name in the row; undefined and null are empty. */
export type Lookup = (name: string) => unknown;

/** An option of a select, known by its id and its label alike. */
export class OptionValue {
  constructor(
    readonly id: string,
    readonly label: string,
  ) {}

  toString(): string {
    return this.label;
  }
}

/** A number with a tolerance: `100 ± 1%` is 100 with 1, `100 ± 5` is 100 with 5. */
interface Tolerance {
  center: number;
  width: number;
}

const functions: Record<string, (...args: unknown[]) => unknown> = {
  lower: (value) => (isEmpty(value) ? null : String(value).toLowerCase()),
  upper: (value) => (isEmpty(value) ? null : String(value).toUpperCase()),
  trim: (value) => (isEmpty(value) ? null : String(value).trim()),
  length: lengthOf,
  abs: (value) => mapNumber(value, Math.abs),
  round: (value) => mapNumber(value, Math.round),
  empty: (value) => isEmpty(value) || value === '' || (Array.isArray(value) && value.length === 0),
  starts: (value, part) => !isEmpty(value) && String(value).startsWith(String(part)),
  ends: (value, part) => !isEmpty(value) && String(value).endsWith(String(part)),
};

/** The value of an expression: a boolean for conditions, else a number, text, list or null. Never throws on data. */
export function evaluate(expression: Expression, lookup: Lookup): unknown {
  return valueAt(expression.root, lookup);
}

/** Whether a condition holds. */
export function holds(expression: Expression, lookup: Lookup): boolean {
  return evaluate(expression, lookup) === true;
}

function valueAt(node: Node, lookup: Lookup): unknown {
  switch (node.kind) {
    case 'literal':
    case 'percent':
      return node.value;
    case 'name':
      return lookup(node.name) ?? null;
    case 'list':
      return node.items.map((item) => valueAt(item, lookup));
    case 'unary':
      if (node.operator === 'not') return valueAt(node.of, lookup) !== true;
      return mapNumber(valueAt(node.of, lookup), (n) => -n);
    case 'call':
      return functions[node.name]?.(...node.args.map((arg) => valueAt(arg, lookup)));
    case 'binary':
      return binary(node, lookup);
  }
}

function binary(node: Node & { kind: 'binary' }, lookup: Lookup): unknown {
  const { operator } = node;
  const left = valueAt(node.left, lookup);
  if (operator === 'and') return left === true && valueAt(node.right, lookup) === true;
  if (operator === 'or') return left === true || valueAt(node.right, lookup) === true;
  const right = valueAt(node.right, lookup);
  switch (operator) {
    case '=':
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      return Array.isArray(right) && right.some((item) => equal(left, item));
    case 'contains':
      return contains(left, right);
    case 'matches':
      return !isEmpty(left) && new RegExp(String(right), 'u').test(String(left));
    case '±':
    case '+-':
      return tolerance(left, right, node.right.kind === 'percent');
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, left, right);
    default:
      return arithmetic(operator, left, right);
  }
}

function isEmpty(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isTolerance(value: unknown): value is Tolerance {
  return typeof value === 'object' && value !== null && 'center' in value && 'width' in value;
}

function equal(left: unknown, right: unknown): boolean {
  if (isEmpty(left) || isEmpty(right)) return isEmpty(left) && isEmpty(right);
  if (isTolerance(right)) return isNumeric(left) && Math.abs(Number(left) - right.center) <= right.width;
  if (isTolerance(left)) return equal(right, left);
  if (Array.isArray(left)) return left.some((item) => equal(item, right));
  if (left instanceof OptionValue) return String(right) === left.label || String(right) === left.id;
  if (right instanceof OptionValue) return equal(right, left);
  if (isNumeric(left) && isNumeric(right)) return String(left) === String(right) || Number(left) === Number(right);
  return left === right;
}

function contains(left: unknown, right: unknown): boolean {
  if (isEmpty(left) || isEmpty(right)) return false;
  if (Array.isArray(left)) return left.some((item) => equal(item, right));
  return String(left).toLowerCase().includes(String(right).toLowerCase());
}

function ordered(operator: '<' | '<=' | '>' | '>=', left: unknown, right: unknown): boolean {
  const pair = comparable(left, right);
  if (!pair) return false;
  const [a, b] = pair;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

/** Two numbers, or two texts (ISO dates are in order as text); anything else has no order. */
function comparable(left: unknown, right: unknown): [number, number] | [string, string] | undefined {
  if (isNumeric(left) && isNumeric(right)) return [Number(left), Number(right)];
  const a = left instanceof OptionValue ? left.label : left;
  const b = right instanceof OptionValue ? right.label : right;
  return typeof a === 'string' && typeof b === 'string' ? [a, b] : undefined;
}

function tolerance(center: unknown, width: unknown, relative: boolean): Tolerance | null {
  if (!isNumeric(center) || !isNumeric(width)) return null;
  const size = Number(width);
  return { center: Number(center), width: relative ? Math.abs(Number(center)) * size : size };
}

function arithmetic(operator: string, left: unknown, right: unknown): number | null {
  if (!isNumeric(left) || !isNumeric(right)) return null;
  const [a, b] = [Number(left), Number(right)];
  const value = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
  return Number.isFinite(value) ? value : null;
}

function mapNumber(value: unknown, map: (n: number) => number): number | null {
  return isNumeric(value) ? map(Number(value)) : null;
}

function lengthOf(value: unknown): number | null {
  if (isEmpty(value)) return null;
  return Array.isArray(value) ? value.length : [...String(value)].length;
}
