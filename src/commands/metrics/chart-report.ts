/** `metrics chart` on the terminal, as a picture, a page or rows; and the page of `metrics board`. */
import type { Context } from '../../cli/context.ts';
import type { CompanyPart } from '../../cli/each-company.ts';
import { hasRowFlags, openRowQuery, type RowFlags, selectedRows } from '../../cli/query.ts';
import { companyTitle, drawPanels, pictureKind, timeFact, writePicture } from '../../cli/show.ts';
import { type PlanVersion, planVersions, versions as versionOrder } from '../../contract/metrics.ts';
import { Failure, noRows } from '../../core/errors.ts';
import { isNumeric } from '../../core/json.ts';
import { formatPeriod, markedPeriod, partialWords } from '../../core/periods.ts';
import { groupBy } from '../../core/same.ts';
import { type MetricLine, whole } from '../../domain/analysis/points.ts';
import { type SeriesItem, withNote } from '../../domain/series/shapes.ts';
import {
  figureSection,
  type KeyFigure,
  keyFigure,
  pageOf,
  panelFigures,
  tableSection,
} from '../../output/chart/page.ts';
import { type ChartSeries, doubles, type Panel, rangeOf, styleOf } from '../../output/chart/panel.ts';
import type { ChartType } from '../../output/chart/svg.ts';
import type { Cell, Column } from '../../output/column.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import {
  type Comparison,
  formatNumber,
  minorUnit,
  type NumberStyle,
  numberStyles,
  type Quantity,
  unitLabel,
} from '../../output/values.ts';
import { type Analyses, companyRows, factsOf, readAnalyses, withCompanies } from './analyses.ts';
import { type Metric, noteColumn, type OfCompany, quantityOf, wideColumns } from './columns.ts';
import { type Analysis, type AnalysisRequest, alignPeriods, countsMonths, hasPartial, linesIn } from './read.ts';
import { type VarianceRow, varianceColumns, variancesOf } from './variances.ts';

interface ChartOptions {
  type: ChartType;
  title?: string | undefined;
}

export async function writeChart(ctx: Context, analyses: Analyses, options: ChartOptions): Promise<void> {
  const kind = pictureKind(ctx);
  if (kind === 'rows') {
    const rows = companyRows(analyses, (analysis) => alignPeriods(analysis, 'periods').items.map(withNote));
    const columns = withCompanies(analyses, rowColumns(analyses));
    return ctx.out.rows(rows, columns, { id: (row) => row.periodKey, headings: true });
  }
  const panels = panelsOf(analyses, kind !== 'text');
  if (panels.every((panel) => doubles(panel).length === 0)) {
    const { out, failEmpty } = ctx.settings;
    const says = `no values in the range: nothing was drawn, and ${out} was not written`;
    if (out !== undefined && out !== '-') throw new Failure('no', says, { code: 'empty' });
    ctx.out.note('No values in the range: nothing was drawn.');
    if (failEmpty) throw noRows();
    return;
  }
  const company = await companyTitle(ctx, analyses, kind === 'text' ? 'known' : 'ask');
  if (kind === 'text') {
    const named = company === undefined ? panels : panels.map((panel) => ({ ...panel, company }));
    return drawPanels(ctx, named, options.type);
  }
  if (kind === 'html') return ctx.out.text(metricsPage(ctx, analyses, panels, { ...options, company }));
  const { sizeOf, svgOf } = await import('../../output/chart/svg.ts');
  const [first] = panels as [Panel, ...Panel[]];
  const unit = first.unit === undefined ? '' : ` (${first.unit})`;
  const name = options.title ?? company;
  // One panel needs no title of its own below that of the picture.
  const titles = panels.length > 1 || name !== undefined;
  const title = name ?? (titles ? titlesOf(panels) : `${first.title}${unit}`);
  const facts = [rangeOf(first), ...(ctx.past ? [timeFact(ctx)] : [])].join(' · ');
  const rules = { type: options.type, ...sizeOf(panels.length), titles, head: { title, facts } };
  await writePicture(ctx, kind, svgOf(panels, rules));
}

