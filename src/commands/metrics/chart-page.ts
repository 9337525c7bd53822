/** The pages of `metrics chart` and `metrics board`. */

import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { companyTitle, timeFact } from '../../cli/show.ts';
import { isNumeric } from '../../core/json.ts';
import { formatPeriod } from '../../core/periods.ts';
import { changeOf, changes, verdictOf } from '../../domain/analysis/difference.ts';
import { type AnalysisItem, whole } from '../../domain/analysis/points.ts';
import { isShare } from '../../domain/series/units.ts';
import {
  figureSection,
  type KeyFigure,
  keyFigure,
  pageOf,
  panelFigures,
  tableSection,
} from '../../output/chart/page.ts';
import { type Panel, styleOf } from '../../output/chart/panel.ts';
import type { ChartType } from '../../output/chart/svg.ts';
import type { Column } from '../../output/column.ts';
import { type Comparison, type NumberStyle, pictureStyle } from '../../output/values.ts';
import { type Analyses, factsOf, readAnalyses } from './analyses.ts';
import type { OfCompany } from './columns.ts';
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
  const facts = factsOfPage(parts, versions.includes('actual') ? plan : undefined);
  const { styles } = facts;
  const styled = panels.map((panel) => ({ ...panel, style: styleOfPanel(panel, styles) }));
  const data = several
    ? tableSection({ heading: 'Data', ...seriesTable(styled) })
    : tableSection({ heading: 'Data', columns, rows: parts.flatMap(({ value }) => [...value.items]), styles });
  const sections = [
    figureSection('Charts', panelFigures(styled, type)),
    ...varianceSections(
      parts,
      { ...facts, variances: facts.variances.filter(({ difference }) => difference !== null) },
      (company) => `${company}${company ? ': actual' : 'Actual'} against ${plan}`,
    ),
    data,
  ];
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
    keyFigures: parts.flatMap((part) => keyFigures(part, facts)).slice(0, mostFigures),
    sections: sections.filter((section) => section !== ''),
  });
}

/** Key figures, and a table of variances for each company. */
export async function writeBoardPage(ctx: Context, request: AnalysisRequest & { against?: string }): Promise<void> {
  const plan = request.against === 'forecast' ? 'forecast' : 'budget';
  const analyses = await readAnalyses(ctx, request, { versions: ['actual', plan], last: '4' });
  const { parts } = analyses;
  const facts = factsOfPage(parts, plan, request.partial);
  const sections = varianceSections(parts, facts, (company) => company || 'Board');
  const keys = parts.flatMap(({ value }) => value.items.map(({ periodKey }) => periodKey)).sort();
  const company = await companyTitle(ctx, analyses, 'ask');
  const title = company === undefined ? 'Board' : `${company}: board`;
  const figures = parts.flatMap((part) => keyFigures(part, facts)).slice(0, mostFigures);
  const words = [`${keys[0]} to ${keys.at(-1)}`, timeFact(ctx)];
  await ctx.out.text(pageOf({ title, facts: words, keyFigures: figures, sections }));
  analyses.verdict();
}

/** What the parts of a page share. */
interface PageFacts {
  plan: Plan | undefined;
  /** Of all companies. */
  variances: readonly (VarianceRow & OfCompany)[];
  styles: ReadonlyMap<string, NumberStyle>;
}

function factsOfPage(parts: Analyses['parts'], plan: Plan | undefined, partial?: boolean): PageFacts {
  const variances = parts.flatMap(({ who, value }) =>
    plan === undefined ? [] : variancesOf(value, plan, partial).map((row) => ({ ...who, ...row })),
  );
  return { plan, variances, styles: metricStyles(parts, variances) };
}

