/** The units of computed metrics: what can be added, and what a product or a quotient is of. */

import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { numberOf } from '../expression/literals.ts';
import type { Node } from '../expression/syntax.ts';
import { wholes } from '../series/units.ts';
import { namesIn, partsOf } from './calc.ts';

/** A unit as `measureOf` spells it, or `USD / months`; undefined is a number that fits any. */
export type Unit = string | undefined;

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
        partsOf(node).map((part) => unitOf(part, units, where)),
        where,
      );
      return node.name === 'yoy' ? 'ratio' : unit;
    }
    default:
      return undefined;
  }
}

function commonUnit(given: readonly Unit[], where: string): Unit {
  const [first, ...others] = [...new Set(given.filter((unit) => unit !== undefined))];
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
  return joined(a, b, 1);
}

function dividedUnit({ right }: Arithmetic, over: Unit, under: Unit, where: string): Unit {
  if (over === under && over !== undefined) return 'ratio';
  if (isShare(over) && right.kind === 'number' && compare(numberOf(right.text), wholes[over] ?? 0) === 0)
    return 'ratio';
  if (isShare(under)) throw asRatio(where, under, right, `divided by`);
  return isShare(over) && isPlain(under) ? over : joined(over, under, -1);
}

function asRatio(where: string, share: string, node: Node, verb: string): Error {
  const name = node.kind === 'name' ? node.name : '(…)';
  const what = share === 'percent' ? 'a percentage' : `a value in ${share}`;
  return usage(
    `${where}: ${verb === 'multiplied' ? `${what} is multiplied` : `something is divided by ${what}`}`,
    `write it as a ratio, such as ${name} / ${wholes[share]}`,
  );
}

const isConstant = (node: Node) => namesIn(node).length === 0;

/** The product of two units, or the quotient: `USD / months` times months is USD. */
function joined(a: Unit, b: Unit, sign: 1 | -1): Unit {
  if (isPlain(a) && isPlain(b)) return plain[Math.min(plain.indexOf(a), plain.indexOf(b))];
  const powers = powersOf(a);
  for (const [unit, power] of powersOf(b)) powers.set(unit, (powers.get(unit) ?? 0) + sign * power);
  const all = [...powers].filter(([, power]) => power !== 0).sort(([x], [y]) => (x < y ? -1 : 1));
  const times = (found: number) =>
    all.flatMap(([unit, power]) => Array.from({ length: Math.max(0, found * power) }, () => unit));
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

/** Whether the value of a sum is the sum of the values: of what adds up, without quotients, products and constants. */
export function isLinear(node: Node, addsUp: (name: string) => boolean): boolean {
  switch (node.kind) {
    case 'name':
      return addsUp(node.name);
    case 'negative':
      return isLinear(node.of, addsUp);
    case 'arithmetic': {
      const { operator, left, right } = node;
      if (operator === '*' && left.kind === 'number') return isLinear(right, addsUp);
      if (operator === '*' || operator === '/') return right.kind === 'number' && isLinear(left, addsUp);
      return isLinear(left, addsUp) && isLinear(right, addsUp);
    }
    case 'call':
      return ['prev', 'sum', 'avg'].includes(node.name) && partsOf(node).every((part) => isLinear(part, addsUp));
    default:
      return false;
  }
}
