/** The words of an expression, each with its place in the text. */
import { type Failure, shortened, usage } from '../../core/errors.ts';
import { isInRange, NumberRangeError } from '../../core/json.ts';
import { mostExpressionTokens } from '../../core/limits.ts';

export type Token =
  | { kind: 'number'; text: string; at: number }
  | { kind: 'date'; text: string; at: number }
  | { kind: 'duration'; text: string; at: number }
  | { kind: 'text'; text: string; at: number }
  /** A column, an option, a function or a keyword. In backticks it is a column only. */
  | { kind: 'name'; text: string; at: number; quoted: boolean }
  | { kind: 'operator'; text: string; at: number }
  | { kind: 'end'; text: ''; at: number };

/** Where an expression comes from, for messages: `--where`. */
export interface Source {
  text: string;
  where: string;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/iy;
const instant = /\d{4}-\d{2}-\d{2}T[\d:.,]+(?:Z|[+-]\d{2}(?::?\d{2})?)?(?![\w])/iy;
/** Also what looks like a date and is not one, so that the message can say so. */
const date = /\d{4}-(?:[qQ]\d+|\d{1,2}(?:-\d{1,2})?)(?![\w-])/y;
const duration = /\d+(?:h|d|w|mo|y)(?![\w-])/y;
const number = /(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d+)(?:[eE][+-]?\d+)?(?:[kKMB]|%)?(?!\w|\.\d)/y;
/** A hyphen between letters or digits belongs to the name; a dot joins names. */
const name = /[\p{L}_][\p{L}\p{M}\p{N}_]*(?:[-.][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*/uy;
const backticks = /`([^`]+)`/y;
const operator = /==|!=|<>|<=|>=|&&|\|\||\+-|[=<>±+\-*/()[\],!~]/y;
const blanks = /\s*/y;

/** Whether the text is one number, without a sign. */
export function isNumber(text: string): boolean {
  number.lastIndex = 0;
  return number.exec(text)?.[0].length === text.length && text !== '';
}

/** @throws Failure usage at the first character that no word begins with */
export function tokens({ text, where }: Source): Token[] {
  const found: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (;;) {
    at += take(blanks)?.[0].length ?? 0;
    if (at >= text.length) return [...found, { kind: 'end', text: '', at }];
    const token = next(text, at, take);
    if (!token) throw unexpected({ text, where }, at);
    if (token.token.kind === 'number' && !isInRange(token.token.text)) {
      throw problem({ text, where }, at, new NumberRangeError(token.token.text).message);
    }
    if (found.length >= mostExpressionTokens) {
      throw problem({ text, where }, at, `the expression has more than ${mostExpressionTokens} words and signs`);
    }
    found.push(token.token);
    at += token.length;
  }
}

function next(text: string, at: number, take: (pattern: RegExp) => RegExpExecArray | null) {
  const of = (kind: 'number' | 'date' | 'duration' | 'operator', pattern: RegExp) => {
    const match = take(pattern);
    return match && { token: { kind, text: match[0], at }, length: match[0].length };
  };
  const first = text[at];
  if (first === '"' || first === "'") return quoted(text, at, first);
  const column = take(backticks);
  if (column) {
    const [whole, inner = ''] = column;
    return { token: { kind: 'name' as const, text: inner, at, quoted: true }, length: whole.length };
  }
  const id = take(uuid);
  if (id) return { token: { kind: 'text' as const, text: id[0], at }, length: id[0].length };
  const literal = of('date', instant) ?? of('date', date) ?? of('duration', duration) ?? of('number', number);
  if (literal) return literal;
  const word = take(name);
  if (word) return { token: { kind: 'name' as const, text: word[0], at, quoted: false }, length: word[0].length };
  return of('operator', operator);
}

/** A text in quotes; the quote and the backslash are written behind a backslash. */
function quoted(text: string, at: number, quote: string) {
  let value = '';
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === quote) return { token: { kind: 'text' as const, text: value, at }, length: index + 1 - at };
    const following = text[index + 1];
    // Any other backslash stays, so that a regular expression needs no second one.
    if (character === '\\' && (following === quote || following === '\\')) {
      value += following;
      index += 1;
    } else value += character;
  }
  return undefined;
}

function unexpected(source: Source, at: number): Error {
  const rest = source.text.slice(at);
  if (/^["']/.test(rest)) return problem(source, at, 'the quote is not closed');
  const word = /^\S+/.exec(rest)?.[0] ?? rest;
  if (/^\d/.test(word)) {
    return problem(
      source,
      at,
      `"${word}" is not a number, date or duration`,
      hintOfUnit(word) ?? 'put a text in quotes',
    );
  }
  const hint = /^\p{Sc}\d/u.test(word) ? 'an amount is written without its currency' : undefined;
  return problem(source, at, `unexpected "${String.fromCodePoint(word.codePointAt(0) ?? 0)}"`, hint);
}

/** Units as others write them: `10m` is millions or months, `2bn` and `3mio` are numbers. */
function hintOfUnit(word: string): string | undefined {
  const [, number = '', unit = ''] = /^([\d_.]+)(m|mm|mn|mio|mil|bn|bil)\W*$/i.exec(word) ?? [];
  if (number === '') return undefined;
  if (unit === 'm' && /^\d+$/.test(number)) return `did you mean ${number}M (millions) or ${number}mo (months)?`;
  return `did you mean ${number}${/^b/i.test(unit) ? 'B' : 'M'}?`;
}

/** The failure for a place in an expression. */
export function problem({ text, where }: Source, at: number, says: string, hint?: string): Failure {
  return usage(`${where}: ${says} at column ${at + 1} of ${JSON.stringify(shortened(text, 200))}`, hint);
}
