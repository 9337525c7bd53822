import { isNumeric } from '../../core/json.ts';
import { evaluate } from './evaluate.ts';
import {
  isNull,
  type Literal,
  type LiteralContext,
  literalFor,
  mismatch,
  plainLiteral,
  refuseNullOption,
  refuseTimeWord,
  sideOf,
  type UnknownOption,
  unknownName,
  wordSpan,
} from './literals.ts';
import { type Node, parse, problem, type Source } from './parser.ts';
import { likePattern, pattern } from './pattern.ts';
import { type Duration, type Span, shifted, shiftedPeriod, timeWord } from './time.ts';
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
  /** The columns that it looks at, in their order. */
  names: string[];
  /** Options that the column does not have (any more); a row may still hold one. */
  unknownOptions: UnknownOption[];
}

/** A condition over rows. @throws Failure usage, naming both sides and the right spelling */
export function checkCondition<Row>(text: string, scope: Scope<Row>, where: string): Checked<Row> {
  return new Checker(scope, { text, where }).condition(parse(text, where));
}

/** The same for a tree that was parsed before, as part of the text. */
export function checkTree<Row>(node: Node, scope: Scope<Row>, source: Source): Checked<Row> {
  return new Checker(scope, source).condition(node);
}

/** A value of rows: a column, or what is computed of columns. */
export function checkValue<Row>(node: Node, scope: Scope<Row>, source: Source): Typed<Row> {
  return new Checker(scope, source).typed(node);
}

class Checker<Row> implements Operands<Row> {
  private readonly names = new Set<string>();
  private readonly context: LiteralContext;

  constructor(
    readonly scope: Scope<Row>,
    readonly source: Source,
  ) {
    const isColumn = (name: string) => scope.column(name) !== undefined;
    this.context = { source, now: scope.now, isColumn, names: scope.names, unknownOptions: [] };
  }

  condition(node: Node): Checked<Row> {
    const root = this.boolean(node);
    if (this.names.size === 0) {
      throw problem(this.source, node.at, 'this names no column', `columns are ${this.scope.names.join(', ')}`);
    }
    return { root, names: [...this.names], unknownOptions: this.context.unknownOptions };
  }

  private boolean(node: Node): Typed<Row> {
    const value = this.typed(node);
    if (value.type === 'boolean' || value.type === 'unknown') return value;
    const hint = value.kind === 'column' ? `compare it: ${value.name} = …, or ${value.name} is not empty` : undefined;
    throw problem(
      this.source,
      node.at,
      `${sideOf(node, value).name} is ${typeNames[value.type]}, not a condition`,
      hint,
    );
  }

