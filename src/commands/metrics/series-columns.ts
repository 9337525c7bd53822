/** Columns of a series in each of its shapes. */
import type { MetricSeriesItem, Version } from '../../contract/metrics.ts';
import { formatPeriod, markedPeriod, parsePeriod, shortPeriod, startMonth } from '../../core/periods.ts';
import type { LongRow, TransposedRow, VersionsRow, WideItem } from '../../domain/series/shapes.ts';
import { shownUnit } from '../../domain/series/units.ts';
import type { Cell, Column } from '../../output/column.ts';
import { companyColumns, currencyColumn, period, versionHeadings, type Whose } from './columns.ts';

const rare = { hidden: true };

interface Options {
  company?: boolean;
  /** The rows are derived from months. */
  derived?: boolean;
  /** Companies have several currencies. */
  currency?: boolean;
  /** The rows may be of a month that has not ended. */
  months?: boolean;
  /** A last column with the first day of the period. */
  dates?: boolean;
}

const months: Column<{ months?: string | undefined }> = { key: 'months', heading: 'Months', get: (row) => row.months };

/** Tables mark the period instead. */
const marked: Column<{ months?: string | undefined }> = { ...months, hidden: true };

const derivation: Column<{ derived?: boolean; months?: string | undefined }>[] = [
  { key: 'derived', heading: 'Derived', type: 'boolean', get: (row) => row.derived ?? false, hidden: true },
  months,
];

/** Metrics with fewer months than the row. */
const incomplete: Column<{ months?: string | undefined; incomplete?: Record<string, string> }> = {
  key: 'incomplete',
  heading: 'Incomplete',
  type: 'json',
  get({ months, incomplete: found = {} }) {
    const fewer = Object.entries(found).filter(([, count]) => count !== months);
    return fewer.length > 0 ? Object.fromEntries(fewer) : undefined;
  },
};

/** A row of one of several companies. */
export type OfCompany<Row> = Row & Whose;

/** By id of the company, what rows call it. */
export type Names = ReadonlyMap<string, string>;

/** The key of the row of `--total` among companies. */
export const totalKey = 'total';

/** What a row says of its company. */
export function whoIs(companyId: string, names: Names): Whose {
  return companyId === totalKey ? { company: totalKey } : { company: names.get(companyId) ?? companyId, companyId };
}

const companies = ({ company }: Options): readonly Column<Whose>[] => (company ? companyColumns : []);

const time: Column<{ periodKey: string; periodType: string; months?: string | undefined }>[] = [
  period,
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType, ...rare },
];

/** The first day of the period: charts and pivot tables need dates, and the key of a period is text. */
const periodStart: Column<{ periodKey: string }> = {
  key: 'periodStart',
  heading: 'From',
  type: 'date',
  get({ periodKey }) {
    const found = parsePeriod(periodKey);
    return found && `${formatPeriod({ type: 'month', index: startMonth(found) })}-01`;
  },
};

const place: Column<{ periodKey: string; periodType: string; version: string; months?: string | undefined }>[] = [
  ...time,
  { key: 'version', heading: 'Version', get: (row) => row.version, usual: 'actual' },
];

const origin: Column<Partial<Record<'source' | 'updatedAt', string | null | undefined>>>[] = [
  { key: 'source', heading: 'Source', get: (row) => row.source, ...rare },
  { key: 'updatedAt', heading: 'Updated', type: 'datetime', get: (row) => row.updatedAt, ...rare },
];

/** The column of a metric. */
export interface MetricColumn {
  id: string;
  label?: string | undefined;
  /** Each of several companies may have its own. */
  unit?: string | undefined | ((companyId: string | undefined) => string | undefined);
  /** The unit is the currency of the company, of which there are several. */
  inCurrency?: boolean;
  /** The unit is in the header, and not beside each number. */
  headed?: boolean;
}

/** One row for each period and version, a column for each metric. */
export function wideColumns(
  metrics: readonly MetricColumn[],
  options: Options = {},
): Column<OfCompany<WideItem> & { currency?: string }>[] {
  const own = [...companies(options), ...(options.currency ? [currencyColumn] : []), ...place, ...origin, periodStart];
  const taken = new Set([...companyColumns, ...own].map(({ key }) => key));
  const middle = metrics.map(({ id, label, unit, inCurrency, headed }): Column<OfCompany<WideItem>> => {
    const key = taken.has(id) ? `metrics.${id}` : id;
    // A metric may be named like a property of every object, such as `constructor`.
    const get = ({ metrics: values }: WideItem): Cell => (Object.hasOwn(values, id) ? values[id] : undefined);
    const column = { type: 'number', path: ['metrics', id], get } as const;
    if (headed && typeof unit === 'string') {
      return { ...column, key: `${key} (${unit})`, heading: label && `${label} (${unit})`, aliases: [key] };
    }
    const shown = typeof unit === 'function' ? (row: OfCompany<WideItem>) => unit(row.companyId) : unit;
    // The column of the currency says it once for the row.
    if (inCurrency && options.currency) {
      return { ...column, key, heading: label, type: 'currency', unit: shown, unitInRow: true };
    }
    return { ...column, key, heading: label, unit: shown };
  });
  const ids = new Set(metrics.map(({ id }) => id));
  const counts = options.derived ? [...derivation, incomplete] : options.months ? [marked] : [];
  const derived = counts.map((column) =>
    ids.has(column.key) ? { ...column, key: `row.${column.key}`, path: [column.key] } : column,
  );
  return [
    ...companies(options),
    ...place,
    ...middle,
    ...(options.currency ? [currencyColumn] : []),
    ...derived,
    ...origin,
    ...(options.dates ? [periodStart] : []),
  ];
}

