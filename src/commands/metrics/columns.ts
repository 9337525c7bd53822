/** Columns of metrics that several commands and nouns use. Rarely needed ones are hidden in tables. */

import { MetricDefinition, MetricPreferences } from '../../contract/metrics.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { markedPeriod } from '../../core/periods.ts';
import { type Verdict, verdictOf } from '../../domain/analysis/difference.ts';
import type { LongRow, SeriesItem } from '../../domain/series/shapes.ts';
import { isShare, shownUnit } from '../../domain/series/units.ts';
import type { Cell, Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/column.ts';
import { minorUnit } from '../../output/values.ts';

/** Shown in tables only where `--fields` names it. */
export const rare = { hidden: true };

export const definitionColumns = schemaColumns<MetricDefinition>(MetricDefinition, {
  metricId: { heading: 'Metric' },
  unitLabel: rare,
  valueSemantics: rare,
  description: rare,
});

interface Selection {
  ids: readonly string[] | undefined;
  /** A part of the id, label or description. */
  search?: string | undefined;
  custom?: boolean | undefined;
}

export function isSelected(
  { metricId, label, description, custom }: MetricDefinition,
  { ids, search = '', custom: isCustom = false }: Selection,
): boolean {
  const hasText = (part: string | null | undefined) => part?.toLowerCase().includes(search.toLowerCase()) === true;
  const isNamed = ids?.includes(metricId) !== false && [metricId, label, description].some(hasText);
  return isNamed && (custom || !isCustom);
}

export const preferenceColumns = schemaColumns<MetricPreferences>(MetricPreferences, {
  vcCompanyId: { heading: 'Investor' },
});

export interface Metric {
  id: string;
  label?: string | undefined;
  /** The word beside its numbers: a currency, `%`, `months`. */
  unit?: string | undefined;
  /** The unit as the API writes it; undefined for computed values, whose unit is written so already. */
  word?: string | null | undefined;
  /** Its unit in one spelling, as computed metrics read it. */
  measure?: string | undefined;
  /** Computed so that the value of several companies is not the sum of theirs. */
  isRatio?: boolean;
  /** The currency of amounts of money. */
  currency?: string | undefined;
  aggregation?: string | null | undefined;
  /** `up` where more is better. */
  direction?: string | null | undefined;
  /** Why a requested or computed metric has no value. */
  note?: string | undefined;
}

type Value = Numeric | null | undefined;

/** A row with numbers of one metric. */
export interface MetricRow {
  metricId: string;
  unit?: string;
}

/** The period, marked in tables where only some of its months have data. */
export const period: Column<{ periodKey: string; months?: string | undefined }> = {
  key: 'periodKey',
  series: 'period',
  heading: 'Period',
  aliases: ['period'],
  get: (row) => row.periodKey,
  shown: (row) => markedPeriod(row.periodKey, row.months),
  rank: 2,
  required: true,
  saidOnce: true,
};

export const metric: Column<MetricRow> = {
  key: 'metricId',
  series: 'name',
  heading: 'Metric',
  rank: 1,
  aliases: ['metric'],
  saidOnce: true,
  get: (row) => row.metricId,
  names: (row) => row.metricId,
};

/** The numbers of a metric, in currencies of one minor unit, have the same digits. */
export const quantityOf = (id: string, unit: string | undefined): string => `${id} ${minorUnit(unit) ?? ''}`;

/** Tables of a terminal say the unit of numbers beside the metric. */
const inUnit = {
  unit: (row: MetricRow) => row.unit,
  group: ({ metricId, unit }: MetricRow) => quantityOf(metricId, unit),
};
export const unit: Column<MetricRow> = {
  key: 'unit',
  heading: 'Unit',
  title: '',
  rank: 3,
  hidden: 'offScreen',
  ...inUnit,
  tellsUnit: true,
  get: (row) => row.unit,
};

/** An amount in the unit of the row. */
export function amountColumn<Row extends MetricRow>(
  key: string,
  heading: string,
  get: (row: Row) => Value,
): Column<Row> {
  return { key, heading, type: 'number', digits: 2, required: true, ...inUnit, get };
}

interface ChangeRules<Row> {
  metrics: MetricsById;
  isGood(row: Row): boolean | undefined;
  /** The values that are compared. */
  compared?(row: Row): readonly [after: Value, before: Value];
  /** Whether the table shows both of them: points are then the difference of these as they are shown. */
  areShown?(row: Row): boolean;
}

/** A change in percent, of a percentage in points; good or bad. */
export function changeColumn<Row extends MetricRow>(
  key: string,
  heading: string,
  get: (row: Row) => Value,
  { metrics, isGood, compared, areShown }: ChangeRules<Row>,
): Column<Row> {
  const measureOf = ({ metricId }: Row) => metrics.get(metricId)?.measure;
  return {
    ...percentColumn(key, heading, get),
    points: (row) => isShare(measureOf(row)),
    // Points of basis points are in another unit than the values.
    group: (row) => (isPercent(metrics, row) ? inUnit.group(row) : undefined),
    operands: (row) => (isPercent(metrics, row) && areShown?.(row) ? compared?.(row) : undefined),
    ratio: (row) => (isShare(measureOf(row)) ? undefined : ratioOf(row, compared?.(row))),
    change: true,
    tone: (row) => {
      const good = isGood(row);
      return good === undefined ? undefined : good ? 'green' : 'red';
    },
  };
}

/** The values of which a change in percent is, in the digits of their metric. */
export function ratioOf({ metricId, unit }: MetricRow, [after, before]: readonly Cell[] = []) {
  return { group: quantityOf(metricId, unit), after, before };
}

/** Whether values are percentages, whose differences are points. */
export const isPercent = (metrics: MetricsById, { metricId }: MetricRow): boolean =>
  metrics.get(metricId)?.measure === 'percent';

/** Whether a change of a metric is good, by the catalog's direction. */
export function isGoodChange(metrics: MetricsById, metricId: string, change: Value): boolean | undefined {
  // A change that prints as 0.0 % is neither good nor bad.
  if (!isNumeric(change) || Math.abs(Number(change)) < 0.05) return undefined;
  return isGood(verdictOf(change, metrics.get(metricId)?.direction));
}

export const isGood = (verdict: Verdict): boolean | undefined =>
  verdict === 'good' ? true : verdict === 'bad' ? false : undefined;

export type MetricsById = ReadonlyMap<string, Metric>;

/** A number of percent: 12.5 is 12.5 %. */
export function percentColumn<Row>(key: string, heading: string, get: (row: Row) => Value): Column<Row> {
  return { key, heading, type: 'percent', digits: 1, computed: true, get };
}

/** The fields of a row that name its company. */
export interface CompanyFields {
  company?: string;
  companyId?: string;
}

/** The fields of a row of several companies. */
export interface OfCompany extends CompanyFields {
  currency?: string;
}

/** The name of the company; its id is a column of files. */
export const companyColumns: readonly Column<CompanyFields>[] = [
  { key: 'company', heading: 'Company', rank: 0, get: (row) => row.company },
  {
    key: 'companyId',
    series: 'name',
    heading: 'Company ID',
    type: 'id',
    get: (row) => row.companyId,
    hidden: true,
    aliases: ['company_id'],
  },
];

export const currencyColumn: Column<{ currency?: string }> = {
  key: 'currency',
  heading: 'Currency',
  required: true,
  get: (row) => row.currency,
};

/** The warning where amounts of companies do not compare. */
export const severalCurrencies = (currencies: readonly string[]): string =>
  `amounts are in several currencies (${currencies.join(', ')}) and cannot be compared`;

/** The companies that a total leaves out, or why a metric has no value. */
export const noteColumn: Column<{ note?: string | undefined }> = {
  key: 'note',
  heading: 'Note',
  wraps: true,
  required: true,
  get: (row) => row.note,
};

/** `2/3` for derived periods where only some months have data. */
export const months: Column<{ months?: string | undefined }> = {
  key: 'months',
  series: 'months',
  heading: 'Months',
  get: (row) => row.months,
  ...rare,
};

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

type NamedRow<Row> = Row & CompanyFields & { note?: string };

/** The columns of the months in a row; tables mark the period instead. */
const monthColumns = ({ derived, months: isRunning }: SeriesColumns): Column<Derivation>[] =>
  derived ? derivation : isRunning ? [months] : [];

interface Derivation {
  derived?: boolean;
  months?: string | undefined;
  incomplete?: Record<string, string>;
}

const derivation: Column<Derivation>[] = [
  { key: 'derived', heading: 'Derived', type: 'boolean', get: (row) => row.derived ?? false, ...rare },
  { ...months, hidden: false },
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

const periodColumns: Column<{ periodKey: string; periodType: string; months?: string | undefined }>[] = [
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

interface MetricColumn {
  id: string;
  label?: string | undefined;
  /** A function where companies differ. */
  unit?: string | undefined | ((companyId: string | undefined) => string | undefined);
  /** The unit is the currency of the company, of which there are several. */
  inCurrency?: boolean;
}

export interface MetricsOfCompany {
  companyId: string | undefined;
  metrics: readonly Metric[];
}

/** The columns of metrics, each with the unit of its company. */
export function metricColumns(ids: Iterable<string>, companies: readonly MetricsOfCompany[]): MetricColumn[] {
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
): Column<NamedRow<SeriesItem>> {
  const key = reserved.has(id) ? `metrics.${id}` : id;
  // A metric may be named like a property of every object, such as `constructor`.
  const get = ({ metrics }: SeriesItem): Cell => (Object.hasOwn(metrics, id) ? metrics[id] : undefined);
  const column = { type: 'number', path: ['metrics', id], get } as const;
  const unitOf = typeof unit === 'function' ? (row: NamedRow<SeriesItem>) => unit(row.companyId) : unit;
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
): Column<NamedRow<SeriesItem> & { currency?: string }>[] {
  const ids = new Set(metrics.map(({ id }) => id));
  const counts = [...monthColumns(options), ...(options.derived ? [incomplete] : [])].map((column) =>
    ids.has(column.key) ? { ...column, key: `row.${column.key}`, path: [column.key] } : column,
  );
  return [
    ...(options.company ? companyColumns : []),
    ...periodColumns,
    versionColumn,
    ...metrics.map((metric) => wideColumn(metric, options)),
    ...(options.currency ? [currencyColumn] : []),
    ...counts,
    ...(options.notes ? [noteColumn] : []),
    ...originColumns,
  ];
}

const unitOfRow = ({ unit, currency }: LongRow) => shownUnit({ unit, currency });

const inUnitOfRow = { unit: unitOfRow, group: (row: LongRow) => quantityOf(row.metricId, unitOfRow(row)) };

export function longColumns(options: SeriesColumns = {}): Column<NamedRow<LongRow>>[] {
  return [
    ...(options.company ? companyColumns : []),
    ...periodColumns,
    versionColumn,
    {
      ...{ key: 'metricId', series: 'name', heading: 'Metric', aliases: ['metric'] },
      get: (row) => row.metricId,
      names: (row) => row.metricId,
    },
    {
      key: 'value',
      series: 'value',
      heading: 'Value',
      type: 'number',
      unitInRow: true,
      ...inUnitOfRow,
      get: (row) => row.value,
    },
    // Tables of a terminal say the currency and the scale there.
    { key: 'unit', heading: 'Unit', ...inUnitOfRow, get: (row) => row.unit, tellsUnit: true },
    { key: 'currency', heading: 'Currency', hidden: 'screen', get: (row) => row.currency, tellsUnit: true },
    ...monthColumns(options),
    ...(options.notes ? [noteColumn] : []),
    ...originColumns,
  ];
}
