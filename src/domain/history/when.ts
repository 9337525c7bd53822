/** Moments of a history, as people write them. */

import { Failure, usage } from '../../core/errors.ts';
import { readInstant } from '../../core/periods.ts';
import { isSpan, parseDuration, parseTime, periodSpan, shifted, timeWord } from '../expression/time.ts';
import type { Sync } from './versions.ts';

/**
 * The instant that a text names, in milliseconds since 1970: of a day, month, quarter or year its first or last one; a
 * duration counts back from now.
 * @throws usage for any other text
 */
export function momentOf(text: string, now: () => Date, edge: 'first' | 'last', source: string): number {
  const word = text.trim();
  const duration = parseDuration(word);
  const at = now().getTime();
  if (duration) return shifted({ start: at, end: at + 1 }, duration, -1).start;
  const named = word === 'yesterday' ? undefined : timeWord(word, now);
  const span = parseTime(word) ?? (named === undefined || isSpan(named) ? named : periodSpan(named));
  const found = word === 'yesterday' ? before(now) : span;
  if (found) return edge === 'first' ? found.start : found.end - 1;
  throw usage(
    `${source} must be a time, got "${text}"`,
    'write a date such as 2026-01-31, a month, quarter or year, or an age such as 30d, 6w, 3mo, 1y',
  );
}

function before(now: () => Date) {
  const today = timeWord('today', now);
  const day = parseDuration('1d');
  return today && isSpan(today) && day ? shifted(today, day, -1) : undefined;
}

/** The last sync until a moment. @throws notFound before the first one */
export function syncAt(syncs: readonly Sync[], moment: number, source: string): Sync {
  const found = syncs.findLast(({ seenAt }) => (readInstant(seenAt) ?? 0) <= moment);
  if (found) return found;
  throw new Failure('notFound', `${source} is before the first sync of the mirror, at ${syncs[0]?.seenAt}`, {
    hint: `name a later time, from ${syncs[0]?.seenAt.slice(0, 10)} on: nothing is known of what was before`,
    code: 'before_history',
  });
}
