/** Types every part of an expression before it runs, and refuses comparisons of different types. */

import type { Failure } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { evaluate } from './evaluate.ts';
import {
  isNull,
  type Literal,
  type LiteralContext,
  likePattern,
  literalFor,
  mismatch,
  pattern,
  plainLiteral,
  refuseNullOption,
  refuseTimeWord,
  sideOf,
  type UnknownOption,
  unknownName,
  wordSpan,
} from './literals.ts';
import { type Node, parse, problem, type Source } from './parser.ts';
import { type Duration, type Span, shiftedPeriod, shiftSpan, timeWord } from './time.ts';
import {
  type Column,
  comparable,
  type FunctionName,
  functionHint,
  functions,
  orNot,
  type Scope,
  type Type,
  type Typed,
  typeNames,
} from './typed.ts';

export interface Checked<Row> {
  root: Typed<Row>;
  names: string[];
  /** Options that the columns lack; a row may still hold a removed one. */
  unknownOptions: UnknownOption[];
}

/** Checks a condition on rows. @throws usage that names both sides and the right spelling */
export function checkCondition<Row>(text: string, scope: Scope<Row>, where: string): Checked<Row> {
  return new Checker(scope, { text, where }).condition(parse(text, where));
}

export function checkTree<Row>(node: Node, scope: Scope<Row>, source: Source): Checked<Row> {
  return new Checker(scope, source).condition(node);
}

/** Checks a rule: of `if A then B` the premise A and the rule B. */
export function checkRule<Row>(node: Node, scope: Scope<Row>, source: Source) {
  const check = (part: Node) => checkTree(part, scope, source);
  if (node.kind !== 'if') return { premise: undefined, rule: check(node) };
  return { premise: check(node.condition), rule: check(node.consequence) };
}

/** Checks a value of rows: a column, or an expression of columns. @throws usage, also for an option that is unknown */
export function checkValue<Row>(node: Node, scope: Scope<Row>, source: Source): Typed<Row> {
  const checker = new Checker(scope, source);
  const value = checker.typed(node);
  const [unknown] = checker.context.unknownOptions;
  if (unknown) throw unknown.failure();
  return value;
}

class Checker<Row> {
  private readonly names = new Set<string>();
  readonly context: LiteralContext;

  constructor(
    readonly scope: Scope<Row>,
    readonly source: Source,
  ) {
    const isColumn = (name: string) => scope.column(name) !== undefined;
    this.context = { source, now: scope.now, isColumn, names: scope.names, unknownOptions: [] };
  }

  problem(at: number, says: string, hint?: string): Failure {
    return problem(this.source, at, says, hint);
  }

  condition(node: Node): Checked<Row> {
    const root = this.conditionOf(node);
    if (this.names.size === 0) {
      throw this.problem(node.at, 'this names no column', `columns are ${this.scope.names.join(', ')}`);
    }
    return { root, names: [...this.names], unknownOptions: this.context.unknownOptions };
  }

  private conditionOf(node: Node): Typed<Row> {
    const value = this.typed(node);
    if (value.type === 'boolean' || value.type === 'unknown') return value;
    const hint = value.kind === 'column' ? `compare it: ${value.name} = …, or ${value.name} is not empty` : undefined;
    throw this.problem(node.at, `${sideOf(node, value).name} is ${typeNames[value.type]}, not a condition`, hint);
  }

  typed(node: Node): Typed<Row> {
    const { at } = node;
    switch (node.kind) {
      case 'and':
      case 'or':
        return { kind: node.kind, type: 'boolean', at, parts: node.parts.map((part) => this.conditionOf(part)) };
      case 'not':
        return { kind: 'not', type: 'boolean', at, of: this.conditionOf(node.of) };
      case 'if': {
        const condition = this.conditionOf(node.condition);
        return { kind: 'if', type: 'boolean', at, condition, consequence: this.conditionOf(node.consequence) };
      }
      case 'compare':
        return this.comparison(node);
      case 'in':
        return this.membership(node);
      case 'between': {
        const from: Node = { kind: 'compare', at, operator: '>=', left: node.of, right: node.from };
        const to: Node = { kind: 'compare', at, operator: '<=', left: node.of, right: node.to };
        return { kind: 'and', type: 'boolean', at, parts: [this.typed(from), this.typed(to)] };
      }
      case 'contains':
      case 'has':
        return this.containment(node);
      case 'matches':
      case 'like':
        return match(node, this);
      case 'within':
        return recency(node, this);
      case 'empty':
        return { kind: 'empty', type: 'boolean', at, of: this.typed(node.of) };
      case 'negative':
        return { kind: 'negative', type: 'number', at, of: this.ofType('number', node.of) };
      case 'arithmetic':
        return arithmetic(node, this);
      case 'call':
        return call(node, this);
      case 'name':
        return this.name(node);
      case 'near':
        throw this.problem(at, '± is for the right side of =', 'write a = b ± c');
      case 'list':
        throw this.problem(at, 'a list is for the right side of `in`');
      case 'number':
      case 'date':
      case 'duration':
      case 'text':
      case 'constant':
        return this.constant(node);
    }
  }

