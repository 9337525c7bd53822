import { ExactNumber } from './json.ts';

/** Whether it is an object of JSON: no list, no null, and no number whose digits are kept. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
