/** Conditions that say the same of every row: evaluating them would look like an answer. */
import { compare } from '../../core/decimal.ts';
import { ExactNumber, isNumeric, type Numeric } from '../../core/json.ts';
import { evaluate, type Value } from './evaluate.ts';
import { isSpan, mirrored } from './time.ts';
import type { Order, Typed } from './typed.ts';

/** True or false where the condition is that of every row that is not empty; undefined where it depends on the row. */
export function constantAnswer<Row>(node: Typed<Row>): boolean | undefined {
  switch (node.kind) {
    case 'and':
      if (node.parts.some((part) => constantAnswer(part) === false)) return false;
      if (excludesItself(node.parts) || excludesEmpty(node.parts) || haveOpposites(node.parts)) return false;
      return node.parts.every((part) => constantAnswer(part) === true) ? true : undefined;
    case 'or':
      if (node.parts.some((part) => constantAnswer(part) === true) || haveOpposites(node.parts)) return true;
      return node.parts.every((part) => constantAnswer(part) === false) ? false : undefined;
    case 'not': {
      const answer = constantAnswer(node.of);
      return answer === undefined ? undefined : !answer;
    }
    case 'if':
      return constantAnswer(node.consequence) ?? (constantAnswer(node.condition) === false ? true : undefined);
    case 'order':
      return endOfOptions(node) ?? constantValue(node);
    case 'contains':
      return node.what.kind === 'constant' && node.what.value === '' ? true : constantValue(node);
    default:
      return constantValue(node);
  }
}

function constantValue<Row>(node: Typed<Row>): boolean | undefined {
  return isConstant(node) ? evaluate(node, undefined as never) === true : undefined;
}

function isConstant<Row>(node: Typed<Row>): boolean {
  switch (node.kind) {
    case 'constant':
      return true;
    case 'column':
      return false;
    case 'and':
    case 'or':
      return node.parts.every(isConstant);
    case 'if':
      return isConstant(node.condition) && isConstant(node.consequence);
    case 'equal':
    case 'order':
    case 'arithmetic':
    case 'elapsed':
      return isConstant(node.left) && isConstant(node.right);
    case 'near':
      return isConstant(node.left) && isConstant(node.center) && isConstant(node.width);
    case 'contains':
      return isConstant(node.of) && isConstant(node.what);
    case 'call':
      return node.args.every(isConstant);
    default:
      return isConstant(node.of);
  }
}

/** `stage < FIRST`, `stage >= FIRST`: nothing is before the first option, and all are at or after it. */
function endOfOptions<Row>({ operator, left, right }: Typed<Row> & { kind: 'order' }): boolean | undefined {
  const options = left.kind === 'column' ? left.column.options : undefined;
  if (!options || right.kind !== 'constant') return undefined;
  const at = options.findIndex(({ id }) => id === right.value);
  if (at === 0 && (operator === '<' || operator === '>=')) return operator === '>=';
  if (at >= 0 && at === options.length - 1 && (operator === '>' || operator === '<=')) return operator === '<=';
  return undefined;
}

/** `a > 5` and `a <= 5`, `a = 5` and `a != 5`, `a is empty` and its negation. */
function haveOpposites<Row>(parts: readonly Typed<Row>[]): boolean {
  const texts = new Set(parts.map((part) => textOf(part)));
  return parts.some((part) => texts.has(textOf(negation(part))));
}

const opposites = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;

function negation<Row>(node: Typed<Row>): Typed<Row> {
  if (node.kind === 'not') return node.of;
  if (node.kind === 'order') return { ...node, operator: opposites[node.operator] };
  return { kind: 'not', type: 'boolean', at: node.at, of: node };
}

/** The same for parts that say the same, wherever they stand. */
function textOf<Row>(node: Typed<Row>): string {
  let functions = 0;
  return JSON.stringify(node, function (this: Record<string, unknown>, key, value: unknown) {
    if (key === 'at' || key === 'column') return undefined;
    const exact = this[key];
    if (exact instanceof ExactNumber) return `${exact}`;
    if (typeof value !== 'function') return value;
    functions += 1;
    return `${node.at} ${functions}`;
  });
}

