/** Counts and times in words. */
import { formatTime } from '../output/values.ts';

/** `1 entry`, `2 entries`. */
export function amount(count: number, singular: string, many: string): string {
  return `${count} ${count === 1 ? singular : many}`;
}

/** A time within a sentence, in UTC: `2026-03-31 09:00`. */
export function timeText(time: Date | string): string {
  const text = typeof time === 'string' ? time : time.toISOString();
  return formatTime(text, 'minute', new Date(0));
}

const hourMs = 3_600_000;
const soonMs = 24 * hourMs;

/** `in 3 hours`, `in 12 days`, `2 hours ago`; `now` within half a minute. */
export function distance(to: Date, now: Date): string {
  const ms = to.getTime() - now.getTime();
  const size = Math.abs(ms);
  if (size < 30_000) return 'now';
  const [count, unit] =
    size < hourMs
      ? [Math.round(size / 60_000), 'minute']
      : size < 2 * soonMs
        ? [Math.round(size / hourMs), 'hour']
        : [Math.round(size / soonMs), 'day'];
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return ms < 0 ? `${words} ago` : `in ${words}`;
}

/** A sentence when the session has ended or ends within a day; undefined later, or if the end is unknown. */
export function expiryWarning(expiry: Date | undefined, now: Date, profile: string): string | undefined {
  if (expiry === undefined || expiry.getTime() - now.getTime() > soonMs) return undefined;
  const verb = expiry.getTime() <= now.getTime() ? 'ended' : 'ends';
  return (
    `the session of profile "${profile}" ${verb} ${distance(expiry, now)} (${timeText(expiry)}); ` +
    `replace it with \`comem auth login -p ${profile} --stdin curl\``
  );
}

/** A word as it is typed in a shell: in quotes where it is not plain. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`;
}
