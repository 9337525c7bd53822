/** Columns of metrics that several commands and nouns use. Rarely needed ones are hidden in tables. */

import { changeTones } from '../../cli/outcomes.ts';
import { MetricDefinition, MetricPreferences, type Version } from '../../contract/metrics.ts';
import type { Numeric } from '../../core/json.ts';
import { markedPeriod, type PeriodType, parsePeriod, shortPeriod } from '../../core/periods.ts';
import type { GapKind } from '../../domain/analysis/gaps.ts';
import type { RestatementKind } from '../../domain/analysis/saved.ts';
import type { Verdict } from '../../domain/analysis/variance.ts';
import type { Column as Named } from '../../domain/expression/typed.ts';
import type { Column } from '../../output/column.ts';
import { schemaColumns } from '../../output/schema-columns.ts';

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
  get: (row) => row.periodKey,
  shown: (row) => markedPeriod(row.periodKey, row.months),
  onScreen: (row) => shortPeriod(markedPeriod(row.periodKey, row.months)),
  rank: 2,
};

export const metric: Column<MetricRow> = {
  key: 'metricId',
  series: 'name',
  heading: 'Metric',
  rank: 1,
  aliases: ['metric'],
  get: (row) => row.metricId,
  names: (row) => row.metricId,
};

/** Numbers of one metric have one scale; tables of a terminal say their unit beside the metric. */
const inUnit = {
  unit: (row: MetricRow) => row.unit,
  group: (row: MetricRow) => row.metricId,
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
  return { key, heading, type: 'number', digits: 2, ...inUnit, get };
}

