/**
 * Calendar periods of the API: months (`2006-01`), quarters (`2006-Q1`) and years (`2006`); days, and instants in
 * ISO 8601 as databases and languages write it.
 *
 * A period is its grain and its index, the number of such periods since year 0, so that adding, counting and comparing
 * within a grain are plain arithmetic. Nothing here reads a clock or a time zone.
 */
export const periodTypes = ['month', 'quarter', 'year'] as const;
export type PeriodType = (typeof periodTypes)[number];

export interface Period {
  type: PeriodType;
  /** Months, quarters or years since year 0. */
  index: number;
}

export const monthsIn: Readonly<Record<PeriodType, number>> = { month: 1, quarter: 3, year: 12 };

export const periodExamples: Readonly<Record<PeriodType, string>> = {
  month: '2006-01',
  quarter: '2006-Q1',
  year: '2006',
};

const lastYear = 9999;

/** Reads a period of any grain, with `q` in either case. Undefined when the text is not a period. */
export function parsePeriod(text: string): Period | undefined {
  const match = /^(\d{4})(?:-(?:(0[1-9]|1[0-2])|[qQ]([1-4])))?$/.exec(text);
  if (!match) return undefined;
  const [, year, month, quarter] = match;
  if (month !== undefined) return { type: 'month', index: Number(year) * 12 + Number(month) - 1 };
  if (quarter !== undefined) return { type: 'quarter', index: Number(year) * 4 + Number(quarter) - 1 };
  return { type: 'year', index: Number(year) };
}

const namesOfMonths = 'january february march april may june july august september october november december'.split(
  ' ',
);

/**
 * The API's text of a period as people write it: `Q4 2025`, `2025Q4`, `12/2025`, `2025-9`, `Dec 2025`, or as tables mark
 * it: `2026-Q1 (2/3)`. Others stay.
 */
export function writtenPeriod(text: string): string {
  if (parsePeriod(text)) return text;
  const [, marked = ''] = /^(\S+) \((?:\d+\/\d+|running)\)$/i.exec(text) ?? [];
  if (parsePeriod(marked)) return marked;
  const words = text
    .trim()
    .toLowerCase()
    .split(/[-/\s]+|(?<=^\d{4})(?=[a-z])/);
  const [year = '', part = ''] = /^\d{4}$/.test(words[0] ?? '') ? words : [words[1], words[0]];
  if (words.length !== 2 || !/^\d{4}$/.test(year)) return text;
  const [, quarter] = /^q([1-4])$/.exec(part) ?? [];
  if (quarter !== undefined) return `${year}-Q${quarter}`;
  const named = part.length < 3 ? 0 : namesOfMonths.findIndex((name) => name.startsWith(part)) + 1;
  const month = named || Number(/^m?(\d{1,2})$/.exec(part)?.[1] ?? 0);
  return month >= 1 && month <= 12 ? `${year}-${String(month).padStart(2, '0')}` : text;
}

/** The API's own text of a period. Throws a RangeError outside the years 0000 to 9999, which have no text. */
export function formatPeriod({ type, index }: Period): string {
  const perYear = 12 / monthsIn[type];
  const year = Math.floor(index / perYear);
  if (year < 0 || year > lastYear) throw new RangeError(`year ${year} cannot be written as a period`);
  const text = String(year).padStart(4, '0');
  const part = index - year * perYear + 1;
  if (type === 'month') return `${text}-${String(part).padStart(2, '0')}`;
  return type === 'quarter' ? `${text}-Q${part}` : text;
}

/** The period `count` periods of the same grain later; earlier when `count` is negative. */
export function addPeriods(period: Period, count: number): Period {
  return { type: period.type, index: period.index + count };
}

/** The first month that a period covers, as months since year 0. */
export function startMonth(period: Period): number {
  return period.index * monthsIn[period.type];
}

