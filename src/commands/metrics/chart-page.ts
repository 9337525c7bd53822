/** The page of `metrics chart`. */

import type { Context } from '../../cli/context.ts';
import { timeFact } from '../../cli/show.ts';
import { formatPeriod } from '../../core/periods.ts';
import { changeOf, changes } from '../../domain/analysis/growth.ts';
import { type AnalysisItem, whole } from '../../domain/analysis/points.ts';
import {
  figureSection,
  type KeyFigure,
  pageOf,
  panelFigures,
  tableSection,
  verdictFigure,
} from '../../output/chart/page.ts';
import type { Panel } from '../../output/chart/panel.ts';
import { shortNumber } from '../../output/chart/scale.ts';
import type { ChartType } from '../../output/chart/svg.ts';
import type { Column } from '../../output/column.ts';
import { isPercent } from './columns.ts';
import { type Analysis, countsMonths, linesIn } from './read.ts';
import { type Plan, type VarianceRow, varianceColumns, variancesOf } from './variances.ts';

export function metricsPage(
  ctx: Context,
  analysis: Analysis,
  panels: readonly Panel[],
  columns: readonly Column<AnalysisItem>[],
  { type, title, company }: { type: ChartType; title?: string | undefined; company: string | undefined },
): string {
  const versions = [...new Set(Array.from(analysis.items, ({ version }) => version))];
  const id = ctx.company();
  const sections = [figureSection('Charts', panelFigures(panels, type))];
  const plan = (['budget', 'forecast'] as const).find((version) => versions.includes(version));
  if (plan !== undefined && versions.includes('actual')) {
    const variances = [...variancesOf(analysis, plan)].filter((row) => row.difference !== null);
    sections.push(varianceSection(analysis, variances, plan));
    if (variances.length > 0) {
      sections.push(
        tableSection({
          heading: `Actual against ${plan}`,
          columns: named(varianceColumns(plan, countsMonths(analysis)), analysis),
          rows: variances,
        }),
      );
    }
  }
  sections.push(tableSection({ heading: 'Data', columns, rows: [...analysis.items] }));
  return pageOf({
    title: title ?? company ?? panels.map(({ title }) => title).join(', '),
    facts: [
      ...periodsFact(panels),
      versions.join(', '),
      ...(analysis.currency === undefined ? [] : [analysis.currency]),
      // Without a name the id says whose numbers these are.
      ...(company === undefined && id !== undefined ? [`company ${id}`] : []),
      timeFact(ctx),
    ].filter((fact) => fact !== ''),
    keyFigures: keyFigures(analysis, plan),
    sections: sections.filter((section) => section !== ''),
  });
}

/** The columns with the labels of metrics in place of their ids. */
function named(columns: readonly Column<VarianceRow>[], { metrics }: Analysis): Column<VarianceRow>[] {
  const labels = new Map(metrics.map(({ id, label = id }) => [id, label]));
  return columns.map((column) =>
    column.key === 'metricId' ? { ...column, shown: ({ metricId }) => labels.get(metricId) ?? metricId } : column,
  );
}

function periodsFact(panels: readonly Panel[]): string[] {
  const periods = panels[0]?.periods ?? [];
  return periods.length === 0 ? [] : [`${periods[0]} to ${periods.at(-1)}`];
}

function varianceSection({ metrics }: Analysis, variances: readonly VarianceRow[], plan: string): string {
  const figures = metrics.flatMap(({ id, label = id }) => {
    const rows = variances.filter(({ metricId }) => metricId === id);
    if (rows.every(({ percent }) => percent === null)) return [];
    const bars = rows.map(({ periodKey, percent, verdict }) => ({
      period: periodKey,
      percent: percent === null ? undefined : Number(percent),
      verdict,
    }));
    return [{ label, bars }];
  });
  const charts = figures.map(({ label, bars }) => verdictFigure(label, bars, figures.length));
  const note = `Percent above or below ${plan}. Green is better, red is worse.`;
  return figureSection(`Variance against ${plan}`, charts, note);
}

const mostFigures = 8;

export function keyFigures(analysis: Analysis, plan: Plan | undefined): KeyFigure[] {
  const { metrics, type } = analysis;
  const lines = linesIn(analysis);
  const compared = plan === undefined ? [] : [...variancesOf(analysis, plan)];
  return metrics.slice(0, mostFigures).flatMap(({ id, label = id, unit, measure, direction }): KeyFigure[] => {
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
      const judged = verdict === 'good' || verdict === 'bad' ? verdict : undefined;
      return [{ ...head, change: changed(Number(against.percent), unit, `vs ${plan}`), verdict: judged }];
    }
    const change = changes(points, 1).find(({ index }) => index === point.index);
    const size = change ? changeOf(change, measure) : null;
    if (size === null) return [head];
    const number = Number(size);
    const better = direction === 'up' ? number > 0 : direction === 'down' ? number < 0 : undefined;
    const verdict = better === undefined || number === 0 ? undefined : better ? 'good' : 'bad';
    return [{ ...head, change: changed(number, unit, `vs previous ${type}`), verdict }];
  });
}

function changed(change: number, unit: string | undefined, words: string): string {
  const arrow = change > 0 ? '▲' : change < 0 ? '▼' : '=';
  const size = Math.abs(change);
  return `${arrow} ${isPercent(unit) ? `${size.toFixed(2)} pp` : `${size.toFixed(1)}%`} ${words}`;
}