  private constant(node: Node): Typed<Row> {
    const literal = plainLiteral(node, this.source, this.scope.now);
    if (literal) return { kind: 'constant', at: node.at, ...literal };
    throw this.problem(node.at, 'null is not a value', 'write `is empty` or `is not empty`');
  }

  private name(node: Node & { kind: 'name' }): Typed<Row> {
    const column = this.scope.column(node.name);
    if (column) {
      const { name = node.name } = column;
      this.names.add(name);
      const type = column.type === 'date' ? 'time' : column.type;
      return { kind: 'column', type, at: node.at, name, column };
    }
    const literal = plainLiteral(node, this.source, this.scope.now);
    if (literal) return { kind: 'constant', at: node.at, ...literal };
    throw unknownName(this.source, node, this.scope);
  }

  /** Types both sides; a literal is read by the type of the other side. @param isPart the right side may be a part of a name */
  private typedSides(left: Node, right: Node, isPart = false): [Typed<Row>, Typed<Row>] {
    const [leftColumn, rightColumn] = [this.columnOf(left), this.columnOf(right)];
    if (isPart && leftColumn) leftColumn.column = { ...leftColumn.column, idOf: undefined };
    const rightLiteral = leftColumn && this.literal(right, leftColumn);
    if (rightLiteral) return [this.typed(left), rightLiteral];
    const leftLiteral = rightColumn && this.literal(left, rightColumn);
    if (leftLiteral) return [leftLiteral, this.typed(right)];
    const [a, b] = [this.typed(left), this.typed(right)];
    if (a.type === 'time' && a.kind === 'shift') return [a, this.literal(right, computedTime) ?? b];
    return b.type === 'time' && b.kind === 'shift' ? [this.literal(left, computedTime) ?? a, b] : [a, b];
  }

  private columnOf(node: Node): { name: string; column: Column<Row> } | undefined {
    const column = node.kind === 'name' ? this.scope.column(node.name) : undefined;
    return column && node.kind === 'name' ? { name: node.name, column } : undefined;
  }

  private literal(node: Node, beside: { name: string; column: Column<Row> }): Typed<Row> | undefined {
    const literal: Literal | undefined = literalFor(node, beside, this.context);
    return literal && { kind: 'constant', at: node.at, ...literal };
  }

  private comparison(node: Node & { kind: 'compare' }): Typed<Row> {
    const { at, operator } = node;
    if (isNull(node.left) || isNull(node.right)) return this.nullComparison(node);
    if (node.right.kind === 'near') return near(node, node.right, this);
    const [left, right] = this.typedSides(node.left, node.right);
    if (left.type === 'options' && right.type === 'option' && (operator === '=' || operator === '!=')) {
      return orNot(operator, { kind: 'contains', type: 'boolean', at, of: left, argument: right });
    }
    refuseTwoCurrencies(left, right, at, this);
    refusePercentage(left, node.right, this);
    refusePercentage(right, node.left, this);
    const [a, b] = [sideOf(node.left, left), sideOf(node.right, right)];
    if (!comparable(left.type, right.type)) throw mismatch(this.source, at, a, b);
    if (operator === '=' || operator === '!=') {
      return orNot(operator, { kind: 'equal', type: 'boolean', at, left, right });
    }
    if (left.type === 'boolean' || left.type === 'options') {
      throw this.problem(at, `${typeNames[left.type]} has no order`, 'compare with = or !=');
    }
    if (!haveOrder(left, right)) {
      const says = `${a.name} and ${b.name} have no common order`;
      throw this.problem(at, says, 'compare with = or !=, or with one option');
    }
    return { kind: 'order', type: 'boolean', at, operator, left, right };
  }

  private nullComparison({ at, operator, left, right }: Node & { kind: 'compare' }): Typed<Row> {
    const of = this.typed(isNull(left) ? right : left);
    if (left.kind !== 'text' && right.kind !== 'text') refuseNullOption(of, at, this.source);
    const empty: Typed<Row> = { kind: 'empty', type: 'boolean', at, of };
    if (operator === '=') return empty;
    if (operator === '!=') return { kind: 'not', type: 'boolean', at, of: empty };
    throw this.problem(at, 'nothing is less or more than null', 'write `is empty` or `is not empty`');
  }

