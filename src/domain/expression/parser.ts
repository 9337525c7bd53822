/**
 * Lexer and parser of expressions. The language is described in docs/query.md.
 *
 * Loosest first: `if … then …` · `or` · `and` · `not` · comparisons (`= != < <= > >= ± in between contains has matches
 * like within`, `is empty`) · `+ -` · `* /` · unary `-`. What SQL and C write otherwise (`==`, `<>`, `&&`, `||`, `!`,
 * `is null`, `like`) means the same.
 */

import { type Failure, shorten, usage } from '../../core/errors.ts';
import { isInRange, NumberRangeError } from '../../core/json.ts';
import { maxExpressionLevels, maxExpressionTokens } from '../../core/limits.ts';

const comparisons: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};
const tests = ['contains', 'has', 'matches', 'like', 'ilike', 'within'] as const;
/** Words that are not columns unless they are in backticks. */
export const keywords: ReadonlySet<string> = new Set([
  ...'and or not in between is if then by true false null'.split(' '),
  ...tests,
]);

/** Clauses of SQL that a condition does not have. */
const clauses: ReadonlySet<string> = new Set(['order', 'sort', 'group', 'limit']);

/** @throws Failure usage, with the column at which it went wrong */
export function parse(text: string, where: string): Node {
  return new Parser({ text, where }).whole();
}

class Parser {
  private readonly all: Token[];
  private index = 0;
  private levels = 0;

  constructor(private readonly source: Source) {
    this.all = tokens(source);
  }

  whole(): Node {
    if (this.all.length === 1) throw problem(this.source, 0, 'the expression is empty');
    const node = this.implication();
    if (this.index < this.all.length - 1) throw this.unexpected('an operator');
    return node;
  }

  private implication(): Node {
    return this.nested(() => {
      const { at } = this.token;
      if (!this.takeWord('if')) return this.or();
      const condition = this.or();
      if (!this.takeWord('then')) throw this.unexpected('`then`');
      return { kind: 'if', at, condition, consequence: this.or() };
    });
  }

  /** Reads a nested part. @throws usage for too many levels, because later steps are recursive */
  private nested(read: () => Node): Node {
    this.refuseLevels(this.levels + 1);
    this.levels += 1;
    const node = read();
    this.levels -= 1;
    return node;
  }

  private refuseLevels(levels: number): void {
    if (levels <= maxExpressionLevels) return;
    const says = `the expression has more than ${maxExpressionLevels} levels`;
    throw problem(this.source, this.token.at, says, 'join conditions with `and` or `or`, which add none');
  }

  private or(): Node {
    return this.joined('or', '||', () => this.and());
  }

  private and(): Node {
    return this.joined('and', '&&', () => this.not());
  }

  private joined(kind: 'and' | 'or', sign: string, part: () => Node): Node {
    const { at } = this.token;
    const parts = [part()];
    while (this.takeWord(kind) || this.takeSign(sign)) parts.push(part());
    const [only] = parts;
    return only && parts.length === 1 ? only : { kind, at, parts };
  }

  private not(): Node {
    const { at } = this.token;
    if (this.takeWord('not') || this.takeSign('!')) return { kind: 'not', at, of: this.nested(() => this.not()) };
    return this.comparison();
  }

  private comparison(): Node {
    const left = this.sum();
    const { at } = this.token;
    const sign = this.token.kind === 'operator' ? comparisons[this.token.text] : undefined;
    if (sign) {
      this.index += 1;
      const compared: Node = { kind: 'compare', at, operator: sign, left, right: this.tolerance() };
      if (this.token.kind === 'operator' && comparisons[this.token.text]) {
        throw problem(this.source, this.token.at, 'a comparison cannot be compared again', 'join two with `and`');
      }
      return compared;
    }
    if (this.takeWord('is')) return this.emptiness(left, at);
    const negated = this.isWord('not') && this.takeWord('not');
    const test = this.test(left, at);
    if (!negated) return test ?? left;
    if (!test) throw this.unexpected('`in`, `between`, `contains`, `has`, `matches` or `like`');
    return { kind: 'not', at, of: test };
  }

  private emptiness(of: Node, at: number): Node {
    const negated = this.takeWord('not');
    if (!this.takeWord('empty') && !this.takeWord('null')) throw this.unexpected('`empty` or `not empty`');
    return negated ? { kind: 'not', at, of: { kind: 'empty', at, of } } : { kind: 'empty', at, of };
  }

