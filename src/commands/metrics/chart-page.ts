/** The pages of `metrics chart` and `metrics board`. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { companyTitle, timeFact } from '../../cli/show.ts';
import { formatPeriod } from '../../core/periods.ts';
import { changeOf, changes } from '../../domain/analysis/growth.ts';
import { type AnalysisItem, whole } from '../../domain/analysis/points.ts';
import { figureSection, type KeyFigure, pageOf, panelFigures, tableSection } from '../../output/chart/page.ts';
import type { Panel } from '../../output/chart/panel.ts';
import type { ChartType } from '../../output/chart/svg.ts';
import type { Column } from '../../output/column.ts';
import { pictureFormat } from '../../output/values.ts';
import { type Analyses, readAnalyses } from './analyses.ts';
import { isPercent } from './columns.ts';
import { type Analysis, type AnalysisRequest, countsMonths, linesIn } from './read.ts';
import { type Plan, type VarianceRow, varianceColumns, variancesOf } from './variances.ts';

interface PageOptions {
  type: ChartType;
  title?: string | undefined;
  /** The one company of the page. */
  company: string | undefined;
}

export function metricsPage(
  ctx: Context,
  { parts }: Analyses,
  panels: readonly Panel[],
  columns: readonly Column<AnalysisItem>[],
  { type, title, company }: PageOptions,
): string {
  const versions = [...new Set(parts.flatMap(({ value }) => Array.from(value.items, ({ version }) => version)))];
  const currencies = [...new Set(parts.flatMap(({ value }) => value.currency ?? []))];
  const plan = (['budget', 'forecast'] as const).find((version) => versions.includes(version));
  const several = parts.length > 1;
  const id = ctx.company();
  const variances =
    plan !== undefined && versions.includes('actual') ? parts.map((part) => variancePart(part, plan)) : [];
  const data = several
    ? tableSection({ heading: 'Data', ...seriesTable(panels) })
    : tableSection({ heading: 'Data', columns, rows: parts.flatMap(({ value }) => [...value.items]) });
  const sections = [figureSection('Charts', panelFigures(panels, type)), ...variances.flat(), data];
  return pageOf({
    title: title ?? company ?? [...new Set(panels.map((panel) => panel.title))].join(', '),
    facts: [
      ...periodsFact(panels),
      versions.join(', '),
      currencies.join(', '),
      // Without a name the id says whose numbers these are.
      ...(!several && company === undefined && id !== undefined ? [`company ${id}`] : []),
      timeFact(ctx),
    ].filter((fact) => fact !== ''),
    keyFigures: parts.flatMap(({ who, value }) => keyFigures(value, plan, who?.company)).slice(0, mostFigures),
    sections: sections.filter((section) => section !== ''),
  });
}

/** Key figures, and a table of variances for each company. */
export async function writeBoardPage(ctx: Context, request: AnalysisRequest & { against?: string }): Promise<void> {
  const plan = request.against === 'forecast' ? 'forecast' : 'budget';
  const analyses = await readAnalyses(ctx, request, { versions: ['actual', plan], last: '4' });
  const { parts } = analyses;
  const sections = parts.map(({ who, value }) =>
    tableSection({
      heading: who?.company ?? 'Board',
      columns: labelled(varianceColumns(plan, countsMonths(value)), value),
      rows: variancesOf(value, plan, request.partial),
    }),
  );
  const keys = parts.flatMap(({ value }) => value.items.map(({ periodKey }) => periodKey)).sort();
  const company = await companyTitle(ctx, analyses, 'ask');
  const title = company === undefined ? 'Board' : `${company}: board`;
  const figures = parts.flatMap(({ who, value }) => keyFigures(value, plan, who?.company)).slice(0, mostFigures);
  const facts = [`${keys[0]} to ${keys.at(-1)}`, timeFact(ctx)];
  await ctx.out.text(pageOf({ title, facts, keyFigures: figures, sections }));
  analyses.verdict();
}

/** Actuals against the budget of one company. */
function variancePart({ who, value }: CompanyPart<Analysis>, plan: Plan): string[] {
  const variances = variancesOf(value, plan).filter((row) => row.difference !== null);
  const of = who === undefined ? '' : `${who.company}: `;
  const table = tableSection({
    heading: `${of}${of === '' ? 'Actual' : 'actual'} against ${plan}`,
    columns: labelled(varianceColumns(plan, countsMonths(value)), value),
    rows: variances,
  });
  return variances.length > 0 ? [table] : [];
}

/** A row for each period, and a column for each company and version below its metric. */
function seriesTable(panels: readonly Panel[]) {
  const periods = panels[0]?.periods ?? [];
  const period: Column<number> = { key: 'period', heading: 'Period', get: (at) => periods[at] };
  const values = panels.flatMap(({ title, series, unit }) =>
    series.map(
      ({ label, values }): Column<number> => ({
        key: `${title} ${label}`,
        heading: label,
        type: 'number',
        digits: 2,
        unit,
        get: (at) => values[at],
      }),
    ),
  );
  const bands: { heading: string; count: number }[] = [];
  for (const { title, series } of panels) {
    const last = bands.at(-1);
    // A metric in two currencies is named once.
    if (last?.heading === title) last.count += series.length;
    else bands.push({ heading: title, count: series.length });
  }
  return { columns: [period, ...values], rows: periods.map((_, at) => at), bands };
}

/** The columns with the labels of metrics in place of their ids. */
function labelled(columns: readonly Column<VarianceRow>[], { metrics }: Analysis): Column<VarianceRow>[] {
  const labels = new Map(metrics.map(({ id, label = id }) => [id, label]));
  return columns.map((column) =>
    column.key === 'metricId' ? { ...column, shown: ({ metricId }) => labels.get(metricId) ?? metricId } : column,
  );
}

function periodsFact(panels: readonly Panel[]): string[] {
  const periods = panels[0]?.periods ?? [];
  return periods.length === 0 ? [] : [`${periods[0]} to ${periods.at(-1)}`];
}

const mostFigures = 8;

function keyFigures(analysis: Analysis, plan: Plan | undefined, company?: string): KeyFigure[] {
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
    const value = pictureFormat([point.value], unit)(point.value);
    const head = {
      label: `${company === undefined ? '' : `${company} `}${label}, ${key}`,
      value,
      ...(unit !== undefined && !percents && { unit }),
    };
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