/** `MRR, ARR`, and of several companies `MRR: lumen, harbor`. */
function titlesOf(panels: readonly Panel[]): string {
  const titles = [...new Set(panels.map(({ title }) => title))].join(', ');
  const companies = panels[0]?.companies ?? [];
  if (companies.length === 0) return titles;
  return `${titles}: ${companies.length > maxNames ? `${companies.length} companies` : companies.join(', ')}`;
}

const maxNames = 6;

/** The analyses with the rows that conditions choose: the others are gaps in a picture. */
export async function chosenItems(ctx: Context, flags: RowFlags, analyses: Analyses): Promise<Analyses> {
  if (!hasRowFlags(flags)) return analyses;
  const columns = withCompanies(analyses, rowColumns(analyses));
  const question = await openRowQuery(ctx, columns, { flags, command: [], rules: { periodKey: 'period' } });
  const parts = analyses.parts.map(async ({ who, value }) => {
    const { items, members } = alignPeriods(value, 'periods');
    const rows = await selectedRows(
      question,
      items.map((item) => ({ ...who, ...item })),
    );
    const chosen = new Set(rows.map(({ periodKey, version }) => `${periodKey} ${version}`));
    const isChosen = (item: SeriesItem) => chosen.has(`${item.periodKey} ${item.version}`);
    const chosenMembers = members?.map((member) => ({ ...member, items: member.items.filter(isChosen) }));
    const result = { ...value, items: items.filter(isChosen) };
    return { who, value: chosenMembers ? { ...result, members: chosenMembers } : result };
  });
  return { ...analyses, parts: await Promise.all(parts) };
}

/** A column for each metric that one of the companies has. */
function rowColumns({ parts }: Analyses): Column<ReturnType<typeof withNote>>[] {
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
  isTotal: boolean;
  metric: Metric;
  line: MetricLine;
}

interface PanelParts {
  unit: string | undefined;
  labels: Set<string>;
  lines: ChartLine[];
  notes: string[];
}

/** A panel for each unit and size, or of several companies for each metric and unit. @param apart for each metric */
function panelsOf({ parts }: Analyses, apart: boolean): Panel[] {
  const [first] = parts;
  if (!first) return [];
  const all = parts.map(({ who, value }) => {
    const analysis = alignPeriods(value, 'periods');
    return {
      company: who && cleanLine(who.company),
      analysis,
      lines: linesIn(analysis),
    };
  });
  const units = parts.flatMap(({ value }) => value.metrics.map(({ unit = '' }) => unit));
  const panelName = panelNames();
  const panels = new Map<string, PanelParts>();
  for (const id of new Set(parts.flatMap(({ value }) => value.metrics.map((metric) => metric.id)))) {
    for (const { company, analysis, lines } of all) {
      const metric = analysis.metrics.find((candidate) => candidate.id === id);
      const ofMetric = lines.filter(({ metricId }) => metricId === id);
      if (!metric || ofMetric.length === 0) continue;
      const { unit = '' } = metric;
      const isPair = units.filter((other) => other === unit).length <= 2;
      const key = company !== undefined ? `${id} ${unit}` : isPair ? unit : apart ? id : panelName(unit, ofMetric);
      const panel = panels.get(key) ?? { unit: metric.unit, labels: new Set(), lines: [], notes: [] };
      panels.set(key, panel);
      panel.labels.add(labelOf(metric));
      for (const line of ofMetric) {
        const isTotal = analysis.members !== undefined;
        const isEmpty = isTotal && line.points.every((point) => point.value === null);
        if (!isEmpty) panel.lines.push({ company, isTotal, metric, line });
        const note = line.points[0]?.note;
        if (note !== undefined) panel.notes.push(cleanLine(`${company ?? labelOf(metric)} ${note}`));
      }
    }
  }
  const { type, range, anyRange } = first.value;
  const points = [...panels.values()].flatMap(({ lines }) => lines.flatMap(({ line }) => line.points));
  if (points.length === 0) return [];
  const indexes = points.map(({ index }) => index);
  const last = indexes.reduce((a, b) => Math.max(a, b));
  // Requested periods are drawn even without values.
  const start = (anyRange ? undefined : range.from?.index) ?? indexes.reduce((a, b) => Math.min(a, b));
  const positions = Array.from({ length: last - start + 1 }, (_, step) => start + step);
  const partial = new Map(points.map(({ index, incomplete }) => [incomplete && index, incomplete]));
  const periods = positions.map((index) => markedPeriod(formatPeriod({ type, index }), partial.get(index)));
  const companies = all.flatMap(({ company }) => company ?? []);
  return [...panels.values()].map(({ unit, labels, lines, notes }) => {
    const partialNotes = lines.flatMap((chartLine) =>
      chartLine.line.points.flatMap(({ index, incomplete }) =>
        incomplete ? `${nameOf(chartLine)} of ${formatPeriod({ type, index })}: ${partialWords(incomplete)}` : [],
      ),
    );
    return {
      title: [...labels].join(', '),
      ...(unit !== undefined && { unit: cleanLine(unit) }),
      periods,
      series: lines.map((line) => chartSeries(line, positions)),
      ...(companies.length > 1 && { companies }),
      notes: [...notes, ...partialNotes],
    };
  });
}

