/**
 * Expectations are expressions (docs/query.md, "Expectations") whose first word may be a head of its subject:
 * `head(argument, key=argument) by column >= 10%`. What a head means is defined with its subject.
 */
import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { canonicalText } from '../../core/same.ts';
import { numberOf } from '../expression/literals.ts';
import { type Comparison, isNumber, type Node, parse } from '../expression/parser.ts';
import { parseDuration, shifted } from '../expression/time.ts';
import { functionHint, functions, sameFunction } from '../expression/typed.ts';

export interface Argument {
  /** The name before `=`, when there is one. */
  key?: string;
  /** A bare word or a quoted text, without its quotes. */
  text: string;
  /** The argument as it was parsed. */
  node: Node;
}

export interface Tail {
  operator: Comparison;
  /** As written: `10`, `10%`. */
  text: string;
  /** The number, a percentage as a fraction. */
  value: Numeric;
  percent: boolean;
}

export type Expectation =
  | { kind: 'call'; head: string; args: Argument[]; by?: string; tail?: Tail; text: string }
  | { kind: 'within'; column: string; duration: string; text: string }
  | { kind: 'implies'; condition: Node; consequence: Node; text: string }
  /** Anything else: a condition over the names of the subject. */
  | { kind: 'condition'; node: Node; text: string };

export type Call = Expectation & { kind: 'call' };

/** Whether a number meets a tail. */
export function meets({ operator, value }: Tail, found: Numeric): boolean {
  const order = compare(found, value);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Reads one expectation. Throws a usage failure that quotes it. Which heads exist is not known here. */
export function parseExpectation(text: string, heads: ReadonlySet<string>): Expectation {
  const source = text.trim();
  if (source === '') throw usage('an expectation must not be empty');
  const node = parse(source, 'expectation');
  if (node.kind === 'if') {
    return { kind: 'implies', condition: node.condition, consequence: node.consequence, text: source };
  }
  if (node.kind === 'within' && node.of.kind === 'name' && node.what.kind === 'duration') {
    return { kind: 'within', column: node.of.name, duration: node.what.text, text: source };
  }
  const [left, right] = node.kind === 'compare' ? [node.left, node.right] : [node, undefined];
  const called = callOf(left, heads, source);
  if (!called) return { kind: 'condition', node, text: source };
  const call: Call = { kind: 'call', ...called, text: source };
  if (node.kind !== 'compare') return call;
  const number = right && signedNumber(right);
  if (number === undefined) throw usage(`"${source}": ${called.head} must be compared with a number`);
  const value = number.startsWith('-') ? numberOf(number.slice(1), true) : numberOf(number);
  return { ...call, tail: { operator: node.operator, text: number, value, percent: number.endsWith('%') } };
}

function callOf(
  node: Node,
  heads: ReadonlySet<string>,
  source: string,
): Pick<Call, 'head' | 'args' | 'by'> | undefined {
  if (node.kind === 'name' && !node.quoted && heads.has(node.name)) return { head: node.name, args: [] };
  if (node.kind !== 'call') return undefined;
  const head = headOf(node.name, heads, source);
  if (head === undefined) return undefined;
  const by = node.by === undefined ? {} : { by: node.by };
  return { head, args: node.args.map(argumentOf), ...by };
}

/** `avg` and `mean` are `average`. @throws usage naming the nearest one for what is neither a head nor a function */
function headOf(name: string, heads: ReadonlySet<string>, source: string): string | undefined {
  if (heads.has(name)) return name;
  if (Object.hasOwn(functions, name)) return undefined;
  const same = sameFunction(name, aggregates);
  if (same !== undefined && heads.has(same)) return same;
  const known = new Set([...heads, ...Object.keys(functions)]);
  throw usage(`"${source}": unknown function ${name}`, functionHint(name, [...known]));
}

/** Heads that may be written as the aggregates of a query are. */
const aggregates = ['average', 'min', 'max', 'sum'];

function argumentOf(node: Node): Argument {
  const named = node.kind === 'compare' && node.operator === '=' && node.left.kind === 'name';
  if (named && node.left.kind === 'name') return { key: node.left.name, text: textOf(node.right), node: node.right };
  return { text: textOf(node), node };
}

/** An argument as text: the word, the quoted text, the number with its sign, `sum(value)`; empty for anything else. */
function textOf(node: Node): string {
  switch (node.kind) {
    case 'name':
      return node.name;
    case 'constant':
      return String(node.value);
    case 'call':
      return `${node.name}(${node.args.map(textOf).join(', ')})`;
    default:
      return 'text' in node ? node.text : (signedNumber(node) ?? '');
  }
}

function signedNumber(node: Node): string | undefined {
  if (node.kind === 'number') return node.text;
  return node.kind === 'negative' && node.of.kind === 'number' ? `-${node.of.text}` : undefined;
}

/** The earliest instant within the duration before `now`; undefined when the text is not a duration. */
export function since(text: string | undefined, now: Date): number | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  return duration && shifted({ start: now.getTime(), end: now.getTime() }, duration, -1).start;
}

