/**
 * Times as spans: a day, a month and an instant are all `[start, end)` in milliseconds since 1970, in UTC, so that
 * `created_at <= 2024-01` means up to the end of that January.
 */
import {
  addPeriods,
  endMonth,
  type Period,
  parsePeriod,
  periodAt,
  readDay,
  readInstant,
  startMonth,
  writtenPeriod,
} from '../../core/periods.ts';

export interface Span {
  start: number;
  end: number;
}

export function isSpan(value: unknown): value is Span {
  return typeof value === 'object' && value !== null && 'start' in value;
}

const day = 86_400_000;
const lengths: Readonly<Record<string, number>> = { h: 3_600_000, d: day, w: 7 * day };
const monthsOf: Readonly<Record<string, number>> = { m: 1, mo: 1, y: 12 };

export interface Duration {
  ms: number;
  months: number;
  /** Start of a difference between two times. */
  since?: number;
}

/** Reads `12h`, `30d`, `6w`, `3m` or `3mo`, `1y`; undefined for anything else. */
export function parseDuration(text: string): Duration | undefined {
  const [, count = '', unit = ''] = /^(\d+)(h|d|w|mo?|y)$/.exec(text) ?? [];
  if (unit === '') return undefined;
  return { ms: Number(count) * (lengths[unit] ?? 0), months: Number(count) * (monthsOf[unit] ?? 0) };
}

/** The date without the distance that tables write after an end that is near: `2026-04-15 (15 days)`. */
export const withoutDistance = (text: string): string =>
  text.replace(/ \((?:(?:earlier )?today|\d+ days?(?: ago)?)\)$/, '');

/** Parses a date, week, month, quarter, year or timestamp; undefined for other texts. */
export function parseTime(text: string): Span | undefined {
  if (/^\d{4}-(?:\d{2}-\d{2}|W\d{2}-[1-7])$/i.test(text)) return daySpan(text);
  if (/^\d{4}-W\d{2}$/i.test(text)) {
    const start = readDay(`${text}-1`);
    return start === undefined ? undefined : { start, end: start + 7 * day };
  }
  const period = parsePeriod(writtenPeriod(text));
  return period ? periodSpan(period) : instant(text);
}

export function daySpan(text: string): Span | undefined {
  const start = readDay(text);
  return start === undefined ? undefined : { start, end: start + day };
}

/** An instant as it is stored, to the millisecond. */
export function instant(text: string): Span | undefined {
  const exact = readInstant(text);
  if (exact === undefined) return undefined;
  const start = Math.floor(exact);
  return { start, end: start + 1 };
}

export function periodSpan(period: Period): Span {
  return { start: monthStart(startMonth(period)), end: monthStart(endMonth(period) + 1) };
}

/** `now`, `today`, and the current `month`, `quarter` or `year`; undefined for other words. */
export function timeWord(word: string, now: () => Date): Span | Period | undefined {
  switch (word) {
    case 'now': {
      const start = now().getTime();
      return { start, end: start + 1 };
    }
    case 'today':
      return daySpan(now().toISOString().slice(0, 10));
    case 'month':
    case 'quarter':
    case 'year':
      return periodAt(now(), word);
    default:
      return undefined;
  }
}

/**
 * Moves a time by a duration, back with `sign` -1. A missing day becomes the last of its month; a whole month, quarter or
 * year becomes another whole one.
 */
export function shiftSpan({ start, end }: Span, { ms, months }: Duration, sign: 1 | -1): Span {
  if (months === 0) return { start: start + sign * ms, end: end + sign * ms };
  const moved = monthsLater(start, sign * months);
  const isPeriod = end > start && isMonthStart(start) && isMonthStart(end);
  return { start: moved, end: isPeriod ? monthsLater(end, sign * months) : moved + (end - start) };
}

function monthsLater(time: number, months: number): number {
  const from = new Date(time);
  const index = from.getUTCFullYear() * 12 + from.getUTCMonth() + months;
  const last = new Date(monthStart(index + 1) - day).getUTCDate();
  // `%` would be negative before 1970.
  const ofDay = time - Math.floor(time / day) * day;
  return monthStart(index) + (Math.min(from.getUTCDate(), last) - 1) * day + ofDay;
}

function isMonthStart(time: number): boolean {
  return time % day === 0 && new Date(time).getUTCDate() === 1;
}

/** Compares durations. Months are counted from `since`. */
export function compareDurations(a: Duration, b: Duration): number {
  const since = a.since ?? b.since ?? 0;
  const lengthOf = (duration: Duration) =>
    duration.months === 0 ? duration.ms : shiftSpan({ start: since, end: since }, duration, 1).start - since;
  return lengthOf(a) - lengthOf(b);
}

export function shiftedPeriod(period: Period, count: number): Span {
  return periodSpan(addPeriods(period, count));
}

/** Whether `a OPERATOR b`. The shorter span is compared with the bounds of the longer one. */
export function compareSpans(operator: '=' | '<' | '<=' | '>' | '>=', a: Span, b: Span): boolean {
  if (a.end - a.start > b.end - b.start) return compareSpans(mirrored[operator], b, a);
  switch (operator) {
    case '=':
      return a.start >= b.start && a.end <= b.end;
    case '<':
      return a.start < b.start;
    case '<=':
      return a.end <= b.end;
    case '>':
      return a.end > b.end;
    case '>=':
      return a.start >= b.start;
  }
}

const mirrored = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/** The first instant of a month, counted from year 0; clamped to the years that a Date can hold. */
function monthStart(index: number): number {
  const date = new Date(0);
  const year = Math.floor(index / 12);
  date.setUTCFullYear(Math.min(Math.max(year, -271_820), 275_759), index - year * 12, 1);
  return date.getTime();
}
