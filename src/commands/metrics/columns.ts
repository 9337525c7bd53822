/** Columns of metrics that several commands and nouns use. Rarely needed ones are hidden in tables. */
import { MetricDefinition, MetricPreferences, type Version } from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { markedPeriod, shortPeriod } from '../../core/periods.ts';
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

const liveUnit = {
  rank: 11,
  unit: (row: LiveValue) => row.unit,
  group: (row: LiveValue) => row.metric,
};

export const liveColumns: Column<LiveValue>[] = [
  { key: 'metric', heading: 'Metric', get: (row) => row.metric, names: (row) => row.metric },
  { key: 'value', heading: 'Value', type: 'number', get: (row) => row.value, unitInRow: true, ...liveUnit },
  { key: 'unit', heading: 'Unit', get: (row) => row.unit, tellsUnit: true, ...liveUnit },
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
  onScreen: (row) => shortPeriod(markedPeriod(row.periodKey, row.months)),
  rank: 2,
};

export const metric: Column<MetricRow> = {
  ...{ key: 'metricId', heading: 'Metric', rank: 1, aliases: ['metric'] },
  get: (row) => row.metricId,
  names: (row) => row.metricId,
};

/** Numbers of one metric have one scale; tables of a terminal say their unit beside the metric. */
const inUnit = {
  unit: (row: MetricRow) => row.unit,
  group: (row: MetricRow) => row.metricId,
};
export const unit: Column<MetricRow> = {
  ...{ key: 'unit', heading: 'Unit', title: '', rank: 3, hidden: 'offScreen' },
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
  return { key, heading, type: 'number', digits: 2, ...inUnit, get };
}

/** A change in percent, good or bad. */
export function changeColumn<Row>(
  key: string,
  heading: string,
  get: (row: Row) => Value,
  isGood: (row: Row) => boolean | undefined,
): Column<Row> {
  return {
    ...percentColumn(key, heading, get),
    change: true,
    tone: (row) => {
      const good = isGood(row);
      return good === undefined ? undefined : good ? 'green' : 'red';
    },
  };
}

/** Whether a change of a metric is good, by the catalog's direction. */
export function goodChange(directions: Directions, metricId: string, change: Value): boolean | undefined {
  const direction = directions.get(metricId);
  const size = Number(change ?? 0);
  // What is shown as 0.0 % is neither.
  if (Math.abs(size) < 0.05 || (direction !== 'up' && direction !== 'down')) return undefined;
  return size > 0 === (direction === 'up');
}

/** By metric, `up` where more is better. */
export type Directions = ReadonlyMap<string, string | null | undefined>;

/** A number of percent: 12.5 is 12.5 %. */
export function percentColumn<Row>(key: string, heading: string, get: (row: Row) => Value): Column<Row> {
  return { key, heading, type: 'percent', digits: 1, get };
}

export const versionHeadings: Readonly<Record<Version, string>> = {
  actual: 'Actual',
  budget: 'Budget',
  forecast: 'Forecast',
};

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
  { key: 'company', heading: 'Company', rank: 0, get: (row) => row.company },
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

/** What is said once where amounts do not compare: of rows, of charts, and of what is refused. */
export const severalCurrencies = (currencies: readonly string[]): string =>
  `amounts are in several currencies (${currencies.join(', ')}), which do not compare`;
