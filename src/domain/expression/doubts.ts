/** Parts of a condition that are legal and hardly meant: they decide nothing. */
import { constantAnswer } from './contradictions.ts';
import { type BoundsOf, comparedNumbers } from './ranges.ts';
import type { Typed } from './typed.ts';

/** Warnings for parts of a condition that depends on the row as a whole. */
export function doubts<Row>(node: Typed<Row>): string[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.parts.flatMap((part) => partDoubt(node, part) ?? doubts(part));
    case 'not':
      return doubts(node.of);
    case 'if':
      return [...doubts(node.condition), ...doubts(node.consequence)];
    default:
      return outOfBounds(node) ?? [];
  }
}

/** `stage = Won and length(title) >= 0`; a bound of `between` may be one that every value keeps. */
function partDoubt<Row>(whole: Typed<Row> & { kind: 'and' | 'or' }, part: Typed<Row>): string[] | undefined {
  const answer = constantAnswer(part);
  if (answer === undefined || part.at === whole.at) return undefined;
  return [`the part at column ${part.at + 1} ${answer ? 'holds for every row' : 'can never hold'}`];
}

/** A comparison that no value within the bounds of its columns meets. */
function outOfBounds<Row>(node: Typed<Row>): string[] | undefined {
  if (node.kind !== 'equal' && node.kind !== 'order') return undefined;
  const operator = node.kind === 'equal' ? '=' : node.operator;
  const { left, right } = node;
  if (left.type !== 'number' || right.type !== 'number') return undefined;
  const seen: string[] = [];
  const bounded: BoundsOf = (name, { min, max, whole = false }) => {
    const bounds = [max === undefined ? '' : `at most ${max}`, min === undefined ? '' : `at least ${min}`];
    const says = [...bounds, whole ? 'a whole number' : ''].filter(Boolean);
    if (says.length > 0) seen.push(`${name} is ${says.join(' and ')}`);
    return { low: min, high: max, whole };
  };
  if (comparedNumbers(operator, left, right, bounded) !== false) return undefined;
  return [`${[...new Set(seen)].join(', ')}, so this part holds for no regular value`];
}