  private test(of: Node, at: number): Node | undefined {
    if (this.takeWord('in')) return { kind: 'in', at, of, items: this.list(of) };
    if (this.takeWord('between')) {
      const from = this.sum();
      if (!this.takeWord('and')) throw this.unexpected('`and` between the two bounds');
      return { kind: 'between', at, of, from, to: this.sum() };
    }
    const word = tests.find((test) => this.isWord(test));
    if (!word) {
      if (this.isSign('~'))
        throw this.unexpected('an operator', 'write `contains`, or `matches` for a regular expression');
      return undefined;
    }
    this.index += 1;
    return { kind: word === 'ilike' ? 'like' : word, at, of, argument: this.sum() };
  }

  /** `(a, b)`; older versions wrote `[a, b]`. */
  private list(item?: Node): Node {
    const { at, kind, text } = this.token;
    const close = this.takeSign('(') ? ')' : this.takeSign('[') ? ']' : undefined;
    if (!close) {
      const value = item?.kind === 'text' ? JSON.stringify(item.text) : item?.kind === 'name' ? item.name : undefined;
      const isColumn = kind === 'name' && value !== undefined;
      const isDay = (kind === 'number' || kind === 'date') && value !== undefined;
      const hint = isColumn ? `write ${text} has ${value}` : isDay ? `write ${value} = ${text}` : undefined;
      throw this.unexpected('a list such as (a, b)', hint);
    }
    return this.nested(() => ({ kind: 'list', at, items: this.until(close, () => this.sum()) }));
  }

  private until(close: string, item: () => Node): Node[] {
    const items: Node[] = [];
    if (this.takeSign(close)) return items;
    do items.push(item());
    while (this.takeSign(','));
    if (!this.takeSign(close)) throw this.unexpected(`"${close}"`);
    return items;
  }

  private tolerance(): Node {
    const center = this.sum();
    const { at } = this.token;
    if (!this.takeSign('±') && !this.takeSign('+-')) return center;
    return { kind: 'near', at, center, width: this.sum() };
  }

  private sum(): Node {
    return this.arithmetic(['+', '-'], () => this.product());
  }

  private product(): Node {
    return this.arithmetic(['*', '/'], () => this.unary());
  }

  private arithmetic(signs: readonly Operator[], operand: () => Node): Node {
    let left = operand();
    for (let operations = 1; ; operations += 1) {
      const { at } = this.token;
      const operator = signs.find((sign) => this.isSign(sign));
      if (!operator) return left;
      // The first operation is the innermost.
      this.refuseLevels(this.levels + operations);
      this.index += 1;
      left = { kind: 'arithmetic', at, operator, left, right: operand() };
    }
  }

  private unary(): Node {
    const { at } = this.token;
    if (this.takeSign('-')) return { kind: 'negative', at, of: this.nested(() => this.unary()) };
    return this.primary();
  }

  private primary(): Node {
    const { token } = this;
    const { at } = token;
    if (this.takeSign('(')) {
      const inner = this.implication();
      if (!this.takeSign(')')) throw this.unexpected('")"');
      return inner;
    }
    if (this.isSign('[')) return this.list();
    if (token.kind === 'end' || token.kind === 'operator') throw this.unexpected('a value');
    this.index += 1;
    if (token.kind !== 'name') return { kind: token.kind, at, text: token.text };
    const word = token.text.toLowerCase();
    if (token.quoted) return { kind: 'name', at, name: token.text, quoted: true };
    if (word === 'true' || word === 'false') return { kind: 'constant', at, value: word === 'true' };
    if (word === 'null') return { kind: 'constant', at, value: null };
    if (keywords.has(word)) {
      this.index -= 1;
      throw this.unexpected('a value', `a column of this name is written \`${token.text}\``);
    }
    if (this.isSign('(')) return this.call(token.text, at);
    const node: Node = { kind: 'name', at, name: token.text, quoted: false };
    return this.isWord('by') ? { kind: 'call', at, name: token.text, args: [], ...this.group() } : node;
  }

  private call(name: string, at: number): Node {
    this.takeSign('(');
    const args = this.until(')', () => this.implication());
    return { kind: 'call', at, name, args, ...this.group() };
  }

  /** `by COLUMN` after a call: its result for each value of the column. */
  private group(): { by?: string } {
    if (!this.takeWord('by')) return {};
    const { token } = this;
    if (token.kind !== 'name') throw this.unexpected('a column');
    this.index += 1;
    return { by: token.text };
  }

  private get token(): Token {
    const token = this.all[this.index] ?? this.all.at(-1);
    if (!token) throw new RangeError('an expression has at least its end');
    return token;
  }

  private isWord(word: string): boolean {
    const { token } = this;
    return token.kind === 'name' && !token.quoted && token.text.toLowerCase() === word;
  }