  private membership({ at, of, items }: Node & { kind: 'in' }): Typed<Row> {
    if (items.kind !== 'list' || items.items.length === 0) throw this.problem(at, '`in` needs a list such as (a, b)');
    const parts = items.items.map(
      (item): Typed<Row> => this.comparison({ kind: 'compare', at: item.at, operator: '=', left: of, right: item }),
    );
    return { kind: 'or', type: 'boolean', at, parts, ...constantsOf(parts) };
  }

  private containment({ kind, at, of, argument }: Node & { kind: 'contains' | 'has' }): Typed<Row> {
    const [left, right] = this.typedSides(of, argument, true);
    const isSet = left.type === 'options' && right.type === 'option';
    const isPart = kind === 'contains' && left.type === 'text' && right.type === 'text';
    const open = left.type === 'unknown' || right.type === 'unknown';
    if (isSet || isPart || open) return { kind: 'contains', type: 'boolean', at, of: left, argument: right };
    if (kind === 'contains' && left.type === 'text') {
      const { name } = sideOf(argument, right);
      throw this.problem(
        argument.at,
        `${name} is ${typeNames[right.type]}, not text`,
        `put a text in quotes: "${name}"`,
      );
    }
    const hint =
      kind === 'has' ? '`has` is for columns with several options' : '`contains` is for text and several options';
    throw this.problem(at, `${sideOf(of, left).name} is ${typeNames[left.type]}`, hint);
  }

  ofType(type: Type, node: Node): Typed<Row> {
    return this.requireType(type, node, this.typed(node));
  }

  requireType(type: Type, node: Node, value: Typed<Row>): Typed<Row> {
    if (value.type === type || value.type === 'unknown') return value;
    const { name } = sideOf(node, value);
    throw this.problem(node.at, `${name} is ${typeNames[value.type]}, not ${typeNames[type]}`);
  }
}

function arithmetic<Row>(node: Node & { kind: 'arithmetic' }, checker: Checker<Row>): Typed<Row> {
  const { at, operator } = node;
  const running = runningPeriod(node, checker);
  if (running) return { kind: 'constant', type: 'time', at, value: running };
  const [left, right] = [timeOrTyped(node.left, checker), timeOrTyped(node.right, checker)];
  if (left.type === 'time' && (operator === '+' || operator === '-')) {
    if (right.type === 'duration') return shift(left, durationOf(right), operator === '+' ? 1 : -1, at);
    if (right.type === 'time' && operator === '-') return { kind: 'elapsed', type: 'duration', at, left, right };
    if (right.type === 'number') {
      const text = node.right.kind === 'number' ? node.right.text : 'N';
      throw checker.problem(
        node.right.at,
        `${text} is not a duration`,
        `write ${text}d for days, ${text}mo for months`,
      );
    }
  }
  const open = openTime(operator, left, right, at);
  if (open) return open;
  checker.requireType('number', node.left, left);
  checker.requireType('number', node.right, right);
  if (operator === '+' || operator === '-') {
    refuseTwoCurrencies(left, right, at, checker);
    refusePercentage(left, node.right, checker);
    refusePercentage(right, node.left, checker);
  }
  return constantOf({ kind: 'arithmetic', type: 'number', at, operator, left, right });
}

/** Arithmetic on constants is done once, not for each row. */
function constantOf<Row>(node: Typed<Row> & { kind: 'arithmetic' }): Typed<Row> {
  const { left, right } = node;
  if (left.kind !== 'constant' || right.kind !== 'constant') return node;
  const value = evaluate(node, undefined as never);
  return isNumeric(value) ? { kind: 'constant', type: 'number', at: node.at, value } : node;
}

/** `first-contact + 1mo` beside a literal: 2024 is a year there. */
const computedTime = { name: 'the date', column: { type: 'time', get: () => null } } as const;

/** Columns of unknown types, as a check file has them, may be times. */
function openTime<Row>(operator: string, left: Typed<Row>, right: Typed<Row>, at: number): Typed<Row> | undefined {
  const isOpen = (node: Typed<Row>) => node.type === 'unknown';
  if (isOpen(left) && right.type === 'duration' && (operator === '+' || operator === '-')) {
    return shift(left, durationOf(right), operator === '+' ? 1 : -1, at);
  }
  if (operator !== '-' || !(isOpen(left) || isOpen(right))) return undefined;
  if (left.type === 'time' || right.type === 'time') return { kind: 'elapsed', type: 'duration', at, left, right };
  return isOpen(left) && isOpen(right) ? { kind: 'elapsed', type: 'unknown', at, left, right } : undefined;
}

