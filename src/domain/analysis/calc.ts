/** Computed metrics: `net_new_arr = arr - prev(arr)`, with units. */

import { average, compare, difference, magnitude, product, quotient, roundTo, sum } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric, numeric, propertyOf } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { numberOf } from '../expression/literals.ts';
import { type Node, parse } from '../expression/parser.ts';
import { functionHint } from '../expression/typed.ts';
import { wholes } from '../series/units.ts';
import { percent } from './difference.ts';

export interface Definition {
  name: string;
  text: string;
  node: Node;
  /** `up` where more is better. */
  direction?: 'up' | 'down';
}

const namePattern = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

const directions: Readonly<Record<string, 'up' | 'down'>> = { higher: 'up', lower: 'down' };

/** Reads `name = expression`, with `[lower]` or `[higher]` after it where less or more is better. @throws Failure usage */
export function readDefinition(text: string, where: string): Definition {
  const at = text.indexOf('=');
  const [, body = '', word] = /^(.*?)(?:\[\s*(\w+)\s*\])?$/s.exec(text.slice(at + 1).trim()) ?? [];
  const [name, expression] = [text.slice(0, at).trim(), body.trim()];
  const direction = word === undefined ? undefined : directions[word.toLowerCase()];
  if (word !== undefined && direction === undefined) {
    throw usage(`${where}: the direction must be [higher] or [lower], got "[${word}]"`);
  }
  if (at < 1 || !namePattern.test(name) || expression === '') {
    throw usage(`${where} must be NAME = EXPRESSION such as net_new_arr = arr - prev(arr), got "${text}"`);
  }
  const node = parse(expression, where);
  checkNode(node, where);
  return { name, text: expression, node, ...(direction && { direction }) };
}

type Call = Node & { kind: 'call' };

const functions: Readonly<Record<string, { least: number; most: number }>> = {
  prev: { least: 1, most: 2 },
  yoy: { least: 1, most: 1 },
  sum: { least: 2, most: 2 },
  avg: { least: 2, most: 2 },
  abs: { least: 1, most: 1 },
  round: { least: 1, most: 2 },
  min: { least: 2, most: 9 },
  max: { least: 2, most: 9 },
};

const otherChange = 'm / prev(m) - 1 is the change from the period before';
const otherChanges: Readonly<Record<string, string>> = { mom: otherChange, qoq: otherChange };

const counted: ReadonlySet<string> = new Set(['prev', 'sum', 'avg', 'round']);

/** @throws Failure usage for a part that a computed metric cannot have */
function checkNode(node: Node, where: string): void {
  if (!['number', 'name', 'negative', 'arithmetic', 'call'].includes(node.kind)) {
    throw usage(`${where}: a computed metric is made of numbers, metrics, + - * / and functions`);
  }
  if (node.kind === 'call') {
    const { name, args } = node;
    const known = propertyOf(functions, name);
    if (!known) {
      const hint = propertyOf(otherChanges, name) ?? functionHint(name, Object.keys(functions));
      throw usage(`${where}: unknown function ${name}`, hint);
    }
    const { least, most } = known;
    if (args.length < least || args.length > most) {
      const count = least === most ? least : `${least} to ${most}`;
      throw usage(`${where}: ${name} takes ${count} arguments, got ${args.length}`);
    }
    if (counted.has(name) && args[1] !== undefined) countOf(node, where);
  }
  for (const operand of operandsOf(node)) checkNode(operand, where);
}

/** The expressions that a node is computed from; the count of `prev(m, n)` is none. */
function operandsOf(node: Node): Node[] {
  if (node.kind === 'negative') return [node.of];
  if (node.kind === 'arithmetic') return [node.left, node.right];
  if (node.kind !== 'call') return [];
  return counted.has(node.name) ? node.args.slice(0, 1) : node.args;
}

