/** Equality of values from files and entries, and of texts without regard to case. */
import { isNumeric, type Numeric, plainDecimal, withoutTrailing } from './json.ts';

export function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Numbers compare by size, several options as a set, and all forms of an empty value are equal. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isEmptyValue(a) || isEmptyValue(b)) return isEmptyValue(a) && isEmptyValue(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    const includesAll = (some: unknown[], all: unknown[]) =>
      some.every((item) => all.some((other) => sameJson(item, other)));
    return includesAll(a, b) && includesAll(b, a);
  }
  return sameJson(a, b);
}

/** Whether two JSON values are equal: numbers by their size, arrays in their order, objects by their keys. */
function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNumeric(a) || isNumeric(b)) return isNumeric(a) && isNumeric(b) && numberKey(a) === numberKey(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index]));
  }
  const [left, other] = [new Map<string, unknown>(Object.entries(a)), new Map<string, unknown>(Object.entries(b))];
  return (
    left.size === other.size && [...left].every(([key, value]) => other.has(key) && sameJson(value, other.get(key)))
  );
}

/** The canonical text of a number: `5`, `5.0` and `5e0` are 5, `-0.0` is 0. */
export function numberKey(value: Numeric): string {
  const text = plainDecimal(value);
  const short = text.includes('.') ? withoutTrailing(withoutTrailing(text, '0'), '.') : text;
  return short === '-0' ? '0' : short;
}

/** The text by which keys are compared: numbers by their size, texts whether accents are letters of their own or not. */
export function canonicalText(value: unknown): string {
  return isNumeric(value) ? numberKey(value) : String(value).normalize();
}

/** The text without differences of case, blanks and the encoding of accents. */
export function foldedText(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Not folded, although its capital is that of `i`. */
const dotlessI = 'ı';

/**
 * The form in which texts and search words are compared: Unicode's full case folding, which does not depend on the
 * place of a letter in its word. `toLowerCase` gives the last sigma of ΟΔΟΣ another letter than the one in
 * ΟΔΟΣΗΜΟ.
 */
export function foldCase(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  let key = '';
  // Letters are folded one by one: the capital of one may be several (ß is SS).
  for (const letter of text) {
    if (letter === dotlessI) key += letter;
    else for (const capital of letter.toLowerCase().toUpperCase()) key += capital.toLowerCase();
  }
  return key;
}

/** Rows by their key, each group in the order of the rows. */
export function groupBy<K, Row>(rows: Iterable<Row>, keyOf: (row: Row) => K): Map<K, Row[]> {
  const groups = new Map<K, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
