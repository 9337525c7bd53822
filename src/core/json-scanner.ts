/** Scans of a JSON text in UTF-8 before it is parsed, which cost a part of parsing it. */
import { maxLevels } from './limits.ts';

const [quote, backslash, bracket] = [0x22, 0x5c, 0x5b];
const [dot, zero, nine] = [0x2e, 0x30, 0x39];

/** The byte order mark of UTF-8, which may precede the text. */
const mark = [0xef, 0xbb, 0xbf];

const kinds = { none: 0, text: 1, open: 2, close: 3, number: 4, separator: 5 } as const;
const kindOf = new Uint8Array(256);
function define(bytes: string, kind: number): void {
  for (const byte of Buffer.from(bytes)) kindOf[byte] = kind;
}
define('"', kinds.text);
define('[{', kinds.open);
define(']}', kinds.close);
define(',', kinds.separator);
define('-0123456789', kinds.number);

interface JsonScan {
  isExact: boolean;
  /** Whether arrays and objects are nested deeper than data is. */
  isTooDeep: boolean;
  /** The number of values, roughly: each opens or is separated from another one. */
  values: number;
  /** The bytes between the brackets of the array of the top-level object that was named. */
  array: { start: number; end: number } | undefined;
}

/** Scans a text, which need not be JSON. @param array the name of an array of the top-level object */
export function scanJson(bytes: Uint8Array, array?: string): JsonScan {
  const first = bytes.find((byte) => byte > 0x20 && !mark.includes(byte));
  const deepest = kindOf[first ?? 0] === kinds.open ? maxLevels : Number.POSITIVE_INFINITY;
  let isExact = true;
  let [depth, levels, values] = [0, 0, 0];
  let key = '';
  let [start, arrayEnd] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    switch (kindOf[bytes[at] as number]) {
      case kinds.text: {
        const end = endOfText(bytes, at + 1);
        if (array !== undefined && depth === 1) key = latin1(bytes, at + 1, end);
        at = end;
        break;
      }
      case kinds.open:
        values += 1;
        depth += 1;
        if (depth > levels) levels = depth;
        if (depth === 2 && start === 0 && key === array && bytes[at] === bracket) start = at + 1;
        break;
      case kinds.close:
        depth -= 1;
        if (depth === 1 && start > 0 && arrayEnd === 0) arrayEnd = at;
        break;
      case kinds.separator:
        values += 1;
        break;
      case kinds.number: {
        const end = endOfNumber(bytes, at);
        isExact &&= !isChanged(bytes, at, end);
        at = end - 1;
        break;
      }
    }
  }
  return { isExact, isTooDeep: levels > deepest, values, array: arrayEnd > 0 ? { start, end: arrayEnd } : undefined };
}

/** The index of the closing quote; the length, or one more after a backslash, where the text goes on. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

function endOfNumber(json: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < json.length && isOfNumber(json[at] as number)) at += 1;
  return at;
}

function isOfNumber(byte: number): boolean {
  return (byte >= zero && byte <= nine) || byte === dot || (byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d;
}

/** Numbers of at most so many digits and decimals are exact doubles. */
const maxDigits = 15;
const maxDecimals = 6;

/** Whether a double prints other digits than the literal. Short literals, which most are, need no parsing. */
function isChanged(json: Uint8Array, from: number, end: number): boolean {
  const first = json[from] === 0x2d ? from + 1 : from;
  let point = -1;
  for (let at = first; at < end; at += 1) {
    const byte = json[at] as number;
    if (byte >= zero && byte <= nine) continue;
    if (byte !== dot || point >= 0) return isPrintedOtherwise(json, from, end);
    point = at;
  }
  const isShort = end - first <= maxDigits + (point < 0 ? 0 : 1);
  const isPlain =
    point < 0 ? first === from || json[first] !== zero : end - point - 1 <= maxDecimals && json[end - 1] !== zero;
  return !(isShort && isPlain) && isPrintedOtherwise(json, from, end);
}

function isPrintedOtherwise(json: Uint8Array, from: number, end: number): boolean {
  const literal = latin1(json, from, end);
  return String(Number(literal)) !== literal;
}

function latin1(bytes: Uint8Array, from: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1');
}
