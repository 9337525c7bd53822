/** Holes, stale and repeated values of every line that ought to be full. */
import type { Version } from '../../../contract/metrics.ts';
import { formatPeriod, periodAt } from '../../../core/periods.ts';
import { gaps } from '../../../domain/analysis/gaps.ts';
import { linesOf, type MetricLine } from '../../../domain/analysis/points.ts';
import type { GapRow } from '../analysis-columns.ts';
import type { Analysis } from './read.ts';

export interface GapWish {
  versions: readonly Version[];
  staleAfterDays: number;
  repeatedFrom: number;
  /** `--to` was given: the range goes up to it, closed or not. */
  upTo: boolean;
  now: Date;
}

/**
 * A line ought to be full from the start of the range, else from its first period, to the end of the range, else to the
 * newest period that is over. A plan may end where it ends: it is looked at up to its own last period.
 */
export function gapRows({ items, metrics, type, range }: Analysis, wish: GapWish): GapRow[] {
  const ids = metrics.map(({ id }) => id);
  const lines = new Map(linesOf(items, ids).map((line) => [`${line.metricId} ${line.version}`, line]));
  const closed = periodAt(wish.now, type).index - 1;
  const asked = range.to?.index ?? closed;
  const end = wish.upTo ? asked : Math.min(asked, closed);
  return ids.flatMap((metricId) =>
    wish.versions.flatMap((version) => {
      const line: MetricLine = lines.get(`${metricId} ${version}`) ?? { metricId, version, points: [] };
      const from = range.from?.index ?? line.points[0]?.index ?? end;
      const to = version === 'actual' ? end : Math.min(end, line.points.at(-1)?.index ?? end);
      const { staleAfterDays, repeatedFrom, now } = wish;
      const key = (index: number) => formatPeriod({ type, index });
      return gaps(line.points, { from, to, staleAfterDays, repeatedFrom, now }).map(
        (gap): GapRow => ({
          ...{ metricId, version, kind: gap.kind, from: key(gap.from), to: key(gap.to) },
          ...{ periods: gap.to - gap.from + 1, detail: gap.detail },
        }),
      );
    }),
  );
}