/** A table of actuals against the budget for each company. */
function varianceSections(
  parts: Analyses['parts'],
  { plan, variances, styles }: PageFacts,
  headingOf: (company: string) => string,
): string[] {
  if (plan === undefined) return [];
  const metrics = factsOf({ parts });
  return parts.flatMap(({ who, value }) => {
    const rows = variances.filter(({ company }) => company === who?.company);
    if (rows.length === 0) return [];
    const columns = varianceColumns(plan, countsMonths(value), metrics);
    const nameOf = (id: string) => metrics.get(id)?.label;
    return [tableSection({ heading: headingOf(who?.company ?? ''), columns, rows, styles, nameOf })];
  });
}

/** The style of the panel's only metric. */
function styleOfPanel(panel: Panel, styles: ReadonlyMap<string, NumberStyle>): NumberStyle {
  const [id, ...others] = new Set(panel.series.map(({ metricId }) => metricId));
  return (others.length === 0 ? styles.get(id ?? '') : undefined) ?? styleOf(panel);
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
  const styles = new Map(
    panels.flatMap((panel) => panel.series.map(({ label }) => [`${panel.title} ${label}`, styleOf(panel)] as const)),
  );
  return { columns: [period, ...values], rows: periods.map((_, at) => at), bands, styles };
}

/** The style of each metric's numbers on the whole page, in which its comparisons are true. */
function metricStyles(parts: Analyses['parts'], variances: readonly VarianceRow[]): Map<string, NumberStyle> {
  const ids = new Set(parts.flatMap(({ value }) => value.metrics.map(({ id }) => id)));
  return new Map(
    [...ids].map((id) => {
      const cells = parts.flatMap(({ value }) => value.items.map(({ metrics }) => metrics[id]));
      const unit = parts.flatMap(({ value }) => value.metrics.find((metric) => metric.id === id)?.unit ?? [])[0];
      return [id, pictureStyle(cells, unit, variances.filter(({ metricId }) => metricId === id).flatMap(comparisons))];
    }),
  );
}

function comparisons({ actual, difference, ...row }: VarianceRow): Comparison[] {
  const before = row[row.against];
  return isNumeric(actual) && isNumeric(before) && isNumeric(difference) ? [{ after: actual, before, difference }] : [];
}

function periodsFact(panels: readonly Panel[]): string[] {
  const periods = panels[0]?.periods ?? [];
  return periods.length === 0 ? [] : [`${periods[0]} to ${periods.at(-1)}`];
}

const mostFigures = 8;

/** The newest value of each metric, compared with its plan, else with the period before it. */
function keyFigures({ who, value: analysis }: CompanyPart<Analysis>, { plan, variances, styles }: PageFacts) {
  const { metrics, type } = analysis;
  const lines = linesIn(analysis);
  return metrics.slice(0, mostFigures).flatMap(({ id, label = id, unit, measure, direction }): KeyFigure[] => {
    const line = lines.find(({ metricId, version }) => metricId === id && version === 'actual');
    const points = whole(line?.points ?? []);
    const { index, value = null } = points.findLast(({ value }) => value !== null) ?? {};
    const style = styles.get(id);
    if (index === undefined || value === null || !style) return [];
    const key = formatPeriod({ type, index });
    const head = { label: `${who === undefined ? '' : `${who.company} `}${label}, ${key}`, value, unit, style };
    const isPoints = isShare(measure);
    const isOfKey = (row: VarianceRow & OfCompany) =>
      row.metricId === id && row.periodKey === key && row.company === who?.company;
    const against = variances.find(isOfKey);
    const budget = against?.[against.against];
    if (against && isNumeric(against.percent) && isNumeric(budget)) {
      const { percent: change, verdict } = against;
      return [keyFigure(head, { before: budget, change, isPoints, words: `vs ${plan}`, verdict })];
    }
    const last = changes(points, 1).find((change) => change.index === index);
    const change = last ? changeOf(last, measure) : null;
    if (!isNumeric(change) || !isNumeric(last?.base)) return [keyFigure(head)];
    const verdict = verdictOf(change, direction);
    return [keyFigure(head, { before: last.base, change, isPoints, words: `vs previous ${type}`, verdict })];
  });
}
