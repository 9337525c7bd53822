/** What `--from`, `--to`, `--last`, `--ytd` and `--fy` mean in the grain of a series. Pure: the newest period comes in. */

import { usage } from '../../core/errors.ts';
import type { PeriodType } from '../../core/periods.ts';
import {
  addPeriods,
  firstWithin,
  formatPeriod,
  lastWithin,
  monthsIn,
  type Period,
  parsePeriod,
  periodExamples,
  startMonth,
} from '../../core/periods.ts';

export interface RangeWords {
  from?: string;
  to?: string;
  /** `18`, or with a unit `18m`, `8q`, `3y`. */
  last?: string;
  /** From the first period of the (fiscal) year to the newest. */
  ytd?: boolean;
  /** A fiscal year, called by the calendar year in which it ends. */
  fy?: number;
  /** The month, 1 to 12, in which fiscal years begin. */
  fyStart?: number;
}

export interface Range {
  from?: Period;
  to?: Period;
}

const units: Readonly<Record<string, PeriodType>> = { m: 'month', q: 'quarter', y: 'year' };

/**
 * The bounds in the grain asked for. A coarser bound means all that it covers: from 2019 is from 2019-01, to 2019 is to
 * 2019-12. Without `--to`, `--last` ends at `newest`.
 * @throws usage naming the flag, its value and the rule
 */
export function seriesRange(words: RangeWords, type: PeriodType, newest: Period): Range {
  const fiscal = fiscalRange(words, type, newest);
  if (fiscal) return fiscal;
  const from = bound('--from', words.from, type, firstWithin);
  const to = bound('--to', words.to, type, lastWithin);
  if (words.last === undefined) {
    if (from && to && to.index < from.index) {
      throw usage(`--to must not be before --from (${words.from}), got ${words.to}`);
    }
    return { from, to };
  }
  if (from) throw usage('--from and --last both say where the series begins', 'give one of them');
  const end = to ?? newest;
  const start = addPeriods(end, 1 - lastCount(words.last, type));
  try {
    formatPeriod(start);
  } catch {
    throw usage(`--last ${words.last} reaches back before the year 0000`);
  }
  return { from: start, to: end };
}

/** The range of `--ytd` or `--fy`; undefined without them. */
function fiscalRange(words: RangeWords, type: PeriodType, newest: Period): Range | undefined {
  const { ytd, fy, fyStart = 1 } = words;
  if (!ytd && fy === undefined) {
    if (words.fyStart === undefined) return undefined;
    throw usage('--fy-start says where fiscal years begin, and goes with --fy or --ytd', 'leave it out, or add one');
  }
  const flag = ytd ? '--ytd' : '--fy';
  const other = (['from', 'to', 'last'] as const).find((name) => words[name] !== undefined);
  if (other || (ytd && fy !== undefined)) {
    throw usage(`${flag} and --${other ?? 'fy'} both say which periods to read`, 'give one of them');
  }
  if ((fyStart - 1) % monthsIn[type] !== 0) {
    throw usage(
      `--fy-start ${fyStart}: no ${type} begins in that month, so that a fiscal year is no whole number of them`,
      'read it by month',
    );
  }
  const year = fy ?? fiscalYearOf(startMonth(newest), fyStart);
  const first = year * 12 + (fyStart === 1 ? 0 : fyStart - 13);
  const at = (month: number): Period => ({ type, index: month / monthsIn[type] });
  return { from: at(first), to: ytd ? newest : addPeriods(at(first + 12), -1) };
}

/** The fiscal year that holds a month: the calendar year in which it ends. */
function fiscalYearOf(month: number, fyStart: number): number {
  return Math.floor((month - (fyStart - 1)) / 12) + (fyStart === 1 ? 0 : 1);
}

/** The unit that `--last` names, if it names one. */
export function lastUnit(last: string | undefined): PeriodType | undefined {
  return units[last?.slice(-1).toLowerCase() ?? ''];
}

/** What may bound a series of each grain: a coarser period stands for its first or last one of the grain. */
const bounds: Readonly<Record<PeriodType, string>> = {
  month: 'a month such as 2006-01 (a quarter or year, 2006-Q1 or 2006, bounds it too)',
  quarter: 'a quarter such as 2006-Q1 (a year, 2006, bounds it too)',
  year: 'a year such as 2006',
};

function bound(
  flag: string,
  text: string | undefined,
  type: PeriodType,
  within: (period: Period, type: PeriodType) => Period | undefined,
): Period | undefined {
  if (text === undefined) return undefined;
  const period = parsePeriod(text.trim());
  if (!period) throw usage(`${flag} must be ${bounds[type]}, got "${text}"`);
  const found = within(period, type);
  if (found) return found;
  throw usage(
    `${flag} must be a ${type} such as ${periodExamples[type]}, got the ${period.type} ${text}`,
    `--period-type ${period.type} reads ${period.type}s`,
  );
}

function lastCount(last: string, type: PeriodType): number {
  const match = /^([1-9]\d{0,5})([mqy])?$/i.exec(last.trim());
  if (!match) throw usage(`--last must be a number of periods such as 18, or 18m, 8q, 3y, got "${last}"`);
  const unit = lastUnit(match[2]) ?? type;
  const count = (Number(match[1]) * monthsIn[unit]) / monthsIn[type];
  if (monthsIn[unit] >= monthsIn[type]) return count;
  throw usage(`--last ${last} counts ${unit}s, but the series is read by ${type}`, `give a number of ${type}s`);
}
