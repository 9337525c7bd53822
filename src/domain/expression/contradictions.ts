/** Conditions that say the same of every row: evaluating them would look like an answer. */
import { compare } from '../../core/decimal.ts';
import { isNumeric } from '../../core/json.ts';
import { evaluate, type Value } from './evaluate.ts';
import { comparedNumbers } from './ranges.ts';
import { sameText } from './same.ts';
import { canBe } from './texts.ts';
import { type Duration, isSpan, mirrored } from './time.ts';
import type { Order, Typed } from './typed.ts';

/** True or false where the condition is that of every row that is not empty; undefined where it depends on the row. */
export function constantAnswer<Row>(node: Typed<Row>): boolean | undefined {
  switch (node.kind) {
    case 'and': {
      const parts = flat('and', node.parts);
      if (parts.some((part) => constantAnswer(part) === false)) return false;
      if (excludesItself(parts) || excludesEmpty(parts) || haveOpposites(parts)) return false;
      return parts.every((part) => constantAnswer(part) === true) ? true : undefined;
    }
    case 'or': {
      const parts = flat('or', node.parts);
      if (parts.some((part) => constantAnswer(part) === true)) return true;
      // `stage != Won or stage != Lost`: only a row that is both would not meet it.
      if (excludesItself(parts.map(negation)) || haveOpposites(parts)) return true;
      return parts.every((part) => constantAnswer(part) === false) ? false : undefined;
    }
    case 'not': {
      const answer = constantAnswer(node.of);
      return answer === undefined ? undefined : !answer;
    }
    case 'if':
      return constantAnswer(node.consequence) ?? (constantAnswer(node.condition) === false ? true : undefined);
    case 'equal':
      return constantValue(node) ?? comparison('=', node.left, node.right) ?? equality(node);
    case 'order':
      return constantValue(node) ?? comparison(node.operator, node.left, node.right) ?? endOfOptions(node);
    case 'empty':
      return isNeverEmpty(node.of) ? false : constantValue(node);
    case 'contains':
      return node.what.kind === 'constant' && node.what.value === '' ? true : constantValue(node);
    case 'call':
      return constantValue(node) ?? calledAnswer(node);
    default:
      return constantValue(node);
  }
}

/** The parts of `a and (b and c)` in one row. */
function flat<Row>(kind: 'and' | 'or', parts: readonly Typed<Row>[]): Typed<Row>[] {
  return parts.flatMap((part) => (part.kind === kind ? flat(kind, part.parts) : [part]));
}

/** Two sides whose order does not depend on the row: `length(x) < 0`, `a > a + 1`, `lower(x) = lower(x)`. */
function comparison<Row>(operator: Order | '=', left: Typed<Row>, right: Typed<Row>): boolean | undefined {
  const [one, other] = [shiftOf(left), shiftOf(right)];
  if (sameText(one.of) === sameText(other.of)) {
    const order = orderOfDurations(one, other);
    if (order !== undefined) return meets(operator, order);
  }
  return left.type === 'number' && right.type === 'number' ? comparedNumbers(operator, left, right) : undefined;
}

/** A time without what is added to it. */
function shiftOf<Row>(node: Typed<Row>): { of: Typed<Row> } & Duration {
  if (node.kind !== 'shift') return { of: node, ms: 0, months: 0 };
  const { of, ms, months } = shiftOf(node.of);
  return { of, ms: ms + node.sign * node.by.ms, months: months + node.sign * node.by.months };
}

/** Undefined where the length of a month decides. */
function orderOfDurations(a: Duration, b: Duration): number | undefined {
  const signs = [Math.sign(a.ms - b.ms), Math.sign(a.months - b.months)].filter((sign) => sign !== 0);
  const [first = 0, second = first] = signs;
  return first === second ? first : undefined;
}

function meets(operator: Order | '=', order: number): boolean {
  if (order === 0) return operator === '=' || operator === '<=' || operator === '>=';
  return order < 0 ? operator === '<' || operator === '<=' : operator === '>' || operator === '>=';
}

/** What a function of text cannot give, and options of two columns of which none is called the same. */
function equality<Row>({ left, right }: Typed<Row> & { kind: 'equal' }): boolean | undefined {
  for (const [of, what] of [
    [left, right],
    [right, left],
  ] as const) {
    if (what.kind === 'constant' && typeof what.value === 'string' && !canBe(of, what.value)) return false;
  }
  if (left.kind !== 'column' || right.kind !== 'column') return undefined;
  const labels = right.column.options?.map(({ label }) => label);
  if (!labels || !left.column.options) return undefined;
  return left.column.options.some(({ label }) => labels.includes(label)) ? undefined : false;
}