/** The whole number of `prev(m, n)`; 1 where it is not given. */
function countOf({ name, args: [, count] }: Call, where: string): number {
  const least = name === 'round' ? 0 : 1;
  if (count === undefined) return least;
  const number = count.kind === 'number' ? Number(count.text) : Number.NaN;
  if (Number.isInteger(number) && number >= least && number <= 999) return number;
  throw usage(`${where}: the second argument of ${name} must be a whole number from ${least} to 999`);
}

export function namesIn(node: Node): string[] {
  return node.kind === 'name' ? [node.name] : operandsOf(node).flatMap(namesIn);
}

/** The number of earlier periods that a definition reads. @param perYear periods in a year */
export function reach(node: Node, perYear: number): number {
  const inner = Math.max(0, ...operandsOf(node).map((operand) => reach(operand, perYear)));
  if (node.kind !== 'call') return inner;
  if (node.name === 'yoy') return inner + perYear;
  if (node.name === 'prev') return inner + countOf(node, '');
  return node.name === 'sum' || node.name === 'avg' ? inner + countOf(node, '') - 1 : inner;
}

/** The definitions that are needed, each after those that it names. @throws notFound, usage for a circle of them */
export function inOrderOfUse(
  wanted: readonly string[],
  all: ReadonlyMap<string, Definition>,
  known: ReadonlySet<string>,
): Definition[] {
  const ordered = new Map<string, Definition>();
  const visit = (name: string, path: readonly string[]) => {
    const definition = all.get(name);
    if (ordered.has(name) || !definition) return;
    if (path.includes(name)) throw usage(`computed metrics name each other in a circle: ${[...path, name].join(', ')}`);
    for (const used of namesIn(definition.node)) {
      if (!all.has(used) && !known.has(used)) {
        const near = nearest(used, [...known, ...all.keys()]);
        throw new Failure('notFound', `${name}: the catalog has no metric "${used}"`, {
          code: 'unknown_metric',
          hint: near && `did you mean ${near}?`,
        });
      }
      visit(used, [...path, name]);
    }
    ordered.set(name, definition);
  };
  for (const name of wanted) visit(name, []);
  return [...ordered.values()];
}

/** A value, and the months of it where some are missing. */
export interface ComputedValue {
  value: Numeric | null;
  incomplete?: string | undefined;
}

export interface NoValue {
  value?: undefined;
  /** The operand without a value, and its period. */
  missing?: { name: string; index: number } | undefined;
  /** An operand that is of fewer months than another one. */
  incomplete?: { name: string; index: number; months: string } | undefined;
}

type ValueAt = (name: string, index: number) => ComputedValue | undefined;

/**
 * The value of a definition in one period. One that needs a missing value is missing, one that needs a null is null.
 * @param partial periods that are not complete may be compared with complete ones
 */
