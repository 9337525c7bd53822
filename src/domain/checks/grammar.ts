/**
 * The words of an expectation: `head(argument, key=argument) by column >= 10%`, `column within 7d`,
 * `if CONDITION then CONDITION`. What a head means is defined with its subject.
 */
import { compare } from '../../core/decimal.ts';
import { usage } from '../../core/errors.ts';
import type { Numeric } from '../../core/json.ts';

export interface Argument {
  /** The name before `=`, when there is one. */
  key?: string;
  /** A bare word or a quoted text, without its quotes. */
  text: string;
  quoted: boolean;
}

export interface Tail {
  operator: '=' | '!=' | '<' | '<=' | '>' | '>=';
  /** As written: `10`, `10%`. */
  text: string;
  /** The number, a percentage as a fraction. */
  value: number;
  percent: boolean;
}

export type Expectation =
  | { kind: 'call'; head: string; args: Argument[]; by?: string; tail?: Tail; text: string }
  | { kind: 'within'; column: string; duration: Duration; text: string }
  | { kind: 'implies'; condition: string; consequence: string; text: string }
  /** Anything else: an expression over the subject's names. */
  | { kind: 'expression'; text: string };

export type Call = Expectation & { kind: 'call' };

export interface Duration {
  text: string;
  ms: number;
}

const unitMs: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads `12h`, `7d`, `2w`; undefined for anything else. */
export function parseDuration(text: string): Duration | undefined {
  const match = /^(\d+)\s*([hdw])$/.exec(text.trim());
  const ms = match && unitMs[match[2] ?? ''];
  return match && ms ? { text: text.trim(), ms: Number(match[1]) * ms } : undefined;
}

const operators = /^(<=|>=|!=|==|=|<|>)\s*(-?\d+(?:\.\d+)?)\s*(%?)\s*$/;

/** Reads what may follow a head: `>= 10%`; undefined when it is something else. */
export function parseTail(text: string): Tail | undefined {
  const match = operators.exec(text.trim());
  if (!match) return undefined;
  const [, operator = '=', number = '0', percent] = match;
  return {
    operator: (operator === '==' ? '=' : operator) as Tail['operator'],
    text: `${number}${percent}`,
    value: percent === '%' ? Number(number) / 100 : Number(number),
    percent: percent === '%',
  };
}

/** Whether a number meets a tail. */
export function meets(tail: Tail, value: number): boolean {
  switch (tail.operator) {
    case '=':
      return value === tail.value;
    case '!=':
      return value !== tail.value;
    case '<':
      return value < tail.value;
    case '<=':
      return value <= tail.value;
    case '>':
      return value > tail.value;
    case '>=':
      return value >= tail.value;
  }
}

