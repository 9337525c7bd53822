/** Aggregates: `--agg 'count, sum(x), avg, median, min, max, distinct(y)'`. Decimals are exact, empty values are skipped. */
import { average, compare, quotient, Total } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { checkValue } from '../expression/check.ts';
import { evaluate, type Value } from '../expression/evaluate.ts';
import { parse, problem } from '../expression/parser.ts';
import { type Scope, type Typed, typeNames } from '../expression/typed.ts';
import { type Cell, cellReader, compareValues, groupId, parts } from './cells.ts';

/** The state of one aggregate of one group. */
export interface Fold<Row> {
  add(row: Row): void;
  value(): Cell;
}

export interface Aggregate<Row> {
  /** The header: the text as written, or the name after `as`. */
  label: string;
  /** The column whose unit the result has; undefined for counts and expressions. */
  column: string | undefined;
  /** Whether the result is a number. */
  isNumber: boolean;
  fold(): Fold<Row>;
}

const names = ['count', 'sum', 'avg', 'median', 'min', 'max', 'distinct'] as const;
type Name = (typeof names)[number];
const synonyms: Readonly<Record<string, Name>> = { average: 'avg', mean: 'avg', minimum: 'min', maximum: 'max' };

/**
 * A name without a column takes that of the aggregate before it: `sum(valuation), avg, max`.
 * @throws usage for an unknown aggregate or column, or a column that it cannot take
 */
export function aggregates<Row>(written: string, scope: Scope<Row>, where = '--agg'): Aggregate<Row>[] {
  let before: string | undefined;
  const results = parts(written, where).map((text) => {
    const [, word = '', inner, as] =
      /^(\w+)\s*(?:\((.*)\))?\s*(?:\bas\s+([\p{L}_][\p{L}\p{N}_-]*))?$/su.exec(text) ?? [];
    const name = nameOf(word === '' ? text : word, where);
    const column = inner?.trim() || (name === 'count' ? undefined : before);
    if (column === undefined && name !== 'count') {
      throw usage(`${where}: ${name} needs a column`, `write ${name}(COLUMN)`);
    }
    before = column ?? before;
    const label = as ?? (column === undefined ? name : `${name}(${column})`);
    return aggregate(name, label, column, scope, where);
  });
  const twice = results.find(({ label }, index) => results.findIndex((one) => one.label === label) !== index);
  if (twice) throw usage(`${where}: ${twice.label} is given twice`);
  return results;
}

function nameOf(word: string, where: string): Name {
  const folded = word.toLowerCase();
  const name = synonyms[folded] ?? names.find((one) => one === folded);
  if (name) return name;
  const near = nearest(folded, [...names]);
  throw usage(`${where}: unknown aggregate "${word}"`, near ? `did you mean ${near}?` : `they are ${names.join(', ')}`);
}

function aggregate<Row>(
  name: Name,
  label: string,
  column: string | undefined,
  scope: Scope<Row>,
  where: string,
): Aggregate<Row> {
  if (column === undefined) return { label, column, isNumber: true, fold: counting };
  const source = { text: column, where };
  const value = checkValue(parse(column, where), scope, source);
  const numeric = name === 'sum' || name === 'avg' || name === 'median';
  if (numeric && value.type !== 'number') {
    throw problem(source, 0, `${column} is ${typeNames[value.type]}, and ${name} takes a number`);
  }
  if ((name === 'min' || name === 'max') && !['number', 'time', 'option', 'text'].includes(value.type)) {
    throw problem(source, 0, `${column} is ${typeNames[value.type]}, which has no ${name}`);
  }
  if (name === 'distinct' && value.type === 'duration') {
    throw problem(source, 0, `${column} is a duration, which has no distinct`);
  }
  const counts = name === 'count' || name === 'distinct';
  return {
    label,
    column: counts || value.kind !== 'column' ? undefined : value.name,
    isNumber: counts || value.type === 'number',
    fold: () => foldOf(name, value),
  };
}

const number = (value: Numeric | null): Cell => ({ shown: value, order: value });

function counting<Row>(): Fold<Row> {
  let count = 0;
  return {
    add() {
      count += 1;
    },
    value: () => number(count),
  };
}

function foldOf<Row>(name: Name, value: Typed<Row>): Fold<Row> {
  const of = (take: (found: NonNullable<Value>) => void, result: () => Cell): Fold<Row> => ({
    add(row) {
      const found = evaluate(value, row);
      if (found !== null) take(found);
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
        (found) => {
          for (const one of Array.isArray(found) ? found : [found]) values.add(groupId([cellOf(one)]));
        },
        () => number(values.size),
      );
    }
    case 'sum':
    case 'avg': {
      const total = new Total();
      let count = 0;
      return of(
        (found) => {
          if (!isNumeric(found)) return;
          total.add(found);
          count += 1;
        },
        () => number(count === 0 ? null : name === 'sum' ? total.value() : quotient(total.value(), count)),
      );
    }
    case 'median': {
      const all: Numeric[] = [];
      return of(
        (found) => {
          if (isNumeric(found)) all.push(found);
        },
        () => number(median(all)),
      );
    }
    default: {
      let best: Cell = number(null);
      const sign = name === 'min' ? 1 : -1;
      return of(
        (found) => {
          const cell = cellOf(found);
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
