/** The parts of every test of a list. */
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { canonicalText } from '../../core/same.ts';
import type { Attribute } from '../entries/options.ts';
import { type Entry, entryScope, type Lookup } from '../entries/scope.ts';
import { type Column, typeNames, type ValueType } from '../expression/typed.ts';
import type { Call } from './grammar.ts';
import { lacking, type Outcome } from './model.ts';

/** The list as it was found. */
export interface ListFacts {
  attributes: readonly Attribute[];
  now: Date;
  /** The number of findings to keep. */
  cap: number;
  /** The keys of the values of a column of another list, for `references`; read before the pass begins. */
  references(list: string, column: string): ReadonlySet<string>;
  /** The baseline's value of an aggregate such as `count` or `sum(value)`; undefined without one. */
  before(aggregate: string): Numeric | undefined;
}

/** One expectation at work. */
export interface ListTest {
  row?: ((entry: Entry, lookup: Lookup) => void) | undefined;
  /** It looks at archived rows, whatever the section leaves out. */
  archived?: true;
  /** It says something without a row: of the list itself, or of their number. */
  rowless?: 'list' | 'number' | 'none';
  /** The number of rows or values that it judges, where that is not every row. */
  looked?(): number;
  /** After the last row. */
  finish(total: number): Outcome;
  /** Aggregates for the next baseline, for `change(…)`. */
  aggregates?(): Record<string, Numeric>;
}

/** The rows of a section. */
interface Taken {
  total: number;
  /** A `where` or `filter` leaves rows out. */
  chosen: boolean;
  /** The section says that there may be none. */
  allowEmpty: boolean;
}

/** The outcome of a test. A test that judged no row has not run, unless the section allows it or it wants none. */
export function outcomeOf(test: ListTest, { total, chosen, allowEmpty }: Taken): Outcome {
  const outcome = test.finish(total);
  const { rowless = 'no' } = test;
  const says = rowless === 'list' || rowless === 'none' || (rowless === 'number' && !chosen);
  if ((test.looked?.() ?? total) > 0 || allowEmpty || says || outcome.status !== 'pass') return outcome;
  if (total > 0) return lacking('rows', outcome.observed, outcome.threshold);
  return lacking('rows', chosen ? 'no row matches where' : 'no rows', outcome.threshold);
}

export type TestMaker = (call: Call, facts: ListFacts, names: readonly string[]) => ListTest;

/** The names of a list that is not known (offline): any column is taken. */
export const anyName: readonly string[] = Object.freeze(['*']);

/** A column of the list by its name in an expectation; usage with the nearest name when there is none. */
export function column(name: string | undefined, expectation: Call, names: readonly string[]): string {
  if (name === undefined) throw usage(`"${expectation.text}": ${expectation.head} needs a column`);
  if (names === anyName || names.includes(name)) return name;
  const near = nearest(name, [...names]);
  throw usage(
    `"${expectation.text}": the list has no column ${name}`,
    near ? `did you mean ${near}?` : `it has: ${names.join(', ')}`,
  );
}

/** The column as above, which must be of one of the types; `what` it is needed for. Offline every type is taken. */
export function columnOf(
  name: string | undefined,
  expectation: Call,
  facts: ListFacts,
  { names, types }: { names: readonly string[]; types: readonly ValueType[] },
): string {
  const slug = column(name, expectation, names);
  const type = typed(slug, facts, names)?.type;
  if (type === undefined || type === 'unknown' || types.includes(type)) return slug;
  const words = types.map((one) => typeNames[one === 'date' ? 'time' : one]);
  throw usage(
    `"${expectation.text}": ${slug} is ${typeNames[type === 'date' ? 'time' : type]}, and ${expectation.head} takes ${[...new Set(words)].join(' or ')}`,
  );
}

/** The column by its name; undefined offline. */
export function typed(name: string, facts: ListFacts, names: readonly string[]): Column<Entry> | undefined {
  return names === anyName ? undefined : entryScope(facts.attributes, () => facts.now).column(name);
}

/** `amount = 5, stage = Won`: the values that a condition looked at. */
export function describeValues(names: readonly string[], lookup: Lookup): string {
  return names.map((name) => `${name} = ${formatValue(lookup(name))}`).join(', ');
}

/** A value as findings show it. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return value.map(formatValue).join('; ');
  return typeof value === 'object' && !('text' in value) && !('label' in value) ? JSON.stringify(value) : String(value);
}

/** The key of a value: numbers compare by size, texts in either form of accents. */
export function keyOf(value: unknown): string {
  return Array.isArray(value)
    ? JSON.stringify(value.map(keyOf))
    : canonicalText(isNumeric(value) ? value : formatValue(value));
}

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** A stored value of the wrong type: what is said without it would look like an answer. */
export function unreadable({ id, title }: Entry, name: string, value: unknown, wrong: string): Failure {
  const says = `${name} of "${title ?? id}" is ${JSON.stringify(value)}, which ${wrong}`;
  return new Failure('rejected', says, { hint: 'the expectation valid() finds all such values' });
}
