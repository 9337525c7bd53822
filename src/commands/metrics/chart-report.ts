/** `metrics chart` on the terminal, as a picture, a page or rows; and the page of `metrics board`. */
import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { hasRowFlags, openRowQuery, type RowFlags, selectedRows } from '../../cli/query.ts';
import { companyTitle, type DrawingOptions, drawPanels, pictureKind, timeFact, writePicture } from '../../cli/show.ts';
import { noRows } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { formatPeriod, markedPeriod, type PeriodType, partialWords } from '../../core/periods.ts';
import { changeOf, changes, verdictOf } from '../../domain/analysis/difference.ts';
import { type AnalysisItem, type MetricLine, whole } from '../../domain/analysis/points.ts';
import { isShare } from '../../domain/series/units.ts';
import {
  figureSection,
  type KeyFigure,
  keyFigure,
  pageOf,
  panelFigures,
  tableSection,
} from '../../output/chart/page.ts';
import { type ChartSeries, doubles, type Panel, styleOf } from '../../output/chart/panel.ts';
import type { ChartType, Head } from '../../output/chart/svg.ts';
import type { Column } from '../../output/column.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import { type Comparison, type NumberStyle, pictureStyle } from '../../output/values.ts';
import { type Analyses, companyRows, factsOf, readAnalyses, withCompanies } from './analyses.ts';
import { noteColumn, type OfCompany } from './columns.ts';
import {
  type Analysis,
  type AnalysisRequest,
  aligned,
  countsMonths,
  hasPartial,
  linesIn,
  type Metric,
} from './read.ts';
import { wideColumns } from './series-columns.ts';
import { type Plan, type VarianceRow, varianceColumns, variancesOf } from './variances.ts';

interface ChartOptions extends DrawingOptions {
  title?: string | undefined;
}

export async function writeChart(ctx: Context, analyses: Analyses, options: ChartOptions): Promise<void> {
  const kind = pictureKind(ctx);
  if (kind === 'rows') {
    const rows = companyRows(analyses, itemsWithNotes);
    return ctx.out.rows(rows, withCompanies(analyses, rowColumns(analyses)), { id: (row) => row.periodKey });
  }
  const panels = panelsOf(analyses, kind !== 'text');
  if (panels.every((panel) => doubles(panel).length === 0)) {
    ctx.out.note('No values in the range: nothing was drawn.');
    if (ctx.settings.failEmpty) throw noRows();
    if (kind === 'text') return;
  }
  if (kind === 'text') return drawPanels(ctx, await titled(ctx, analyses, panels), options);
  const company = await companyTitle(ctx, analyses, 'ask');
  if (kind === 'svg' || kind === 'png') {
    const { sizeOf, svgOf } = await import('../../output/chart/svg.ts');
    const head = headOf(options.title, company, panels, ctx.past && timeFact(ctx));
    return writePicture(ctx, kind, svgOf(panels, { type: options.type, ...sizeOf(panels.length), titles: true, head }));
  }
  await ctx.out.text(metricsPage(ctx, analyses, panels, rowColumns(analyses), { ...options, company }));
}

/** The analyses with the rows that conditions choose: the others are gaps in a picture. */
export async function chosenItems(ctx: Context, flags: RowFlags, analyses: Analyses): Promise<Analyses> {
  if (!hasRowFlags(flags)) return analyses;
  const columns = withCompanies(analyses, rowColumns(analyses));
  const question = await openRowQuery(ctx, columns, { flags, command: [], rules: { periodKey: 'period' } });
  const parts = analyses.parts.map(async ({ who, value }) => {
    const { items, leftOut: _, ...analysis } = aligned(value, 'periods');
    const rows = await selectedRows(
      question,
      items.map((item) => ({ ...who, ...item })),
    );
    const chosen = new Set(rows.map(({ periodKey, version }) => `${periodKey} ${version}`));
    const isChosen = (item: AnalysisItem) => chosen.has(`${item.periodKey} ${item.version}`);
    return { who, value: { ...analysis, items: items.filter(isChosen) } };
  });
  return { ...analyses, parts: await Promise.all(parts) };
}

