/** The names of an expression over the rows of a command: those of its columns. */
import type { Column as Named, Option, Scope, ValueType } from '../domain/expression/scope.ts';
import type { Column, ColumnType } from '../output/column.ts';

const types: Readonly<Partial<Record<ColumnType, ValueType>>> = {
  ...{ text: 'text', id: 'text', boolean: 'boolean', date: 'time', datetime: 'time' },
  ...{ integer: 'number', number: 'number', currency: 'number', percent: 'number' },
};

/** What the columns do not say: the words that a text may be, or that a list of texts is a set. */
export type ScopeRules = Readonly<Record<string, readonly string[] | 'set'>>;

/** A column of nested values has no type, and so no name here. */
export function columnScope<Row>(columns: readonly Column<Row>[], now: () => Date, rules: ScopeRules = {}): Scope<Row> {
  const known = new Map<string, Named<Row>>();
  for (const { key, get, type = 'text' } of columns) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    const found = rule === undefined ? types[type] : rule === 'set' ? 'options' : 'option';
    if (found) known.set(key, { type: found, get, options: optionsOf(rule) });
  }
  return { column: (name) => known.get(name), names: [...known.keys()], now };
}

function optionsOf(rule: readonly string[] | 'set' | undefined): Option[] | undefined {
  return rule === undefined || rule === 'set' ? undefined : rule.map((word) => ({ id: word, label: word }));
}