/** @throws usage for amounts of two currencies; a product or quotient may be converted */
function refuseTwoCurrencies<Row>(left: Typed<Row>, right: Typed<Row>, at: number, checker: Checker<Row>): void {
  const [a, b] = [amountOf(left), amountOf(right)];
  if (!a?.currency || !b?.currency || a.currency === b.currency) return;
  const says = `${a.name} is in ${a.currency} and ${b.name} in ${b.currency}`;
  throw checker.problem(at, says, `convert one of them, such as ${b.name} * RATE`);
}

/** @throws usage for `amount = 10%` and `amount + 10%`, where the percentage would be the number 0.1 */
function refusePercentage<Row>(value: Typed<Row>, literal: Node, checker: Checker<Row>): void {
  const node = literal.kind === 'negative' ? literal.of : literal;
  const amount = amountOf(value);
  if (!amount || node.kind !== 'number' || !node.text.endsWith('%')) return;
  const says = `${amount.name} is an amount, and ${node.text} is a percentage`;
  throw checker.problem(node.at, says, `write a share of an amount: ${node.text} * ${amount.name}`);
}

/** The column of amounts that a value has its unit from. */
function amountOf<Row>(node: Typed<Row>): { name: string; currency: string | undefined } | undefined {
  switch (node.kind) {
    case 'column':
      return node.column.isAmount ? { name: node.name, currency: node.column.currency } : undefined;
    case 'negative':
      return amountOf(node.of);
    case 'call':
      return node.args[0] && amountOf(node.args[0]);
    case 'arithmetic':
      return node.operator === '*' || node.operator === '/' ? undefined : (amountOf(node.left) ?? amountOf(node.right));
    default:
      return undefined;
  }
}

function shift<Row>(of: Typed<Row>, by: Duration, sign: 1 | -1, at: number): Typed<Row> {
  if (of.kind !== 'constant') return { kind: 'shift', type: 'time', at, of, by, sign };
  return { kind: 'constant', type: 'time', at, value: shiftSpan(spanOf(of.value), by, sign) };
}

/** A side of `+` or `-`. `"today"` in quotes is the date, even if a column is called `today`. */
function timeOrTyped<Row>(node: Node, checker: Checker<Row>): Typed<Row> {
  const { source, scope } = checker;
  const span = node.kind === 'text' ? wordSpan(node.text, scope.now) : undefined;
  if (span) return { kind: 'constant', type: 'time', at: node.at, value: span };
  const value = checker.typed(node);
  const isColumn = (name: string) => scope.column(name) !== undefined;
  if (value.type === 'time') refuseTimeWord(node, { source, now: scope.now, isColumn });
  return value;
}

/** The span of `month - 1`, the period before the current one. */
function runningPeriod<Row>(
  { operator, left, right }: Node & { kind: 'arithmetic' },
  { scope }: Checker<Row>,
): Span | undefined {
  const word = left.kind === 'text' ? left.text : left.kind === 'name' && !scope.column(left.name) ? left.name : '';
  if (right.kind !== 'number') return undefined;
  const period = timeWord(word.toLowerCase(), scope.now);
  if (!period || 'start' in period || !/^\d+$/.test(right.text)) return undefined;
  return shiftedPeriod(period, (operator === '-' ? -1 : 1) * Number(right.text));
}

function call<Row>({ at, name, args, by }: Node & { kind: 'call' }, checker: Checker<Row>): Typed<Row> {
  const known = Object.keys(functions);
  if (!isFunction(name)) {
    if (aggregateNames.has(name.toLowerCase())) {
      throw checker.problem(at, `${name} is of all rows`).with({ code: 'aggregate_in_condition' });
    }
    throw checker.problem(at, `unknown function ${name}`, functionHint(name, known));
  }
  const { takes, gives } = functions[name];
  if (by !== undefined) throw checker.problem(at, `\`by\` does not go with ${name}`);
  const [value, digits] = args;
  if (name === 'round' && digits !== undefined && value !== undefined) {
    if (args.length === 2 && isDigits(digits)) {
      return { kind: 'call', type: gives, at, name, args: [value, digits].map((arg) => checker.ofType('number', arg)) };
    }
    throw checker.problem(digits.at, `the digits of round are one whole number from 0 to ${maxDigits}`);
  }
  if (args.length !== takes.length) {
    const count = takes.length === 1 ? '1 argument' : `${takes.length} arguments`;
    throw checker.problem(at, `${name} takes ${count}, got ${args.length}`);
  }
  const typed = args.map((arg, index): Typed<Row> => {
    const types = takes[index];
    if (types === 'any') return checker.typed(arg);
    if (types !== 'text|options') return checker.ofType(types === 'number' ? 'number' : 'text', arg);
    const value = checker.typed(arg);
    return value.type === 'options' ? value : checker.ofType('text', arg);
  });
  return { kind: 'call', type: gives, at, name, args: typed };
}

