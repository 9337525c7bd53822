/** Columns of metrics, grants and published snapshots; what few people look at is kept out of tables. */
import {
  MetricDefinition,
  MetricGrant,
  type MetricObservation,
  MetricPreferences,
  type MetricSeriesItem,
  type PublishedPeriod,
} from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { formatPeriod, parsePeriod, startMonth } from '../../core/periods.ts';
import type { Cell, Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/schema-columns.ts';

const rare = { hidden: true };

/** The catalog's unit of amounts of money, which stand in the currency beside them. */
export const moneyUnit = 'currency';

/** The unit that stands beside a number in a table: the currency of money, else the label, if there is one. */
export function shownUnit(
  unit: string | null | undefined,
  label: string | null | undefined,
  currency: string | undefined,
): string | undefined {
  return label ?? (unit === moneyUnit ? currency : undefined);
}

export const definitionColumns = schemaColumns<MetricDefinition>(MetricDefinition, {
  metricId: { heading: 'Metric' },
  unitLabel: rare,
  valueSemantics: rare,
  description: rare,
});

export const grantColumns = schemaColumns<MetricGrant>(MetricGrant, {
  company_id: rare,
  granted_by: rare,
  recipient_company_id: { heading: 'To company' },
  recipient_user_id: { heading: 'To user' },
  scope: rare,
  metric_ids: { heading: 'Metrics' },
  include_historical: { heading: 'Historical' },
  revoked_by: rare,
  created_at: rare,
  updated_at: rare,
});

export const preferenceColumns = schemaColumns<MetricPreferences>(MetricPreferences, {
  vcCompanyId: { heading: 'Investor' },
});

/** A live value with the unit that the catalog gives it. */
export interface LiveValue {
  metric: string;
  value: Numeric;
  unit: string | undefined;
}

export const liveColumns: Column<LiveValue>[] = [
  { key: 'metric', heading: 'Metric', get: (row) => row.metric },
  { key: 'value', heading: 'Value', type: 'number', get: (row) => row.value },
  { key: 'unit', heading: 'Unit', get: (row) => row.unit },
];

/** What became of one grant that was to be revoked. */
export interface RevokeRow {
  id: string;
  outcome: 'revoked' | 'unchanged' | 'skipped' | 'failed';
  revoked_at: string | null;
  error: string | null;
}

export const revokeColumns: Column<RevokeRow>[] = [
  { key: 'id', heading: 'ID', type: 'id', get: (row) => row.id },
  { key: 'outcome', heading: 'Outcome', get: (row) => row.outcome },
  { key: 'revoked_at', heading: 'Revoked', type: 'datetime', get: (row) => row.revoked_at },
  { key: 'error', heading: 'Error', get: (row) => row.error },
];

/** A series row of one of several companies carries its company. */
export type OfCompany<Row> = Row & { companyId?: string };

export const company: Column<{ companyId?: string }> = {
  key: 'companyId',
  heading: 'Company',
  type: 'id',
  get: (row) => row.companyId,
};

export const time: Column<{ periodKey: string; periodType: string }>[] = [
  { key: 'periodKey', heading: 'Period', get: (row) => row.periodKey },
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType, ...rare },
];

/** The period's first day: charts and pivots want dates, and a period's key is text. */
const periodStart: Column<{ periodKey: string }> = {
  key: 'periodStart',
  heading: 'From',
  type: 'date',
  get({ periodKey }) {
    const period = parsePeriod(periodKey);
    return period && `${formatPeriod({ type: 'month', index: startMonth(period) })}-01`;
  },
};

/** With `--dates`, the period's first day behind all other columns, which stay where they are. */
export function dated<Row extends { periodKey: string }>(columns: Column<Row>[], dates: boolean | undefined) {
  return dates ? [...columns, periodStart] : columns;
}

const place: Column<{ periodKey: string; periodType: string; version: string }>[] = [
  ...time,
  { key: 'version', heading: 'Version', get: (row) => row.version },
];

const origin: Column<{ source?: string | null; updatedAt?: string | null }>[] = [
  { key: 'source', heading: 'Source', get: (row) => row.source, ...rare },
  { key: 'updatedAt', heading: 'Updated', type: 'datetime', get: (row) => row.updatedAt, ...rare },
];