  private takeWord(word: string): boolean {
    const is = this.isWord(word);
    if (is) this.index += 1;
    return is;
  }

  private isSign(sign: string): boolean {
    return this.token.kind === 'operator' && this.token.text === sign;
  }

  private takeSign(sign: string): boolean {
    const is = this.isSign(sign);
    if (is) this.index += 1;
    return is;
  }

  private unexpected(expected: string, known?: string): Failure {
    let hint = known;
    const { kind, text, at } = this.token;
    if (kind === 'end') return problem(this.source, at, `${expected} is missing`, hint);
    const before = this.all[this.index - 1];
    // `stage = Term sheet`: two words without quotes.
    const isAfterValue = kind === 'name' && expected === 'an operator';
    const token = kind === 'text' ? JSON.stringify(text) : `"${text}"`;
    const says = `${expected} is expected before ${token}`;
    const clause = text.toLowerCase();
    if (isAfterValue && clauses.has(clause))
      return problem(this.source, at, says).with({ code: `${clause}_in_condition` });
    const words = isAfterValue && before?.kind === 'name' && `${before.text} ${text}`;
    const [test] = /^(?:start|begin|end)s/.exec(clause) ?? [];
    if (words && test) hint ??= `write ${test === 'ends' ? 'ends' : 'starts'}(${before.text}, "TEXT")`;
    if (isAfterValue && before?.kind === 'number' && /^(?:hour|day|week|month|year)s?$/.test(clause)) {
      const isAgo = this.all[this.index + 1]?.text.toLowerCase() === 'ago';
      const duration = `${before.text}${clause.slice(0, clause.startsWith('mo') ? 2 : 1)}`;
      hint ??= `write ${isAgo ? `today - ${duration}` : duration}`;
    }
    const quotes = words && `put a text in quotes, "${words}", and the name of a column in backticks, \`${words}\``;
    const comma = text === ',' && before?.kind === 'number' ? numberHint(this.source.text.slice(before.at)) : undefined;
    return problem(this.source, at, says, hint ?? comma ?? (quotes || undefined));
  }
}

type Token =
  | { kind: 'number' | 'date' | 'duration' | 'text' | 'operator' | 'end'; text: string; at: number }
  /** A column, an option, a function or a keyword. In backticks it is a column only. */
  | { kind: 'name'; text: string; at: number; quoted: boolean };