const labelOf = ({ id, label = id }: Metric): string => cleanLine(label);
const nameOf = ({ company, metric }: ChartLine): string => company ?? labelOf(metric);

function chartSeries(chartLine: ChartLine, indexes: readonly number[]): ChartSeries {
  const { company, isTotal, metric, line } = chartLine;
  const points = new Map(line.points.map((point) => [point.index, point]));
  return {
    label: line.version === 'actual' ? nameOf(chartLine) : `${nameOf(chartLine)} ${line.version}`,
    metricId: metric.id,
    company,
    isTotal,
    dash: versionOrder.indexOf(line.version),
    values: indexes.map((index) => points.get(index)?.value),
    partial: indexes.map((index) => points.get(index)?.incomplete !== undefined),
  };
}

/** On one scale a metric five times as large would make a flat line of the other. */
const maxRatio = 5;

/** Names the panel of a metric: that of an earlier one of its unit whose values are about as large. */
function panelNames(): (unit: string, lines: readonly MetricLine[]) => string {
  const scales: { unit: string; least: number; most: number }[] = [];
  return (unit, lines) => {
    const sizes = lines.flatMap(({ points }) => points.map(({ value }) => Math.abs(Number(value))));
    const size = Math.max(0, ...sizes.filter(Number.isFinite));
    const fitting = scales.findIndex(
      (scale) =>
        scale.unit === unit && Math.max(scale.most, size) <= maxRatio * Math.min(scale.least, size || scale.least),
    );
    const scale = scales[fitting];
    if (scale === undefined) return `${unit} ${scales.push({ unit, least: size, most: size }) - 1}`;
    scale.least = Math.min(scale.least, size || scale.least);
    scale.most = Math.max(scale.most, size);
    return `${unit} ${fitting}`;
  };
}

interface ChartPageOptions {
  type: ChartType;
  title?: string | undefined;
  company: string | undefined;
}

