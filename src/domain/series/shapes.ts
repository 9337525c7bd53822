/** Rows of a wide series in other shapes. Values, nulls and missing values stay as they are. */

import {
  type MetricCatalogResponse,
  type MetricObservation,
  type MetricSeriesItem,
  type Version,
  versions as versionOrder,
} from '../../contract/metrics.ts';
import { merged, type Numeric } from '../../core/json.ts';
import { isPartial, latest, monthsIn, runningMonths } from '../../core/periods.ts';
import { isMoney, measureOf, type UnitWords } from './units.ts';

/** The unit of a metric's values from the catalog; `currency` is set for amounts of money. */
export interface Measured extends UnitWords {
  label?: string;
}

/** The units of metrics by id. */
export function measures(catalog: Pick<MetricCatalogResponse, 'definitions' | 'currency'>): Map<string, Measured> {
  return new Map(
    catalog.definitions.map(({ metricId, label, unit, unitLabel }) => {
      const measure = measureOf({ unit, unitLabel, currency: catalog.currency });
      const currency = isMoney(measure, catalog.currency) ? measure : null;
      return [metricId, { label, unit: unit ?? null, unitLabel: unitLabel ?? null, currency }];
    }),
  );
}

/** A row of a coarser grain that is computed, not stored. */
export interface DerivedItem extends MetricSeriesItem {
  derived: true;
  /** Months with a row out of the months in the period: `2/3`. */
  months: string;
  /** The number of months with a value, by metric, where that is fewer than the period holds. */
  incomplete: Record<string, string>;
}

export type WideItem = MetricSeriesItem & Partial<Pick<DerivedItem, 'derived' | 'months' | 'incomplete'>>;
export type LongRow = Omit<MetricObservation, 'source' | 'updatedAt'> &
  Partial<Record<'source' | 'updatedAt', string | null | undefined>> & { derived?: true; months?: string | undefined };

/** The metrics of rows: first those of `ids` in their order, then those that no one expected. */
function* idsOf(items: Iterable<WideItem>, ids: Iterable<string>): Generator<string> {
  const found = new Set<string>();
  for (const { metrics } of items) for (const id in metrics) found.add(id);
  for (const id of ids) if (found.delete(id)) yield id;
  yield* found;
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
  measured: ReadonlyMap<string, Measured>,
): Generator<LongRow> {
  const { metrics, derived, months, periodKey, periodType, version, source, updatedAt } = item;
  for (const id of idsOf([item], ids)) {
    const { unit = null, currency = null } = measured.get(id) ?? {};
    yield {
      metricId: id,
      value: metrics[id] ?? null,
      unit,
      currency,
      ...{ periodKey, periodType, version, sourceBoundary: 'company_internal', source, updatedAt },
      ...(derived ? { derived, months: monthsOf(item, id) } : months !== undefined ? { months } : {}),
    };
  }
}

/** One metric of one period, its versions side by side. A version without a value is left out of `values`. */
export interface VersionsRow {
  periodKey: string;
  periodType: string;
  metricId: string;
  values: Partial<Record<Version, Numeric | null>>;
  unit: string | null;
  unitLabel: string | null;
  currency: string | null;
  /** `2/3` for derived and running rows: the fewest months of any version with a value. */
  months?: string;
  /** When the newest of the API's rows with these values was written: a row has one time for all of its metrics. */
  updatedAt: string | null;
}

/** The rows of one period. */
export function* versionsRows(
  period: readonly WideItem[],
  ids: Iterable<string>,
  measured: ReadonlyMap<string, Measured>,
): Generator<VersionsRow> {
  const [first] = period;
  if (!first) return;
  const { periodKey, periodType } = first;
  for (const metricId of idsOf(period, ids)) {
    const holding = period.filter(({ metrics }) => Object.hasOwn(metrics, metricId));
    const { unit = null, unitLabel = null, currency = null } = measured.get(metricId) ?? {};
    const values = Object.fromEntries(holding.map(({ version, metrics }) => [version, metrics[metricId] ?? null]));
    const times = holding.flatMap(({ updatedAt }) => updatedAt ?? []);
    const updatedAt = latest(times);
    // A version without a value says nothing of the months of the others.
    const valued = holding.filter(({ metrics }) => (metrics[metricId] ?? null) !== null);
    const counted = valued.length > 0 ? valued : holding;
    const counts = counted.flatMap((item) => monthsOf(item, metricId) ?? []).sort();
    const months = counts[0] === undefined ? {} : { months: counts[0] };
    yield { periodKey, periodType, metricId, values, unit, unitLabel, currency, ...months, updatedAt };
  }
}

/** One metric of one version over all periods. */
export interface TransposedRow {
  metricId: string;
  label: string;
  unit: string | null;
  unitLabel: string | null;
  currency: string | null;
  version: string;
  values: Record<string, Numeric | null>;
  /** `2/3` by period, where months are missing. */
  months?: Record<string, string>;
}

/** Metrics as rows, in the order of `ids`, then of the versions; only those that have a value somewhere. */
export function transposed(
  items: readonly WideItem[],
  ids: Iterable<string>,
  measured: ReadonlyMap<string, Measured>,
): TransposedRow[] {
  const present = new Set<string>(items.map(({ version }) => version));
  const versions = [...versionOrder.filter((version) => present.delete(version)), ...present];
  const rows = new Map<string, TransposedRow>();
  for (const metricId of idsOf(items, ids)) {
    const { label = metricId, unit = null, unitLabel = null, currency = null } = measured.get(metricId) ?? {};
    for (const version of versions) {
      rows.set(`${version} ${metricId}`, { metricId, label, unit, unitLabel, currency, version, values: {} });
    }
  }
  for (const item of items) {
    for (const metricId of Object.keys(item.metrics)) {
      const row = rows.get(`${item.version} ${metricId}`);
      if (row) addValue(row, item);
    }
  }
  return [...rows.values()].filter(({ values }) => Object.keys(values).length > 0);
}

function addValue(row: TransposedRow, item: WideItem): void {
  row.values[item.periodKey] = item.metrics[row.metricId] ?? null;
  const count = monthsOf(item, row.metricId);
  if (count === undefined || !isPartial(count)) return;
  row.months ??= {};
  row.months[item.periodKey] = count;
}

/** Actuals of a month that has not ended are part of a month: they are marked, and not compared with complete ones. */

const running: Marked = { months: runningMonths };

interface Placed {
  periodKey: string;
  version: string;
}

/**
 * The rows by month, those that are running marked with `months`.
 * @param newest the current month, such as `2006-01`
 */
export function markRunning<Row extends Placed>(rows: readonly Row[], newest: string): readonly (Row & Marked)[] {
  if (!rows.some((row) => isRunning(row, newest))) return rows;
  return rows.map((row) => (isRunning(row, newest) ? merged(row, running) : row));
}

/** The mark of a row whose period is running. */
export interface Marked {
  months?: string;
}

function isRunning({ periodKey, version }: Placed, newest: string): boolean {
  return version === 'actual' && periodKey >= newest;
}
