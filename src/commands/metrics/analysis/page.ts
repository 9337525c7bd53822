/** The page of `metrics chart`. */

import type { Context } from '../../../cli/context.ts';
import { timeFact } from '../../../cli/show.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { figureSection, pageOf, panelFigures, tableSection, verdictFigure } from '../../../output/chart/page.ts';
import type { Panel } from '../../../output/chart/panel.ts';
import type { ChartType } from '../../../output/chart/svg.ts';
import type { Column } from '../../../output/column.ts';
import { type VarianceRow, varianceColumns } from '../analysis-columns.ts';
import type { Analysis } from '../read.ts';
import { keyFigures } from './key-figures.ts';
import { countsMonths } from './parts.ts';
import { variancesOf } from './variances.ts';

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
    const found = [...variancesOf(analysis, plan)].filter((row) => row.difference !== null);
    sections.push(varianceSection(analysis, found, plan));
    if (found.length > 0) {
      sections.push(
        tableSection({
          heading: `Actual against ${plan}`,
          columns: named(varianceColumns(countsMonths(analysis)), analysis),
          rows: found,
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

function varianceSection({ metrics }: Analysis, found: readonly VarianceRow[], plan: string): string {
  const figures = metrics.flatMap(({ id, label = id }) => {
    const rows = found.filter(({ metricId }) => metricId === id);
    if (rows.every(({ percent }) => percent === null)) return [];
    const bars = rows.map(({ periodKey, percent, verdict }) => ({
      period: periodKey,
      percent: percent === null ? undefined : Number(percent),
      verdict,
    }));
    return [{ label, bars }];
  });
  const drawn = figures.map(({ label, bars }) => verdictFigure(label, bars, figures.length));
  const note = `Percent above or below ${plan}. Green is better than planned, red is worse.`;
  return figureSection(`Variance against ${plan}`, drawn, note);
}