/** A change in percent, good or bad. */
function changeColumn<Row>(
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
function goodChange(directions: Directions, metricId: string, change: Value): boolean | undefined {
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

/** CompanyFields row it is. */
export interface CompanyFields {
  company?: string;
  companyId?: string;
}

/** What rows of several companies carry. */
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
  get: (row) => row.currency,
};

/** What is said once where amounts do not compare: of rows, of charts, and of what is refused. */
export const severalCurrencies = (currencies: readonly string[]): string =>
  `amounts are in several currencies (${currencies.join(', ')}), which do not compare`;

/** Of derived periods: `2/3` where only some months have data. */
const months: Column<{ months?: string }> = {
  key: 'months',
  series: 'months',
  heading: 'Months',
  get: (row) => row.months,
  ...rare,
};

export interface VarianceRow extends MetricRow {
  periodKey: string;
  /** What the actual is compared with: `budget` or `forecast`. */
  against: string;
  actual?: Numeric | null;
  plan?: Numeric | null;
  difference: Numeric | null;
  percent: Numeric | null;
  verdict: Verdict;
  note: string;
  months?: string;
}

// A narrow table drops the difference, not the verdict.
const monthlyVariance: Column<VarianceRow>[] = [
  metric,
  period,
  { key: 'against', heading: 'Against', get: (row) => row.against, ...rare },
  amountColumn('actual', 'Actual', (row) => row.actual),
  amountColumn('plan', 'Plan', (row) => row.plan),
  { ...amountColumn('difference', 'Difference', (row: VarianceRow) => row.difference), spare: true },
  changeColumn(
    'percent',
    '%',
    (row) => row.percent,
    ({ verdict }) => (verdict === 'good' ? true : verdict === 'bad' ? false : undefined),
  ),
  {
    key: 'verdict',
    heading: 'Verdict',
    tones: { good: 'green', bad: 'red', unknown: 'dim' },
    get: (row) => row.verdict,
  },
  { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
  unit,
];

/** @param coarse quarters or years, which are derived from months */
export function varianceColumns(coarse: boolean): Column<VarianceRow>[] {
  return coarse ? [...monthlyVariance, months] : monthlyVariance;
}

/** The name of a rate or trailing average, and its number. */
export interface GrowthRow extends MetricRow {
  periodKey: string;
  version: string;
  value: Numeric | null;
  /** By name (`mom`, `yoy`, …), in percent. */
  rates: Record<string, Numeric | null>;
  /** By name (`average3`), in the metric's unit. */
  averages: Record<string, Numeric | null>;
  note: string;
  months?: string;
}

/** Rates as tables call them. */
const rateTitles: Readonly<Record<string, string>> = {
  mom: 'Δ m/m',
  qoq: 'Δ q/q',
  yoy: 'Δ y/y',
  cagr: 'CAGR',
};

/** @param coarse quarters or years, which are derived from months */
export function growthColumns(
  rates: readonly string[],
  averages: readonly string[],
  coarse: boolean,
  directions: Directions = new Map(),
): Column<GrowthRow>[] {
  return [
    metric,
    period,
    { key: 'version', series: 'name', heading: 'Version', get: (row) => row.version, usual: 'actual', ...rare },
    { ...amountColumn<GrowthRow>('value', 'Value', (row) => row.value), series: 'value' },
    ...rates.map((name) => ({
      ...changeColumn<GrowthRow>(
        name,
        name.toUpperCase(),
        (row) => row.rates[name],
        (row) => goodChange(directions, row.metricId, row.rates[name]),
      ),
      title: rateTitles[name] ?? name.toUpperCase(),
      path: ['rates', name],
    })),
    ...averages.map((name) => ({
      ...amountColumn<GrowthRow>(name, name.replace('average', 'Average of '), (row) => row.averages[name]),
      path: ['averages', name],
    })),
    { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
    unit,
    ...(coarse ? [months] : []),
  ];
}

export interface GapRow {
  metricId: string;
  version: string;
  kind: GapKind;
  from: string;
  to: string;
  periods: number;
  detail: string;
}

export const gapColumns: Column<GapRow>[] = [
  { key: 'metricId', heading: 'Metric', get: (row) => row.metricId, names: (row) => row.metricId },
  { key: 'version', heading: 'Version', get: (row) => row.version, usual: 'actual' },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  { key: 'from', heading: 'From', get: (row) => row.from, onScreen: (row) => shortPeriod(row.from) },
  { key: 'to', heading: 'To', get: (row) => row.to, onScreen: (row) => shortPeriod(row.to) },
  { key: 'periods', heading: 'Periods', type: 'integer', get: (row) => row.periods },
  { key: 'detail', heading: 'Detail', wraps: true, get: (row) => row.detail },
];

export interface RestatementRow {
  kind: RestatementKind;
  /** As the exports call it. */
  company?: string;
  companyId?: string;
  metricId: string;
  periodKey: string;
  periodType: string;
  version: string;
  before?: Numeric | null | undefined;
  after?: Numeric | null | undefined;
  difference: Numeric | null;
  percent: Numeric | null;
}

export const restatementColumns: Column<RestatementRow>[] = [
  { key: 'kind', heading: 'Change', tones: changeTones, get: (row) => row.kind },
  { key: 'companyId', heading: 'Company', type: 'id', get: (row) => row.companyId, ...rare },
  { key: 'metricId', heading: 'Metric', get: (row) => row.metricId, names: (row) => row.metricId },
  { key: 'periodKey', heading: 'Period', get: (row) => row.periodKey, onScreen: (row) => shortPeriod(row.periodKey) },
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType, ...rare },
  { key: 'version', heading: 'Version', get: (row) => row.version },
  { key: 'before', heading: 'Before', type: 'number', get: (row) => row.before },
  { key: 'after', heading: 'After', type: 'number', get: (row) => row.after },
  { key: 'difference', heading: 'Difference', type: 'number', get: (row) => row.difference },
  percentColumn('percent', '%', (row) => row.percent),
];

export interface PivotRow extends MetricRow {
  label?: string;
  version: string;
  /** The newest change between two consecutive periods, in percent. */
  change: Numeric | null;
  trend: string;
  /** By period; a period without a row is not in it. */
  values: Record<string, Numeric | null>;
  /** By period, `2/3` where only some months have data. */
  months?: Record<string, string>;
}

interface PivotLook {
  /** Several versions are shown. */
  versions: boolean;
  /** As it was asked for. */
  order: string | undefined;
  grain: PeriodType;
  directions: Directions;
}

/** What conditions call the value of a period. */
export function pivotPeriod(name: string): Named<PivotRow> | undefined {
  if (!parsePeriod(name)) return undefined;
  return { type: 'number', get: ({ values }) => (Object.hasOwn(values, name) ? values[name] : undefined) };
}

const changeTitles: Readonly<Record<PeriodType, string>> = {
  month: 'Δ m/m',
  quarter: 'Δ q/q',
  year: 'Δ y/y',
};

export function pivotColumns(
  { periods, partial }: { periods: readonly string[]; partial: ReadonlyMap<string, string> },
  { versions, order, grain, directions }: PivotLook,
): Column<PivotRow>[] {
  const oldestFirst = order !== 'desc';
  const newest = periods.reduce((a, b) => (a > b ? a : b), '');
  const inTime = periods.toSorted();
  return [
    metric,
    { key: 'label', heading: 'Label', get: (row) => row.label, ...rare },
    { ...unit, hidden: false },
    { key: 'version', heading: 'Version', get: (row) => row.version, hidden: !versions, rank: 2 },
    { key: 'trend', heading: 'Trend', rank: 4, whole: true, get: (row) => row.trend },
    {
      ...changeColumn<PivotRow>(
        'change',
        'Change',
        (row) => row.change,
        (row) => goodChange(directions, row.metricId, row.change),
      ),
      title: changeTitles[grain],
      rank: 5,
    },
    ...periods.map(
      (period): Column<PivotRow> => ({
        ...amountColumn<PivotRow>(period, markedPeriod(period, partial.get(period)), (row) =>
          Object.hasOwn(row.values, period) ? row.values[period] : undefined,
        ),
        path: ['values', period],
        unitInRow: true,
        title: shortPeriod(markedPeriod(period, partial.get(period))),
        // Time runs from left to right, and a narrow table keeps the newest.
        rank: 20 + (oldestFirst ? inTime.indexOf(period) : periods.length - inTime.indexOf(period)),
        spare: oldestFirst && period !== newest,
      }),
    ),
    ...(partial.size > 0
      ? [{ key: 'months', type: 'json' as const, get: (row: PivotRow) => row.months, ...rare }]
      : []),
  ];
}
