/** Columns of a series in each of its shapes. */

import type { LongRow, WideItem } from '../../domain/series/shapes.ts';
import { shownUnit } from '../../domain/series/units.ts';
import type { Cell, Column } from '../../output/column.ts';
import { type CompanyFields, companyColumns, currencyColumn, noteColumn, period, quantityOf, rare } from './columns.ts';
import type { Metric } from './read.ts';

export interface SeriesColumns {
  company?: boolean;
  /** The rows are derived from months. */
  derived?: boolean;
  /** Companies have several currencies. */
  currency?: boolean;
  /** The rows may be of a month that has not ended. */
  months?: boolean;
  /** A total names the companies that it leaves out. */
  notes?: boolean;
}

/** A row of one of several companies. */
export type CompanyRow<Row> = Row & CompanyFields & { note?: string };

interface PeriodFields {
  periodKey: string;
  periodType: string;
  months?: string | undefined;
}

const months: Column<{ months?: string | undefined }> = {
  key: 'months',
  series: 'months',
  heading: 'Months',
  get: (row) => row.months,
};

/** The columns of the months in a row; tables mark the period instead. */
const monthColumns = ({ derived, months: isRunning }: SeriesColumns): Column<Derivation>[] =>
  derived ? derivation : isRunning ? [{ ...months, ...rare }] : [];

interface Derivation {
  derived?: boolean;
  months?: string | undefined;
  incomplete?: Record<string, string>;
}

const derivation: Column<Derivation>[] = [
  { key: 'derived', heading: 'Derived', type: 'boolean', get: (row) => row.derived ?? false, ...rare },
  months,
];

/** Metrics with fewer months than the row. */
const incomplete: Column<Derivation> = {
  key: 'incomplete',
  series: 'incomplete',
  heading: 'Incomplete',
  type: 'json',
  get(row) {
    const fewer = Object.entries(row.incomplete ?? {}).filter(([, count]) => count !== row.months);
    return fewer.length > 0 ? Object.fromEntries(fewer) : undefined;
  },
};

const periodColumns: Column<PeriodFields>[] = [
  period,
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType, ...rare },
];

const versionColumn: Column<{ version: string }> = {
  key: 'version',
  series: 'name',
  heading: 'Version',
  get: (row) => row.version,
  usual: 'actual',
};

const originColumns: Column<Partial<Record<'source' | 'updatedAt', string | null | undefined>>>[] = [
  { key: 'source', heading: 'Source', get: (row) => row.source, ...rare },
  { key: 'updatedAt', heading: 'Updated', type: 'datetime', get: (row) => row.updatedAt, ...rare },
];

const noteColumns = ({ notes }: SeriesColumns): readonly Column<{ note?: string | undefined }>[] =>
  notes ? [noteColumn] : [];

const companies = ({ company }: SeriesColumns): readonly Column<CompanyFields>[] => (company ? companyColumns : []);

/** The column of a metric. */
interface MetricColumn {
  id: string;
  label?: string | undefined;
  /** Each of several companies may have its own. */
  unit?: string | undefined | ((companyId: string | undefined) => string | undefined);
  /** The unit is the currency of the company, of which there are several. */
  inCurrency?: boolean;
}

/** The metrics of a company. */
export interface CompanyMetrics {
  companyId: string | undefined;
  metrics: readonly Metric[];
}

/** The columns of metrics, each with the unit of its company. */
export function metricColumns(ids: Iterable<string>, companies: readonly CompanyMetrics[]): MetricColumn[] {
  return [...ids].map((id) => {
    const known = companies.flatMap(({ companyId, metrics }) => {
      const metric = metrics.find((candidate) => candidate.id === id);
      return metric ? [{ companyId, metric }] : [];
    });
    const [first] = known;
    if (!first) return { id };
    const { label, unit } = first.metric;
    if (known.every(({ metric }) => metric.unit === unit)) return { id, label, unit };
    const units = new Map(known.map(({ companyId, metric }) => [companyId, metric.unit]));
    const inCurrency = known.every(({ metric }) => metric.currency !== undefined && metric.unit === metric.currency);
    return { id, label, unit: (companyId) => units.get(companyId), inCurrency };
  });
}

/** Keys of wide rows that no metric can have; one with such an id becomes `metrics.ID`. */
const reserved = new Set(
  [...companyColumns, currencyColumn, ...periodColumns, versionColumn, ...originColumns].map(({ key }) => key),
);

function wideColumn(
  { id, label, unit, inCurrency }: MetricColumn,
  { currency }: SeriesColumns,
): Column<CompanyRow<WideItem>> {
  const key = reserved.has(id) ? `metrics.${id}` : id;
  // A metric may be named like a property of every object, such as `constructor`.
  const get = ({ metrics }: WideItem): Cell => (Object.hasOwn(metrics, id) ? metrics[id] : undefined);
  const column = { type: 'number', path: ['metrics', id], get } as const;
  const unitOf = typeof unit === 'function' ? (row: CompanyRow<WideItem>) => unit(row.companyId) : unit;
  // The column of the currency says it once for the row.
  if (inCurrency && currency) {
    return { ...column, key, heading: label, type: 'currency', unit: unitOf, unitInRow: true };
  }
  return { ...column, key, heading: label, unit: unitOf };
}

/** One row for each period and version, a column for each metric. */
export function wideColumns(
  metrics: readonly MetricColumn[],
  options: SeriesColumns = {},
): Column<CompanyRow<WideItem> & { currency?: string }>[] {
  const ids = new Set(metrics.map(({ id }) => id));
  const counts = [...monthColumns(options), ...(options.derived ? [incomplete] : [])].map((column) =>
    ids.has(column.key) ? { ...column, key: `row.${column.key}`, path: [column.key] } : column,
  );
  return [
    ...companies(options),
    ...periodColumns,
    versionColumn,
    ...metrics.map((metric) => wideColumn(metric, options)),
    ...(options.currency ? [currencyColumn] : []),
    ...counts,
    ...noteColumns(options),
    ...originColumns,
  ];
}

const unitOfRow = ({ unit, currency }: LongRow) => shownUnit({ unit, currency });

const inUnit = { unit: unitOfRow, group: (row: LongRow) => quantityOf(row.metricId, unitOfRow(row)) };

/** One row for each value. */
export function longColumns(options: SeriesColumns = {}): Column<CompanyRow<LongRow>>[] {
  return [
    ...companies(options),
    ...periodColumns,
    versionColumn,
    { key: 'metricId', series: 'name', heading: 'Metric', aliases: ['metric'], get: (row) => row.metricId },
    {
      key: 'value',
      series: 'value',
      heading: 'Value',
      type: 'number',
      unitInRow: true,
      ...inUnit,
      get: (row) => row.value,
    },
    // Tables of a terminal say the currency and the scale there.
    { key: 'unit', heading: 'Unit', ...inUnit, get: (row) => row.unit, tellsUnit: true },
    { key: 'currency', heading: 'Currency', hidden: 'screen', get: (row) => row.currency, tellsUnit: true },
    ...monthColumns(options),
    ...noteColumns(options),
    ...originColumns,
  ];
}
