/** Columns of metrics that several commands and nouns use. Rarely needed ones are hidden in tables. */
import { MetricDefinition, MetricPreferences } from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { markedPeriod } from '../../core/periods.ts';
import type { Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/schema-columns.ts';

const rare = { hidden: true };

export const definitionColumns = schemaColumns<MetricDefinition>(MetricDefinition, {
  metricId: { heading: 'Metric' },
  unitLabel: rare,
  valueSemantics: rare,
  description: rare,
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

type Value = Numeric | null | undefined;

/** A row with numbers of one metric. */
export interface MetricRow {
  metricId: string;
  unit?: string;
}

/** The period, marked in tables where only some of its months have data. */
export const period: Column<{ periodKey: string; months?: string | undefined }> = {
  key: 'periodKey',
  heading: 'Period',
  get: (row) => row.periodKey,
  shown: (row) => markedPeriod(row.periodKey, row.months),
};

export const metric: Column<MetricRow> = { key: 'metricId', heading: 'Metric', get: (row) => row.metricId };
export const unit: Column<MetricRow> = { key: 'unit', heading: 'Unit', get: (row) => row.unit, ...rare };

/** An amount in the unit of the row. */
export function amountColumn<Row extends MetricRow>(
  key: string,
  heading: string,
  get: (row: Row) => Value,
): Column<Row> {
  return { key, heading, type: 'number', unit: (row) => row.unit, digits: 2, get };
}

/** A number of percent: 12.5 is 12.5 %. */
export function percentColumn<Row>(key: string, heading: string, get: (row: Row) => Value): Column<Row> {
  return { key, heading, type: 'percent', digits: 1, get };
}

/** A saved definition of a computed metric. */
export const calcColumns: readonly Column<{ name: string; definition: string }>[] = [
  { key: 'name', heading: 'Metric', get: (row) => row.name },
  { key: 'definition', heading: 'Definition', get: (row) => row.definition },
];

/** Whose row it is. */
export interface Whose {
  company?: string;
  companyId?: string;
}

/** What rows of several companies carry. */
export interface OfCompany extends Whose {
  currency?: string;
}

/** The name of the company; its id is a column of files. */
export const companyColumns: readonly Column<Whose>[] = [
  { key: 'company', heading: 'Company', get: (row) => row.company },
  {
    key: 'companyId',
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
  get: (row) => row.currency,
};

/** What is said once where amounts of one column are not comparable. */
export const severalCurrencies = (currencies: readonly string[]): string =>
  `amounts are in several currencies (${currencies.join(', ')}): the column currency says which`;
