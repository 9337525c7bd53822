/** Tests of a list: each sees every entry once, in one pass, and remembers only what it must. */
import { usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { nearestHint } from '../../core/nearest.ts';
import { canonicalText, isEmptyValue } from '../../core/same.ts';
import type { Attribute } from '../entries/options.ts';
import { type Entry, valueReader } from '../entries/scope.ts';
import { checkRule } from '../expression/check.ts';
import { holds } from '../expression/evaluate.ts';
import { UnknownOptions } from '../expression/literals.ts';
import { type Node, parse } from '../expression/parser.ts';
import { type Column, type Scope, typeNames, type ValueType } from '../expression/typed.ts';
import type { Call } from './expectation.ts';
import { Findings, lacking, type Outcome } from './model.ts';

export interface ListFacts {
  attributes: readonly Attribute[];
  now: Date;
  cap: number;
  /** The keys of the values of a column of another list, for `references`; read before the pass begins. */
  references(list: string, column: string): ReadonlySet<string>;
  /** The baseline's value of an aggregate such as `count` or `sum(value)`; undefined without one. */
  before(aggregate: string): Numeric | undefined;
}

/** The list of an expectation. Offline its columns have unknown types. */
export interface ListContext {
  facts: ListFacts;
  scope: Scope<Entry>;
  isOffline: boolean;
}

export interface ListTest {
  row?: ((entry: Entry) => void) | undefined;
  /** It looks at archived rows, whatever the section leaves out. */
  archived?: true;
  /** It needs no row: it is about the list, or about a number of rows, which may have to be none. */
  rowless?: 'list' | 'number' | 'none';
  /** The number of rows or values that it judges, where that is not every row. */
  looked?(): number;
  finish(total: number): Outcome;
  /** Aggregates for the next baseline, for `change(…)`. */
  aggregates?(): Record<string, Numeric>;
}

interface SectionRows {
  total: number;
  /** A `where` or `filter` leaves rows out. */
  isChosen: boolean;
  allowEmpty: boolean;
}

/** The outcome of a test. A test that judged no row has not run, unless the section allows it or it wants none. */
export function outcomeOf(test: ListTest, { total, isChosen, allowEmpty }: SectionRows): Outcome {
  const outcome = test.finish(total);
  const { rowless } = test;
  const needsNone = rowless === 'list' || rowless === 'none' || (rowless === 'number' && !isChosen);
  if ((test.looked?.() ?? total) > 0 || allowEmpty || needsNone || outcome.status !== 'pass') return outcome;
  if (total > 0) return lacking('rows', outcome.observed, outcome.threshold);
  return lacking('rows', isChosen ? 'no row matches where' : 'no rows', outcome.threshold);
}

/** The column of the name. @throws usage when the list has none, or one of another type */
export function columnOf(
  name: string,
  call: Call,
  { scope }: ListContext,
  types?: readonly ValueType[],
): Column<Entry> & { name: string } {
  const column = scope.column(name);
  if (!column) {
    const hint = nearestHint(name, scope.names, `it has: ${scope.names.join(', ')}`);
    throw usage(`"${call.text}": the list has no column ${name}`, hint);
  }
  if (types && column.type !== 'unknown' && !types.includes(column.type)) {
    const nameOf = (type: ValueType) => typeNames[type === 'date' ? 'time' : type];
    const words = [...new Set(types.map(nameOf))].join(' or ');
    throw usage(`"${call.text}": ${name} is ${nameOf(column.type)}, and ${call.name} takes ${words}`);
  }
  return { ...column, name };
}

/** A column of several, and the part of a condition that is about it. */
interface ColumnPart {
  name: string;
  condition: string;
}

/**
 * A condition that every row must meet; of `if … then …` every row that meets the first part. In a baseline a row fails by
 * itself, or by each of the `parts`.
 */
export function conditionTest(
  condition: Node | string,
  text: string,
  { facts, scope }: ListContext,
  parts: readonly ColumnPart[] = [],
): ListTest {
  const written = typeof condition === 'string' ? condition : text;
  const node = typeof condition === 'string' ? parse(condition, text) : condition;
  const source = { text: written, where: written === text ? 'expectation' : text };
  const { premise, rule } = checkRule(node, scope, source);
  const unknown = new UnknownOptions(scope, [...(premise?.unknownOptions ?? []), ...rule.unknownOptions]);
  const [when, then = written] = premise
    ? written
        .replace(/\s+/g, ' ')
        .replace(/^if /i, '')
        .split(/ then /i)
    : [];
  const readers = rule.names.map((name) => ({ name, read: valueReader(scope, name) }));
  const columns = parts.map((part) => {
    const checked = checkRule(parse(part.condition, text), scope, { text: part.condition, where: text });
    return { name: part.name, root: checked.rule.root };
  });
  const findings = new Findings(facts.cap);
  let count = 0;
  return {
    row(entry) {
      unknown.read(entry);
      if (premise && !holds(premise.root, entry)) return;
      count += 1;
      if (holds(rule.root, entry)) return;
      const values = readers.map(({ name, read }) => `${name} = ${formatValue(read(entry))}`);
      const wrong = columns.filter(({ root }) => !holds(root, entry)).map(({ name }) => `${entry.id} ${name}`);
      findings.add(entry.id, entry.title, values.join(', '), wrong.length > 0 ? wrong : undefined);
    },
    ...(premise && { looked: () => count }),
    finish() {
      const failure = unknown.failure();
      if (failure) throw failure;
      const rows = when === undefined ? 'rows hold' : `rows where ${when}`;
      return findings.outcome(`${count - findings.count} of ${count} ${rows}`, then);
    },
  };
}

export function formatValue(value: unknown): string {
  if (value === null || isEmptyValue(value)) return 'empty';
  if (typeof value === 'string' && value.trim() === '') return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(formatValue).join('; ');
  return typeof value === 'object' && !isNumeric(value) ? JSON.stringify(value) : String(value);
}

/** The key of a value: numbers compare by size, texts in either form of accents. */
export function keyOf(value: unknown): string {
  return Array.isArray(value)
    ? JSON.stringify(value.map(keyOf))
    : canonicalText(isNumeric(value) ? value : formatValue(value));
}

/** The values of a column in a row: several of a multi_select, none where it is empty. */
export function valuesOf(value: unknown): unknown[] {
  return [value].flat().filter((item) => !isEmptyValue(item));
}
