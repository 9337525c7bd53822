/** Types of the language: checked expressions, columns, scopes and functions. */

import type { Numeric } from '../../core/json.ts';
import { nearestHint } from '../../core/nearest.ts';
import type { Operator } from './parser.ts';
import type { Duration, Span } from './time.ts';

export type Type = 'number' | 'text' | 'boolean' | 'time' | 'option' | 'options' | 'duration' | 'unknown';

export type Order = '<' | '<=' | '>' | '>=';

/** A checked expression. `type` is the type of non-empty values; empty values are null. */
export type Typed<Row> = { at: number } & (
  | { kind: 'constant'; type: Type; value: Numeric | string | boolean | Span | Duration }
  | { kind: 'column'; type: Type; name: string; column: Column<Row> }
  | { kind: 'not'; type: 'boolean'; of: Typed<Row> }
  | { kind: 'and'; type: 'boolean'; parts: Typed<Row>[] }
  /** `among`: the parts as a set, if each compares one column with a constant. */
  | { kind: 'or'; type: 'boolean'; parts: Typed<Row>[]; among?: { of: Typed<Row>; values: ReadonlySet<unknown> } }
  /** The consequence must hold where the condition does. */
  | { kind: 'if'; type: 'boolean'; condition: Typed<Row>; consequence: Typed<Row> }
  | { kind: 'equal'; type: 'boolean'; left: Typed<Row>; right: Typed<Row> }
  | { kind: 'order'; type: 'boolean'; operator: Order; left: Typed<Row>; right: Typed<Row> }
  /** `left = center ± width`; `relative`: the width is a share of the centre. */
  | { kind: 'near'; type: 'boolean'; left: Typed<Row>; center: Typed<Row>; width: Typed<Row>; relative: boolean }
  /** A text contains a part, or a set contains an option. */
  | { kind: 'contains'; type: 'boolean'; of: Typed<Row>; argument: Typed<Row> }
  | { kind: 'matches'; type: 'boolean'; of: Typed<Row>; test(text: string): boolean }
  | { kind: 'within'; type: 'boolean'; of: Typed<Row>; span: Span }
  | { kind: 'empty'; type: 'boolean'; of: Typed<Row> }
  | { kind: 'negative'; type: 'number'; of: Typed<Row> }
  | { kind: 'arithmetic'; type: 'number'; operator: Operator; left: Typed<Row>; right: Typed<Row> }
  | { kind: 'shift'; type: 'time'; of: Typed<Row>; by: Duration; sign: 1 | -1 }
  /** The difference of two times; unknown for columns of unknown types, which may be numbers. */
  | { kind: 'elapsed'; type: 'duration' | 'unknown'; left: Typed<Row>; right: Typed<Row> }
  | { kind: 'call'; type: Type; name: FunctionName; args: Typed<Row>[] }
);

export type FunctionName = keyof typeof functions;

export const functions = {
  lower: { takes: ['text'], gives: 'text' },
  upper: { takes: ['text'], gives: 'text' },
  trim: { takes: ['text'], gives: 'text' },
  length: { takes: ['text|options'], gives: 'number' },
  abs: { takes: ['number'], gives: 'number' },
  /** Takes a number of digits, too. */
  round: { takes: ['number'], gives: 'number' },
  empty: { takes: ['any'], gives: 'boolean' },
  starts: { takes: ['text', 'text'], gives: 'boolean' },
  ends: { takes: ['text', 'text'], gives: 'boolean' },
} as const satisfies Record<string, { takes: readonly string[]; gives: Type }>;

export const typeNames: Readonly<Record<Type, string>> = {
  number: 'a number',
  text: 'text',
  boolean: 'true or false',
  time: 'a date',
  option: 'an option',
  options: 'options',
  duration: 'a duration',
  unknown: 'a value',
};

/** The node for `=`, or its negation for `!=`. */
export function orNot<Row>(operator: string, equal: Typed<Row>): Typed<Row> {
  return operator === '=' ? equal : { kind: 'not', type: 'boolean', at: equal.at, of: equal };
}

export function comparable(left: Type, right: Type): boolean {
  if (left === 'unknown' || right === 'unknown') return true;
  const words = ['text', 'option'];
  return left === right || (words.includes(left) && words.includes(right));
}

/**
 * Types of columns. A `date` is a calendar day, a `time` an instant, `options` a set of options. `unknown` is the
 * type of every column before a list is known: it is compatible with all others and is not evaluated.
 */
export type ValueType = 'number' | 'text' | 'boolean' | 'date' | 'time' | 'option' | 'options' | 'unknown';

export interface Option {
  id: string;
  label: string;
}

export interface Column<Row> {
  type: ValueType;
  /** The options in order; undefined if unknown. */
  options?: readonly Option[] | undefined;
  /** The value is an amount, whose currency may be unknown. */
  isAmount?: boolean;
  /** Amounts of two currencies are neither added nor compared. */
  currency?: string | undefined;
  /** Its own name, where another one finds it, too. */
  name?: string;
  /** The id that a name stands for. @throws for an unknown name */
  idOf?: ((text: string) => string) | undefined;
  /** The value as the API gives it: a number, text, boolean, option id or array of them; undefined and null are empty. */
  get(row: Row): unknown;
}

export interface Scope<Row> {
  column(name: string): Column<Row> | undefined;
  /** Every name, for suggestions. */
  names: readonly string[];
  /** The clock for `now`, `today` and the current month. */
  now: () => Date;
}

/** Synonyms in other languages. */
const synonyms: readonly (readonly string[])[] = [
  ['avg', 'average', 'mean'],
  ['min', 'minimum', 'least'],
  ['max', 'maximum', 'greatest'],
  ['sum', 'total'],
  ['length', 'len', 'size'],
  ['lower', 'lowercase', 'lcase'],
  ['upper', 'uppercase', 'ucase'],
  ['unique', 'distinct', 'no_duplicates'],
  ['required', 'not_null', 'notnull', 'present'],
  ['accepted', 'accepted_values', 'one_of', 'oneof', 'enum'],
  ['starts', 'startswith', 'starts_with'],
  ['ends', 'endswith', 'ends_with'],
  ['empty', 'isempty', 'isnull', 'is_empty', 'is_null', 'blank'],
  ['prev', 'previous', 'lag'],
  ['trim', 'strip'],
];

function sameFunction(name: string, known: Iterable<string>): string | undefined {
  const all = synonyms.find((group) => group.includes(name.toLowerCase())) ?? [];
  return [...known].find((name) => all.includes(name));
}

export function functionHint(name: string, known: readonly string[]): string {
  if (/^(?:year|quarter|month|week|day)$/i.test(name)) {
    return `a date is compared with a period, such as 2024-Q1; a group is COLUMN:${name.toLowerCase()}`;
  }
  const near = sameFunction(name, known);
  return near ? `did you mean ${near}?` : nearestHint(name, known, `functions are ${known.join(', ')}`);
}