/** One row for each value. */
export function longColumns(options: Options = {}): Column<OfCompany<LongRow>>[] {
  return [
    ...companies(options),
    ...place,
    { key: 'metricId', heading: 'Metric', get: (row) => row.metricId },
    {
      key: 'value',
      heading: 'Value',
      type: 'number',
      unitInRow: true,
      unit: ({ unit, currency }) => shownUnit({ unit, currency }),
      get: (row) => row.value,
    },
    { key: 'unit', heading: 'Unit', get: (row) => row.unit, tellsUnit: true },
    { key: 'currency', heading: 'Currency', get: (row) => row.currency, tellsUnit: true },
    ...(options.derived ? derivation : options.months ? [marked] : []),
    ...origin,
    ...(options.dates ? [periodStart] : []),
  ];
}

/** Numbers of one metric have one scale, said beside it. */
const inUnit = { unit: shownUnit, group: ({ metricId }: VersionsRow) => metricId };

/** One row for each metric and period, a column for each version. */
export function versionsColumns(versions: readonly Version[], options: Options): Column<OfCompany<VersionsRow>>[] {
  return [
    ...companies(options),
    ...time,
    { key: 'metricId', heading: 'Metric', get: (row) => row.metricId, names: (row) => row.metricId, rank: 3 },
    ...versions.map(
      (version): Column<OfCompany<VersionsRow>> => ({
        key: version,
        heading: version,
        title: versionHeadings[version],
        type: 'number',
        unitInRow: true,
        ...inUnit,
        path: ['values', version],
        get: (row) => (row.values as Record<string, MetricSeriesItem['metrics'][string]>)[version],
      }),
    ),
    // Tables say the currency there.
    {
      key: 'unit',
      heading: 'Unit',
      title: '',
      rank: 4,
      tellsUnit: true,
      ...inUnit,
      get: (row) => row.unit,
      shown: (row) => shownUnit(row) ?? '',
    },
    { key: 'currency', heading: 'Currency', get: (row) => row.currency, hidden: true },
    ...(options.derived ? [months] : options.months ? [marked] : []),
    { key: 'updatedAt', heading: 'Updated', type: 'datetime', get: (row) => row.updatedAt, hidden: true },
    ...(options.dates ? [periodStart] : []),
  ];
}

const partialMonths = ({ months: found }: TransposedRow) =>
  found && Object.keys(found).length > 0 ? found : undefined;

/** One row for each metric and version, a column for each period. */
export function transposedColumns(
  periods: readonly string[],
  options: Options,
  partial: ReadonlyMap<string, string> = new Map(),
): Column<OfCompany<TransposedRow>>[] {
  const [first, last] = [periods[0], periods.at(-1)];
  const ascending = first !== undefined && last !== undefined && first < last;
  return [
    ...companies(options),
    { key: 'metricId', heading: 'ID', get: (row) => row.metricId, hidden: true },
    { key: 'label', heading: 'Metric', get: (row) => row.label },
    // Once for the line: a board pack has no room to repeat it in each cell.
    { key: 'unit', heading: 'Unit', get: (row) => shownUnit(row) ?? row.unit, tellsUnit: true },
    { key: 'version', heading: 'Version', get: (row) => row.version, usual: 'actual' },
    ...(options.currency ? [{ key: 'currency', hidden: true, get: (row: TransposedRow) => row.currency }] : []),
    ...periods.map(
      (period): Column<OfCompany<TransposedRow>> => ({
        key: period,
        heading: markedPeriod(period, partial.get(period)),
        title: shortPeriod(markedPeriod(period, partial.get(period))),
        type: 'number',
        unit: shownUnit,
        unitInRow: true,
        // A narrow table keeps the newest period.
        spare: ascending && period !== periods.at(-1),
        path: ['values', period],
        get: (row) => row.values[period],
      }),
    ),
    // A period of which some months are missing, and how many there are.
    ...(options.derived || partial.size > 0
      ? [{ key: 'months', type: 'json' as const, hidden: true, get: partialMonths }]
      : []),
  ];
}
