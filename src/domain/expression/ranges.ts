/** Between what bounds a number must be, whatever the row: `length(title) < 0` can never hold. */
import { compare, difference, magnitude, product, quotient, rounded, sum } from '../../core/decimal.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { sameText } from './same.ts';
import type { Column } from './scope.ts';
import type { Order, Typed } from './typed.ts';

/** Inclusive bounds, where they are known. `whole`: integers only. */
export interface Range {
  low?: Numeric | undefined;
  high?: Numeric | undefined;
  whole?: boolean;
}

/** The bounds of a column by itself; default: it has none. */
export type BoundsOf = (name: string, column: Pick<Column<never>, 'min' | 'max' | 'whole'>) => Range;

const anywhere: BoundsOf = () => ({});

/** What a comparison of two numbers says of every row in which neither is empty; undefined where it depends. */
export function comparedNumbers<Row>(
  operator: Order | '=',
  left: Typed<Row>,
  right: Typed<Row>,
  boundsOf: BoundsOf = anywhere,
): boolean | undefined {
  const { constant, terms } = minus(sumOf(left), sumOf(right));
  const { low, high } = terms
    .map(({ factor, of }) => scaled(rangeOf(of, boundsOf), factor))
    .reduce(added, { low: constant, high: constant });
  const over = low === undefined ? undefined : compare(low, 0);
  const under = high === undefined ? undefined : compare(high, 0);
  switch (operator) {
    case '=': {
      if ((over ?? -1) > 0 || (under ?? 1) < 0) return false;
      if (over === 0 && under === 0) return true;
      const [only, ...more] = terms;
      if (!only || more.length > 0 || !rangeOf(only.of, boundsOf).whole) return undefined;
      const at = quotient(difference(0, constant), only.factor);
      return at !== null && !isWhole(at) ? false : undefined;
    }
    case '<':
      return (over ?? -1) >= 0 ? false : (under ?? 1) < 0 ? true : undefined;
    case '<=':
      return (over ?? -1) > 0 ? false : (under ?? 1) <= 0 ? true : undefined;
    case '>':
      return (under ?? 1) <= 0 ? false : (over ?? -1) > 0 ? true : undefined;
    case '>=':
      return (under ?? 1) < 0 ? false : (over ?? -1) >= 0 ? true : undefined;
  }
}

/** A constant and multiples of what is not one: `2 * a - 3`. */
interface Sum<Row> {
  constant: Numeric;
  terms: readonly { factor: Numeric; of: Typed<Row> }[];
}

function sumOf<Row>(node: Typed<Row>): Sum<Row> {
  if (node.kind === 'constant' && isNumeric(node.value)) return { constant: node.value, terms: [] };
  if (node.kind === 'negative') return times(sumOf(node.of), -1);
  if (node.kind === 'arithmetic' && node.operator !== '/') {
    const [left, right] = [sumOf(node.left), sumOf(node.right)];
    if (node.operator === '-') return minus(left, right);
    if (node.operator === '+') return minus(left, times(right, -1));
    if (right.terms.length === 0) return times(left, right.constant);
    if (left.terms.length === 0) return times(right, left.constant);
  }
  return { constant: 0, terms: [{ factor: 1, of: node }] };
}

function times<Row>({ constant, terms }: Sum<Row>, by: Numeric): Sum<Row> {
  const scaledTerms = terms.map(({ factor, of }) => ({
    factor: product(factor, by),
    of,
  }));
  return { constant: product(constant, by), terms: withoutZeros(scaledTerms) };
}

/** Equal terms cancel each other out. */
function minus<Row>(left: Sum<Row>, right: Sum<Row>): Sum<Row> {
  const byText = new Map<string, { factor: Numeric; of: Typed<Row> }>();
  for (const { factor, of } of [...left.terms, ...times(right, -1).terms]) {
    const text = sameText(of);
    byText.set(text, {
      factor: sum([byText.get(text)?.factor ?? 0, factor]),
      of,
    });
  }
  return {
    constant: difference(left.constant, right.constant),
    terms: withoutZeros([...byText.values()]),
  };
}

const withoutZeros = <Term extends { factor: Numeric }>(terms: readonly Term[]): Term[] =>
  terms.filter(({ factor }) => compare(factor, 0) !== 0);

function rangeOf<Row>(node: Typed<Row>, boundsOf: BoundsOf): Range {
  if (node.kind === 'column') return boundsOf(node.name, node.column);
  if (node.kind === 'arithmetic' && node.operator === '*' && sameText(node.left) === sameText(node.right)) {
    return { low: 0 };
  }
  const [first] = node.kind === 'call' ? node.args : [];
  if (node.kind !== 'call' || !first) return {};
  if (node.name === 'length') return { low: isNeverBlank(first) ? 1 : 0, whole: true };
  const { low, high } = within(first, boundsOf);
  if (node.name === 'round') {
    return {
      low: low && rounded(low, 0),
      high: high && rounded(high, 0),
      whole: true,
    };
  }
  if (node.name !== 'abs') return {};
  const most = low !== undefined && high !== undefined ? larger(magnitude(low), magnitude(high)) : undefined;
  if (low !== undefined && compare(low, 0) > 0) return { low, high };
  return {
    low: high !== undefined && compare(high, 0) < 0 ? magnitude(high) : 0,
    high: most,
  };
}

/** The range of any expression of numbers. */
function within<Row>(node: Typed<Row>, boundsOf: BoundsOf): Range {
  const { constant, terms } = sumOf(node);
  return terms
    .map(({ factor, of }) => scaled(rangeOf(of, boundsOf), factor))
    .reduce(added, { low: constant, high: constant });
}

/** A text or a set of a row is empty (null) or has something in it; only `trim` leaves a text without a character. */
function isNeverBlank<Row>(node: Typed<Row>): boolean {
  if (node.kind === 'column') return true;
  return node.kind === 'call' && (node.name === 'lower' || node.name === 'upper') && node.args.every(isNeverBlank);
}

function scaled({ low, high }: Range, factor: Numeric): Range {
  const [a, b] = [low, high].map((bound) => (bound === undefined ? undefined : product(bound, factor)));
  return compare(factor, 0) < 0 ? { low: b, high: a } : { low: a, high: b };
}

function added(one: Range, other: Range): Range {
  return {
    low: one.low === undefined || other.low === undefined ? undefined : sum([one.low, other.low]),
    high: one.high === undefined || other.high === undefined ? undefined : sum([one.high, other.high]),
  };
}

const larger = (a: Numeric, b: Numeric): Numeric => (compare(a, b) < 0 ? b : a);

const isWhole = (value: Numeric): boolean => compare(rounded(value, 0), value) === 0;
