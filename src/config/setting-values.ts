/** Single values of settings: what each may be, and the sentence when it is not. `from` names its flag, variable or profile. */

import { usage } from '../core/errors.ts';
import { formats, isFormat } from '../core/output-formats.ts';

/** One of the formats of `-o`. */
export function format(text: string, from: string): string {
  if (isFormat(text)) return text;
  throw usage(`${from}: "${text}" is no output format`, `The formats are ${formats.join(', ')}`);
}

/** The one character between CSV cells; `\\t` is a tab. */
export function delimiter(text: string | undefined): string {
  if (text === undefined) return ',';
  const one = text === '\\t' ? '\t' : text;
  if ([...one].length === 1 && !/["\r\n]/.test(one)) return one;
  throw usage(`--delimiter must be one character, not a quote or a line end, but is "${text}"`);
}

/** Seconds, more than none and at most a day. */
export function seconds(value: number | string, from: string): number {
  const number = decimal(value);
  if (number > 0 && number <= 86_400) return number;
  throw usage(`${from} must be a number of seconds above 0 and at most 86400, but is "${value}"`);
}

/** A count from 0 to 100. */
export function wholeNumber(value: number | string, from: string): number {
  const number = decimal(value);
  if (Number.isInteger(number) && number >= 0 && number <= 100) return number;
  throw usage(`${from} must be a whole number from 0 to 100, but is "${value}"`);
}

function decimal(value: number | string): number {
  if (typeof value === 'number') return value;
  return /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
}

/** Whether an environment variable that is a switch is on; `CI=false` is off. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

export function truth(text: string, from: string): boolean {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  if (['false', 'no', 'off', '0'].includes(word)) return false;
  throw usage(`${from} must be true or false, but is "${text}"`);
}
