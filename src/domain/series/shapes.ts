/** Rows of a wide series in other shapes. Values, nulls and missing values stay as they are. */

import type { MetricObservation, MetricSeriesItem } from '../../contract/metrics.ts';
import { mergeRows, type Numeric } from '../../core/json.ts';
import { monthsIn, runningMonths } from '../../core/periods.ts';
import type { Keyed } from './plan.ts';

/** The unit of a metric's values in the words of the API; `currency` is set for amounts of money. */
export type ValueUnit = Pick<MetricObservation, 'unit' | 'currency'>;

/** A row of a series: stored, derived from months or computed. */
export interface SeriesItem extends MetricSeriesItem {
  derived?: true;
  /** Months with a row out of the months in the period, `2/3`; of a stored row only while its month is running. */
  months?: string;
  /** The same of the values of each metric, where that is fewer than the period holds. */
  incomplete?: Record<string, string>;
  /** Why metrics have no value here. */
  notes?: Record<string, string>;
  /** The months of a metric, where incomplete periods are compared. */
  monthly?(id: string): MonthlyValues | undefined;
}

export interface MonthlyValues {
  positions: readonly number[];
  /** The value over some of them; undefined where one has none. */
  over(positions: readonly number[]): Numeric | null | undefined;
}

export type LongRow = Omit<MetricObservation, 'source' | 'updatedAt'> &
  Partial<Record<'source' | 'updatedAt', string | null | undefined>> & {
    derived?: true;
    months?: string | undefined;
    note?: string;
  };

/** The months that a value is derived from, `2/3`; for a stored value only while its month is running. */
function monthsOf({ derived, incomplete, months, periodType }: SeriesItem, id: string): string | undefined {
  if (!derived) return months;
  const all = monthsIn[periodType];
  return months?.startsWith('0/') ? months : (incomplete?.[id] ?? `${all}/${all}`);
}

/** One row for each value, in the order of `ids`. */
export function* observations(
  item: SeriesItem,
  ids: Iterable<string>,
  units: ReadonlyMap<string, ValueUnit>,
): Generator<LongRow> {
  const { metrics, derived, months, periodKey, periodType, version, source, updatedAt } = item;
  for (const id of ids) {
    if (!Object.hasOwn(metrics, id)) continue;
    const { unit = null, currency = null } = units.get(id) ?? {};
    yield {
      metricId: id,
      value: metrics[id] ?? null,
      unit,
      currency,
      periodKey,
      periodType,
      version,
      sourceBoundary: 'company_internal',
      source,
      updatedAt,
      ...(derived ? { derived, months: monthsOf(item, id) } : months !== undefined ? { months } : {}),
      ...(item.notes?.[id] !== undefined && { note: item.notes[id] }),
    };
  }
}

export function withNote({ notes, ...item }: SeriesItem): SeriesItem & { note?: string } {
  if (notes === undefined) return item;
  return {
    ...item,
    note: Object.entries(notes)
      .map((words) => words.join(' '))
      .join('; '),
  };
}

/**
 * The rows by month. Actuals of a month that has not ended are marked: they are of part of it, and not compared with
 * those of complete months. @param newest the current month, such as `2006-01`
 */
export function markRunning<Row extends Keyed>(rows: readonly Row[], newest: string): readonly (Row & Marked)[] {
  if (!rows.some((row) => isRunning(row, newest))) return rows;
  return rows.map((row) => (isRunning(row, newest) ? mergeRows(row, { months: runningMonths }) : row));
}

export interface Marked {
  months?: string;
}

function isRunning({ periodKey, version }: Keyed, newest: string): boolean {
  return version === 'actual' && periodKey >= newest;
}
