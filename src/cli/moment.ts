/** Reads the moment of `--as-of`. */
import { usage } from '../core/errors.ts';
import { parseDuration, parseTime, shifted } from '../domain/expression/time.ts';

/**
 * A timestamp; the end of a day, month, quarter or year in UTC; `now`, `yesterday`, or a length of time before now.
 * @throws usage for any other text
 */
export function readMoment(text: string, now: () => Date): Date {
  const given = text.trim();
  const at = now();
  if (given === 'now') return at;
  const written = given === 'yesterday' ? new Date(at.getTime() - dayMs).toISOString().slice(0, 10) : given;
  const span = parseTime(written === 'today' ? at.toISOString().slice(0, 10) : written);
  // The last millisecond of the span: a timestamp itself.
  if (span) return new Date(span.end - 1);
  const duration = parseDuration(given);
  if (duration === undefined) {
    throw usage(
      `--as-of must be a date, a time or a length of time, got "${text}"`,
      'write it like 2024-01-31, 2024-Q1, 2024-01-31T12:00:00Z, yesterday or 7d',
    );
  }
  const start = at.getTime();
  return new Date(shifted({ start, end: start + 1 }, duration, -1).start);
}

const dayMs = 86_400_000;
