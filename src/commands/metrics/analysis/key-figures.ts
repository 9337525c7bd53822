/** The strip of numbers that opens a report: the newest complete value of each metric, and what it is compared with. */

import { formatPeriod } from '../../../core/periods.ts';
import { changes } from '../../../domain/analysis/growth.ts';
import { linesOf, whole } from '../../../domain/analysis/points.ts';
import type { KeyFigure } from '../../../output/chart/page.ts';
import { shortNumber } from '../../../output/chart/scale.ts';
import type { Analysis } from '../read.ts';
import { type Plan, variancesOf } from './variances.ts';

const mostFigures = 8;

export function keyFigures(analysis: Analysis, plan: Plan | undefined): KeyFigure[] {
  const { items, metrics, type } = analysis;
  const lines = linesOf(
    items,
    metrics.map(({ id }) => id),
  );
  const compared = plan === undefined ? [] : [...variancesOf(analysis, plan)];
  return metrics.slice(0, mostFigures).flatMap(({ id, label = id, unit, direction }): KeyFigure[] => {
    const line = lines.find(({ metricId, version }) => metricId === id && version === 'actual');
    const points = whole(line?.points ?? []);
    const point = points.findLast(({ value }) => value !== null);
    if (point === undefined || point.value === null) return [];
    const key = formatPeriod({ type, index: point.index });
    const percents = unit === '%';
    const value = `${shortNumber(Number(point.value))}${percents ? '%' : ''}`;
    const head = { label: `${label}, ${key}`, value, ...(unit !== undefined && !percents && { unit }) };
    const against = compared.find(({ metricId, periodKey }) => metricId === id && periodKey === key);
    if (against?.percent !== undefined && against.percent !== null) {
      const { verdict } = against;
      const said = verdict === 'good' || verdict === 'bad' ? verdict : undefined;
      return [{ ...head, change: changed(Number(against.percent), `vs ${plan}`), verdict: said }];
    }
    const ratio = changes(points, 1).find(({ index }) => index === point.index)?.ratio ?? null;
    if (ratio === null) return [head];
    const percent = Number(ratio) * 100;
    const better = direction === 'up' ? percent > 0 : direction === 'down' ? percent < 0 : undefined;
    const verdict = better === undefined || percent === 0 ? undefined : better ? 'good' : 'bad';
    return [{ ...head, change: changed(percent, `vs previous ${type}`), verdict }];
  });
}

function changed(percent: number, words: string): string {
  const arrow = percent > 0 ? '▲' : percent < 0 ? '▼' : '=';
  return `${arrow} ${Math.abs(percent).toFixed(1)}% ${words}`;
}