/** The last month that a period covers, as months since year 0. */
export function endMonth(period: Period): number {
  return startMonth(period) + monthsIn[period.type] - 1;
}

/** The first month of the period that the text names, as months since year 0; undefined when it is not a period. */
export function firstMonth(text: string): number | undefined {
  const period = parsePeriod(text);
  return period && startMonth(period);
}

export function lastMonth(text: string): number | undefined {
  const period = parsePeriod(text);
  return period && endMonth(period);
}

export function comparePeriods(a: Period, b: Period): number {
  return startMonth(a) - startMonth(b) || monthsIn[a.type] - monthsIn[b.type];
}

/** Every period from `from` to `to`, both included, oldest first. Same grain. */
export function* periodRange(from: Period, to: Period): Generator<Period> {
  if (from.type !== to.type) throw new RangeError(`${from.type} and ${to.type} are not the same grain`);
  for (let index = from.index; index <= to.index; index++) yield { type: from.type, index };
}

/** The periods in their order, three or more that follow each other as `2025-01 to 2025-06`. */
export function periodSpans(keys: readonly string[]): string[] {
  const spans: Period[][] = [];
  for (const period of keys.flatMap((key) => parsePeriod(key) ?? []).sort(comparePeriods)) {
    const span = spans.at(-1);
    const last = span?.at(-1);
    if (span && last?.type === period.type && last.index + 1 === period.index) span.push(period);
    else spans.push([period]);
  }
  return spans.flatMap((span) => {
    const words = span.map(formatPeriod);
    return span.length < 3 ? words : [`${words[0]} to ${words.at(-1)}`];
  });
}

/** The period of the coarser (or same) grain that holds this one; undefined when `type` is finer. */
export function periodHolding(period: Period, type: PeriodType): Period | undefined {
  if (monthsIn[type] < monthsIn[period.type]) return undefined;
  return { type, index: Math.floor(startMonth(period) / monthsIn[type]) };
}

/** The first period of a finer (or the same) grain within this one; undefined when `type` is coarser. */
export function firstWithin(period: Period, type: PeriodType): Period | undefined {
  if (monthsIn[type] > monthsIn[period.type]) return undefined;
  return { type, index: startMonth(period) / monthsIn[type] };
}

/** The last period of a finer (or the same) grain within this one; undefined when `type` is coarser. */
export function lastWithin(period: Period, type: PeriodType): Period | undefined {
  if (monthsIn[type] > monthsIn[period.type]) return undefined;
  return { type, index: (endMonth(period) + 1) / monthsIn[type] - 1 };
}

/** `2026-01, 2026-02`: the months at these positions of a period. */
export function monthNames(period: Period, positions: readonly number[]): string {
  return positions.map((at) => formatPeriod({ type: 'month', index: startMonth(period) + at })).join(', ');
}

export function periodAt(instant: Date, type: PeriodType): Period {
  const month = instant.getUTCFullYear() * 12 + instant.getUTCMonth();
  return { type, index: Math.floor(month / monthsIn[type]) };
}

/** Whether `2/3` is fewer months than the period holds. */
export function isPartial(months: string | undefined): months is string {
  const [some, all] = months?.split('/') ?? [];
  return some !== all;
}

export const runningMonths = '0/1';

/** For people: `2026-Q1 (2/3)`, of which only some months have data, and `2026-03 (running)`, which has not ended. */
export function markedPeriod(periodKey: string, months: string | undefined): string {
  if (months === runningMonths) return `${periodKey} (running)`;
  return isPartial(months) ? `${periodKey} (${months})` : periodKey;
}

/** `of 2/3 months`, or that the month has not ended: why a value is not compared. */
export function partialWords(months: string): string {
  return months === runningMonths ? 'not ended' : `of ${months} months`;
}

