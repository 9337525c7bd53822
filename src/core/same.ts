/** When a value of a file and a value of an entry are the same. */
import { isDeepStrictEqual } from 'node:util';
import { isNumeric, plainDecimal } from './json.ts';

export function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Numbers by their size, whatever their digits; several options as a set; nothing is nothing, however it is written. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isEmptyValue(a) || isEmptyValue(b)) return isEmptyValue(a) && isEmptyValue(b);
  if (isNumeric(a) && isNumeric(b)) return a === b || canonicalText(a) === canonicalText(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    const within = (some: unknown[], all: unknown[]) =>
      some.every((item) => all.some((other) => isDeepStrictEqual(item, other)));
    return within(a, b) && within(b, a);
  }
  return a === b || isDeepStrictEqual(a, b);
}

/** The text by which keys are compared: `1.50` and `1.5` are one key. */
export function canonicalText(value: unknown): string {
  if (!isNumeric(value)) return String(value);
  const text = plainDecimal(value);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}
