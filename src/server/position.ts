import { invalid } from './model/failure.ts';

/** The position to keep: the one given, else the one after the last. Throws 400 for one that no engine keeps exactly. */
export function positionOf(given: unknown, last?: number): number {
  if (given === undefined) return last === undefined ? 0 : Math.min(last + 1, Number.MAX_SAFE_INTEGER);
  const position = Number(given);
  if (Number.isSafeInteger(position)) return position;
  throw invalid({ path: 'position', message: `must be between ±${Number.MAX_SAFE_INTEGER}, got ${given}` });
}