function metricsPage(
  ctx: Context,
  analyses: Analyses,
  panels: readonly Panel[],
  { type, title, company }: ChartPageOptions,
): string {
  const { parts } = analyses;
  const versions = [...new Set(parts.flatMap(({ value }) => Array.from(value.items, ({ version }) => version)))];
  const currencies = [...new Set(parts.flatMap(({ value }) => value.currency ?? []))];
  const plan = planVersions.find((version) => versions.includes(version));
  const several = parts.length > 1;
  const id = ctx.company();
  const facts = factsOfPage(parts, versions.includes('actual') ? plan : undefined);
  const { styles } = facts;
  const styled = panels.map((panel) => ({ ...panel, style: styleOfPanel(panel, styles) }));
  const rows = parts.flatMap(({ value }) => [...value.items]);
  const metrics = parts.flatMap(({ value }) => value.metrics);
  const byMetric = new Map(
    metrics.flatMap(({ id, unit }) => {
      const style = styles.get(quantityOf(id, unit));
      return style ? [[id, style] as const] : [];
    }),
  );
  const data = several
    ? styled.map(dataSection)
    : [tableSection({ heading: 'Data', columns: rowColumns(analyses), rows, styles: byMetric })];
  return pageOf({
    title: title ?? company ?? titlesOf(panels),
    facts: [
      ...panels.slice(0, 1).map(rangeOf),
      versions.join(', '),
      currencies.join(', '),
      // The id says whose numbers these are where no name is known.
      ...(!several && company === undefined && id !== undefined ? [`company ${id}`] : []),
      timeFact(ctx),
    ].filter((fact) => fact !== ''),
    keyFigures: keyFigures(parts, facts),
    sections: [
      figureSection('Charts', panelFigures(styled, type)),
      ...varianceSections(
        parts,
        {
          ...facts,
          variances: facts.variances.filter(({ difference }) => difference !== null),
        },
        (company) => `${company}${company ? ': actual' : 'Actual'} against ${plan}`,
      ),
      ...data,
    ].filter((section) => section !== ''),
    notes: ctx.out.remarks,
  });
}

interface BoardRequest extends AnalysisRequest {
  against?: string | undefined;
  title?: string | undefined;
}

/** Key figures, and a table of variances for each company. */
export async function writeBoardPage(ctx: Context, request: BoardRequest): Promise<void> {
  const plan = planVersions.find((version) => version === request.against) ?? 'budget';
  const analyses = await readAnalyses(ctx, request, { versions: ['actual', plan], last: '4' });
  const { parts } = analyses;
  const facts = factsOfPage(parts, plan, request.partial);
  const keys = parts.flatMap(({ value }) => value.items.map(({ periodKey }) => periodKey)).sort();
  const company = await companyTitle(ctx, analyses, 'ask');
  const names = parts.flatMap(({ who, value }) => (who && !value.members ? [who.company] : []));
  const page = pageOf({
    title: request.title ?? (company === undefined ? 'Board' : `${company}: board`),
    facts: [names.join(', '), [...new Set([keys[0], keys.at(-1)])].join(' to '), timeFact(ctx)].filter(Boolean),
    keyFigures: keyFigures(parts, facts),
    sections: varianceSections(parts, facts, (company) => company || 'Board'),
    notes: ctx.out.remarks,
  });
  await ctx.out.text(page);
  analyses.verdict();
}

/** Facts that the parts of a page share. */
interface PageFacts {
  plan: PlanVersion | undefined;
  variances: readonly (VarianceRow & OfCompany)[];
  styles: ReadonlyMap<string, NumberStyle>;
}

function factsOfPage(parts: Analyses['parts'], plan: PlanVersion | undefined, partial?: boolean): PageFacts {
  const variances = parts.flatMap(({ who, value }) =>
    plan === undefined ? [] : variancesOf(value, plan, partial).map((row) => ({ ...who, ...row })),
  );
  return { plan, variances, styles: stylesOf(parts, variances) };
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
  return (others.length === 0 ? styles.get(quantityOf(id ?? '', panel.unit)) : undefined) ?? styleOf(panel);
}

