/** The text forms by which a facet finds a value (docs/server.md, "Facets and views"). */
import { createHash } from 'node:crypto';
import type { AttributeType } from '../../contract/lists.ts';
import { isNumeric, withoutTrailing } from '../../core/json.ts';

/** Longer texts are found by their hash: an index accepts only short keys. */
const longestKey = 200;
const hashMark = 'sha256:';

/** The texts of a value: a multi_select has one for each of its options. */
export function facetTexts(type: AttributeType, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => facetTexts(type, item)))];
  if (isNumeric(value)) return [canonicalNumber(String(value))];
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

/** The text that a filter's value has to equal. Numbers may be spelled in any way. */
export function searchedText(type: AttributeType, text: string): string {
  const numeric = type === 'number' || type === 'currency' || type === 'rating';
  return numeric && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? canonicalNumber(text) : text;
}

/** Whether a text column of every engine returns the text unchanged. */
export function isStorable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what this looks for.
  return !/[\u0000\p{Surrogate}]/u.test(text);
}

/** The content of `value_key`. A text that looks like a hash is hashed too, so that no two texts share a key. */
export function facetKey(text: string): string {
  const plain = text.length <= longestKey && !text.startsWith(hashMark) && isStorable(text);
  return plain ? text : hashMark + createHash('sha256').update(text, 'utf16le').digest('hex');
}

/** Equal for equal numbers: digits without outer zeros, and the power of ten of the last one. Nothing is rounded. */
function canonicalNumber(text: string): string {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = withoutTrailing(digits, '0');
  if (kept === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
  return `${sign === '-' ? '-' : ''}${kept}${power === 0n ? '' : `e${power}`}`;
}
