/** Counts of what a sync changed, and whether a version did. */
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../core/json.ts';

/** Counts of a sync: resources read, added, changed, deleted. */
export interface Changes {
  read: number;
  added: number;
  changed: number;
  deleted: number;
}

export const noChanges = (): Changes => ({ read: 0, added: 0, changed: 0, deleted: 0 });

export function addChanges(sum: Changes, more: Changes): void {
  for (const key of ['read', 'added', 'changed', 'deleted'] as const) sum[key] += more[key];
}

/** Whether two JSON texts say the same: the order of keys says nothing. */
export function sameBody(a: string, b: string): boolean {
  return a === b || (a.length === b.length && isDeepStrictEqual(parseJson(a), parseJson(b)));
}
