import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../core/json.ts';

/** Whether two JSON texts say the same: the order of keys says nothing. */
export function sameBody(a: string, b: string): boolean {
  return a === b || (a.length === b.length && isDeepStrictEqual(parseJson(a), parseJson(b)));
}
