/** A checked expression: every name is resolved, every literal is read by the type of what it is compared with. */
import type { Numeric } from '../../core/json.ts';
import type { Column } from './scope.ts';
import type { Duration, Span } from './time.ts';

export type Type = 'number' | 'text' | 'boolean' | 'time' | 'option' | 'options' | 'duration' | 'unknown';

export type Order = '<' | '<=' | '>' | '>=';

/** `type` is what a value is when it is not empty; empty values are null. */
export type Typed<Row> = { at: number } & (
  | { kind: 'constant'; type: Type; value: Numeric | string | boolean | Span | Duration }
  | { kind: 'column'; type: Type; name: string; column: Column<Row> }
  | { kind: 'not'; type: 'boolean'; of: Typed<Row> }
  | { kind: 'and' | 'or'; type: 'boolean'; parts: Typed<Row>[] }
  /** The consequence holds wherever the condition does. */
  | { kind: 'if'; type: 'boolean'; condition: Typed<Row>; consequence: Typed<Row> }
  | { kind: 'equal'; type: 'boolean'; left: Typed<Row>; right: Typed<Row> }
  | { kind: 'order'; type: 'boolean'; operator: Order; left: Typed<Row>; right: Typed<Row> }
  /** `left = center ± width`; `relative`: the width is a share of the centre. */
  | { kind: 'near'; type: 'boolean'; left: Typed<Row>; center: Typed<Row>; width: Typed<Row>; relative: boolean }
  /** Any of the options of the set, or the set's option. */
  | { kind: 'contains'; type: 'boolean'; of: Typed<Row>; what: Typed<Row> }
  | { kind: 'matches'; type: 'boolean'; of: Typed<Row>; test(text: string): boolean }
  | { kind: 'within'; type: 'boolean'; of: Typed<Row>; span: Span }
  | { kind: 'empty'; type: 'boolean'; of: Typed<Row> }
  | { kind: 'negative'; type: 'number'; of: Typed<Row> }
  | { kind: 'arithmetic'; type: 'number'; operator: '+' | '-' | '*' | '/'; left: Typed<Row>; right: Typed<Row> }
  /** A time so much later or earlier. */
  | { kind: 'shift'; type: 'time'; of: Typed<Row>; by: Duration; sign: 1 | -1 }
  /** The length of time between two times; unknown between columns of unknown types, which may be numbers. */
  | { kind: 'elapsed'; type: 'duration' | 'unknown'; left: Typed<Row>; right: Typed<Row> }
  | { kind: 'call'; type: Type; name: FunctionName; args: Typed<Row>[] }
);

export type FunctionName = keyof typeof functions;

/** The functions of the language: what they take, and what they give. */
export const functions = {
  lower: { takes: ['text'], gives: 'text' },
  upper: { takes: ['text'], gives: 'text' },
  trim: { takes: ['text'], gives: 'text' },
  length: { takes: ['text|options'], gives: 'number' },
  abs: { takes: ['number'], gives: 'number' },
  round: { takes: ['number'], gives: 'number' },
  empty: { takes: ['any'], gives: 'boolean' },
  starts: { takes: ['text', 'text'], gives: 'boolean' },
  ends: { takes: ['text', 'text'], gives: 'boolean' },
} as const satisfies Record<string, { takes: readonly string[]; gives: Type }>;

/** How messages call a type. */
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

/** What `=` says, or its opposite. */
export function orNot<Row>(operator: string, equal: Typed<Row>): Typed<Row> {
  return operator === '=' ? equal : { kind: 'not', type: 'boolean', at: equal.at, of: equal };
}

/** Whether values of the two types may be compared. */
export function comparable(left: Type, right: Type): boolean {
  if (left === 'unknown' || right === 'unknown') return true;
  const words = ['text', 'option'];
  return left === right || (words.includes(left) && words.includes(right));
}
