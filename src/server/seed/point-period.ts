/** The period that a cell of a CSV file or a `period` of a seed file names. */

import { isDate } from '../../contract/validate.ts';
import type { PeriodType } from '../../core/periods.ts';
import { formatPeriod, type Period, parsePeriod, periodHolding } from '../../core/periods.ts';

export interface PointPeriod {
  type: PeriodType;
  key: string;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The forms that are read, for messages. */
export const periodForms = '2006-01-01, 2006-01, 2006-Q1, 2006 or Jan 1 2006';

/**
 * `2006-01`, `2006-Q1` and `2006` are that period; a date (`2006-01-01`, `Jan 1 2006`) is its month, or its quarter or
 * year where `type` asks for it. Undefined for every other text, and for a period of another grain than `type`.
 */
export function pointPeriod(text: string, type?: PeriodType): PointPeriod | undefined {
  const day = isoDate(text);
  const period = day === undefined ? exactPeriod(text) : parsePeriod(day.slice(0, 7));
  if (!period) return undefined;
  const wanted = type ?? period.type;
  if (day === undefined && wanted !== period.type) return undefined;
  const held = periodHolding(period, wanted);
  return held && { type: wanted, key: formatPeriod(held) };
}

/** A period as the API writes it; `2006-q1` is not one. */
function exactPeriod(text: string): Period | undefined {
  const period = parsePeriod(text);
  return period && formatPeriod(period) === text ? period : undefined;
}

function isoDate(text: string): string | undefined {
  if (isDate(text)) return text;
  const [, name = '', day = '', year = ''] = /^([A-Z][a-z]{2}) (\d{1,2}) (\d{4})$/.exec(text) ?? [];
  const month = months.indexOf(name) + 1;
  const iso = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return month > 0 && isDate(iso) ? iso : undefined;
}
