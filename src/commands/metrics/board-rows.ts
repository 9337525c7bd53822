/** The rows of `metrics board`: a metric in a period, with its versions and their variance. */

import type { Version } from '../../contract/metrics.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, isPartial } from '../../core/periods.ts';
import { groupsOf, isMaterial, type Material, withSum } from '../../domain/analysis/board.ts';
import type { Verdict } from '../../domain/analysis/variance.ts';
import type { Column } from '../../output/column.ts';
import { amountColumn, isPercent, metric, percentColumn, period, rare, unit, versionHeadings } from './columns.ts';
import { type Analysis, aligned, linesIn, type Metric } from './read.ts';
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
  note?: string | undefined;
  /** The companies that a total leaves out. */
  without?: string | undefined;
  /** It has to be explained. */
  material?: boolean;
  comment?: string;
  unit?: string;
  currency?: string;
  months?: string;
}

export interface BoardOptions {
  versions: readonly Version[];
  /** The version that actuals are compared with; undefined: none. */
  against: Plan | undefined;
  partial: boolean;
  material: Material | undefined;
  subtotals: boolean;
}

/** A row for each metric and period of the range, by metric; empty where there are no values. */
export function boardRows(stored: Analysis, options: BoardOptions): BoardRow[] {
  const { leftOut, members: _, ...values } = aligned(stored, 'versions');
  const { analysis, sums } = options.subtotals ? withSubtotals(values) : { analysis: values, sums: new Set<string>() };
  const { type, range } = analysis;
  const lines = linesIn(analysis);
  const indexes = lines.flatMap(({ points }) => points.map(({ index }) => index)).sort((a, b) => a - b);
  if (indexes.length === 0) return [];
  const first = range.from?.index ?? (indexes[0] as number);
  const last = range.to?.index ?? (indexes.at(-1) as number);
  const periods = Array.from({ length: Math.max(last - first + 1, 0) }, (_, step) => first + step);
  const { against, material, versions } = options;
  const variances = new Map(
    (against === undefined ? [] : variancesOf(analysis, against, options.partial)).map((row) => [
      `${row.metricId} ${row.periodKey}`,
      row,
    ]),
  );
  return analysis.metrics.flatMap((metric) =>
    periods.map((index): BoardRow => {
      const { id, label, unit, currency } = metric;
      const periodKey = formatPeriod({ type, index });
      const points = lines.flatMap(({ metricId, version, points }) => {
        const point = metricId === id ? points.find((candidate) => candidate.index === index) : undefined;
        return point ? [{ version, point }] : [];
      });
      const valued = points.filter(({ version }) => versions.includes(version));
      const months = points.find(({ version }) => version === 'actual')?.point.incomplete;
      const variance = variances.get(`${id} ${periodKey}`);
      const subtotal = sums.has(id);
      const without = leftOut.get(`${id} ${periodKey}`);
      return {
        metricId: id,
        ...(label !== undefined && { label }),
        subtotal,
        periodKey,
        ...Object.fromEntries(valued.map(({ version, point }) => [version, point.value])),
        ...(against && {
          difference: variance?.difference ?? null,
          percent: variance?.percent ?? null,
          verdict: variance?.verdict ?? 'unknown',
          note: [variance?.note ?? `no actual, no ${against}`, ...(without ? [without] : [])]
            .filter(Boolean)
            .join('; '),
        }),
        ...(!against && without && { note: without }),
        ...(without && { without }),
        // A sum is explained by what it is made of.
        ...(material && {
          material: !subtotal && isMaterial(variance?.difference ?? null, against && variance?.[against], material),
        }),
        ...(unit !== undefined && { unit }),
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
  for (const { name, metrics: members } of groupsOf(analysis.metrics)) {
    metrics.push(...members);
    const [first] = members;
    if (name === undefined || first === undefined || members.length < 2) continue;
    const id = `subtotal (${name})`;
    const ids = members.map((member) => member.id);
    items = withSum(items, ids, id);
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

export function boardColumns(
  { versions, against, material }: BoardOptions,
  { comments, total }: { comments: boolean; total: boolean },
): Column<BoardRow>[] {
  const variance: Column<BoardRow>[] = [
    { ...amountColumn<BoardRow>('difference', 'Variance', (row) => row.difference), spare: true, computed: true },
    { ...percentColumn<BoardRow>('percent', '%', (row) => row.percent), points: ({ unit }) => isPercent(unit) },
    { key: 'verdict', heading: 'Verdict', get: (row) => row.verdict },
  ];
  const note: Column<BoardRow> = { key: 'note', heading: 'Note', get: (row) => row.note };
  const marks: Column<BoardRow>[] = [
    { key: 'material', heading: 'Material', type: 'boolean', get: (row) => row.material },
  ];
  const explanations: Column<BoardRow>[] = [{ key: 'comment', heading: 'Comment', get: (row) => row.comment }];
  return [
    metric,
    { key: 'label', heading: 'Label', get: (row) => row.label, ...rare },
    { key: 'subtotal', heading: 'Subtotal', type: 'boolean', get: (row) => row.subtotal, ...rare },
    period,
    ...versions.map((version) => amountColumn<BoardRow>(version, versionHeadings[version], (row) => row[version])),
    ...(against === undefined ? [] : variance),
    ...(against !== undefined || total ? [note] : []),
    ...(material === undefined ? [] : marks),
    ...(comments ? explanations : []),
    unit,
    { key: 'months', heading: 'Months', get: (row) => row.months, ...rare },
  ];
}