/** The text of an expression and its origin for messages: a flag, or a field of a file. */
export interface Source {
  text: string;
  where: string;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/iy;
/** With a blank as tables show it. */
const instant = /\d{4}-\d{2}-\d{2}(?:T| (?=\d{2}:))[\d:.,]+(?:Z|[+-]\d{2}(?::?\d{2})?)?(?![\w])/iy;
/** Includes invalid dates, for a better message. */
const date = /\d{4}(?:-?[qQ]\d+|-[wW]\d{2}(?:-\d)?|-\d{1,2}(?:-\d{1,2})?)(?![\w-])/y;
const duration = /\d+(?:h|d|w|mo?|y)(?![\w-])/y;
const number = /(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d+)(?:[eE][+-]?\d+)?(?:[kKMB]|%)?(?!\w|\.\d)/y;
/** A hyphen between letters or digits belongs to the name; a dot joins names. */
const name = /[\p{L}_][\p{L}\p{M}\p{N}_]*(?:[-.][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*/uy;
const backticks = /`([^`]+)`/y;
const operator = /==|!=|<>|<=|>=|&&|\|\||\+-|[=<>±+\-*/()[\],!~]/y;
const blanks = /\s*/y;

export function isNumber(text: string): boolean {
  number.lastIndex = 0;
  return number.exec(text)?.[0].length === text.length && text !== '';
}

/** @throws Failure usage at the first character that no word begins with */
function tokens({ text, where }: Source): Token[] {
  const words: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (;;) {
    at += take(blanks)?.[0].length ?? 0;
    if (at >= text.length) return [...words, { kind: 'end', text: '', at }];
    const token = next(text, at, take);
    if (!token) throw unexpectedToken({ text, where }, at);
    if (token.token.kind === 'number' && !isInRange(token.token.text)) {
      throw problem({ text, where }, at, new NumberRangeError(token.token.text).message);
    }
    if (words.length >= maxExpressionTokens) {
      throw problem({ text, where }, at, `the expression has more than ${maxExpressionTokens} tokens`);
    }
    words.push(token.token);
    at += token.length;
  }
}

function next(text: string, at: number, take: (pattern: RegExp) => RegExpExecArray | null) {
  const of = (kind: 'number' | 'date' | 'duration' | 'operator', pattern: RegExp) => {
    const match = take(pattern);
    return match && { token: { kind, text: match[0], at }, length: match[0].length };
  };
  const first = text[at];
  if (first === '"' || first === "'") return parseQuoted(text, at, first);
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

/** A quoted text, in which a backslash escapes the quote and the backslash. */
function parseQuoted(text: string, at: number, quote: string) {
  let value = '';
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === quote) return { token: { kind: 'text' as const, text: value, at }, length: index + 1 - at };
    const following = text[index + 1];
    // Other backslashes stay, so that regular expressions need no doubling.
    if (character === '\\' && (following === quote || following === '\\')) {
      value += following;
      index += 1;
    } else value += character;
  }
  return undefined;
}

function unexpectedToken(source: Source, at: number): Error {
  const rest = source.text.slice(at);
  if (/^["']/.test(rest)) return problem(source, at, 'the quote is not closed');
  const word = /^\S+/.exec(rest)?.[0] ?? rest;
  if (/^\d/.test(word)) {
    return problem(
      source,
      at,
      `"${word}" is not a number, date or duration`,
      numberHint(word) ?? 'put a text in quotes',
    );
  }
  const isRange = word.startsWith('..');
  const isAmount = /^\p{Sc}\d/u.test(word);
  const hint = isRange
    ? 'write a range as `between 1 and 10`'
    : isAmount
      ? 'an amount is written without its currency'
      : undefined;
  return problem(source, at, `unexpected "${String.fromCodePoint(word.codePointAt(0) ?? 0)}"`, hint);
}

/** The hint for a number in another notation. */
function numberHint(word: string): string | undefined {
  const plain = plainNumber(word);
  return plain === undefined ? undefined : `did you mean ${plain}?`;
}

const scaleLetters: Readonly<Record<string, string>> = { k: 'k', t: 'k', m: 'M', b: 'B' };

/** `1.8M` for `1,8 Mio.`, `2B` for `2bn`, `1800000` for `1.800.000`; undefined where a mark has two readings. */
export function plainNumber(text: string): string | undefined {
  const form = /^[^\w+-]*([+-]?)(\d[\d_.,]*?)\s*(k|tsd|m|mm|mn|mio|mil|b|bn|bil|mrd)?[^\w%]*$/i;
  const [, sign = '', written = '', unit = ''] = form.exec(text.trim()) ?? [];
  const digits = written.replaceAll('_', '');
  const [, mark] = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/.exec(digits) ?? [];
  const isOpen = /^\d+,\d{3}$/.test(digits) && unit === '';
  const isGrouped = mark !== undefined && digits.match(/[.,]/g)?.length !== 1;
  const plain = (isGrouped ? digits.replaceAll(mark, '') : digits).replace(',', '.');
  if (isOpen || !/^\d+(?:\.\d+)?$/.test(plain)) return undefined;
  const letter = unit.toLowerCase() === 'mrd' ? 'B' : (scaleLetters[unit.charAt(0).toLowerCase()] ?? '');
  return `${sign}${plain}${letter}`;
}

export function problem({ text, where }: Source, at: number, says: string, hint?: string): Failure {
  return usage(`${where}: ${says} at column ${at + 1} of ${JSON.stringify(shorten(text, 200))}`, hint);
}

export type Operator = '+' | '-' | '*' | '/';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** Whether a comparison holds for values in an order, which is negative where the left one is less. */
export const orders: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** The syntax tree, before names are resolved. `at` is the offset in the text. */
export type Node = { at: number } & (
  | { kind: 'number' | 'date' | 'duration' | 'text'; text: string }
  | { kind: 'constant'; value: true | false | null }
  | { kind: 'name'; name: string; quoted: boolean }
  | { kind: 'call'; name: string; args: Node[]; by?: string }
  | { kind: 'list'; items: Node[] }
  | { kind: 'not'; of: Node }
  | { kind: 'negative'; of: Node }
  | { kind: 'and' | 'or'; parts: Node[] }
  | { kind: 'if'; condition: Node; consequence: Node }
  | { kind: 'compare'; operator: Comparison; left: Node; right: Node }
  | { kind: 'near'; center: Node; width: Node }
  | { kind: 'in'; of: Node; items: Node }
  | { kind: 'between'; of: Node; from: Node; to: Node }
  | { kind: 'contains' | 'has'; of: Node; argument: Node }
  | { kind: 'matches' | 'like'; of: Node; argument: Node }
  | { kind: 'within'; of: Node; argument: Node }
  | { kind: 'empty'; of: Node }
  | { kind: 'arithmetic'; operator: Operator; left: Node; right: Node }
);
