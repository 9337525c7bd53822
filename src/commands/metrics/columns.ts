/** Columns of metrics that several commands and nouns use. Rarely needed ones are hidden in tables. */

import { MetricDefinition, MetricPreferences, type Version } from '../../contract/metrics.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { markedPeriod } from '../../core/periods.ts';
import { type Verdict, verdictOf } from '../../domain/analysis/difference.ts';
import { isShare } from '../../domain/series/units.ts';
import type { Column } from '../../output/column.ts';
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

export const preferenceColumns = schemaColumns<MetricPreferences>(MetricPreferences, {
  vcCompanyId: { heading: 'Investor' },
});

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
  metrics: MetricFacts;
  isGood(row: Row): boolean | undefined;
  /** The values that are compared, where they are beside the change. */
  operands?(row: Row): readonly [after: Value, before: Value];
}

/** A change in percent, of a percentage in points; good or bad. */
export function changeColumn<Row extends MetricRow>(
  key: string,
  heading: string,
  get: (row: Row) => Value,
  { metrics, isGood, operands }: ChangeRules<Row>,
): Column<Row> {
  const measureOf = ({ metricId }: Row) => metrics.get(metricId)?.measure;
  return {
    ...percentColumn(key, heading, get),
    points: (row) => isShare(measureOf(row)),
    // Points of basis points are in another unit than the values.
    group: (row) => (isPercent(metrics, row) ? inUnit.group(row) : undefined),
    operands: (row) => (isPercent(metrics, row) ? operands?.(row) : undefined),
    change: true,
    tone: (row) => {
      const good = isGood(row);
      return good === undefined ? undefined : good ? 'green' : 'red';
    },
  };
}

/** Whether values are percentages, whose differences are points. */
export const isPercent = (metrics: MetricFacts, { metricId }: MetricRow): boolean =>
  metrics.get(metricId)?.measure === 'percent';

/** Whether a change of a metric is good, by the catalog's direction. */
export function isGoodChange(metrics: MetricFacts, metricId: string, change: Value): boolean | undefined {
  // A change that prints as 0.0 % is neither good nor bad.
  if (!isNumeric(change) || Math.abs(Number(change)) < 0.05) return undefined;
  return isGood(verdictOf(change, metrics.get(metricId)?.direction));
}

export const isGood = (verdict: Verdict): boolean | undefined =>
  verdict === 'good' ? true : verdict === 'bad' ? false : undefined;

/** What the catalog says of each metric; the direction is `up` where more is better. */
export type MetricFacts = ReadonlyMap<
  string,
  { direction?: string | null | undefined; measure?: string | undefined; label?: string | undefined }
>;

/** A number of percent: 12.5 is 12.5 %. */
export function percentColumn<Row>(key: string, heading: string, get: (row: Row) => Value): Column<Row> {
  return { key, heading, type: 'percent', digits: 1, computed: true, get };
}

export const versionHeadings: Readonly<Record<Version, string>> = {
  actual: 'Actual',
  budget: 'Budget',
  forecast: 'Forecast',
};

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
export const months: Column<{ months?: string }> = {
  key: 'months',
  series: 'months',
  heading: 'Months',
  get: (row) => row.months,
  ...rare,
};
