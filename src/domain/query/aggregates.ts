/** Aggregates such as `count, sum(x), avg, median, min, max, distinct(y)`. Decimals are exact, empty values are skipped. */
import { average, compare, quotient, roundTo, Total } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { nearestHint } from '../../core/nearest.ts';
import { checkValue } from '../expression/check.ts';
import { calculate, evaluate, holds, type Value } from '../expression/evaluate.ts';
import { numberOf } from '../expression/literals.ts';
import { type Node, type Operator, parse, problem, type Source } from '../expression/parser.ts';
import { compareDurations } from '../expression/time.ts';
import { type Scope, type Type, type Typed, typeNames } from '../expression/typed.ts';
import { type Cell, cellReader, compareValues, groupId, parts } from './cells.ts';

export interface Fold<Row> {
  add(row: Row): void;
  value(): Cell;
}

export interface Aggregate<Row> {
  /** The header: the text as written, or the name after `as`. */
  label: string;
  /** The column with the unit of the result; undefined for counts and expressions. */
  column: string | undefined;
  /** The unit of a result that has none of a column. */
  unit?: 'days';
  /** Digits after the point in tables: quotients have up to 15. */
  digits?: number;
  isNumber: boolean;
  fold(): Fold<Row>;
}

const names = ['count', 'sum', 'avg', 'median', 'min', 'max', 'distinct'] as const;
type Name = (typeof names)[number];
const synonyms: Readonly<Record<string, Name>> = { average: 'avg', mean: 'avg', minimum: 'min', maximum: 'max' };

/** Aggregates and arithmetic of them. In `sum(valuation), avg` the second takes the column of the first. */
export function aggregates<Row>(written: string, scope: Scope<Row>, where: string): Aggregate<Row>[] {
  const reader = new AggregateReader(scope, where);
  const results = parts(written, where).map((text) => reader.read(text));
  const twice = results.find(({ label }, index) => results.findIndex((result) => result.label === label) !== index);
  if (twice) throw usage(`${where}: ${twice.label} is given twice`);
  return results;
}

interface Operand {
  node: Node;
  source: Source;
}

class AggregateReader<Row> {
  private before: Operand | undefined;

  constructor(
    private readonly scope: Scope<Row>,
    private readonly where: string,
  ) {}

  read(written: string): Aggregate<Row> {
    // Blanks are matched from their first: a long run of them would take a time that is quadratic.
    const named = /(?<!\s)\s+as\s+([\p{L}_][\p{L}\p{N}_-]*)$/su.exec(written);
    const [text, as] = named ? [fromSql(written.slice(0, named.index)), named[1]] : [fromSql(written), undefined];
    const node = isWord.test(text) ? undefined : parse(text, this.where);
    const isComputed = node?.kind === 'arithmetic' || (node?.kind === 'call' && node.name === 'round');
    const result = isComputed ? this.computed(node, { text, where: this.where }) : this.single(text);
    return as === undefined ? result : { ...result, label: as };
  }

  private single(text: string): Aggregate<Row> {
    const [, word = text, inner = ''] = /^(\w+)\s*(?:\((.*)\))?$/su.exec(text) ?? [];
    const name = nameOf(word, this.where);
    const column = inner.trim();
    const source = { text: column, where: this.where };
    const operand = column === '' ? undefined : { node: parse(column, this.where), source };
    return this.aggregate(name, operand);
  }

  private computed(node: Node, source: Source): Aggregate<Row> {
    const label = source.text;
    switch (node.kind) {
      case 'number':
        return { label, column: undefined, isNumber: true, fold: () => constantFold(numberOf(node.text)) };
      case 'name':
        return this.aggregate(nameOf(node.name, this.where), undefined);
      case 'call': {
        const [argument, digits] = node.args;
        if (argument && node.name === 'round') return this.rounded(argument, digits, source);
        return this.aggregate(nameOf(node.name, this.where), argument && { node: argument, source });
      }
      case 'arithmetic': {
        const sides = [this.computed(node.left, source), this.computed(node.right, source)] as const;
        const [left, right] = sides;
        if (sides.some(({ isNumber }) => !isNumber)) throw problem(source, node.at, `${node.operator} takes numbers`);
        const isSum = node.operator === '+' || node.operator === '-';
        const column = isSum && left.column === right.column ? left.column : undefined;
        const fold = () => computedFold(node.operator, left.fold(), right.fold());
        return { label, column, isNumber: true, digits: 4, fold };
      }
      default:
        throw problem(source, node.at, 'this is no aggregate', 'write sum(a) / sum(b), or count(a = 1) / count');
    }
  }

  private rounded(argument: Node, written: Node | undefined, source: Source): Aggregate<Row> {
    const digits = written === undefined ? 0 : written.kind === 'number' ? Number(written.text) : -1;
    if (!Number.isInteger(digits) || digits < 0 || digits > 15) {
      throw problem(source, written?.at ?? argument.at, 'the digits of round are a whole number from 0 to 15');
    }
    const exact = this.computed(argument, source);
    if (!exact.isNumber) throw problem(source, argument.at, 'round takes a number');
    const fold = () => {
      const { add, value } = exact.fold();
      const result = () => {
        const { order } = value();
        return number(isNumeric(order) ? roundTo(order, digits) : null);
      };
      return { add, value: result };
    };
    return { ...exact, label: source.text, isNumber: true, digits, fold };
  }

