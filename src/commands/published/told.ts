/** What a recipient was told in each publication, against what the series says now. */

import type { Context } from '../../cli/context.ts';
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { compare, difference, magnitude, quotient, rounded } from '../../core/decimal.ts';
import { isNumeric, type Numeric, plainDecimal } from '../../core/json.ts';
import { comparePeriods, formatPeriod, type Period, parsePeriod } from '../../core/periods.ts';
import { percent } from '../../domain/analysis/percent.ts';
import { linesOf, type Point } from '../../domain/analysis/points.ts';
import type { AnalysisFlags } from '../metrics/analysis/flags.ts';
import { type Analysis, readAnalysis } from '../metrics/analysis/read.ts';
import type { ToldRow } from '../metrics/analysis-columns.ts';
import { shownUnit } from '../metrics/columns.ts';

/** The actuals now of all periods that were published, read once for each grain. */
export async function seriesNow(
  ctx: Context,
  company: string,
  periods: readonly PublishedPeriod[],
  flags: Pick<AnalysisFlags, 'metrics' | 'agg'>,
): Promise<Analysis[]> {
  const found: Analysis[] = [];
  for (const type of ['month', 'quarter', 'year'] as const) {
    const of = periods
      .map(({ periodKey }) => parsePeriod(periodKey ?? ''))
      .filter((p): p is Period => p?.type === type);
    const sorted = of.sort(comparePeriods);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (!first || !last) continue;
    const range = { from: formatPeriod(first), to: formatPeriod(last), periodType: type };
    found.push(
      await readAnalysis(ctx, { metrics: flags.metrics, agg: flags.agg, ...range }, { versions: ['actual'], company }),
    );
  }
  return found;
}

/** A row for each value that was published, in the order of the publications. */
export function toldRows(
  periods: readonly PublishedPeriod[],
  now: readonly Analysis[],
  ids: readonly string[] | undefined,
): ToldRow[] {
  const points = new Map<string, Point>();
  for (const { items, type } of now) {
    for (const { metricId, points: found } of linesOf(items)) {
      for (const point of found) points.set(`${formatPeriod({ type, index: point.index })} ${metricId}`, point);
    }
  }
  return periods.flatMap((period) => {
    const data = Object.entries(period.data ?? {}).filter(([id]) => ids === undefined || ids.includes(id));
    return data.flatMap(([metricId, told]): ToldRow[] => {
      if (told !== null && !isNumeric(told)) return [];
      const { periodKey = '', versionNumber, sentAt, currency } = period;
      const unit = shownUnit(period.units?.[metricId], period.unitLabels?.[metricId], currency);
      return [
        {
          metricId,
          periodKey,
          ...(versionNumber !== undefined && { versionNumber }),
          ...(sentAt !== undefined && { sentAt }),
          told,
          ...against(told, points.get(`${periodKey} ${metricId}`), parsePeriod(periodKey)?.type !== 'month'),
          ...(unit !== undefined && { unit }),
        },
      ];
    });
  });
}

type Against = Pick<ToldRow, 'now' | 'difference' | 'percent' | 'outcome' | 'note'>;

function against(told: Numeric | null, point: Point | undefined, derived: boolean): Against {
  const none = { difference: null, percent: null };
  if (point === undefined) return { ...none, outcome: 'removed', note: 'the series has no such value now' };
  const { value: now, incomplete, updatedAt } = point;
  if (incomplete) return { now, ...none, outcome: 'unknown', note: `the series has ${incomplete} months of it now` };
  if (now === null || told === null) {
    const same = now === told;
    const note = same ? '' : now === null ? 'the series says null now' : 'null was published';
    return { now, ...none, outcome: same ? 'unchanged' : 'restated', note };
  }
  // A published average of months was rounded; the months' own average has as many digits as it has.
  const shown = derived ? rounded(now, digitsOf(told)) : now;
  const gap = difference(shown, told);
  const written = updatedAt ? `last written ${updatedAt.slice(0, 10)}` : '';
  const ratio = quotient(gap, magnitude(told));
  const restated = compare(gap, 0) !== 0;
  return {
    now: shown,
    difference: gap,
    percent: percent(ratio),
    outcome: restated ? 'restated' : 'unchanged',
    note: restated ? written : '',
  };
}

/** Digits after the point. */
function digitsOf(value: Numeric): number {
  return plainDecimal(value).split('.')[1]?.length ?? 0;
}
