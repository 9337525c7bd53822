/** Which periods an axis names: evenly spaced, at round places of the calendar, with the year where it changes. */
import { monthsIn, parsePeriod, readDay, shortPeriod } from '../../core/periods.ts';

export interface PeriodTick {
  /** Of the periods, counted from 0. */
  at: number;
  text: string;
}

interface Calendar {
  /** Of the first period, counted from one that every stride holds: a January, a first quarter, a Monday. */
  first: number;
  /** In periods; ascending. */
  strides: readonly number[];
  /** What changes where the year is said; undefined where each text is complete. */
  year?(at: number): string;
  full(at: number): string;
  short(at: number): string;
}

const years = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const weeks = [1, 2, 4, 8, 13, 26, 52];
const strides = {
  month: [1, 2, 3, 4, 6, ...years.map((count) => count * monthsIn.year)],
  quarter: [1, 2, ...years.map((count) => (count * monthsIn.year) / monthsIn.quarter)],
  year: years,
  day: [1, 2, ...weeks.map((count) => count * 7)],
  week: weeks,
};

/** The closest ticks that fit; only the first period where two have no room. */
export function periodTicks(
  periods: readonly string[],
  fits: (ticks: readonly PeriodTick[]) => boolean,
): readonly PeriodTick[] {
  const calendar = calendarOf(periods);
  for (const stride of calendar.strides) {
    const round = ticksOf(periods.length, stride, calendar.first, calendar);
    // A short range may hold fewer than two round places.
    const ticks = round.length > 1 ? round : ticksOf(periods.length, stride, 0, calendar);
    if (ticks.length > 1 && fits(ticks)) return ticks;
  }
  return ticksOf(Math.min(periods.length, 1), 1, 0, calendar);
}

function ticksOf(count: number, stride: number, first: number, { year, full, short }: Calendar): PeriodTick[] {
  const start = (stride - (first % stride)) % stride;
  const places = Array.from({ length: Math.max(0, Math.ceil((count - start) / stride)) }, (_, n) => start + n * stride);
  return places.map((at, n) => {
    const before = places[n - 1];
    return { at, text: before !== undefined && year && year(before) === year(at) ? short(at) : full(at) };
  });
}

/** Words, and periods between which some are missing, are named as they are. */
function calendarOf(periods: readonly string[]): Calendar {
  const keys = periods.map((period) => period.split(' ')[0] ?? '');
  const known = keys.map((key) => parsePeriod(key));
  const [first] = known;
  if (first && known.every((period, at) => period?.type === first.type && period.index === first.index + at)) {
    const full = (at: number) => shortPeriod(periods[at] ?? '');
    const short = (at: number) => full(at).replace(/ \d\d(?= |$)/, '');
    const year = (at: number) => (keys[at] ?? '').slice(0, 4);
    return { first: first.index, strides: strides[first.type], full, short, ...(first.type !== 'year' && { year }) };
  }
  const full = (at: number) => shortPeriod(periods[at] ?? '');
  return daysOf(keys) ?? { first: 0, strides: periods.map((_, at) => at + 1), full, short: full };
}

const dayMs = 86_400_000;
/** 1970-01-05, in days since 1970. */
const monday = 4;

/** Days, or weeks by their first day. */
function daysOf(keys: readonly string[]): Calendar | undefined {
  const days = keys.map((key) => (readDay(key) ?? Number.NaN) / dayMs - monday);
  const [first = Number.NaN, second = first + 1] = days;
  const step = second - first;
  if ((step !== 1 && step !== 7) || !days.every((day, at) => day === first + at * step)) return undefined;
  const year = (at: number) => (keys[at] ?? '').slice(0, 4);
  // The month as everywhere, behind the number of the day.
  const full = (at: number) => `${Number(keys[at]?.slice(8))} ${shortPeriod(keys[at]?.slice(0, 7) ?? '')}`;
  const short = (at: number) => full(at).slice(0, -3);
  const index = Math.floor(first / step);
  return { first: index, strides: step === 1 ? strides.day : strides.week, year, full, short };
}
