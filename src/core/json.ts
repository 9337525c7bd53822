/** JSON text with exact numbers: a literal that a double would print otherwise (`1.10`) is an ExactNumber. */
import { Failure, JsonSyntaxError, shorten } from './errors.ts';
import { scanJson } from './json-scanner.ts';
import { maxLevels } from './limits.ts';

/** The largest exponent of a number, up or down: every double has a smaller one, and digits are written out with few zeros. */
const maxExponent = 400;

/** A literal such as 1e999999999, which takes a few bytes as text and gigabytes as digits. */
export class NumberRangeError extends Failure {
  constructor(text: string) {
    super(
      'usage',
      `the number ${shorten(text)} is out of range: an exponent is from -${maxExponent} to ${maxExponent}`,
    );
  }
}

export function isInRange(literal: string): boolean {
  const [, exponent = '0'] = /[eE]([+-]?\d+)/.exec(literal) ?? [];
  return Math.abs(Number(exponent)) <= maxExponent;
}

/** A number that a double would print with other digits. */
export class ExactNumber {
  constructor(readonly text: string) {
    if (!isInRange(text)) throw new NumberRangeError(text);
  }

  /** The nearest double, for comparing and for drawing. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** Plain `JSON.stringify` gets the nearest double; only `stringifyJson` prints the literal. */
  toJSON(): number {
    return Number(this.text);
  }
}

export type Numeric = number | ExactNumber;

export function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** The number of a JSON literal: a plain number when a double prints the literal back, else an ExactNumber. */
export function numeric(literal: string): Numeric {
  const value = Number(literal);
  return String(value) === literal ? value : new ExactNumber(literal);
}

/** Whether the number has no fraction: true for 3, `3.0` and `1.5e3`, of any size. */
export function isInteger(value: Numeric): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  const { whole, fraction, exponent } = parts(value.text);
  const digits = withoutTrailing(whole + fraction, '0');
  return /^0*$/.test(digits) || digits.length <= whole.length + exponent;
}

/** Below this, a double counts hundredths without rounding. */
const maxInHundredths = 2 ** 31;

/** `String(value)`. Most amounts have two digits after the point, and V8 prints integers five times as fast. */
function numberText(value: number): string {
  const size = Math.abs(value);
  const whole = Math.trunc(size);
  const hundredths = Math.round((size - whole) * 100);
  // A double of so few digits is exact: dividing gives it back.
  if (hundredths === 0 || size >= maxInHundredths || (whole * 100 + hundredths) / 100 !== size) return String(value);
  const fraction = hundredths % 10 === 0 ? hundredths / 10 : hundredths < 10 ? `0${hundredths}` : hundredths;
  return `${value < 0 ? '-' : ''}${whole}.${fraction}`;
}

/** The number in decimal digits without an exponent, no digit lost: 1e21 is `1000000000000000000000`. */
export function plainDecimal(value: Numeric): string {
  const text = typeof value === 'number' ? numberText(value) : value.text;
  if (!/[eE]/.test(text)) return text;
  const { sign, whole, fraction, exponent } = parts(text);
  if (/^0*$/.test(whole + fraction)) return `${sign}0`;
  const [digits, point] = [whole + fraction, whole.length + exponent];
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const before = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '');
  return sign + before + (point < digits.length ? `.${digits.slice(point)}` : '');
}

/**
 * The value of a JSON text, numbers exact. Refuses what `JSON.parse` refuses, with a JsonSyntaxError.
 * @throws NumberRangeError for a number out of range
 * @param isPlain whether `JSON.parse` keeps every number and the text is not too deep, where that is known
 */
export function parseJson(text: string, isPlain = isPlainJson(Buffer.from(text))): unknown {
  if (isPlain) {
    try {
      return JSON.parse(text);
    } catch {
      // The scanner reports line and column.
    }
  }
  return scan(text);
}

function isPlainJson(bytes: Uint8Array): boolean {
  const { isExact, isTooDeep } = scanJson(bytes);
  return isExact && !isTooDeep;
}

/** The text of `JSON.stringify` with the literals of ExactNumbers; a value without a JSON form is `null`. */
export function stringifyJson(value: unknown, indent = 0): string {
  if (!holdsExactNumber(value)) return JSON.stringify(value, undefined, indent) ?? 'null';
  const separator = indent > 0 ? ': ' : ':';
  const printed = (item: unknown, line: string): string | undefined => {
    if (item instanceof ExactNumber) return item.text;
    if (typeof item !== 'object' || item === null || 'toJSON' in item) return JSON.stringify(item);
    const inner = indent > 0 ? line + ' '.repeat(indent) : line;
    let text = '';
    if (Array.isArray(item)) {
      for (const element of item) text += `${text === '' ? '' : ','}${inner}${printed(element, inner) ?? 'null'}`;
      return text === '' ? '[]' : `[${text}${line}]`;
    }
    for (const [key, content] of Object.entries(item)) {
      const field = printed(content, inner);
      if (field !== undefined) text += `${text === '' ? '' : ','}${inner}${JSON.stringify(key)}${separator}${field}`;
    }
    return text === '' ? '{}' : `{${text}${line}}`;
  };
  return printed(value, indent > 0 ? '\n' : '') ?? 'null';
}

