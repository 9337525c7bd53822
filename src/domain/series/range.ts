/** The range of a series in its own grain, from bounds, a count of newest periods, or a fiscal year. */

import { usage } from '../../core/errors.ts';
import type { PeriodType } from '../../core/periods.ts';
import {
  addPeriods,
  endMonth,
  firstWithin,
  formatPeriod,
  lastWithin,
  monthsIn,
  type Period,
  parsePeriod,
  periodAt,
  periodExamples,
  startMonth,
} from '../../core/periods.ts';

export interface RangeWords {
  from?: string | undefined;
  to?: string | undefined;
  /** `18`, or with a unit `18m`, `8q`, `3y`; the (fiscal) year to the newest period, `ytd`, or one by its end, `fy2026`. */
  last?: string | undefined;
  /** The newest of them is the current period, which has not ended. */
  includeCurrent?: boolean | undefined;
  /** The month, 1 to 12, in which fiscal years begin. */
  fyStart?: number | undefined;
}

export interface Range {
  from?: Period | undefined;
  to?: Period | undefined;
}

/** Names a field of the range in messages; a command line names its flag. */
type RangeNames = (field: keyof RangeWords | 'periodType') => string;

const fieldItself: RangeNames = (field) => field;

const units: Readonly<Record<string, PeriodType>> = { m: 'month', q: 'quarter', y: 'year' };

/** The bounds in the grain of the series; `last` ends at `to`, else at the newest period that has ended. */
export function seriesRange(words: RangeWords, type: PeriodType, newest: Period, name = fieldItself): Range {
  const fiscal = fiscalRange(words, type, newest, name);
  if (fiscal) return fiscal;
  const { last, includeCurrent } = words;
  if (includeCurrent && (last === undefined || words.to !== undefined)) {
    throw usage(`${name('includeCurrent')} is for ${name('last')} without ${name('to')}`, 'omit it');
  }
  if (last === undefined) return boundedRange(words, type, name);
  if (words.from !== undefined) {
    throw usage(`${name('from')} and ${name('last')} both say where the series begins`, 'give one of them');
  }
  const end = boundedRange({ to: words.to }, type, name).to ?? (includeCurrent ? newest : addPeriods(newest, -1));
  const start = addPeriods(end, 1 - lastCount(last, type, name));
  if (start.index < 0) throw usage(`${name('last')} ${last} begins before the year 0000`);
  return { from: start, to: end };
}

/** The months of rows that are derived from them. Bounds may be months, and a count is of the derived periods. */
export function rangeOfMonths(words: RangeWords, type: PeriodType, now: Date, name = fieldItself): Range {
  const isCounted = words.last !== undefined || words.fyStart !== undefined;
  const grain = isCounted ? type : 'month';
  const { from, to } = seriesRange(words, grain, periodAt(now, grain), name);
  return { from: from && firstWithin(from, 'month'), to: to && lastWithin(to, 'month') };
}

export function writtenRange({ from, to }: Range): { from: string | undefined; to: string | undefined } {
  return { from: from && formatPeriod(from), to: to && formatPeriod(to) };
}

/** The range between two bounds, each in the grain or coarser. @throws usage */
export function boundedRange(
  words: Pick<RangeWords, 'from' | 'to'>,
  type: PeriodType,
  name: RangeNames = fieldItself,
): Range {
  const from = bound('from', words.from, type, name, firstWithin);
  const to = bound('to', words.to, type, name, lastWithin);
  if (from && to && to.index < from.index) {
    throw usage(`${name('to')} must not be before ${name('from')} (${words.from}), got ${words.to}`);
  }
  return { from, to };
}

/** The fiscal year that `last` names; undefined where it counts periods. */
function fiscalYear(last: string | undefined): number | 'ytd' | undefined {
  const [, word, year] = /^(?:(ytd)|fy(\d{4}))$/i.exec(last?.trim() ?? '') ?? [];
  if (word !== undefined) return 'ytd';
  return year === undefined ? undefined : Number(year);
}

/** Whether `last` is a fiscal year, whose first month differs between companies. */
export function isFiscal(last: string | undefined): boolean {
  return fiscalYear(last) !== undefined;
}

