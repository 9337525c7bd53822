import { mostZeros, type Numeric } from './json.ts';

/** Whether `plainDecimal` writes the number: its exponent asks for few zeros. */
export function hasPlainDigits(value: Numeric): boolean {
  const [, digits = '', exponent = '0'] = /^-?([\d.]+)[eE]([+-]?\d+)$/.exec(String(value)) ?? [];
  return Math.abs(Number(exponent)) <= mostZeros || /^[0.]*$/.test(digits);
}
