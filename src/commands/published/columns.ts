/** Columns of published periods, and of how they differ from the series now. */
import { changeTones } from '../../cli/outcomes.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import type { Optional } from '../../contract/operation.ts';
import type { Numeric } from '../../core/json.ts';
import { isShare, measureOf, publishedUnit } from '../../domain/series/units.ts';
import type { Cell, Column } from '../../output/column.ts';
import { amountColumn, type MetricRow, metric, percentColumn, ratioOf, unit } from '../metrics/columns.ts';

const period: Column<{ periodKey?: string | undefined }> = {
  key: 'periodKey',
  series: 'period',
  heading: 'Period',
  aliases: ['period'],
  get: (row) => row.periodKey,
};

export const publishedPeriodColumns: Column<Optional<PublishedPeriod>>[] = [
  period,
  { key: 'periodType', heading: 'Grain', get: (row) => row.periodType },
  { key: 'versionNumber', heading: 'Version', type: 'integer', rank: 20, get: (row) => row.versionNumber },
  { key: 'sentAt', heading: 'Sent', type: 'datetime', get: (row) => row.sentAt },
  { key: 'reportId', heading: 'Report', type: 'id', get: (row) => row.reportId },
];

/** Published periods with a column for each metric. @param labels names of metrics in tables of a terminal */
export function publishedColumns(
  periods: readonly PublishedPeriod[],
  labels: ReadonlyMap<string, string> = new Map(),
): Column<PublishedPeriod>[] {
  const fixed = publishedPeriodColumns.map((column) => ({ ...column, hidden: column.key === 'reportId' }));
  const reserved = new Set([...fixed.map(({ key }) => key), 'company', 'companyId', 'currency', 'units']);
  const ids = new Set(periods.flatMap((period) => Object.keys(period.data ?? {})));
  const middle = [...ids].map(
    (id): Column<PublishedPeriod> => ({
      key: reserved.has(id) ? `data.${id}` : id,
      title: labels.get(id),
      type: 'number',
      unit: (row) => publishedUnit(row, id),
      path: ['data', id],
      // A metric may be named like a property of every object, such as `constructor`.
      get: ({ data }) => (data && Object.hasOwn(data, id) ? (data[id] as Cell) : undefined),
    }),
  );
  return [
    ...fixed,
    ...middle,
    // Headings have it.
    { key: 'currency', heading: 'Currency', hidden: 'screen', get: (row) => row.currency },
    { key: 'units', heading: 'Units', type: 'json', get: (row) => row.units, hidden: true },
  ];
}

interface PublishedChange extends MetricRow {
  difference: Numeric | null;
  percent: Numeric | null;
}

/** The columns of a difference, in the unit and in percent or points. */
export function differencesOf<Row extends PublishedChange>(
  operands: (row: Row) => readonly [Cell, Cell],
): Column<Row>[] {
  const difference = amountColumn<Row>('difference', 'Difference', (row) => row.difference);
  const percent = percentColumn<Row>('percent', '%', (row) => row.percent);
  const isPoints = ({ unit }: Row) => isShare(measureOf({ unit }));
  const isPercent = ({ unit }: Row) => measureOf({ unit }) === 'percent';
  return [
    { ...difference, operands, points: isPercent, spare: true, computed: true },
    {
      ...percent,
      change: true,
      group: (row) => (isPercent(row) ? difference.group?.(row) : undefined),
      points: isPoints,
      operands: (row) => (isPercent(row) ? operands(row) : undefined),
      ratio: (row) => (isPoints(row) ? undefined : ratioOf(row, operands(row))),
    },
  ];
}

export const differenceOutcomes = ['restated', 'different', 'removed', 'unchanged', 'unknown'] as const;
type DifferenceOutcome = (typeof differenceOutcomes)[number];

export interface DifferenceRow extends MetricRow {
  periodKey: string;
  /** The publication's version number and when it was sent. */
  versionNumber?: Numeric;
  sentAt?: string;
  published: Numeric | null;
  now?: Numeric | null;
  difference: Numeric | null;
  percent: Numeric | null;
  outcome: DifferenceOutcome;
  note: string;
}

export const differenceColumns: Column<DifferenceRow>[] = [
  metric,
  { ...period, rank: 2 },
  // The outcome of a value comes before the time of sending.
  { key: 'versionNumber', heading: 'Version', type: 'integer', rank: 20, get: (row) => row.versionNumber },
  { key: 'sentAt', heading: 'Sent', type: 'datetime', rank: 20, get: (row) => row.sentAt },
  { ...amountColumn<DifferenceRow>('published', 'Published', (row) => row.published), aliases: ['told'] },
  amountColumn('now', 'Now', (row) => row.now),
  ...differencesOf<DifferenceRow>((row) => [row.now, row.published]),
  { key: 'outcome', heading: 'Outcome', tones: changeTones, get: (row) => row.outcome },
  { key: 'note', heading: 'Note', wraps: true, get: (row) => row.note },
  unit,
];
