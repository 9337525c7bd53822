/** Gives every part of an expression its type before it runs, and refuses what cannot be compared. */
import { problem, type Source } from './lexer.ts';
import {
  isNull,
  type Literal,
  type LiteralContext,
  literalFor,
  mismatch,
  plainLiteral,
  refuseNullOption,
  sideOf,
  type UnknownOption,
  unknownName,
} from './literals.ts';
import {
  arithmetic,
  call,
  computedTime,
  match,
  near,
  type Operands,
  recency,
  refuseOrderOfOptions,
  refuseTwoCurrencies,
} from './operands.ts';
import { parse } from './parser.ts';
import type { Column, Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import { comparable, orNot, type Type, type Typed, typeNames } from './typed.ts';

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
    const found = this.typed(node);
    if (found.type === 'boolean' || found.type === 'unknown') return found;
    const hint = found.kind === 'column' ? `compare it: ${found.name} = …, or ${found.name} is not empty` : undefined;
    throw problem(
      this.source,
      node.at,
      `${sideOf(node, found).name} is ${typeNames[found.type]}, not a condition`,
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
    return { kind: 'or', type: 'boolean', at, parts };
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
    const found = this.typed(node);
    if (found.type === type || found.type === 'unknown') return found;
    throw problem(
      this.source,
      node.at,
      `${sideOf(node, found).name} is ${typeNames[found.type]}, not ${typeNames[type]}`,
    );
  }
}