function calledAnswer<Row>({ name, args: [of, part] }: Typed<Row> & { kind: 'call' }): boolean | undefined {
  if (!of) return undefined;
  if (name === 'empty') return isNeverEmpty(of) ? false : undefined;
  if (name !== 'starts' && name !== 'ends') return undefined;
  if (part?.kind !== 'constant' || typeof part.value !== 'string') return undefined;
  if (part.value === '') return true;
  return canBe(of, part.value, name === 'starts' ? 'start' : 'end') ? undefined : false;
}

/** Conditions about emptiness are true or false. */
function isNeverEmpty<Row>(node: Typed<Row>): boolean {
  return node.kind === 'constant' || node.kind === 'empty' || (node.kind === 'call' && node.name === 'empty');
}

/** `length(notes) = 0` was meant for an empty column, whose length is empty. */
export function emptyHint<Row>(node: Typed<Row>): string | undefined {
  if ((node.kind !== 'equal' && node.kind !== 'order') || node.left.kind !== 'call') return undefined;
  const { left, right } = node;
  if (left.name !== 'length' || right.kind !== 'constant' || !isNumeric(right.value) || compare(right.value, 1) > 0) {
    return undefined;
  }
  const [of] = left.args;
  return of?.kind === 'column' ? `${of.name} is empty, or ${of.name} is not empty` : undefined;
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
  const texts = new Set(parts.map((part) => sameText(part)));
  return parts.some((part) => texts.has(sameText(negation(part))));
}

const opposites = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;

function negation<Row>(node: Typed<Row>): Typed<Row> {
  if (node.kind === 'not') return node.of;
  if (node.kind === 'order') return { ...node, operator: opposites[node.operator] };
  if (node.kind === 'equal' && node.right.kind === 'constant' && typeof node.right.value === 'boolean') {
    return { ...node, right: { ...node.right, value: !node.right.value } };
  }
  return { kind: 'not', type: 'boolean', at: node.at, of: node };
}

/** `a is empty and a > 5`: a comparison holds for no empty value. */
function excludesEmpty<Row>(parts: readonly Typed<Row>[]): boolean {
  const empty = new Set(parts.flatMap((part) => (part.kind === 'empty' ? sameText(part.of) : [])));
  return parts.some((part) => {
    const found = boundOf(part)?.of;
    return found !== undefined && empty.has(found);
  });
}

interface Bound {
  /** What is compared, as `sameText` writes it. */
  of: string;
  operator: Order | '=';
  value: Value;
}

/** `amount > 10 and amount < 5`, `stage = Won and stage = Lost`: no row is both. */
function excludesItself<Row>(parts: readonly Typed<Row>[]): boolean {
  const bounds = parts.flatMap((part) => boundOf(part) ?? []);
  return bounds.some((one, index) => bounds.slice(index + 1).some((other) => exclude(one, other)));
}

/** What is held against a constant. */
function boundOf<Row>(node: Typed<Row>): Bound | undefined {
  if (node.kind === 'column' && node.type === 'boolean') return { of: sameText(node), operator: '=', value: true };
  if (node.kind === 'not' && node.of.kind === 'column') return { of: sameText(node.of), operator: '=', value: false };
  if (node.kind !== 'equal' && node.kind !== 'order') return undefined;
  const { left, right } = node;
  const operator = node.kind === 'equal' ? '=' : node.operator;
  if (right.kind === 'constant') return { of: sameText(left), operator, value: right.value };
  if (left.kind !== 'constant') return undefined;
  return { of: sameText(right), operator: mirrored[operator], value: left.value };
}

function exclude(one: Bound, other: Bound): boolean {
  return one.of === other.of && (apart(one, other) || apart(other, one));
}

/** Whether all that `low` allows is above all that `high` allows. */
function apart(low: Bound, high: Bound): boolean {
  const isLow = low.operator === '>' || low.operator === '>=' || low.operator === '=';
  const isHigh = high.operator === '<' || high.operator === '<=' || high.operator === '=';
  if (!isLow || !isHigh) return false;
  const [a, b] = [low.value, high.value];
  if (isWord(a) && isWord(b)) return low.operator === '=' && high.operator === '=' && a !== b;
  if (isNumeric(a) && isNumeric(b)) {
    const order = compare(a, b);
    return order > 0 || (order === 0 && (low.operator === '>' || high.operator === '<'));
  }
  if (!isSpan(a) || !isSpan(b)) return false;
  const first = low.operator === '>' ? a.end : a.start;
  const end = high.operator === '<' ? b.start : b.end;
  return first >= end;
}

const isWord = (value: Value): boolean => typeof value === 'string' || typeof value === 'boolean';