/** How a metric's column is headed. */
export interface MetricColumn {
  id: string;
  label?: string;
  /** Of several companies each may have its own. */
  unit?: string | ((companyId: string | undefined) => string | undefined);
  /** The unit stands in the header, and not beside each number. */
  headed?: boolean;
}

/** One row for each period and version, a column for each metric. A metric that the row does not hold is an empty cell. */
export function wideColumns(
  metrics: readonly MetricColumn[],
  options: { company?: boolean; dates?: boolean } = {},
): Column<OfCompany<MetricSeriesItem>>[] {
  const taken = new Set([company, ...place, ...origin, periodStart].map(({ key }) => key));
  const middle = metrics.map(({ id, label, unit, headed }): Column<OfCompany<MetricSeriesItem>> => {
    const key = taken.has(id) ? `metrics.${id}` : id;
    const get = (row: MetricSeriesItem) => own(row.metrics, id);
    const column = { type: 'number', path: ['metrics', id], get } as const;
    if (headed && typeof unit === 'string') {
      return { ...column, key: `${key} (${unit})`, heading: label && `${label} (${unit})`, aliases: [key] };
    }
    const shown = typeof unit === 'function' ? (row: OfCompany<MetricSeriesItem>) => unit(row.companyId) : unit;
    return { ...column, key, heading: label, unit: shown };
  });
  return dated([...(options.company ? [company] : []), ...place, ...middle, ...origin], options.dates);
}

/** One row for each observation. */
export function longColumns(
  options: { company?: boolean; dates?: boolean } = {},
): Column<OfCompany<MetricObservation>>[] {
  const columns: Column<OfCompany<MetricObservation>>[] = [
    ...(options.company ? [company] : []),
    ...place,
    { key: 'metricId', heading: 'Metric', get: (row) => row.metricId },
    {
      ...{ key: 'value', heading: 'Value', type: 'number', unitInRow: true },
      unit: (row) => shownUnit(row.unit, undefined, row.currency ?? undefined),
      get: (row) => row.value,
    },
    { key: 'unit', heading: 'Unit', get: (row) => row.unit },
    { key: 'currency', heading: 'Currency', get: (row) => row.currency },
    ...origin,
  ];
  return dated(columns, options.dates);
}

export const publishedPeriodColumns: Column<PublishedPeriod>[] = [
  { key: 'periodKey', heading: 'Period', get: (row) => row.periodKey },
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType },
  { key: 'versionNumber', heading: 'Version', type: 'integer', get: (row) => row.versionNumber },
  { key: 'sentAt', heading: 'Sent', type: 'datetime', get: (row) => row.sentAt },
  { key: 'reportId', heading: 'Report', type: 'id', get: (row) => row.reportId },
];

/** Published periods with a column for each metric of their data, and the currency. */
export function publishedColumns(periods: readonly PublishedPeriod[]): Column<PublishedPeriod>[] {
  const fixed = [...publishedPeriodColumns.map((column) => ({ ...column, hidden: column.key === 'reportId' }))];
  const taken = new Set([...fixed.map(({ key }) => key), 'currency', 'units']);
  const ids = new Set(periods.flatMap((period) => Object.keys(period.data ?? {})));
  const middle = [...ids].map(
    (id): Column<PublishedPeriod> => ({
      key: taken.has(id) ? `data.${id}` : id,
      type: 'number',
      unit: (row) => shownUnit(row.units?.[id], row.unitLabels?.[id], row.currency),
      path: ['data', id],
      get: (row) => own(row.data, id),
    }),
  );
  return [
    ...fixed,
    ...middle,
    { key: 'currency', heading: 'Currency', get: (row) => row.currency },
    { key: 'units', type: 'json', get: (row) => row.units, ...rare },
  ];
}

/** A key named like something that every object has (`constructor`) is no value. */
function own(values: Record<string, unknown> | undefined, key: string): Cell {
  return values !== undefined && Object.hasOwn(values, key) ? (values[key] as Cell) : undefined;
}
