/** A time that a flag names: a date, a timestamp, or how long ago. */
import { usage } from '../../core/errors.ts';
import { parseDuration, parseTime, shifted } from '../../domain/expression/time.ts';

/** @throws usage */
export function momentOf(text: string, flag: string, now: Date): Date {
  const age = parseDuration(text.trim());
  if (age) return ago(age, now);
  const span = parseTime(text.trim());
  if (span) return new Date(span.start);
  throw usage(`${flag} must be a date, a time or an age, got "${text}"`, 'such as 2026-01-31, 12h, 30d, 6mo or 2y');
}

/** @throws usage */
export function ageOf(text: string, flag: string, now: Date): Date {
  const age = parseDuration(text.trim());
  if (age) return ago(age, now);
  throw usage(`${flag} must be an age such as 90d, 6mo or 2y, got "${text}"`);
}

function ago(age: NonNullable<ReturnType<typeof parseDuration>>, now: Date): Date {
  const at = now.getTime();
  return new Date(shifted({ start: at, end: at }, age, -1).start);
}