/** Whether `JSON.stringify` prints other digits. */
export function holdsExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof ExactNumber || Object.values(value).some(holdsExactNumber);
}

function parts(text: string): { sign: string; whole: string; fraction: string; exponent: number } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const [, sign = '', whole = text, fraction = '', exponent = '0'] = match;
  return { sign, whole, fraction, exponent: Number(exponent) };
}

const scalarAt = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapeAt = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Characters of a slice that V8 copies, and two quotes. */
const maxCopyLength = 14;

type Frame = { list: true; array: unknown[] } | { list: false; object: Record<string, unknown>; key: string };

/** The slow path: a scanner with a stack of its own, so that depth costs heap and not stack. */
function scan(text: string): unknown {
  const stack: Frame[] = [];
  let at = 0;
  const skip = (): string | undefined => {
    while (isBlank(text.charCodeAt(at))) at += 1;
    return text[at];
  };
  const string = (): string => {
    if (text[at] !== '"') throw syntax(text, at, 'a key in double quotes');
    // Not one expression for the whole string: on a string of megabytes it would run out of stack.
    let end = at + 1;
    let escaped = false;
    for (let code = text.charCodeAt(end); code !== 34; code = text.charCodeAt(end)) {
      escapeAt.lastIndex = end;
      const width = code === 92 ? (escapeAt.exec(text)?.[0].length ?? 0) : code >= 32 ? 1 : 0;
      if (width === 0) throw syntax(text, end, 'a character that a string may contain');
      escaped ||= code === 92;
      end += width;
    }
    const literal = text.slice(at, end + 1);
    at = end + 1;
    // V8 makes a longer slice a view of the whole text, which it keeps in memory.
    return escaped || literal.length > maxCopyLength ? JSON.parse(literal) : literal.slice(1, -1);
  };
  const key = (): string => {
    skip();
    const name = string();
    if (skip() !== ':') throw syntax(text, at, "':'");
    at += 1;
    return name;
  };
  const scalar = (first: string | undefined): unknown => {
    if (first === '"') return string();
    scalarAt.lastIndex = at;
    const [literal] = scalarAt.exec(text) ?? [];
    if (literal === undefined) throw syntax(text, at, 'a value');
    at += literal.length;
    if (first === 'n') return null;
    return first === 't' || first === 'f' ? first === 't' : numeric(literal);
  };
  /** Opens an array or object. Gives it when it is empty; else pushes it. */
  const open = (first: '[' | '{'): unknown => {
    if (stack.length >= maxLevels) throw syntaxError(text, at, `nested deeper than ${maxLevels} levels`);
    at += 1;
    const next = skip();
    const value = first === '[' ? [] : {};
    if (next === (first === '[' ? ']' : '}')) {
      at += 1;
      return value;
    }
    stack.push(Array.isArray(value) ? { list: true, array: value } : { list: false, object: value, key: key() });
    return undefined;
  };

  for (;;) {
    const first = skip();
    let value = first === '[' || first === '{' ? open(first) : scalar(first);
    if (value === undefined) continue;
    for (let frame = stack.at(-1); ; frame = stack.at(-1)) {
      const next = skip();
      if (!frame) {
        if (at < text.length) throw syntax(text, at, 'the end');
        return value;
      }
      if (frame.list) frame.array.push(value);
      else put(frame.object, frame.key, value);
      if (next !== ',' && next !== (frame.list ? ']' : '}'))
        throw syntax(text, at, frame.list ? "',' or ']'" : "',' or '}'");
      at += 1;
      if (next === ',') {
        if (!frame.list) frame.key = key();
        break;
      }
      value = frame.list ? frame.array : frame.object;
      stack.pop();
    }
  }
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** Like `JSON.parse`: `__proto__` is a property like any other. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function syntax(text: string, at: number, expected: string): JsonSyntaxError {
  const actual =
    at >= text.length ? 'the text ends' : `found ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}`;
  return syntaxError(text, at, `expected ${expected}, ${actual}`);
}

function syntaxError(text: string, at: number, says: string): JsonSyntaxError {
  const before = text.slice(0, at);
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  return new JsonSyntaxError(says, at, before.split('\n').length, column);
}

/** The text without a character at its end. `/0+$/` tries each of a run of zeros, and takes the square of its length. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** A property of the object itself: a name may be `constructor`. */
export function propertyOf<T>(record: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A text that holds more than white space; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Whether the value is a JSON object: not an array, null or an ExactNumber. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/**
 * `{ ...a, ...b, ...c }` for rows of an answer. V8 gives each object that such a spread makes a shape of its own: that
 * takes twenty times as long, and every reader of the rows twice as long.
 */
export function mergeRows<A extends object, B extends object, C extends object>(a: A, b: B, c?: C): A & B & C {
  return Object.assign({}, a, b, c);
}
