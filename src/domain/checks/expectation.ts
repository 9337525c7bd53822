/**
 * Expectations (docs/checks.md): conditions of the expression language, aggregates with a bound, and the functions of a
 * subject, such as `unique(email)`.
 */
import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';
import { numberOf } from '../expression/literals.ts';
import { type Comparison, isNumber, keywords, type Node, orders, parse } from '../expression/parser.ts';
import { parseDuration, shiftSpan, timeWord } from '../expression/time.ts';
import { functionHint, functions as rowFunctions } from '../expression/typed.ts';

export interface Argument {
  key?: string;
  /** A bare word or a quoted text, without its quotes. */
  text: string;
  node: Node;
}

/** `>= 10` after an aggregate or a function. */
export interface Bound {
  operator: Comparison;
  text: string;
  value: Numeric;
  isPercent: boolean;
}

export interface Call {
  name: string;
  args: Argument[];
  bound?: Bound;
  text: string;
}

export type Expectation<Function extends Signature> =
  | { kind: 'call'; function: Function; call: Call }
  /** `sum(a) by stage >= 10`; `of` is the aggregate as written. */
  | { kind: 'aggregate'; of: string; by?: string; bound: Bound; text: string }
  | { kind: 'condition'; node: Node; text: string };

export interface Signature {
  /** The arguments that it must have, as messages name them. */
  needs?: readonly string[];
  /** Its greatest number of arguments; default: those that it must have. */
  most?: number;
  /** `min=` and `max=` are arguments. */
  hasLimits?: true;
  /** A bound must follow: a number, or also a percentage. */
  bound?: 'number' | 'share';
}

const aggregateNames = ['count', 'sum', 'average', 'avg', 'mean', 'median', 'min', 'max', 'distinct'];

/** Reads one expectation. @throws usage that quotes it */
export function parseExpectation<Function extends Signature>(
  text: string,
  functions: Readonly<Record<string, Function>>,
  { hasAggregates = false } = {},
): Expectation<Function> {
  const source = text.trim();
  if (source === '') throw usage('an expectation must not be empty');
  const node = parse(source, 'expectation');
  // `updated_at within 30d` by itself looks at the newest value.
  if (node.kind === 'within' && node.of.kind === 'name' && node.argument.kind === 'duration' && functions.fresh) {
    const args = [node.of, node.argument].map(argumentOf);
    return { kind: 'call', function: functions.fresh, call: { name: 'fresh', args, text: source } };
  }
  const compared = node.kind === 'compare' ? node : undefined;
  const left = compared?.left ?? node;
  if (hasAggregates && isAggregate(left)) {
    const written = unwrap(compared ? source.slice(0, compared.at) : source);
    const by = left.kind === 'call' ? left.by : undefined;
    const of = (by === undefined ? written : beforeBy(written, by)).trim();
    const bound = compared && boundOf(compared, source, of);
    if (!bound) throw usage(`"${source}": ${of} needs an operator and a number after it, such as >= 10`);
    if (bound.isPercent && left.kind !== 'arithmetic') throw notShare(source, of);
    return { kind: 'aggregate', of, ...(by !== undefined && { by }), bound, text: source };
  }
  const name = functionName(left, functions);
  if (name === undefined && left.kind === 'call' && !Object.hasOwn(rowFunctions, left.name)) {
    const names = [...Object.keys(functions), ...(hasAggregates ? aggregateNames : []), ...Object.keys(rowFunctions)];
    throw usage(`"${source}": unknown function ${left.name}`, functionHint(left.name, names));
  }
  const known = name === undefined ? undefined : functions[name];
  if (name === undefined || !known || (name in rowFunctions && compared))
    return { kind: 'condition', node, text: source };
  if (left.kind === 'call' && left.by !== undefined) {
    const hint = hasAggregates ? 'it goes with count, sum, average, median, min, max and distinct' : undefined;
    throw usage(`"${source}": \`by\` does not go with ${name}`, hint);
  }
  const args = left.kind === 'call' ? left.args.map(argumentOf) : [];
  const call: Call = { name, args, text: source, ...(compared && { bound: boundOf(compared, source, name) }) };
  checkCall(call, known);
  return { kind: 'call', function: known, call };
}

