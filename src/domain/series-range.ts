/** What `--from`, `--to` and `--last` mean in the grain of a series. Pure: the newest period comes in. */
import type { PeriodType } from '../contract/metrics.ts';
import { usage } from '../errors.ts';
import {
  addPeriods,
  firstWithin,
  formatPeriod,
  lastWithin,
  monthsIn,
  type Period,
  parsePeriod,
  periodExamples,
} from './periods.ts';

export interface RangeWords {
  from?: string;
  to?: string;
  /** `18`, or with a unit `18m`, `8q`, `3y`. */
  last?: string;
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

/** The unit that `--last` names, if it names one. */
export function lastUnit(last: string | undefined): PeriodType | undefined {
  return units[last?.slice(-1).toLowerCase() ?? ''];
}

function bound(
  flag: string,
  text: string | undefined,
  type: PeriodType,
  within: (period: Period, type: PeriodType) => Period | undefined,
): Period | undefined {
  if (text === undefined) return undefined;
  const period = parsePeriod(text.trim());
  if (!period) throw usage(`${flag} must be a ${type} such as ${periodExamples[type]}, got "${text}"`);
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