export function computedValue(
  node: Node,
  index: number,
  valueAt: ValueAt,
  perYear: number,
  partial: boolean,
): ComputedValue | NoValue {
  /** The operands by their months, the least complete first. */
  const counts = new Map<string, { name: string; index: number }>();
  let missing: NoValue['missing'];
  let isNull = false;
  const read = (name: string, position: number): Numeric | null => {
    const operand = valueAt(name, position);
    if (!operand) {
      missing ??= { name, index: position };
      return null;
    }
    isNull ||= operand.value === null;
    counts.set(operand.incomplete ?? '', { name, index: position });
    return operand.value;
  };
  const at = (part: Node, position: number): Numeric | null => {
    if (part.kind === 'number') return numeric(String(numberOf(part.text)));
    if (part.kind === 'name') return read(part.name, position);
    if (part.kind === 'negative') return both(0, at(part.of, position), difference);
    if (part.kind === 'arithmetic') {
      return both(at(part.left, position), at(part.right, position), operators[part.operator]);
    }
    return part.kind === 'call' ? called(part, position) : null;
  };
  const called = (call: Call, position: number): Numeric | null => {
    const [first] = call.args;
    if (!first) return null;
    const count = counted.has(call.name) ? countOf(call, '') : 0;
    switch (call.name) {
      case 'prev':
        return at(first, position - count);
      case 'yoy':
        return both(at(first, position), at(first, position - perYear), (now, then) =>
          percent(quotient(difference(now, then), magnitude(then))),
        );
      case 'round':
        return apply(at(first, position), (value) => roundTo(value, count));
      case 'abs':
        return apply(at(first, position), magnitude);
      case 'sum':
      case 'avg': {
        const window = Array.from({ length: count }, (_, step) => at(first, position - step));
        return combineAll(window, call.name === 'sum' ? sum : average);
      }
      default: {
        const sign = call.name === 'min' ? 1 : -1;
        const values = call.args.map((each) => at(each, position));
        return combineAll(values, (numbers) => numbers.reduce((a, b) => (compare(b, a) * sign < 0 ? b : a)));
      }
    }
  };
  const value = at(node, index);
  const [weakest] = [...counts].filter(([months]) => months !== '').sort(([a], [b]) => (a < b ? -1 : 1));
  const [months, operand] = weakest ?? [];
  if (missing) return { missing };
  if (operand && months !== undefined && counts.size > 1 && !partial) return { incomplete: { ...operand, months } };
  if (value === null && !isNull) return {};
  return { value, ...(months !== undefined && { incomplete: months }) };
}

const operators = { '+': (a: Numeric, b: Numeric) => sum([a, b]), '-': difference, '*': product, '/': quotient };

/** Combines numbers; null where one of them is missing or null. */
function combineAll(
  values: readonly (Numeric | null)[],
  combine: (numbers: Numeric[]) => Numeric | null,
): Numeric | null {
  const numbers = values.filter(isNumeric);
  return numbers.length < values.length ? null : combine(numbers);
}

function apply(value: Numeric | null, change: (value: Numeric) => Numeric): Numeric | null {
  return value === null ? null : change(value);
}

function both(a: Numeric | null, b: Numeric | null, join: (a: Numeric, b: Numeric) => Numeric | null): Numeric | null {
  return a === null || b === null ? null : join(a, b);
}

/** A unit as `measureOf` spells it, or `USD / months`; undefined is a number that fits any. */
type Unit = string | undefined;

/** Numbers without a dimension: a product of two is of the first of them. */
const plain: readonly Unit[] = ['count', 'number', 'ratio', undefined];
const isPlain = (unit: Unit) => plain.includes(unit);
const isShare = (unit: Unit): unit is string => unit !== undefined && Object.hasOwn(wholes, unit);

type Arithmetic = Node & { kind: 'arithmetic' };

/** The unit of the values of a definition. @throws Failure usage for units that do not go together */
export function unitOf(node: Node, units: (name: string) => Unit, where: string): Unit {
  switch (node.kind) {
    case 'number':
      return node.text.endsWith('%') ? 'ratio' : undefined;
    case 'name':
      return units(node.name);
    case 'negative':
      return unitOf(node.of, units, where);
    case 'arithmetic': {
      const [left, right] = [unitOf(node.left, units, where), unitOf(node.right, units, where)];
      if (node.operator === '/') return dividedUnit(node, left, right, where);
      return node.operator === '*' ? multipliedUnit(node, left, right, where) : commonUnit([left, right], where);
    }
    case 'call': {
      const unit = commonUnit(
        operandsOf(node).map((part) => unitOf(part, units, where)),
        where,
      );
      if (node.name !== 'yoy') return unit;
      if (isShare(unit)) throw asPoints(where, node);
      return 'percent';
    }
    default:
      return undefined;
  }
}

function commonUnit(all: readonly Unit[], where: string): Unit {
  const [first, ...others] = [...new Set(all.filter((unit) => unit !== undefined))];
  if (others.length === 0) return first;
  throw usage(
    `${where}: ${first} and ${others.join(', ')} cannot be added or compared`,
    'divide one by a value of the same unit first',
  );
}

