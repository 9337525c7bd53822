/** Rows of a wide series in other shapes. Values, nulls and missing values stay as they are. */

import type { MetricObservation, MetricSeriesItem } from '../../contract/metrics.ts';
import { merged } from '../../core/json.ts';
import { monthsIn, runningMonths } from '../../core/periods.ts';
import type { Keyed } from './plan.ts';

/** The unit of a metric's values in the words of the API; `currency` is set for amounts of money. */
export type ValueUnit = Pick<MetricObservation, 'unit' | 'currency'>;

/** A row of a coarser grain that is computed, not stored. */
export interface DerivedItem extends MetricSeriesItem {
  derived: true;
  /** Months with a row out of the months in the period: `2/3`. */
  months: string;
  /** The number of months with a value, by metric, where that is fewer than the period holds. */
  incomplete: Record<string, string>;
}

export type WideItem = MetricSeriesItem &
  Partial<Pick<DerivedItem, 'derived' | 'months' | 'incomplete'>> & {
    notes?: Record<string, string>;
  };
export type LongRow = Omit<MetricObservation, 'source' | 'updatedAt'> &
  Partial<Record<'source' | 'updatedAt', string | null | undefined>> & {
    derived?: true;
    months?: string | undefined;
    note?: string;
  };

/** The metrics of rows: first those of `ids` in their order, then all others. */
function* idsOf(items: Iterable<WideItem>, ids: Iterable<string>): Generator<string> {
  const present = new Set<string>();
  for (const { metrics } of items) for (const id in metrics) present.add(id);
  for (const id of ids) if (present.delete(id)) yield id;
  yield* present;
}

/** The months that a value is derived from, `2/3`; for a stored value only while its month is running. */
function monthsOf({ derived, incomplete, months, periodType }: WideItem, id: string): string | undefined {
  if (!derived) return months;
  const all = monthsIn[periodType];
  return months?.startsWith('0/') ? months : (incomplete?.[id] ?? `${all}/${all}`);
}

/** One row for each value, in the order of `ids`. */
export function* observations(
  item: WideItem,
  ids: Iterable<string>,
  units: ReadonlyMap<string, ValueUnit>,
): Generator<LongRow> {
  const { metrics, derived, months, periodKey, periodType, version, source, updatedAt } = item;
  for (const id of idsOf([item], ids)) {
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

export function withNote({ notes, ...item }: WideItem): WideItem & { note?: string } {
  if (notes === undefined) return item;
  return {
    ...item,
    note: Object.entries(notes)
      .map((words) => words.join(' '))
      .join('; '),
  };
}

/** Actuals of a month that has not ended are part of a month: they are marked, and not compared with complete ones. */

/** The rows by month, those that are running marked with `months`. @param newest the current month, such as `2006-01` */
export function markRunning<Row extends Keyed>(rows: readonly Row[], newest: string): readonly (Row & Marked)[] {
  if (!rows.some((row) => isRunning(row, newest))) return rows;
  return rows.map((row) => (isRunning(row, newest) ? merged(row, { months: runningMonths }) : row));
}

export interface Marked {
  months?: string;
}

function isRunning({ periodKey, version }: Keyed, newest: string): boolean {
  return version === 'actual' && periodKey >= newest;
}