/** Reads one expectation. Throws a usage failure that quotes it. Which heads exist is not known here. */
export function parseExpectation(text: string, heads: ReadonlySet<string>): Expectation {
  const source = text.trim();
  if (source === '') throw usage('an expectation must not be empty');
  const implies = /^if\s+(.+?)\s+then\s+(.+)$/s.exec(source);
  if (implies) {
    return { kind: 'implies', condition: implies[1] ?? '', consequence: implies[2] ?? '', text: source };
  }
  const within = /^([\w.-]+)\s+within\s+(\S+)$/.exec(source);
  if (within) {
    const duration = parseDuration(within[2] ?? '');
    if (!duration) throw usage(`"${source}": ${within[2]} is not a duration such as 12h, 7d or 2w`);
    return { kind: 'within', column: within[1] ?? '', duration, text: source };
  }
  const head = /^([a-z_]+)\s*(\(|by\b|[<>=!]|$)/.exec(source);
  if (!head || !heads.has(head[1] ?? '')) return { kind: 'expression', text: source };
  const name = head[1] ?? '';
  let rest = source.slice(name.length).trim();
  let args: Argument[] = [];
  if (rest.startsWith('(')) {
    const end = closing(rest);
    if (end === undefined) throw usage(`"${source}": the parenthesis after ${name} is not closed`);
    args = splitArguments(rest.slice(1, end));
    rest = rest.slice(end + 1).trim();
  }
  const by = /^by\s+([\w.-]+)\s*/.exec(rest);
  if (by) rest = rest.slice(by[0].length);
  const tail = rest === '' ? undefined : parseTail(rest);
  // `sum(value) > cost` compares with another value: an expression, not a call with a number after it.
  if (rest !== '' && !tail)
    throw usage(`"${source}": ${name}(…) must be followed by an operator and a number, got "${rest}"`);
  return { kind: 'call', head: name, args, by: by?.[1], tail, text: source };
}

/** The index of the parenthesis that closes the one at 0. */
function closing(text: string): number | undefined {
  let depth = 0;
  for (const { character, index, quoted } of unquoted(text)) {
    if (quoted) continue;
    if (character === '(' || character === '[') depth += 1;
    if (character === ')' || character === ']') depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

function splitArguments(text: string): Argument[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { character, index, quoted } of unquoted(text)) {
    if (quoted) continue;
    if (character === '(' || character === '[') depth += 1;
    if (character === ')' || character === ']') depth -= 1;
    if (character !== ',' || depth > 0) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).flatMap((part) => (part === '' ? [] : [argument(part)]));
}

function argument(part: string): Argument {
  const keyed = /^([a-z_]+)\s*=\s*(?!=)(.+)$/s.exec(part);
  const text = (keyed?.[2] ?? part).trim();
  const quotes = /^(["'])(.*)\1$/s.exec(text);
  // A pattern keeps its backslashes: only a quote and a backslash themselves are escaped.
  const plain = quotes ? (quotes[2] ?? '').replace(/\\(["'])/g, '$1') : text;
  return { key: keyed?.[1], text: plain, quoted: quotes !== null };
}

function* unquoted(text: string): Iterable<{ character: string; index: number; quoted: boolean }> {
  let quote = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote === '') {
      if (character === '"' || character === "'") quote = character;
      yield { character, index, quoted: quote !== '' };
      continue;
    }
    yield { character, index, quoted: true };
    if (character === '\\') index += 1;
    else if (character === quote) quote = '';
  }
}

/** @throws Failure usage for a head that takes neither a group nor a comparison */
export function refuseTail(call: Call): void {
  if (call.tail || call.by) throw usage(`"${call.text}": ${call.head}(…) takes nothing after it`);
}

export interface Bounds {
  min?: number;
  max?: number;
  /** `>= 1 and <= 10` */
  says: string;
}

/** Reads `min=` and `max=`, or the two arguments after the first ones. Percentages where `percent` allows them. */
export function bounds(call: Call, skip: number, percent = false): Bounds {
  const rest = call.args.slice(skip);
  const position = rest.filter(({ key }) => key === undefined);
  const strange = rest.find(({ key }) => key !== undefined && key !== 'min' && key !== 'max');
  if (strange) throw usage(`"${call.text}": ${call.head} takes min= and max=, but not ${strange.key}=`);
  const read = (argument: Argument | undefined): number | undefined => {
    if (!argument) return undefined;
    const { text } = argument;
    const value = percent ? parseTail(`= ${text}`)?.value : Number(text || Number.NaN);
    if (value !== undefined && Number.isFinite(value)) return value;
    throw usage(`"${call.text}": ${text} is not a number${percent ? ' or a percentage' : ''}`);
  };
  const min = read(rest.find(({ key }) => key === 'min') ?? position[0]);
  const max = read(rest.find(({ key }) => key === 'max') ?? position[1]);
  if (min === undefined && max === undefined) {
    throw usage(`"${call.text}": ${call.head} needs a minimum or a maximum, such as max=10`);
  }
  if (min !== undefined && max !== undefined && min > max) throw usage(`"${call.text}": ${min} is above ${max}`);
  const parts = [min === undefined ? '' : `>= ${min}`, max === undefined ? '' : `<= ${max}`];
  return { min, max, says: parts.filter(Boolean).join(' and ') };
}

export function isOutside(value: Numeric, { min, max }: Bounds): boolean {
  return (min !== undefined && compare(value, min) < 0) || (max !== undefined && compare(value, max) > 0);
}