function multipliedUnit({ left, right }: Arithmetic, a: Unit, b: Unit, where: string): Unit {
  // Twice a percentage is a percentage; that of something else is a hundredth of the product.
  if (isShare(a) && isConstant(right)) return a;
  if (isShare(b) && isConstant(left)) return b;
  const share = isShare(a) ? a : isShare(b) ? b : undefined;
  if (share !== undefined) throw asRatio(where, share, isShare(a) ? left : right, 'multiplied');
  return joinUnits(a, b, 1);
}

function dividedUnit({ right }: Arithmetic, over: Unit, under: Unit, where: string): Unit {
  if (over === under && over !== undefined) return 'ratio';
  if (isShare(over) && right.kind === 'number' && compare(numberOf(right.text), wholes[over] ?? 0) === 0)
    return 'ratio';
  if (isShare(under)) throw asRatio(where, under, right, `divided by`);
  return isShare(over) && isPlain(under) ? over : joinUnits(over, under, -1);
}

function asRatio(where: string, share: string, node: Node, verb: string): Error {
  const name = node.kind === 'name' ? node.name : '(…)';
  const operand = share === 'percent' ? 'a percentage' : `a value in ${share}`;
  return usage(
    `${where}: ${verb === 'multiplied' ? `${operand} is multiplied` : `something is divided by ${operand}`}`,
    `write it as a ratio, such as ${name} / ${wholes[share]}`,
  );
}

/** A percentage of a percentage would be taken for points of it. */
function asPoints(where: string, { args: [operand] }: Call): Error {
  const name = operand?.kind === 'name' ? operand.name : '(…)';
  return usage(
    `${where}: a percentage changes in points`,
    `write it as a difference, such as ${name} - prev(${name}, 12)`,
  );
}

const isConstant = (node: Node) => namesIn(node).length === 0;

/** The product of two units, or the quotient: `USD / months` times months is USD. */
function joinUnits(a: Unit, b: Unit, sign: 1 | -1): Unit {
  if (isPlain(a) && isPlain(b)) return plain[Math.min(plain.indexOf(a), plain.indexOf(b))];
  const powers = powersOf(a);
  for (const [unit, power] of powersOf(b)) powers.set(unit, (powers.get(unit) ?? 0) + sign * power);
  const all = [...powers].filter(([, power]) => power !== 0).sort(([x], [y]) => (x < y ? -1 : 1));
  const times = (side: 1 | -1) =>
    all.flatMap(([unit, power]) => Array.from({ length: Math.max(0, side * power) }, () => unit));
  const [over, under] = [times(1), times(-1)];
  if (over.length + under.length === 0) return 'ratio';
  return [over.join(' * ') || '1', ...under].join(' / ');
}

function powersOf(unit: Unit): Map<string, number> {
  const powers = new Map<string, number>();
  if (unit === undefined || isPlain(unit)) return powers;
  let sign = 1;
  for (const part of unit.split(/ ([*/]) /)) {
    if (part === '*' || part === '/') sign = part === '*' ? 1 : -1;
    else if (part !== '1') powers.set(part, (powers.get(part) ?? 0) + sign);
  }
  return powers;
}

/** Whether the value of a sum is the sum of the values: sums and differences of metrics that add up. */
export function isLinear(node: Node, addsUp: (name: string) => boolean): boolean {
  if (node.kind === 'name') return addsUp(node.name);
  if (node.kind === 'arithmetic' && (node.operator === '*' || node.operator === '/')) {
    const { operator, left, right } = node;
    if (operator === '*' && left.kind === 'number') return isLinear(right, addsUp);
    return right.kind === 'number' && isLinear(left, addsUp);
  }
  if (node.kind === 'call' && !['prev', 'sum', 'avg'].includes(node.name)) return false;
  const operands = operandsOf(node);
  return operands.length > 0 && operands.every((operand) => isLinear(operand, addsUp));
}
