/** Numbers as people and programs write them. */
import { isInRange, NumberRangeError, type Numeric, numeric } from '../../core/json.ts';
import { isNumber } from '../expression/lexer.ts';
import { numberOf } from '../expression/literals.ts';

/** A decimal number, every digit kept; undefined for anything else. Takes `+5`, `.5` and `5.` beside what JSON takes. */
export function parseNumber(text: string): Numeric | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = ''] = match;
  if ((whole === '' && fraction === '') || !isInRange(exponent)) return undefined;
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  const literal = `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
  return numeric(literal);
}

/** Why a text in the form of a number is none: its exponent. */
export function rangeIssue(text: string): string | undefined {
  const isNumeral = /^[+-]?[\d.,]*\d[.,]?e[+-]?\d+%?$/i.test(text.trim());
  return isNumeral && !isInRange(text) ? new NumberRangeError(text.trim()).message : undefined;
}

/** A number as in an expression: also `20M`, `1_500`, `2.5%`. */
export function writtenNumber(text: string): Numeric | undefined {
  const plain = parseNumber(text);
  if (plain !== undefined) return plain;
  const [, sign, digits = ''] = /^([+-]?)(.*)$/s.exec(text.trim()) ?? [];
  return isNumber(digits) ? numberOf(digits, sign === '-') : undefined;
}
