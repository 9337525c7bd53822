/** The units of computed metrics: what can be added, and what a product or a quotient is of. */

import { usage } from '../../core/errors.ts';
import type { Node } from '../expression/syntax.ts';
import { partsOf } from './calc.ts';

/** A unit; undefined is a plain number, which fits any. */
export type Unit = string | undefined;

/** What a product or a quotient takes the unit of the other side beside. */
const plain: ReadonlySet<Unit> = new Set([undefined, 'ratio', 'count']);

/** The unit of the values of a definition. @throws Failure usage for units that do not go together */
export function unitOf(node: Node, units: (name: string) => Unit, where: string): Unit {
  switch (node.kind) {
    case 'name':
      return units(node.name);
    case 'negative':
      return unitOf(node.of, units, where);
    case 'arithmetic': {
      const [left, right] = [unitOf(node.left, units, where), unitOf(node.right, units, where)];
      if (node.operator === '/') return dividedUnit(node, left, right);
      return node.operator === '*' ? multipliedUnit(left, right, where) : commonUnit([left, right], where);
    }
    case 'call':
      if (node.name === 'yoy') return 'ratio';
      return commonUnit(
        partsOf(node).map((part) => unitOf(part, units, where)),
        where,
      );
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

function multipliedUnit(left: Unit, right: Unit, where: string): Unit {
  if (plain.has(left)) return right ?? left;
  if (plain.has(right)) return left;
  if (left === 'percent' || right === 'percent') {
    throw usage(`${where}: a percentage is multiplied`, 'write it as a ratio, such as churn_rate / 100');
  }
  for (const [a, b] of [
    [left, right],
    [right, left],
  ] as const)
    if (a?.endsWith(` / ${b}`)) return a.slice(0, -` / ${b}`.length);
  return `${left} * ${right}`;
}

function dividedUnit({ right }: Node & { kind: 'arithmetic' }, over: Unit, under: Unit): Unit {
  if (over === 'percent' && right.kind === 'number' && right.text === '100') return 'ratio';
  if (over === under && over !== undefined) return 'ratio';
  if (plain.has(under)) return over;
  return plain.has(over) ? `1 / ${under}` : `${over} / ${under}`;
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