const aggregateNames: ReadonlySet<string> = new Set('avg count max mean median min sum'.split(' '));

const maxDigits = 15;

function isDigits(node: Node): boolean {
  return node.kind === 'number' && /^\d+$/.test(node.text) && Number(node.text) <= maxDigits;
}

function near<Row>(
  { at, operator, left: value }: Node & { kind: 'compare' },
  right: Node & { kind: 'near' },
  checker: Checker<Row>,
): Typed<Row> {
  if (operator !== '=' && operator !== '!=') throw checker.problem(right.at, '± goes with = only');
  const [left, center] = [checker.ofType('number', value), checker.ofType('number', right.center)];
  refuseTwoCurrencies(left, center, at, checker);
  const width = checker.ofType('number', right.width);
  const relative = right.width.kind === 'number' && right.width.text.endsWith('%');
  return orNot(operator, { kind: 'near', type: 'boolean', at, left, center, width, relative });
}

function match<Row>(
  { kind, at, of, argument }: Node & { kind: 'matches' | 'like' },
  checker: Checker<Row>,
): Typed<Row> {
  const left = checker.ofType('text', of);
  if (argument.kind !== 'text') throw checker.problem(argument.at, `\`${kind}\` needs a text in quotes`);
  const text = argument.text.normalize();
  const source = kind === 'like' ? likePattern(text) : text;
  const compiled = pattern(source);
  if ('wrong' in compiled) throw checker.problem(argument.at, compiled.wrong, 'the syntax is that of RE2');
  return { kind: 'matches', type: 'boolean', at, of: left, test: compiled.test };
}

/** `updated_at within 30d`: not longer ago than that, and not in the future. */
function recency<Row>({ at, of, argument }: Node & { kind: 'within' }, checker: Checker<Row>): Typed<Row> {
  const left = checker.ofType('time', of);
  if (argument.kind !== 'duration')
    throw checker.problem(argument.at, '`within` needs a duration', 'such as 12h, 30d, 6w, 3m or 1y');
  const now = checker.scope.now().getTime();
  const { start } = shiftSpan({ start: now, end: now }, durationOf(checker.typed(argument)), -1);
  return { kind: 'within', type: 'boolean', at, of: left, span: { start, end: now + 1 } };
}

/** Options have an order beside options of the same list only. */
function haveOrder<Row>(left: Typed<Row>, right: Typed<Row>): boolean {
  const types = [left.type, right.type];
  if (!types.includes('option') || types.includes('unknown')) return true;
  if (left.type !== right.type) return false;
  return left.kind === 'constant' || right.kind === 'constant' || idsOf(left) === idsOf(right);
}

const idsOf = <Row>(node: Typed<Row>): string =>
  JSON.stringify(node.kind === 'column' ? node.column.options?.map(({ id }) => id) : undefined) ?? '';

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(functions, name);
}

function durationOf<Row>(node: Typed<Row>): Duration {
  if (node.kind === 'constant' && typeof node.value === 'object' && 'months' in node.value) return node.value;
  return { ms: 0, months: 0 };
}

function spanOf(value: (Typed<unknown> & { kind: 'constant' })['value']): Span {
  if (typeof value === 'object' && 'start' in value) return value;
  throw new TypeError('a constant of type time is a span');
}

/** The constants of `column in (…)` as a set, so that long lists cost one look-up a row. */
function constantsOf<Row>(parts: readonly Typed<Row>[]): { among?: { of: Typed<Row>; values: Set<unknown> } } {
  const values = new Set<unknown>();
  let column: Typed<Row> | undefined;
  for (const part of parts) {
    if (part.kind !== 'equal' || part.left.kind !== 'column' || part.right.kind !== 'constant') return {};
    const { value } = part.right;
    if (typeof value === 'object') return {};
    column = part.left;
    values.add(value);
  }
  return column === undefined ? {} : { among: { of: column, values } };
}
