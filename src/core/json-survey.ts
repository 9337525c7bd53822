/** What has to be known of a JSON text before it is parsed, found in one pass over its bytes. */

import { mostLevels } from './limits.ts';

/**
 * `plain`: `JSON.parse` keeps every number as it is written. `inexact`: it would change one. `tooDeep`: the arrays and
 * objects are nested deeper than data is; the numbers were not looked at further.
 */
export type JsonKind = 'plain' | 'inexact' | 'tooDeep';

const [quote, backslash, dot, zero, nine] = [0x22, 0x5c, 0x2e, 0x30, 0x39];

/** The byte order mark of UTF-8, which may precede the text. */
const mark = [0xef, 0xbb, 0xbf];

/** What a byte outside of texts is: 0 nothing, 1 the start of a text, 2 a level more, 3 one less, 4 the start of a number. */
const kinds = new Uint8Array(256);
kinds[quote] = 1;
for (const open of '[{') kinds[open.charCodeAt(0)] = 2;
for (const close of ']}') kinds[close.charCodeAt(0)] = 3;
for (const first of '-0123456789') kinds[first.charCodeAt(0)] = 4;

/** @param json in UTF-8. Every answer is looked at: bytes are read twice as fast as text. */
export function surveyJson(json: Uint8Array): JsonKind {
  const start = json.findIndex((byte) => byte > 0x20 && !mark.includes(byte));
  // A page of HTML has quotes and brackets that are not those of data.
  const most = kinds[json[start] ?? 0] === 2 ? mostLevels : Number.POSITIVE_INFINITY;
  let kind: JsonKind = 'plain';
  let depth = 0;
  const { length } = json;
  // From 0: the engine then knows that no place is negative, and needs half the time.
  for (let at = 0; at < length; at += 1) {
    const what = kinds[json[at] as number];
    if (what === 0) continue;
    if (what === 1) {
      at += 1;
      let inside = json[at];
      while (inside !== quote && at < length) {
        if (inside === backslash) at += 1;
        at += 1;
        inside = json[at];
      }
    } else if (what === 2) {
      depth += 1;
      if (depth > most) return 'tooDeep';
    } else if (what === 3) depth -= 1;
    else {
      const end = endOfNumber(json, at);
      if (kind === 'plain' && isInexact(json, at, end)) kind = 'inexact';
      at = end - 1;
    }
  }
  return kind;
}

function endOfNumber(json: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < json.length && isOfNumber(json[at] as number)) at += 1;
  return at;
}

function isOfNumber(byte: number): boolean {
  return (byte >= zero && byte <= nine) || byte === dot || (byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d;
}

/** Up to this many digits, a whole number or one with up to `mostDecimals` of them after the point, is that of a double. */
const mostDigits = 15;
const mostDecimals = 6;

/** Whether a double prints other digits than the literal has. Most are too short for that, which is seen at once. */
function isInexact(json: Uint8Array, from: number, end: number): boolean {
  const first = json[from] === 0x2d ? from + 1 : from;
  let point = -1;
  for (let at = first; at < end; at += 1) {
    const byte = json[at] as number;
    if (byte >= zero && byte <= nine) continue;
    if (byte !== dot || point >= 0) return isChanged(json, from, end);
    point = at;
  }
  const isShort = end - first <= mostDigits + (point < 0 ? 0 : 1);
  if (point < 0) return (!isShort || (first > from && json[first] === zero)) && isChanged(json, from, end);
  const isPlain = isShort && end - point - 1 <= mostDecimals && json[end - 1] !== zero;
  return !isPlain && isChanged(json, from, end);
}

const ascii = new TextDecoder('latin1');

function isChanged(json: Uint8Array, from: number, end: number): boolean {
  const literal = ascii.decode(json.subarray(from, end));
  return String(Number(literal)) !== literal;
}