/** `a is empty and a > 5`: a comparison holds for no empty value. */
function excludesEmpty<Row>(parts: readonly Typed<Row>[]): boolean {
  const empty = new Set(
    parts.flatMap((part) => (part.kind === 'empty' && part.of.kind === 'column' ? part.of.name : [])),
  );
  return parts.some((part) => {
    const found = boundOf(part)?.column;
    return found !== undefined && empty.has(found);
  });
}

interface Bound {
  column: string;
  operator: Order | '=';
  value: Value;
}

/** `amount > 10 and amount < 5`, `stage = Won and stage = Lost`: no row is both. */
function excludesItself<Row>(parts: readonly Typed<Row>[]): boolean {
  const bounds = parts.flatMap((part) => boundOf(part) ?? []);
  return bounds.some((one, index) => bounds.slice(index + 1).some((other) => exclude(one, other)));
}

/** A column held against a constant. */
function boundOf<Row>(node: Typed<Row>): Bound | undefined {
  if (node.kind !== 'equal' && node.kind !== 'order') return undefined;
  const { left, right } = node;
  const operator = node.kind === 'equal' ? '=' : node.operator;
  if (left.kind === 'column' && right.kind === 'constant') return { column: left.name, operator, value: right.value };
  if (left.kind !== 'constant' || right.kind !== 'column') return undefined;
  return { column: right.name, operator: mirrored[operator], value: left.value };
}

function exclude(one: Bound, other: Bound): boolean {
  if (one.column !== other.column) return false;
  return apart(one, other) || apart(other, one);
}

/** Whether all that `low` allows is above all that `high` allows. */
function apart(low: Bound, high: Bound): boolean {
  const isLow = low.operator === '>' || low.operator === '>=' || low.operator === '=';
  const isHigh = high.operator === '<' || high.operator === '<=' || high.operator === '=';
  if (!isLow || !isHigh) return false;
  const [a, b] = [low.value, high.value];
  if (typeof a === 'string' && typeof b === 'string') return low.operator === '=' && high.operator === '=' && a !== b;
  if (isNumeric(a) && isNumeric(b)) {
    const order = compare(a, b);
    return order > 0 || (order === 0 && (low.operator === '>' || high.operator === '<'));
  }
  if (!isSpan(a) || !isSpan(b)) return false;
  const first = low.operator === '>' ? a.end : a.start;
  const end = high.operator === '<' ? b.start : b.end;
  return first >= end;
}

/** Comparisons that no value within the column's own bounds can meet, or that all of them meet. */
export function outOfBounds<Row>(node: Typed<Row>): string[] {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.flatMap(outOfBounds);
  if (node.kind === 'not') return outOfBounds(node.of);
  const bound = boundOf(node);
  const column = node.kind === 'order' || node.kind === 'equal' ? columnIn(node) : undefined;
  if (!bound || !column || !isNumeric(bound.value)) return [];
  const { min, max } = column;
  const over = max !== undefined && never(bound, max, 1);
  const under = min !== undefined && never(bound, min, -1);
  if (!over && !under) return [];
  return [`${bound.column} is ${over ? `at most ${max}` : `at least ${min}`}, so this part holds for no regular value`];
}

function columnIn<Row>({ left, right }: Typed<Row> & { kind: 'order' | 'equal' }) {
  if (left.kind === 'column') return left.column;
  return right.kind === 'column' ? right.column : undefined;
}

/** Whether the bound asks for what is beyond the limit; `side` 1: above a maximum, -1: below a minimum. */
function never({ operator, value }: Bound, limit: Numeric, side: 1 | -1): boolean {
  if (!isNumeric(value)) return false;
  const beyond = compare(value, limit) * side;
  const outwards = side === 1 ? ['>', '>='] : ['<', '<='];
  if (operator === '=') return beyond > 0;
  if (!outwards.includes(operator)) return false;
  return beyond > 0 || (beyond === 0 && (operator === '>' || operator === '<'));
}