  typed(node: Node): Typed<Row> {
    const { at } = node;
    switch (node.kind) {
      case 'and':
      case 'or':
        return { kind: node.kind, type: 'boolean', at, parts: node.parts.map((part) => this.boolean(part)) };
      case 'not':
        return { kind: 'not', type: 'boolean', at, of: this.boolean(node.of) };
      case 'if': {
        const condition = this.boolean(node.condition);
        return { kind: 'if', type: 'boolean', at, condition, consequence: this.boolean(node.consequence) };
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
        return { kind: 'negative', type: 'number', at, of: this.of('number', node.of) };
      case 'arithmetic':
        return arithmetic(node, this);
      case 'call':
        return call(node, this);
      case 'name':
        return this.name(node);
      case 'near':
        throw problem(this.source, at, '± is for the right side of =', 'write a = b ± c');
      case 'list':
        throw problem(this.source, at, 'a list is for the right side of `in`');
      default:
        return this.constant(node);
    }
  }

  private constant(node: Node): Typed<Row> {
    const literal = plainLiteral(node, this.source, this.scope.now);
    if (literal) return { kind: 'constant', at: node.at, ...literal };
    throw problem(this.source, node.at, 'null is not a value', 'write `is empty` or `is not empty`');
  }

  private name(node: Node & { kind: 'name' }): Typed<Row> {
    const column = this.scope.column(node.name);
    if (column) {
      this.names.add(node.name);
      const type = column.type === 'date' ? 'time' : column.type;
      return { kind: 'column', type, at: node.at, name: node.name, column };
    }
    const literal = plainLiteral(node, this.source, this.scope.now);
    if (literal) return { kind: 'constant', at: node.at, ...literal };
    throw unknownName(this.source, node, this.scope.names);
  }

  /** Both sides, each literal read by the type of the other side. */
  private sides(left: Node, right: Node): [Typed<Row>, Typed<Row>] {
    const [one, other] = [this.columnOf(left), this.columnOf(right)];
    if (one) {
      const literal = this.literal(right, one);
      if (literal) return [this.typed(left), literal];
    }
    if (other) {
      const literal = this.literal(left, other);
      if (literal) return [literal, this.typed(right)];
    }
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
    const [left, right] = this.sides(node.left, node.right);
    if (left.kind === 'column' && right.kind === 'column' && left.name === right.name) {
      throw problem(this.source, at, `${left.name} is compared with itself`);
    }
    if (left.type === 'options' && right.type === 'option' && (operator === '=' || operator === '!=')) {
      return orNot(operator, { kind: 'contains', type: 'boolean', at, of: left, what: right });
    }
    refuseTwoCurrencies(left, right, { source: this.source, at });
    const [one, other] = [sideOf(node.left, left), sideOf(node.right, right)];
    if (!comparable(left.type, right.type)) throw mismatch(this.source, at, one, other);
    if (operator === '=' || operator === '!=') {
      return orNot(operator, { kind: 'equal', type: 'boolean', at, left, right });
    }
    if (left.type === 'boolean' || left.type === 'options') {
      throw problem(this.source, at, `${typeNames[left.type]} has no order`, 'compare with = or !=');
    }
    refuseOrderOfOptions(left, right, [one.name, other.name], { source: this.source, at });
    return { kind: 'order', type: 'boolean', at, operator, left, right };
  }

  private nullComparison({ at, operator, left, right }: Node & { kind: 'compare' }): Typed<Row> {
    const of = this.typed(isNull(left) ? right : left);
    if (left.kind !== 'text' && right.kind !== 'text') refuseNullOption(of, at, this.source);
    const empty: Typed<Row> = { kind: 'empty', type: 'boolean', at, of };
    if (operator === '=') return empty;
    if (operator === '!=') return { kind: 'not', type: 'boolean', at, of: empty };
    throw problem(this.source, at, 'nothing is less or more than null', 'write `is empty` or `is not empty`');
  }

  private membership({ at, of, items }: Node & { kind: 'in' }): Typed<Row> {
    if (items.kind !== 'list' || items.items.length === 0)
      throw problem(this.source, at, '`in` needs a list such as (a, b)');
    const parts = items.items.map(
      (item): Typed<Row> => this.comparison({ kind: 'compare', at: item.at, operator: '=', left: of, right: item }),
    );
    return { kind: 'or', type: 'boolean', at, parts, ...constantsOf(parts) };
  }

  private containment({ kind, at, of, what }: Node & { kind: 'contains' | 'has' }): Typed<Row> {
    const [left, right] = this.sides(of, what);
    const isSet = left.type === 'options' && right.type === 'option';
    const isPart = kind === 'contains' && left.type === 'text' && right.type === 'text';
    const open = left.type === 'unknown' || right.type === 'unknown';
    if (isSet || isPart || open) return { kind: 'contains', type: 'boolean', at, of: left, what: right };
    const hint =
      kind === 'has' ? '`has` is for columns with several options' : '`contains` is for text and several options';
    throw problem(this.source, at, `${sideOf(of, left).name} is ${typeNames[left.type]}`, hint);
  }

  /** A part that must be of the type. */
  of(type: Type, node: Node): Typed<Row> {
    const value = this.typed(node);
    if (value.type === type || value.type === 'unknown') return value;
    throw problem(
      this.source,
      node.at,
      `${sideOf(node, value).name} is ${typeNames[value.type]}, not ${typeNames[type]}`,
    );
  }
}

/** What checking an operand takes from the checker. */
export interface Operands<Row> {
  readonly scope: Scope<Row>;
  readonly source: Source;
  typed(node: Node): Typed<Row>;
  /** The same for a part that must be of the type. */
  of(type: Type, node: Node): Typed<Row>;
}

export function arithmetic<Row>(node: Node & { kind: 'arithmetic' }, tools: Operands<Row>): Typed<Row> {
  const { at, operator } = node;
  const running = runningPeriod(node, tools);
  if (running) return { kind: 'constant', type: 'time', at, value: running };
  const [left, right] = [timeOrTyped(node.left, tools), timeOrTyped(node.right, tools)];
  if (left.type === 'time' && (operator === '+' || operator === '-')) {
    if (right.type === 'duration') return shift(left, durationOf(right), operator === '+' ? 1 : -1, at);
    if (right.type === 'time' && operator === '-') return { kind: 'elapsed', type: 'duration', at, left, right };
    if (right.type === 'number') {
      const text = node.right.kind === 'number' ? node.right.text : 'N';
      throw problem(
        tools.source,
        node.right.at,
        `${text} is not a duration`,
        `write ${text}d for days, ${text}mo for months`,
      );
    }
  }
  const open = openTime(operator, left, right, at);
  if (open) return open;
  for (const [side, found] of [
    [node.left, left],
    [node.right, right],
  ] as const) {
    if (found.type === 'number' || found.type === 'unknown') continue;
    throw problem(tools.source, side.at, `${sideOf(side, found).name} is ${typeNames[found.type]}, not a number`);
  }
  if (operator === '+' || operator === '-') refuseTwoCurrencies(left, right, { source: tools.source, at });
  return constantOf({ kind: 'arithmetic', type: 'number', at, operator, left, right });
}

/** Arithmetic on constants is done once, not for each row. */
function constantOf<Row>(node: Typed<Row> & { kind: 'arithmetic' }): Typed<Row> {
  const { left, right } = node;
  if (left.kind !== 'constant' || right.kind !== 'constant') return node;
  const value = evaluate(node, undefined as never);
  return isNumeric(value) ? { kind: 'constant', type: 'number', at: node.at, value } : node;
}

/** What `first-contact + 1mo` is beside a literal: 2024 is a year there. */
export const computedTime = { name: 'the date', column: { type: 'time', get: () => null } } as const;

/** With columns whose types are not known yet, as a check file has them: they may be times. */
function openTime<Row>(operator: string, left: Typed<Row>, right: Typed<Row>, at: number): Typed<Row> | undefined {
  const isOpen = (node: Typed<Row>) => node.type === 'unknown';
  if (isOpen(left) && right.type === 'duration' && (operator === '+' || operator === '-')) {
    return shift(left, durationOf(right), operator === '+' ? 1 : -1, at);
  }
  if (operator !== '-' || !(isOpen(left) || isOpen(right))) return undefined;
  if (left.type === 'time' || right.type === 'time') return { kind: 'elapsed', type: 'duration', at, left, right };
  return isOpen(left) && isOpen(right) ? { kind: 'elapsed', type: 'unknown', at, left, right } : undefined;
}

/** @throws usage for amounts of two currencies; what is multiplied or divided may be converted */
export function refuseTwoCurrencies<Row>(
  left: Typed<Row>,
  right: Typed<Row>,
  { source, at }: { source: Source; at: number },
): void {
  const [one, other] = [amountOf(left), amountOf(right)];
  if (!one || !other || one.currency === other.currency) return;
  throw problem(
    source,
    at,
    `${one.name} is in ${one.currency} and ${other.name} in ${other.currency}`,
    `convert one of them, such as ${other.name} * RATE`,
  );
}

/** The column that says which currency a value is in. */
function amountOf<Row>(node: Typed<Row>): { name: string; currency: string } | undefined {
  switch (node.kind) {
    case 'column':
      return node.column.currency === undefined ? undefined : { name: node.name, currency: node.column.currency };
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
  return { kind: 'constant', type: 'time', at, value: shifted(spanOf(of.value), by, sign) };
}

/** A side of `+` or `-`; `"today"` in quotes is the date where a column is called `today`. */
function timeOrTyped<Row>(node: Node, tools: Operands<Row>): Typed<Row> {
  const { source, scope } = tools;
  const span = node.kind === 'text' ? wordSpan(node.text, scope.now) : undefined;
  if (span) return { kind: 'constant', type: 'time', at: node.at, value: span };
  const value = tools.typed(node);
  const isColumn = (name: string) => scope.column(name) !== undefined;
  if (value.type === 'time') refuseTimeWord(node, { source, now: scope.now, isColumn });
  return value;
}

/** `month - 1`: the period before the running one. */
function runningPeriod<Row>(
  { operator, left, right }: Node & { kind: 'arithmetic' },
  { scope }: Operands<Row>,
): Span | undefined {
  const word = left.kind === 'text' ? left.text : left.kind === 'name' && !scope.column(left.name) ? left.name : '';
  if (right.kind !== 'number') return undefined;
  const period = timeWord(word.toLowerCase(), scope.now);
  if (!period || 'start' in period || !/^\d+$/.test(right.text)) return undefined;
  return shiftedPeriod(period, (operator === '-' ? -1 : 1) * Number(right.text));
}

export function call<Row>({ at, name, args, by }: Node & { kind: 'call' }, tools: Operands<Row>): Typed<Row> {
  const known = Object.keys(functions);
  if (!isFunction(name)) {
    throw problem(tools.source, at, `unknown function ${name}`, functionHint(name, known));
  }
  const { takes, gives } = functions[name];
  if (by !== undefined) throw problem(tools.source, at, `\`by\` does not go with ${name}`);
  if (args.length !== takes.length) {
    const wanted = takes.length === 1 ? '1 argument' : `${takes.length} arguments`;
    throw problem(tools.source, at, `${name} takes ${wanted}, got ${args.length}`);
  }
  const typed = args.map((arg, index): Typed<Row> => {
    const wanted = takes[index];
    if (wanted === 'any') return tools.typed(arg);
    if (wanted !== 'text|options') return tools.of(wanted === 'number' ? 'number' : 'text', arg);
    const value = tools.typed(arg);
    return value.type === 'options' ? value : tools.of('text', arg);
  });
  return { kind: 'call', type: gives, at, name, args: typed };
}

/** `left = center ± width`. */
export function near<Row>(
  { at, operator, left: one }: Node & { kind: 'compare' },
  right: Node & { kind: 'near' },
  tools: Operands<Row>,
): Typed<Row> {
  if (operator !== '=' && operator !== '!=') throw problem(tools.source, right.at, '± goes with = only');
  const [left, center] = [tools.of('number', one), tools.of('number', right.center)];
  refuseTwoCurrencies(left, center, { source: tools.source, at });
  const width = tools.of('number', right.width);
  const relative = right.width.kind === 'number' && right.width.text.endsWith('%');
  return orNot(operator, { kind: 'near', type: 'boolean', at, left, center, width, relative });
}

export function match<Row>(
  { kind, at, of, what }: Node & { kind: 'matches' | 'like' },
  tools: Operands<Row>,
): Typed<Row> {
  const left = tools.of('text', of);
  if (what.kind !== 'text') throw problem(tools.source, what.at, `\`${kind}\` needs a text in quotes`);
  const text = what.text.normalize();
  const source = kind === 'like' ? likePattern(text) : text;
  const compiled = pattern(source);
  if ('wrong' in compiled) throw problem(tools.source, what.at, compiled.wrong, 'the syntax is that of RE2');
  return { kind: 'matches', type: 'boolean', at, of: left, test: compiled.test };
}

/** `updated_at within 30d`: not longer ago than that, and not in the future. */
export function recency<Row>({ at, of, what }: Node & { kind: 'within' }, tools: Operands<Row>): Typed<Row> {
  const left = tools.of('time', of);
  if (what.kind !== 'duration')
    throw problem(tools.source, what.at, '`within` needs a duration', 'such as 12h, 30d, 6w, 3mo or 1y');
  const now = tools.scope.now().getTime();
  const { start } = shifted({ start: now, end: now }, durationOf(tools.typed(what)), -1);
  return { kind: 'within', type: 'boolean', at, of: left, span: { start, end: now + 1 } };
}

/** Options have an order beside options of the same list only. @throws usage for any other side */
export function refuseOrderOfOptions<Row>(
  left: Typed<Row>,
  right: Typed<Row>,
  [one, other]: readonly [string, string],
  { source, at }: { source: Source; at: number },
): void {
  if (left.type !== 'option' && right.type !== 'option') return;
  if (left.type === 'unknown' || right.type === 'unknown') return;
  const isConstant = left.kind === 'constant' || right.kind === 'constant';
  if (left.type === 'option' && right.type === 'option' && (isConstant || idsOf(left) === idsOf(right))) return;
  throw problem(source, at, `${one} and ${other} have no common order`, 'compare with = or !=, or with one option');
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

/** The constants of `column in (…)`, where each is equal to itself only; a list of thousands is tested once a row. */
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
