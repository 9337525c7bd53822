/** Holes, stale and repeated values of each metric and version. */

import type { Version } from '../../contract/metrics.ts';
import { formatPeriod, periodAt } from '../../core/periods.ts';
import { type GapKind, gaps } from '../../domain/analysis/gaps.ts';
import type { Column } from '../../output/column.ts';
import { metric } from './columns.ts';
import { type Analysis, linesIn } from './read.ts';

interface GapRow {
  metricId: string;
  version: string;
  kind: GapKind;
  from: string;
  to: string;
  periods: number;
  detail: string;
}

export const gapColumns: Column<GapRow>[] = [
  metric,
  { key: 'version', heading: 'Version', get: (row) => row.version, usual: 'actual' },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  { key: 'from', heading: 'From', required: true, get: (row) => row.from },
  { key: 'to', heading: 'To', required: true, get: (row) => row.to },
  { key: 'periods', heading: 'Periods', type: 'integer', get: (row) => row.periods },
  { key: 'detail', heading: 'Detail', wraps: true, required: true, get: (row) => row.detail },
];

interface GapOptions {
  versions: readonly Version[];
  staleAfterDays: number;
  repeatedFrom: number;
  /** A flag names the end of the range, which may be a period that has not ended. */
  upTo: boolean;
  now: Date;
}

/** Values are expected from the start of the range or line to its end, or the newest complete period. */
export function* gapRows({ items, metrics, type, range }: Analysis, options: GapOptions): Generator<GapRow> {
  const closed = periodAt(options.now, type).index - 1;
  const newest = range.to?.index ?? closed;
  const end = options.upTo ? newest : Math.min(newest, closed);
  // Newer values than those of an earlier range are not read.
  const staleAfterDays = end < closed ? undefined : options.staleAfterDays;
  const lines = linesIn({ items, metrics });
  const key = (index: number) => formatPeriod({ type, index });
  for (const { id: metricId } of metrics) {
    for (const version of options.versions) {
      const line = lines.find((candidate) => candidate.metricId === metricId && candidate.version === version);
      const points = line?.points ?? [];
      const from = range.from?.index ?? points[0]?.index ?? end;
      const to = version === 'actual' ? end : Math.min(end, points.at(-1)?.index ?? end);
      for (const gap of gaps(points, { ...options, staleAfterDays, from, to })) {
        const periods = gap.to - gap.from + 1;
        yield { metricId, version, kind: gap.kind, from: key(gap.from), to: key(gap.to), periods, detail: gap.detail };
      }
    }
  }
}