  private aggregate(name: Name, explicit: Operand | undefined): Aggregate<Row> {
    const operand = explicit ?? (name === 'count' ? undefined : this.before);
    if (!operand) {
      if (name !== 'count') throw usage(`${this.where}: ${name} needs a column`, `write ${name}(COLUMN)`);
      return { label: name, column: undefined, isNumber: true, fold: () => countFold() };
    }
    const { node, source } = operand;
    const { text } = source;
    const value = checkValue(node, this.scope, source);
    const { type } = value;
    const label = `${name}(${text})`;
    if (name === 'count' && type === 'boolean' && value.kind !== 'column') {
      return { label, column: undefined, isNumber: true, fold: () => countFold((row) => holds(value, row)) };
    }
    this.before = operand;
    const wrong = refusal(name, type);
    if (wrong !== undefined) {
      const hint = type === 'boolean' ? `the share of rows is count(${text}) / count` : undefined;
      throw problem(source, node.at, `${text} is ${typeNames[type]}, ${wrong}`, hint);
    }
    const counts = name === 'count' || name === 'distinct';
    const isDuration = !counts && type === 'duration';
    return {
      label,
      column: counts || value.kind !== 'column' ? undefined : value.name,
      ...(isDuration ? { unit: 'days' as const, digits: 1 } : name === 'avg' && { digits: 2 }),
      isNumber: counts || type === 'number' || type === 'unknown' || isDuration,
      fold: () => foldOf(name, value),
    };
  }
}

const isWord = /^\w*$/;

/** `count(*)` and `count(distinct owner)` in our words. */
const fromSql = (text: string) =>
  text.replace(/\bcount\(\s*\*\s*\)/giu, 'count').replace(/\bcount\(\s*distinct\s/giu, 'distinct(');

function refusal(name: Name, type: Type): string | undefined {
  if (type === 'number' || type === 'unknown') return undefined;
  switch (name) {
    case 'sum':
    case 'avg':
    case 'median':
      return type === 'duration' ? undefined : `and ${name} takes a number`;
    case 'min':
    case 'max':
      return ['time', 'option', 'text', 'duration'].includes(type) ? undefined : `which has no ${name}`;
    case 'distinct':
      return type === 'duration' ? 'which has no distinct' : undefined;
    default:
      return undefined;
  }
}

function nameOf(word: string, where: string): Name {
  const folded = word.toLowerCase();
  const name = synonyms[folded] ?? names.find((known) => known === folded);
  if (name) return name;
  throw usage(`${where}: unknown aggregate "${word}"`, nearestHint(folded, names, `they are ${names.join(', ')}`));
}

const number = (value: Numeric | null): Cell => ({ value, order: value });

/** Counts the rows, or those for which a condition holds. */
function countFold<Row>(isCounted: (row: Row) => boolean = () => true): Fold<Row> {
  let count = 0;
  return {
    add(row) {
      if (isCounted(row)) count += 1;
    },
    value: () => number(count),
  };
}

function constantFold<Row>(value: Numeric): Fold<Row> {
  return { add() {}, value: () => number(value) };
}

/** Empty if a side is empty, and for a division by zero. */
function computedFold<Row>(operator: Operator, left: Fold<Row>, right: Fold<Row>): Fold<Row> {
  return {
    add(row) {
      left.add(row);
      right.add(row);
    },
    value() {
      const [a, b] = [left.value().order, right.value().order];
      if (!isNumeric(a) || !isNumeric(b)) return number(null);
      const result = number(calculate(operator, a, b));
      return operator === '/' ? { ...result, quotient: [a, b] } : result;
    },
  };
}

function inDays(value: Value): Value {
  if (typeof value !== 'object' || value === null || !('ms' in value)) return value;
  const ms = value.months === 0 ? value.ms : compareDurations(value, { ms: 0, months: 0 });
  return quotient(ms, 86_400_000);
}

function foldOf<Row>(name: Name, value: Typed<Row>): Fold<Row> {
  const of = (take: (number: NonNullable<Value>) => void, result: () => Cell): Fold<Row> => ({
    add(row) {
      const computed = inDays(evaluate(value, row));
      if (computed !== null) take(computed);
    },
    value: result,
  });
  const cellOf = cellReader(value);
  switch (name) {
    case 'count': {
      let count = 0;
      return of(
        () => {
          count += 1;
        },
        () => number(count),
      );
    }
    case 'distinct': {
      const values = new Set<string>();
      return of(
        (item) => {
          for (const part of Array.isArray(item) ? item : [item]) values.add(groupId([cellOf(part)]));
        },
        () => number(values.size),
      );
    }
    case 'sum':
    case 'avg': {
      const total = new Total();
      let count = 0;
      return of(
        (item) => {
          if (!isNumeric(item)) return;
          total.add(item);
          count += 1;
        },
        () => {
          if (count === 0 || name === 'sum') return number(count === 0 ? null : total.value());
          return { ...number(quotient(total.value(), count)), quotient: [total.value(), count] };
        },
      );
    }
    case 'median': {
      const all: Numeric[] = [];
      return of(
        (item) => {
          if (isNumeric(item)) all.push(item);
        },
        () => number(median(all)),
      );
    }
    default: {
      let best: Cell = number(null);
      const sign = name === 'min' ? 1 : -1;
      return of(
        (item) => {
          const cell = cellOf(item);
          if (best.order === null || compareValues(cell.order, best.order) * sign < 0) best = cell;
        },
        () => best,
      );
    }
  }
}

/** The middle value, or the mean of the middle two; null without values. */
function median(all: Numeric[]): Numeric | null {
  all.sort((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : compare(a, b)));
  const half = Math.floor(all.length / 2);
  const high = all[half];
  const low = all.length % 2 === 1 ? high : all[half - 1];
  if (low === undefined || high === undefined) return null;
  return compare(low, high) === 0 ? low : average([low, high]);
}
