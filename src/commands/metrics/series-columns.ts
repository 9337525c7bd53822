/** Columns of a series in the shapes that are made of its rows: derived, side by side, transposed. */
import type { MetricSeriesItem } from '../../contract/metrics.ts';
import type { LongRow, Measured, TransposedRow, VersionsRow, WideItem } from '../../domain/series/shapes.ts';
import type { Column } from '../../output/column.ts';
import {
  company,
  dated,
  longColumns,
  type MetricColumn,
  type OfCompany,
  shownUnit,
  time,
  wideColumns,
} from './columns.ts';

interface Options {
  company: boolean;
  /** The rows are made of months. */
  derived: boolean;
  /** Behind all columns the first day of the row's period. */
  dates: boolean;
}

const made: Column<{ derived?: boolean; months?: string }>[] = [
  { key: 'derived', heading: 'Derived', type: 'boolean', get: (row) => row.derived ?? false, hidden: true },
  { key: 'months', heading: 'Months', get: (row) => row.months },
];

/** Metrics with fewer months than the row: its own `months` would say too much of them. */
const incomplete: Column<{ months?: string; incomplete?: Record<string, string> }> = {
  key: 'incomplete',
  heading: 'Incomplete',
  type: 'json',
  get({ months, incomplete: found = {} }) {
    const fewer = Object.entries(found).filter(([, count]) => count !== months);
    return fewer.length > 0 ? Object.fromEntries(fewer) : undefined;
  },
};

export function wideShapeColumns(metrics: readonly MetricColumn[], options: Options): Column<OfCompany<WideItem>>[] {
  const columns: Column<OfCompany<WideItem>>[] = wideColumns(metrics, options);
  if (!options.derived) return columns;
  const taken = new Set(metrics.map(({ id }) => id));
  const extra = [...made, incomplete].map((column) =>
    taken.has(column.key) ? { ...column, key: `row.${column.key}`, path: [column.key] } : column,
  );
  return insertedBefore(columns, 'source', extra);
}

export function longShapeColumns(options: Options): Column<OfCompany<LongRow>>[] {
  const columns: Column<OfCompany<LongRow>>[] = longColumns(options);
  return options.derived ? insertedBefore(columns, 'source', made) : columns;
}

export function versionsColumns(versions: readonly string[], options: Options): Column<OfCompany<VersionsRow>>[] {
  const columns: Column<OfCompany<VersionsRow>>[] = [
    ...(options.company ? [company] : []),
    ...time,
    { key: 'metricId', heading: 'Metric', get: (row) => row.metricId },
    ...versions.map(
      (version): Column<OfCompany<VersionsRow>> => ({
        key: version,
        heading: version,
        type: 'number',
        unit: unitOf,
        path: ['values', version],
        get: (row) => (row.values as Record<string, MetricSeriesItem['metrics'][string]>)[version],
      }),
    ),
    { key: 'unit', heading: 'Unit', get: (row) => row.unit, hidden: true },
    { key: 'currency', heading: 'Currency', get: (row) => row.currency, hidden: true },
    { key: 'updatedAt', heading: 'Updated', type: 'datetime', get: (row) => row.updatedAt, hidden: true },
  ];
  return dated(columns, options.dates);
}

export function transposedColumns(
  periods: readonly string[],
  options: Pick<Options, 'company'>,
): Column<OfCompany<TransposedRow>>[] {
  const upwards = periods.length > 1 && (periods[0] ?? '') < (periods.at(-1) ?? '');
  return [
    ...(options.company ? [company] : []),
    { key: 'metricId', heading: 'ID', get: (row) => row.metricId, hidden: true },
    { key: 'label', heading: 'Metric', get: (row) => row.label },
    // Once for the whole line: a board pack has no room to repeat it in each cell.
    { key: 'unit', heading: 'Unit', get: (row) => unitOf(row) ?? row.unit },
    { key: 'version', heading: 'Version', get: (row) => row.version },
    ...periods.map(
      (period): Column<OfCompany<TransposedRow>> => ({
        key: period,
        type: 'number',
        unit: unitOf,
        unitInRow: true,
        // Where there is no room for all it is the newest that are looked for.
        spare: upwards && period !== periods.at(-1),
        path: ['values', period],
        get: (row) => row.values[period],
      }),
    ),
  ];
}

/** What stands beside a metric's numbers, by the catalog. */
export function unitOf(found: Measured | undefined): string | undefined {
  return found && shownUnit(found.unit, found.unitLabel, found.currency ?? undefined);
}

/** A metric's heading and what stands beside its numbers, by the catalog. */
export function metricColumn(id: string, found: Measured | undefined): MetricColumn {
  return { id, label: found?.label, unit: unitOf(found) };
}

function insertedBefore<Row>(
  columns: readonly Column<Row>[],
  key: string,
  extra: readonly Column<Row>[],
): Column<Row>[] {
  const at = columns.findIndex((column) => column.key === key);
  return [...columns.slice(0, at), ...extra, ...columns.slice(at)];
}