/** The range of a year to date or a fiscal year; undefined for other ranges. */
function fiscalRange(words: RangeWords, type: PeriodType, newest: Period, name: RangeNames): Range | undefined {
  const { last, fyStart = 1 } = words;
  const named = fiscalYear(last);
  if (named === undefined) {
    if (words.fyStart === undefined) return undefined;
    throw usage(`${name('fyStart')} needs ${name('last')} ytd or fy2026`, 'omit it, or add one of them');
  }
  const other = (['from', 'to', 'includeCurrent'] as const).find((field) => words[field] !== undefined);
  if (other) {
    throw usage(`${name('last')} ${last} and ${name(other)} both say which periods to read`, 'give one of them');
  }
  if ((fyStart - 1) % monthsIn[type] !== 0) {
    throw usage(
      `${name('fyStart')} ${fyStart}: fiscal years do not align with ${type}s, since no ${type} begins in that month`,
      'read it by month',
    );
  }
  const year = named === 'ytd' ? fiscalYearOf(startMonth(newest), fyStart) : named;
  const first = year * 12 + (fyStart === 1 ? 0 : fyStart - 13);
  const at = (month: number): Period => ({ type, index: month / monthsIn[type] });
  return { from: at(first), to: named === 'ytd' ? newest : addPeriods(at(first + 12), -1) };
}

/** The fiscal year that holds a month: the calendar year in which it ends. */
function fiscalYearOf(month: number, fyStart: number): number {
  return Math.floor((month - (fyStart - 1)) / 12) + (fyStart === 1 ? 0 : 1);
}

/** Whether a period is in the range of these words; without words each is. */
export function withinRange(words: RangeWords, now: Date, name = fieldItself): (periodKey: string) => boolean {
  if ((words.from ?? words.to ?? words.last) === undefined) return () => true;
  const type = lastUnit(words.last) ?? 'month';
  const { from, to } = seriesRange(words, type, periodAt(now, type), name);
  const [first, end] = [from && startMonth(from), to && endMonth(to)];
  return (periodKey) => {
    const period = parsePeriod(periodKey);
    if (!period) return false;
    return (first === undefined || startMonth(period) >= first) && (end === undefined || endMonth(period) <= end);
  };
}

/** The unit that a count of newest periods names, if it names one. */
export function lastUnit(last: string | undefined): PeriodType | undefined {
  return last === undefined || isFiscal(last) ? undefined : units[last.slice(-1).toLowerCase()];
}

/** The grain that bounds name: quarters, unless one of them is a month. A year bounds a series of any grain. */
export function boundsUnit({ from, to }: Pick<RangeWords, 'from' | 'to'>): PeriodType | undefined {
  const types = [from, to].map((text) => parsePeriod(text?.trim() ?? '')?.type);
  return types.includes('quarter') && !types.includes('month') ? 'quarter' : undefined;
}

/** The periods that may bound a series of each grain. A coarser period bounds it at its first or last period. */
const bounds: Readonly<Record<PeriodType, string>> = {
  month: 'a month such as 2006-01 (a quarter or year, 2006-Q1 or 2006, bounds it too)',
  quarter: 'a quarter such as 2006-Q1 (a year, 2006, bounds it too)',
  year: 'a year such as 2006',
};

function bound(
  field: 'from' | 'to',
  text: string | undefined,
  type: PeriodType,
  name: RangeNames,
  within: (period: Period, type: PeriodType) => Period | undefined,
): Period | undefined {
  if (text === undefined) return undefined;
  const period = parsePeriod(text.trim());
  if (!period) throw usage(`${name(field)} must be ${bounds[type]}, got "${text}"`);
  const periods = within(period, type);
  if (periods) return periods;
  throw usage(
    `${name(field)} must be a ${type} such as ${periodExamples[type]}, got the ${period.type} ${text}`,
    `${name('periodType')} ${period.type} reads ${period.type}s`,
  );
}

function lastCount(last: string, type: PeriodType, name: RangeNames): number {
  const match = /^([1-9]\d{0,5})([mqy])?$/i.exec(last.trim());
  if (!match)
    throw usage(`${name('last')} must be a number of periods such as 18, or 18m, 8q, 3y, ytd or fy2026, got "${last}"`);
  if (match[2] === undefined && /^(?:19|20|21)\d\d$/.test(last.trim())) {
    throw usage(
      `${name('last')} ${last} would be ${last} ${type}s`,
      `give ${name('from')} ${last} ${name('to')} ${last} for the year, or ${last}${type[0]} for so many ${type}s`,
    );
  }
  const unit = lastUnit(match[2]) ?? type;
  const count = (Number(match[1]) * monthsIn[unit]) / monthsIn[type];
  if (monthsIn[unit] >= monthsIn[type]) return count;
  throw usage(
    `${name('last')} ${last} counts ${unit}s, but the series is read by ${type}`,
    `give a number of ${type}s`,
  );
}