const dayMs = 86_400_000;
/** A day without hyphens: of a month, of a week or of a year. */
const basicDay = /^(\d{4})(?:(\d{2})(\d{2})|(W\d{2})(\d)|(\d{3}))$/i;
const timestamp =
  /^(\S+?)[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?(?: ?(?:Z|UTC|GMT)| ?([+\u2212-])(\d{2})(?::?([0-5]\d))?(?: [A-Z]{3,5}|\[[\w/+-]+\])?)?$/i;

/**
 * The instant as milliseconds since 1970, with a fraction for what is finer; without an offset it is UTC. Undefined for
 * text that names no instant, such as a day without a time or the 30th of February.
 */
export function readInstant(text: string): number | undefined {
  const match = timestamp.exec(text.trim());
  if (!match) return undefined;
  const [, date = '', hour, minute = '0', second = '0', fraction = '0', sign, aheadHours, aheadMinutes] = match;
  const day = readDay(date) ?? readBasicDay(date);
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const isEndOfDay = h === 24 && m === 0 && s === 0;
  // A leap second is the first instant of the next minute.
  if (day === undefined || (h > 23 && !isEndOfDay) || m > 59 || s > 60) return undefined;
  const ahead = Number(aheadHours ?? 0) * 60 + Number(aheadMinutes ?? 0);
  const offset = (sign === '+' || sign === undefined ? ahead : -ahead) * 60_000;
  return day + (h * 3600 + m * 60 + s) * 1000 + Number(`0.${fraction}`) * 1000 - offset;
}

/**
 * Midnight UTC of a day as ISO 8601 writes it: YYYY-MM-DD, of a week (`2026-W05-1`) or of a year (`2026-032`). Undefined
 * when the day does not exist.
 */
export function readDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return readOtherDay(text);
  const start = Date.parse(text);
  // The 30th of February is read as the 1st or 2nd of March.
  return new Date(start).getUTCDate() === Number(text.slice(-2)) ? start : undefined;
}

/** A day without hyphens, as in a compact timestamp. */
function readBasicDay(text: string): number | undefined {
  const [, year, month, day, week, weekday, ordinal] = basicDay.exec(text) ?? [];
  return year === undefined
    ? undefined
    : readDay([year, month ?? week, day ?? weekday, ordinal].filter(Boolean).join('-'));
}

function readOtherDay(text: string): number | undefined {
  const [, year, week, weekday, ordinal] = /^(\d{4})-(?:W(\d{2})-([1-7])|(\d{3}))$/i.exec(text) ?? [];
  if (year === undefined) return undefined;
  if (ordinal !== undefined) {
    const start = dayIn(Number(year), 0, Number(ordinal));
    return new Date(start).getUTCFullYear() === Number(year) && Number(ordinal) > 0 ? start : undefined;
  }
  const start = firstMonday(Number(year)) + ((Number(week) - 1) * 7 + Number(weekday) - 1) * dayMs;
  return Number(week) > 0 && firstMonday(Number(year) + 1) > start ? start : undefined;
}

/** Week 1 is the one with 4 January. */
function firstMonday(year: number): number {
  const fourth = dayIn(year, 0, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
}

function dayIn(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** The day of a time in UTC; other texts unchanged. */
export function dayOfTime(text: string): string {
  const time = readInstant(text);
  return time === undefined ? text : new Date(time).toISOString().slice(0, 10);
}

/** A time as a person reads it, in UTC: `2026-03-31 09:00`. */
export function minuteOfTime(time: number | Date): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

/** The end of validity: the instant, or the end of the day. */
export function readEnd(text: string): number | undefined {
  const day = readDay(text);
  return day === undefined ? readInstant(text) : day + dayMs;
}

/** The latest of the times; one that cannot be read is earlier than all others. Null for none. */
export function latest(times: readonly string[]): string | null {
  const at = (text: string) => readInstant(text) ?? readDay(text) ?? Number.NEGATIVE_INFINITY;
  return times.length === 0 ? null : times.reduce((a, b) => (at(b) > at(a) ? b : a));
}