/** The text before `by COLUMN` at its end. */
function beforeBy(text: string, column: string): string {
  const name = text.trimEnd().replace(/`$/, '').length - column.length;
  return text.slice(0, text.toLowerCase().lastIndexOf('by', name - 1));
}

/** The text before a comparison in parentheses, without those that close after it. */
function unwrap(text: string): string {
  const open = text.split('(').length - text.split(')').length;
  return open > 0 ? text.replace(new RegExp(`^(?:\\s*\\(){${open}}`), '') : text;
}

function isAggregate(node: Node): boolean {
  if (node.kind === 'arithmetic') return isAggregate(node.left) || isAggregate(node.right);
  if (node.kind === 'name') return !node.quoted && node.name === 'count';
  return node.kind === 'call' && aggregateNames.includes(node.name);
}

function functionName(node: Node, functions: Readonly<Record<string, Signature>>): string | undefined {
  const isCall = node.kind === 'call' || (node.kind === 'name' && !node.quoted);
  return isCall && Object.hasOwn(functions, node.name) ? node.name : undefined;
}

function boundOf({ operator, left, right }: Node & { kind: 'compare' }, source: string, name: string): Bound {
  const text = signedNumber(right);
  if (text === undefined) {
    const [column] = left.kind === 'call' && /^(?:min|max)$/.test(left.name) ? left.args : [];
    const hint =
      column?.kind === 'name'
        ? `\`${column.name} within 30d\` checks the newest time, \`${column.name} >= today - 30d\` every row`
        : undefined;
    throw usage(`"${source}": ${name} must be compared with a number`, hint);
  }
  const value = numberOf(text.replace(/^-/, ''), text.startsWith('-'));
  return { operator, text, value, isPercent: text.endsWith('%') };
}

/** Refuses words that an expectation does not read: they would look as if they counted. @throws usage */
function checkCall({ name, args, bound, text }: Call, { needs = [], most, hasLimits, bound: takes }: Signature): void {
  const named = hasLimits ? undefined : args.find(({ key }) => key !== undefined);
  if (named && name !== 'row') throw usage(`"${text}": ${name} takes no ${named.key}=`);
  const missing = needs[args.length];
  if (missing !== undefined) throw usage(`"${text}": ${name} needs ${missing}`);
  const greatest = most ?? needs.length;
  const more = args[greatest];
  if (more) {
    const many = greatest === 0 ? 'no arguments' : `at most ${greatest} argument${greatest === 1 ? '' : 's'}`;
    throw usage(`"${text}": ${name} takes ${many}, and not ${more.text || 'this'} as well`);
  }
  if (bound && !takes) throw usage(`"${text}": ${name} takes nothing after it`);
  const example = takes === 'share' ? '10%' : '10';
  if (!bound && takes) throw usage(`"${text}": ${name} needs an operator and a number after it, such as <= ${example}`);
  if (bound?.isPercent && takes === 'number') throw notShare(text, name);
}

function notShare(text: string, name: string): Error {
  return usage(`"${text}": ${name} compares with a number, not with a percentage`);
}

function argumentOf(node: Node): Argument {
  if (node.kind === 'compare' && node.operator === '=' && node.left.kind === 'name')
    return { key: node.left.name, text: textOf(node.right), node: node.right };
  return { text: textOf(node), node };
}

/** The word, the quoted text, the number with its sign; empty for anything else. */
function textOf(node: Node): string {
  if (node.kind === 'name') return node.name;
  if (node.kind === 'constant') return String(node.value);
  return 'text' in node ? node.text : (signedNumber(node) ?? '');
}

function signedNumber(node: Node): string | undefined {
  if (node.kind === 'number') return node.text;
  return node.kind === 'negative' && node.of.kind === 'number' ? `-${node.of.text}` : undefined;
}

export function meets({ operator, value }: Pick<Bound, 'operator' | 'value'>, number: Numeric): boolean {
  return orders[operator](compare(number, value));
}

/** The earliest instant within the duration before `now`; undefined when the text is not a duration. */
export function since(text: string | undefined, now: Date): number | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  return duration && shiftSpan({ start: now.getTime(), end: now.getTime() }, duration, -1).start;
}

/** Clocks of two machines differ by less. */
const clockSkew = 60_000;

export const isAhead = (time: number, now: Date): boolean => time > now.getTime() + clockSkew;

/** The least and the greatest value, each as written and as a number. */
export interface Limits {
  min?: { text: string; value: Numeric } | undefined;
  max?: { text: string; value: Numeric } | undefined;
}

/** Reads `min=` and `max=`, or the arguments in their place. @throws usage */
export function limitsOf({ name, args, text }: Call, skip: number): Limits {
  const rest = args.slice(skip);
  const inOrder = rest.filter(({ key }) => key === undefined);
  const strange = rest.find(({ key }) => key !== undefined && key !== 'min' && key !== 'max');
  if (strange) throw usage(`"${text}": ${name} takes min= and max=, but not ${strange.key}=`);
  const read = (key: 'min' | 'max', at: number) => {
    const [argument, more] = [...inOrder.slice(at, at + 1), ...rest.filter((other) => other.key === key)];
    if (more) throw usage(`"${text}": ${key} is given twice, ${argument?.text} and ${more.text}`);
    if (!argument) return undefined;
    const digits = argument.text.replace(/^-/, '');
    if (!isNumber(digits)) throw usage(`"${text}": ${argument.text} is not a number or a percentage`);
    return { text: argument.text, value: numberOf(digits, argument.text !== digits) };
  };
  const [min, max] = [read('min', 0), read('max', 1)];
  if (!min && !max) throw usage(`"${text}": ${name} needs a minimum or a maximum, such as max=10`);
  if (min && max && compare(min.value, max.value) > 0) throw usage(`"${text}": ${min.text} is above ${max.text}`);
  return { min, max };
}

/** `>= 1 and <= 10`, each bound after `of`. */
export function limitsText({ min, max }: Limits, of = ''): string {
  return [min && `${of}>= ${min.text}`, max && `${of}<= ${max.text}`].filter(Boolean).join(' and ');
}

/** A name as a condition takes it: in backticks unless it can be nothing else. */
export function quotedName(name: string): string {
  const word = name.toLowerCase();
  const isPlain = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !keywords.has(word);
  return isPlain && timeWord(word, () => new Date(0)) === undefined ? name : `\`${name}\``;
}
