/** Axes: round ticks that hold every value, and short labels that tell them apart. */

import { monthsIn, parsePeriod, readDay, shortPeriod } from '../../core/periods.ts';

interface Scale {
  /** Ascending, evenly spaced; the first and the last are the ends of the axis. */
  ticks: number[];
  labels: string[];
}

const steps = [1, 2, 2.5, 5, 10];
const sizes: readonly [number, string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** A change below this share of the values does not fill the height of a plot: it would look like more than it is. */
const leastSpan = 0.1;

/** The ends of an axis from which the values are read; equal values are in its middle. */
function spanOf(
  values: readonly number[],
  fromZero: boolean,
  leastShare = leastSpan,
): { low: number; high: number } | undefined {
  const all = fromZero ? [0, ...values] : values;
  const least = all.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const greatest = all.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(least)) return undefined;
  const floor = fromZero ? 0 : leastShare * Math.max(Math.abs(least), Math.abs(greatest));
  const missing = greatest - least < floor ? floor - (greatest - least) : 0;
  if (missing > 0 || least !== greatest) return { low: least - missing / 2, high: greatest + missing / 2 };
  return { low: Math.min(least, 0), high: Math.max(greatest, 0) || 1 };
}

const mostTicks = 5;

/** Three to five round ticks that hold every value; zero is on the axis when `fromZero`. */
export function scaleOf(values: readonly number[], fromZero = false, leastShare = leastSpan): Scale {
  const span = spanOf(values, fromZero, leastShare);
  if (!span) return { ticks: [0, 1], labels: ['0', '1'] };
  const { low, high } = span;
  const power = Math.floor(Math.log10((high - low) / mostTicks));
  const candidates = [power, power + 1].flatMap((exponent) => steps.map((step) => step * 10 ** exponent));
  for (const step of candidates) {
    const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
    if (last - first + 1 > mostTicks) continue;
    const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
      Number(((first + index) * step).toPrecision(12)),
    );
    return { ticks, labels: labelsOf(ticks, step) };
  }
  return { ticks: [low, high], labels: labelsOf([low, high], high - low) };
}

/** What numbers have no word for is said by its power of ten: `1.25e20`. */
function sizeOf(most: number): readonly [number, string] {
  if (most < 1e15 && (most >= 1e-4 || most === 0)) return sizes.find(([each]) => most >= each) ?? [1, ''];
  const power = Math.floor(Math.log10(most));
  return [10 ** power, `e${power}`];
}

/** All in one size (`0.5M`, `1.0M`), with as many digits as the step needs. */
function labelsOf(ticks: readonly number[], step: number): string[] {
  const most = Math.max(...ticks.map(Math.abs));
  const [size, suffix] = sizeOf(most);
  let digits = 0;
  while (digits < 9 && Math.abs((step / size) * 10 ** digits - Math.round((step / size) * 10 ** digits)) > 1e-6) {
    digits += 1;
  }
  return ticks.map((tick) => (tick === 0 ? '0' : `${(tick / size).toFixed(digits)}${suffix}`));
}

/** A number in few characters: `803k`, `9.63M`, `106.6`, `-12`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2).replace('e+', 'e');
  const at = sizes.findIndex(([each]) => size >= each);
  const [divisor, suffix] = sizes[at] ?? [1, ''];
  const shown = suffix === '' ? plainDigits(value) : Number((value / divisor).toPrecision(3)).toString();
  // 999,950 is 1M, not 1000k.
  const above = sizes[at - 1];
  return Math.abs(Number(shown)) >= 1000 && above ? `${Math.sign(value) * 1}${above[1]}` : `${shown}${suffix}`;
}

function plainDigits(value: number): string {
  const size = Math.abs(value);
  return String(Number(value.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 4)));
}

/** Which periods an axis names: evenly spaced, at round places of the calendar, with the year where it changes. */
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
    if (ticks.length > 1 && ticks.length <= mostTicks && fits(ticks)) return ticks;
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

export interface RowScale {
  /** The value of the highest line, and how much each line below it is less. */
  top: number;
  perRow: number;
  /** By line, counted from the top. */
  labels: ReadonlyMap<number, string>;
}

const mantissas = [1, 2, 2.5, 5];
const leastTicks = 3;
/** How many lines a step may take; those before are preferred where the axis is equally long. */
const rowsOfStep = [2, 3, 4, 5, 1, 6, 7, 8];
/** The shortest axis of `rows` lines of text that holds every value; its round ticks are exactly on lines. */
export function rowScaleOf(values: readonly number[], rows: number): RowScale {
  const { low, high } = spanOf(values, false) ?? { low: 0, high: 1 };
  const span = high - low;
  const gaps = Math.max(rows - 1, 1);
  let best: { step: number; count: number; bottom: number; score: number } | undefined;
  const power = Math.floor(Math.log10(span / gaps));
  for (let exponent = power - 1; exponent <= power + 2; exponent += 1) {
    for (const mantissa of mantissas) {
      const step = Number(`${mantissa}e${exponent}`);
      for (const [order, count] of rowsOfStep.entries()) {
        if (count > gaps || gaps / count >= mostTicks) continue;
        const perRow = step / count;
        // In lines below or above zero, where a tick is at every multiple of `count`.
        const bottom = Math.floor(low / perRow + 1e-9);
        if (!(bottom + gaps >= high / perRow - 1e-9)) continue;
        const ticks = Math.floor((bottom + gaps) / count) - Math.ceil(bottom / count) + 1;
        if (ticks < Math.min(leastTicks, gaps) || ticks > mostTicks) continue;
        const onEdge = Math.abs(bottom % count) === 0 ? 0 : 0.02;
        const score = perRow * (1 + onEdge + order * 0.03);
        if (best === undefined || score < best.score) best = { step, count, bottom, score };
      }
    }
  }
  const { step, count, bottom } = best ?? {
    step: span,
    count: gaps,
    bottom: Math.floor(low / (span / gaps)),
    score: 0,
  };
  const perRow = step / count;
  const lines = Array.from({ length: gaps + 1 }, (_, row) => ({ row, at: bottom + gaps - row }));
  const ticks = lines.filter(({ at }) => at % count === 0);
  const texts = labelsOf(
    ticks.map(({ at }) => Number(((at / count) * step).toPrecision(12))),
    step,
  );
  return {
    ...{ top: (bottom + gaps) * perRow, perRow },
    labels: new Map(ticks.map(({ row }, index) => [row, texts[index] ?? ''])),
  };
}