/** A table of one panel: a row for each period, and a column for each company and version. Its heading has the unit. */
function dataSection(panel: Panel): string {
  const { title, unit, periods, series } = panel;
  const style = styleOf(panel);
  const word = unitLabel(unit, style);
  const values = series.map(
    ({ label, values }): Column<number> => ({
      key: label,
      type: 'number',
      get: (at) => values[at],
      shown: (at) => shownNumber(values[at], style),
    }),
  );
  return tableSection({
    heading: word ? `${title} (${word})` : title,
    columns: [{ key: 'period', heading: 'Period', get: (at) => periods[at] }, ...values],
    rows: periods.map((_, at) => at),
  });
}

const shownNumber = (value: Cell, style: NumberStyle) => (isNumeric(value) ? formatNumber(value, style) : undefined);

/** The style of each quantity on the whole page. */
function stylesOf(parts: Analyses['parts'], variances: readonly VarianceRow[]): Map<string, NumberStyle> {
  const compared = groupBy(variances, (row) => quantityOf(row.metricId, row.unit));
  const quantities = new Map<string, Quantity & { cells: Cell[] }>();
  for (const { value } of parts) {
    for (const { id, unit } of value.metrics) {
      const key = quantityOf(id, unit);
      const cells = quantities.get(key)?.cells ?? [];
      cells.push(...value.items.map(({ metrics }) => metrics[id]));
      const rows = compared.get(key) ?? [];
      quantities.set(key, { cells, minor: minorUnit(unit), comparisons: rows.flatMap(comparisons) });
    }
  }
  return numberStyles(quantities, 'auto');
}

function comparisons({ actual: after, ...row }: VarianceRow): Comparison[] {
  const before = row[row.against];
  return isNumeric(after) && isNumeric(before) ? [{ after, before }] : [];
}

/** The most tiles of a page. Companies share them evenly, with at least one each. */
const maxFigures = 12;

/** The tiles of a page: the first metric of the total and of each company, then their second ones. */
function keyFigures(parts: Analyses['parts'], facts: PageFacts): KeyFigure[] {
  const isTotal = ({ value }: CompanyPart<Analysis>) => value.members !== undefined;
  const ordered = [...parts.filter(isTotal), ...parts.filter((part) => !isTotal(part))];
  const each = Math.max(Math.floor(maxFigures / ordered.length), 1);
  const figures = ordered.map((part) => figuresOf(part, facts).slice(0, each));
  return Array.from({ length: each }, (_, at) => figures.flatMap((ofPart) => ofPart.slice(at, at + 1))).flat();
}

/** The newest value of each metric, compared with its plan, else with the period before it. */
function figuresOf({ who, value }: CompanyPart<Analysis>, { plan, variances, styles }: PageFacts): KeyFigure[] {
  const analysis = alignPeriods(value, 'periods');
  const lines = linesIn(analysis);
  return value.metrics.flatMap((metric): KeyFigure[] => {
    const { id, unit, measure, direction } = metric;
    const line = lines.find(({ metricId, version }) => metricId === id && version === 'actual');
    const points = whole(line?.points ?? []);
    const newest = points.findLast(({ value }) => value !== null);
    const style = styles.get(quantityOf(id, unit));
    if (!newest || !isNumeric(newest.value) || !style) return [];
    const key = formatPeriod({ type: value.type, index: newest.index });
    const label = `${who === undefined ? '' : `${who.company} `}${labelOf(metric)}, ${key}`;
    const against = variances.find(
      (row) => row.metricId === id && row.periodKey === key && row.company === who?.company && isNumeric(row.percent),
    );
    // A total is that of the companies which are compared.
    if (against && isNumeric(against.actual)) {
      const baseline = { value: against[against.against], words: `vs ${plan}`, measure, direction };
      return [keyFigure({ label, value: against.actual, unit, style }, baseline)];
    }
    const before = points.find(({ index }) => index === newest.index - 1)?.value;
    const baseline = { value: before, words: `vs previous ${value.type}`, measure, direction };
    return [keyFigure({ label, value: newest.value, unit, style }, baseline)];
  });
}