/** Clocks of two machines differ by less. */
const clockSkew = 60_000;

/** Whether a time is in the future. */
export const isAhead = (time: number, now: Date): boolean => time > now.getTime() + clockSkew;

/** @throws Failure usage for a head that takes neither a group nor a comparison */
export function refuseTail(call: Call): void {
  if (call.tail || call.by) throw usage(`"${call.text}": ${call.head}(…) takes nothing after it`);
}

/**
 * What an expectation does not read would look as if it counted.
 * @throws Failure usage for more arguments than the head takes, and for one with a name that it does not know
 */
export function refuseMore(call: Call, { most = Number.POSITIVE_INFINITY, bounded = false }: Takes): void {
  const named = bounded ? undefined : call.args.find(({ key }) => key !== undefined);
  if (named) throw usage(`"${call.text}": ${call.head} takes no ${named.key}=`);
  const more = call.args[most];
  const many = `${most} argument${most === 1 ? '' : 's'}`;
  if (more) throw usage(`"${call.text}": ${call.head} takes at most ${many}, and not ${more.text} as well`);
}

/** The arguments of a head: their greatest number, and whether bounds may be named. */
export interface Takes {
  most?: number;
  bounded?: boolean;
}

export interface Bounds {
  min?: Numeric | undefined;
  max?: Numeric | undefined;
  /** `>= 1 and <= 10` */
  says: string;
}

/** Reads `min=` and `max=`, or the two arguments after the first ones. Percentages where `percent` allows them. */
export function bounds(call: Call, skip: number, percent = false): Bounds {
  const rest = call.args.slice(skip);
  const position = rest.filter(({ key }) => key === undefined);
  const strange = rest.find(({ key }) => key !== undefined && key !== 'min' && key !== 'max');
  if (strange) throw usage(`"${call.text}": ${call.head} takes min= and max=, but not ${strange.key}=`);
  const read = (name: 'min' | 'max', at: number): Numeric | undefined => {
    const [argument, more] = [...position.slice(at, at + 1), ...rest.filter(({ key }) => key === name)];
    if (more) throw usage(`"${call.text}": ${name} is given twice, ${argument?.text} and ${more.text}`);
    if (!argument) return undefined;
    const { text } = argument;
    const digits = text.replace(/^-/, '');
    const isBound = isNumber(digits) && (percent || !digits.endsWith('%'));
    if (isBound) return numberOf(digits, text.startsWith('-'));
    throw usage(`"${call.text}": ${text} is not a number${percent ? ' or a percentage' : ''}`);
  };
  const min = read('min', 0);
  const max = read('max', 1);
  if (min === undefined && max === undefined) {
    throw usage(`"${call.text}": ${call.head} needs a minimum or a maximum, such as max=10`);
  }
  if (min !== undefined && max !== undefined && compare(min, max) > 0)
    throw usage(`"${call.text}": ${min} is above ${max}`);
  const parts = [
    min === undefined ? '' : `>= ${canonicalText(min)}`,
    max === undefined ? '' : `<= ${canonicalText(max)}`,
  ];
  return { min, max, says: parts.filter(Boolean).join(' and ') };
}

export function isOutside(value: Numeric, { min, max }: Bounds): boolean {
  return (min !== undefined && compare(value, min) < 0) || (max !== undefined && compare(value, max) > 0);
}
