/** The rows of `metrics board`: a metric in a period, with its versions and their variance. */

import type { Version } from '../../contract/metrics.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, isPartial } from '../../core/periods.ts';
import { groupsOf, isMaterial, type Material, withSum } from '../../domain/analysis/board.ts';
import type { Verdict } from '../../domain/analysis/variance.ts';
import type { Column } from '../../output/column.ts';
import { amountColumn, metric, percentColumn, period, unit, versionHeadings } from './columns.ts';
import { type Analysis, linesIn, type Metric } from './read.ts';
import { type Plan, variancesOf } from './variances.ts';

export interface BoardRow {
  metricId: string;
  label?: string;
  /** It is the sum of the metrics of its group. */
  subtotal: boolean;
  periodKey: string;
  actual?: Numeric | null;
  budget?: Numeric | null;
  forecast?: Numeric | null;
  difference?: Numeric | null;
  percent?: Numeric | null;
  verdict?: Verdict;
  note?: string;
  /** It has to be explained. */
  material?: boolean;
  comment?: string;
  unit?: string;
  currency?: string;
  months?: string;
}

export interface BoardOptions {
  versions: readonly Version[];
  /** The plan of variances; undefined: none are shown. */
  against: Plan | undefined;
  partial: boolean;
  material: Material | undefined;
  subtotals: boolean;
}

/** A row for each metric and period of the range, by metric; empty where there are no values. */
export function boardRows(stored: Analysis, options: BoardOptions): BoardRow[] {
  const { analysis, sums } = options.subtotals ? withSubtotals(stored) : { analysis: stored, sums: new Set<string>() };
  const { metrics, type, range } = analysis;
  const lines = linesIn(analysis);
  const indexes = lines.flatMap(({ points }) => points.map(({ index }) => index));
  if (indexes.length === 0) return [];
  const first = range.from?.index ?? indexes.reduce((a, b) => Math.min(a, b));
  const last = range.to?.index ?? indexes.reduce((a, b) => Math.max(a, b));
  const { against, material } = options;
  const compared = new Map(
    against === undefined
      ? []
      : Array.from(variancesOf(analysis, against, options.partial), (row) => [`${row.metricId} ${row.periodKey}`, row]),
  );
  const points = new Map(
    lines.map((line) => [
      `${line.version} ${line.metricId}`,
      new Map(line.points.map((point) => [point.index, point])),
    ]),
  );
  return metrics.flatMap(({ id, label, unit: measured, currency }) =>
    Array.from({ length: Math.max(last - first + 1, 0) }, (_, step): BoardRow => {
      const index = first + step;
      const periodKey = formatPeriod({ type, index });
      const pointOf = (version: Version) => points.get(`${version} ${id}`)?.get(index);
      const values = Object.fromEntries(
        options.versions.flatMap((version) => {
          const point = pointOf(version);
          return point ? [[version, point.value]] : [];
        }),
      );
      const months = pointOf('actual')?.incomplete;
      const variance = compared.get(`${id} ${periodKey}`);
      const subtotal = sums.has(id);
      return {
        ...{ metricId: id, ...(label !== undefined && { label }), subtotal, periodKey, ...values },
        ...(against && {
          difference: variance?.difference ?? null,
          percent: variance?.percent ?? null,
          verdict: variance?.verdict ?? 'unknown',
          note: variance?.note ?? `no actual, no ${against}`,
        }),
        // A sum is explained by what it is made of.
        ...(material && { material: !subtotal && isMaterial(variance?.difference ?? null, variance?.plan, material) }),
        ...(measured !== undefined && { unit: measured }),
        ...(currency !== undefined && { currency }),
        ...(isPartial(months) && { months }),
      };
    }),
  );
}

function withSubtotals(analysis: Analysis): { analysis: Analysis; sums: Set<string> } {
  const metrics: Metric[] = [];
  const sums = new Set<string>();
  let { items } = analysis;
  for (const { name, metrics: own } of groupsOf(analysis.metrics)) {
    metrics.push(...own);
    const [first] = own;
    if (name === undefined || first === undefined || own.length < 2) continue;
    const id = `subtotal (${name})`;
    items = withSum(
      items,
      own.map((metric) => metric.id),
      id,
    );
    sums.add(id);
    metrics.push({ ...first, id, label: `Subtotal (${name})` });
  }
  return { analysis: { ...analysis, items, metrics }, sums };
}

/** The amounts of money of the rows, which have a scale. */
export function amountsOf(rows: readonly BoardRow[]): Numeric[] {
  return rows.flatMap(({ currency, actual, budget, forecast }) =>
    currency === undefined ? [] : [actual, budget, forecast].filter(isNumeric),
  );
}

const rare = { hidden: true };
export const headingOf = (version: Version): string => versionHeadings[version];

export function boardColumns({ versions, against, material }: BoardOptions, comments: boolean): Column<BoardRow>[] {
  return [
    metric,
    { key: 'label', heading: 'Label', get: (row) => row.label, ...rare },
    { key: 'subtotal', heading: 'Subtotal', type: 'boolean', get: (row) => row.subtotal, ...rare },
    period,
    ...versions.map((version) => amountColumn<BoardRow>(version, versionHeadings[version], (row) => row[version])),
    ...(against === undefined
      ? []
      : [
          { ...amountColumn<BoardRow>('difference', 'Variance', (row) => row.difference), spare: true },
          percentColumn<BoardRow>('percent', '%', (row) => row.percent),
          { key: 'verdict', heading: 'Verdict', get: (row: BoardRow) => row.verdict },
          { key: 'note', heading: 'Note', get: (row: BoardRow) => row.note },
        ]),
    ...(material === undefined
      ? []
      : [
          {
            ...{ key: 'material', heading: 'Material', type: 'boolean' as const },
            get: (row: BoardRow) => row.material,
          },
        ]),
    ...(comments ? [{ key: 'comment', heading: 'Comment', get: (row: BoardRow) => row.comment }] : []),
    unit,
    { key: 'months', heading: 'Months', get: (row) => row.months, ...rare },
  ];
}