/** The head of a picture, above the panels. */
function headOf(
  title: string | undefined,
  company: string | undefined,
  panels: readonly Panel[],
  time: string | undefined,
): Head {
  const periods = panels[0]?.periods ?? [];
  const range = periods.length > 1 ? `${periods[0]} to ${periods.at(-1)}` : (periods[0] ?? '');
  const names = [...new Set(panels.map((panel) => panel.title))].join(', ');
  return {
    title: title ?? company ?? names,
    facts: [...((title ?? company) ? [names] : []), range, ...(time ? [time] : [])].join(' · '),
  };
}

/** The panels with the name of the company in their titles. */
async function titled(ctx: Context, analyses: Analyses, panels: readonly Panel[]): Promise<readonly Panel[]> {
  const company = await companyTitle(ctx, analyses, 'known');
  return company === undefined ? panels : panels.map((panel) => ({ ...panel, company }));
}

interface ChartItem extends AnalysisItem {
  /** The companies that a total leaves out. */
  note?: string;
}

function itemsWithNotes(analysis: Analysis): ChartItem[] {
  const { items, leftOut } = aligned(analysis, 'periods');
  return items.map((item) => {
    const notes = Object.keys(item.metrics).flatMap((id) => {
      const without = leftOut.get(`${id} ${item.version}`);
      return without === undefined ? [] : [`${id} ${without}`];
    });
    return notes.length === 0 ? item : { ...item, note: notes.join('; ') };
  });
}

/** A column for each metric that one of the companies has. */
function rowColumns({ parts }: Analyses): Column<ChartItem>[] {
  const analyses = parts.map(({ value }) => value);
  const metrics = new Map(
    analyses.flatMap((analysis) =>
      analysis.metrics.map(({ id, label, unit }) => [id, parts.length === 1 ? { id, label, unit } : { id, label }]),
    ),
  );
  const marked = analyses.some(hasPartial);
  const derived = marked && analyses[0]?.type !== 'month';
  const hasTotal = analyses.some(({ members }) => members !== undefined);
  return [...wideColumns([...metrics.values()], { derived, months: marked }), ...(hasTotal ? [noteColumn] : [])];
}

interface ChartLine {
  company: string | undefined;
  metric: Metric;
  line: MetricLine;
}

interface PanelParts {
  unit: string | undefined;
  labels: Set<string>;
  lines: ChartLine[];
  notes: string[];
}

/**
 * A panel for the metrics of one unit and size; with several companies one for each metric and unit, since amounts in
 * several currencies do not compare.
 * @param apart more than two metrics of a unit have their own panels
 */
function panelsOf({ parts }: Analyses, apart: boolean): Panel[] {
  const [first] = parts;
  if (!first) return [];
  const several = first.who !== undefined;
  const { type, range, anyRange } = first.value;
  const ids = [...new Set(parts.flatMap(({ value }) => value.metrics.map(({ id }) => id)))];
  const units = parts.flatMap(({ value }) => value.metrics.map(({ unit = '' }) => unit));
  const panelName = panelNames();
  const panels = new Map<string, PanelParts>();
  for (const id of ids) {
    for (const { who, value } of parts) {
      const metric = value.metrics.find((candidate) => candidate.id === id);
      const analysis = aligned(value, 'periods');
      const lines = linesIn(analysis).filter(({ metricId }) => metricId === id);
      if (!metric || lines.length === 0) continue;
      const { label = id, unit = '' } = metric;
      const isPair = units.filter((other) => other === unit).length <= 2;
      const key = several ? `${id} ${unit}` : isPair ? unit : apart ? id : panelName(unit, lines);
      const panel = panels.get(key) ?? { unit: metric.unit, labels: new Set(), lines: [], notes: [] };
      panels.set(key, panel);
      panel.labels.add(cleanLine(label));
      const company = who && cleanLine(who.company);
      for (const line of lines) {
        panel.lines.push({ company, metric, line });
        const without = analysis.leftOut.get(`${id} ${line.version}`);
        if (without !== undefined) panel.notes.push(cleanLine(`${company ?? label} ${without}`));
      }
    }
  }
  const inOrder = [...panels.values()];
  const companies = parts.flatMap(({ who }) => (who ? [cleanLine(who.company)] : []));
  const indexes = inOrder.flatMap(({ lines }) => lines.flatMap(({ line }) => line.points.map(({ index }) => index)));
  if (indexes.length === 0) return [];
  const last = indexes.reduce((a, b) => Math.max(a, b));
  // Requested periods are drawn even without values.
  const start = (anyRange ? undefined : range.from?.index) ?? indexes.reduce((a, b) => Math.min(a, b));
  const all = Array.from({ length: last - start + 1 }, (_, step) => start + step);
  const partial = new Map(
    inOrder.flatMap(({ lines }) =>
      lines.flatMap(({ line }) =>
        line.points.flatMap(({ index, incomplete }) => (incomplete ? [[index, incomplete] as const] : [])),
      ),
    ),
  );
  const periods = all.map((index) => markedPeriod(formatPeriod({ type, index }), partial.get(index)));
  return inOrder.map(({ unit, labels, lines, notes }) => {
    const panelNotes = [...notes, ...lines.flatMap((line) => partialNotes(line, type))];
    return {
      title: [...labels].join(', '),
      ...(unit !== undefined && { unit: cleanLine(unit) }),
      periods,
      series: lines.map((line) => chartSeries(line, all)),
      ...(companies.length > 1 && { companies }),
      ...(panelNotes.length > 0 && { notes: panelNotes }),
    };
  });
}

