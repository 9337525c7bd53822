/** The names of an expression over the rows of a command: those of its columns. */
import { needed, rowName } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Column as Named, Option, Scope, ValueType } from '../domain/expression/typed.ts';
import type { Column, ColumnType } from '../output/column.ts';

const types: Readonly<Partial<Record<ColumnType, ValueType>>> = {
  ...{ text: 'text', id: 'text', boolean: 'boolean', date: 'time', datetime: 'time' },
  ...{ integer: 'number', number: 'number', currency: 'number', percent: 'number' },
};

/** Rules about columns that their types do not tell: the words of a text, that it is a period, or that a list of texts is a set. */
export type ScopeRules = Readonly<Record<string, Rule>>;

type Rule = readonly string[] | 'set' | 'period';

/**
 * A column of nested values has no type, and so no name here.
 * @param more columns that are known when the rows are read
 */
export function columnScope<Row>(
  columns: readonly Column<Row>[],
  now: () => Date,
  rules: ScopeRules = {},
  more?: (name: string) => Named<Row> | undefined,
): Scope<Row> {
  const known = new Map<string, Named<Row>>();
  const others = new Map<string, string>();
  for (const { key, get, type = 'text', aliases = [] } of columns) {
    for (const alias of aliases) others.set(alias, key);
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    const valueType = rule === undefined ? types[type] : typeof rule === 'string' ? named[rule] : 'option';
    if (valueType) known.set(key, { type: valueType, get: required(key, get), options: optionsOf(rule) });
  }
  const column = (name: string) => known.get(name) ?? known.get(others.get(name) ?? '') ?? more?.(name);
  return { column, names: [...known.keys()], now };
}

/** Fields that a condition may rely on: a row without them is an error, neither chosen nor left out. */
const always: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'status', 'metric_ids', 'archived']);

function required<Row>(key: string, get: (row: Row) => unknown): (row: Row) => unknown {
  if (!always.has(key)) return get;
  return (row) => {
    const value = get(row);
    return value === undefined ? needed(value, key, rowName('row', isObject(row) ? row.id : undefined)) : value;
  };
}

const named = { set: 'options', period: 'time' } as const;

function optionsOf(rule: Rule | undefined): Option[] | undefined {
  return typeof rule === 'object' ? rule.map((word) => ({ id: word, label: word })) : undefined;
}