const nameOf = ({ company, metric: { id, label = id } }: ChartLine): string => company ?? cleanLine(label);

function chartSeries(chartLine: ChartLine, indexes: readonly number[]): ChartSeries {
  const { company, metric, line } = chartLine;
  const points = new Map(line.points.map((point) => [point.index, point]));
  return {
    label: line.version === 'actual' ? nameOf(chartLine) : `${nameOf(chartLine)} ${line.version}`,
    metricId: metric.id,
    company,
    version: line.version,
    dashed: line.version !== 'actual',
    values: indexes.map((index) => points.get(index)?.value),
    partial: indexes.map((index) => points.get(index)?.incomplete !== undefined),
  };
}

function partialNotes(chartLine: ChartLine, type: PeriodType): string[] {
  return chartLine.line.points.flatMap(({ index, incomplete }) =>
    incomplete ? [`${nameOf(chartLine)} of ${formatPeriod({ type, index })}: ${partialWords(incomplete)}`] : [],
  );
}

/** On one scale a metric five times as large would make a flat line of the other. */
const mostApart = 5;

/** Names the panel of a metric: that of an earlier one of its unit whose values are about as large. */
function panelNames(): (unit: string, lines: readonly MetricLine[]) => string {
  const scales: { unit: string; least: number; most: number }[] = [];
  return (unit, lines) => {
    const sizes = lines.flatMap(({ points }) => points.map(({ value }) => Math.abs(Number(value))));
    const size = Math.max(0, ...sizes.filter(Number.isFinite));
    const fitting = scales.findIndex(
      (scale) =>
        scale.unit === unit && Math.max(scale.most, size) <= mostApart * Math.min(scale.least, size || scale.least),
    );
    const scale = scales[fitting];
    if (scale === undefined) return `${unit} ${scales.push({ unit, least: size, most: size }) - 1}`;
    scale.least = Math.min(scale.least, size || scale.least);
    scale.most = Math.max(scale.most, size);
    return `${unit} ${fitting}`;
  };
}

interface PageOptions {
  type: ChartType;
  title?: string | undefined;
  /** The one company of the page. */
  company: string | undefined;
}

function metricsPage(
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
  const totals = parts.filter(({ value }) => value.members !== undefined);
  const led = totals.length > 0 ? totals : parts;
  const figures = led.flatMap((part) => keyFigures(part, facts)).slice(0, mostFigures);
  const names = parts.flatMap(({ who, value }) => (who && !value.members ? [who.company] : []));
  const [first = '', last = ''] = [keys[0], keys.at(-1)];
  const words = [names.join(', '), first === last ? first : `${first} to ${last}`, timeFact(ctx)].filter(Boolean);
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
