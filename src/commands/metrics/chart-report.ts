/** A chart on the terminal, as SVG or HTML in a file, or as its rows. */

import type { Context } from '../../cli/context.ts';
import { companyTitle, pictureKind, writePicture } from '../../cli/picture.ts';
import { timeFact } from '../../cli/show.ts';
import { Failure } from '../../core/errors.ts';
import { formatPeriod, markedPeriod, partialWords } from '../../core/periods.ts';
import { type AnalysisItem, byTime, type MetricLine } from '../../domain/analysis/points.ts';
import { type ChartSeries, doubles, type Panel } from '../../output/chart/panel.ts';
import type { ChartType, Head } from '../../output/chart/svg.ts';
import type { Column } from '../../output/column.ts';
import { asciiOnly, type Color, cleanLine, isAccessible, painter } from '../../output/terminal-text.ts';
import { width } from '../../output/width.ts';
import { type Analyses, companyRows, withCompanies } from './analyses.ts';
import { type Analysis, hasPartial, linesIn, type Metric } from './read.ts';
import { wideColumns } from './series/columns.ts';

interface ChartOptions {
  type: ChartType;
  title?: string | undefined;
  /** Lines of a plot on the terminal. */
  height?: number | undefined;
  ascii?: boolean | undefined;
}

const colors: readonly Color[] = ['cyan', 'yellow', 'green', 'red'];

export async function writeChart(ctx: Context, analyses: Analyses, options: ChartOptions): Promise<void> {
  const kind = pictureKind(ctx);
  if (kind === 'rows') {
    const rows = companyRows(analyses, ({ items }) => items);
    return ctx.out.rows(rows, withCompanies(analyses, rowColumns(analyses)), { id: (row) => row.periodKey });
  }
  const analysis = joined(analyses);
  const columns = columnsOf([analysis], analysis.metrics);
  const panels = panelsOf(analysis, kind !== 'text' && analyses.parts.length === 1);
  if (panels.every((panel) => doubles(panel).length === 0)) {
    ctx.out.note('No values in the range: nothing was drawn.');
    if (ctx.settings.failEmpty) throw new Failure('no', 'nothing to draw, and --fail-empty was given');
    if (kind === 'text') return;
  }
  if (kind === 'text') return ctx.out.text(await drawing(ctx, await titled(ctx, analyses, panels), options));
  const company = await companyTitle(ctx, analyses, 'ask');
  if (kind === 'svg' || kind === 'png') {
    const { sizeOf, svgOf } = await import('../../output/chart/svg.ts');
    const head = headOf(options.title, company, panels, ctx.past && timeFact(ctx));
    return writePicture(ctx, kind, svgOf(panels, { type: options.type, ...sizeOf(panels.length), titles: true, head }));
  }
  const { metricsPage } = await import('./chart-page.ts');
  await ctx.out.text(metricsPage(ctx, analysis, panels, columns, { ...options, company }));
}

/** What a picture of its own says above the panels. */
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

/** Several companies in one picture: a metric of one of them is a line with its name. */
function joined({ parts }: Analyses): Analysis {
  const [first] = parts;
  if (!first) throw new RangeError('no company was read');
  if (!first.who) return first.value;
  const named = parts.map(({ who, value }): Pick<Analysis, 'items' | 'metrics'> => {
    const nameOf = (text: string) => `${text} ${who?.company}`;
    const renamed = <T>(values: Record<string, T>) =>
      Object.fromEntries(Object.entries(values).map(([id, value]) => [nameOf(id), value]));
    return {
      items: value.items.map(({ metrics, incomplete, ...item }) => ({
        ...item,
        metrics: renamed(metrics),
        ...(incomplete && { incomplete: renamed(incomplete) }),
      })),
      metrics: value.metrics.map((metric) => ({
        ...metric,
        id: nameOf(metric.id),
        label: nameOf(metric.label ?? metric.id),
      })),
    };
  });
  const metrics = named.flatMap((part) => part.metrics);
  // The companies of one metric stand together.
  const ids = [...new Set(parts.flatMap(({ value }) => value.metrics.map(({ id }) => id)))];
  const ordered = ids.flatMap((id) => metrics.filter((metric) => metric.id.startsWith(`${id} `)));
  const items = named.flatMap((part) => part.items).sort(byTime);
  return { ...first.value, items, metrics: [...new Set(ordered)] };
}

/** A column for each metric that one of the companies has. */
function rowColumns({ parts }: Analyses): Column<AnalysisItem>[] {
  const all = parts.map(({ value }) => value);
  const [only] = all;
  if (only && all.length === 1) return columnsOf(all, only.metrics);
  const metrics = new Map(
    all.flatMap((analysis) => analysis.metrics.map(({ id, label }) => [id, { id, label }] as const)),
  );
  return columnsOf(all, [...metrics.values()]);
}

function columnsOf(analyses: readonly Analysis[], metrics: readonly Metric[]): Column<AnalysisItem>[] {
  const marked = analyses.some(hasPartial);
  return wideColumns(
    metrics.map(({ id, label, unit }) => ({ id, label, unit })),
    { derived: marked && analyses[0]?.type !== 'month', months: marked },
  );
}

/** Panels as text; where there are several and room, two beside each other. */
async function drawing(ctx: Context, panels: readonly Panel[], options: ChartOptions): Promise<string> {
  const { drawBars, drawLines, panelInWords } = await import('../../output/chart/terminal.ts');
  if (isAccessible(ctx.runtime.env)) {
    return `${panels.map((panel) => panelInWords(panel).join('\n')).join('\n\n')}\n`;
  }
  const { rules, total } = await terminalRules(ctx, options, panels.length);
  const blocks =
    options.type === 'bar'
      ? panels.map((panel) => drawBars(panel, { ...rules, width: total }))
      : beside(
          panels.map((panel) => drawLines(panel, rules)),
          rules.width,
          total,
        );
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The narrowest plot that is put beside another one. */
const leastBeside = 56;

async function terminalRules(ctx: Context, options: ChartOptions, panels: number) {
  const { terminal } = ctx.runtime;
  const color = terminal.color.stdout && ctx.settings.out === undefined;
  const paint = await painter(color);
  const total = Math.max(24, terminal.columns - 1);
  const half = Math.floor((total - gap.length) / 2);
  const rules = {
    width: panels > 1 && half >= leastBeside ? half : total,
    height: options.height ?? (panels > 2 ? 8 : 12),
    ascii: options.ascii ?? asciiOnly(ctx.runtime.env),
    color,
    paint: (series: number, text: string) => paint(colors[series % colors.length] ?? 'cyan', text),
  };
  return { rules, total };
}

const gap = '   ';

function beside(blocks: string[][], room: number, total: number): string[][] {
  if (room === total) return blocks;
  return blocks.flatMap((left, at) => {
    if (at % 2 === 1) return [];
    const right = blocks[at + 1] ?? [];
    return [
      Array.from({ length: Math.max(left.length, right.length) }, (_, line) => {
        const [start = '', end = ''] = [left[line], right[line]];
        return end === '' ? start : `${start}${' '.repeat(Math.max(0, room - width(start)))}${gap}${end}`;
      }),
    ];
  });
}

/** @param apart each metric has its own panel */
function panelsOf({ items, metrics, type, range, anyRange }: Analysis, apart: boolean): Panel[] {
  const lines = linesIn({ items, metrics });
  const indexes = lines.flatMap(({ points }) => points.map(({ index }) => index));
  if (indexes.length === 0) return [];
  const last = indexes.reduce((a, b) => Math.max(a, b));
  // Requested periods are drawn even without values.
  const asked = anyRange ? undefined : range.from?.index;
  const first = asked ?? indexes.reduce((a, b) => Math.min(a, b));
  const all = Array.from({ length: last - first + 1 }, (_, step) => first + step);
  const partial = new Map(
    lines.flatMap(({ points }) => points.flatMap(({ index, incomplete }) => (incomplete ? [[index, incomplete]] : []))),
  );
  const periods = all.map((index) => markedPeriod(formatPeriod({ type, index }), partial.get(index)));
  const scaleOf = scales();
  const panels = new Map<string, { unit?: string; labels: string[]; series: ChartSeries[] }>();
  for (const { id, label = id, unit } of metrics) {
    const own = lines.filter(({ metricId }) => metricId === id);
    if (own.length === 0) continue;
    const key = apart ? id : scaleOf(unit ?? '', own);
    const panel = panels.get(key) ?? { ...(unit && { unit: cleanLine(unit) }), labels: [], series: [] };
    panels.set(key, panel);
    panel.labels.push(cleanLine(label));
    for (const line of own) {
      const values = new Map(line.points.map(({ index, value }) => [index, value]));
      panel.series.push({
        label: cleanLine(line.version === 'actual' ? label : `${label} ${line.version}`),
        metricId: id,
        version: line.version,
        dashed: line.version !== 'actual',
        values: all.map((index) => values.get(index)),
        partial: all.map((index) => line.points.some((point) => point.index === index && point.incomplete)),
      });
    }
  }
  const labelOf = (id: string) => cleanLine(metrics.find((metric) => metric.id === id)?.label ?? id);
  const notesOf = (series: readonly ChartSeries[]) => {
    const drawn = new Set(series.map(({ metricId, version }) => `${metricId} ${version}`));
    const partly = lines
      .filter(({ metricId, version }) => drawn.has(`${metricId} ${version}`))
      .flatMap(({ metricId, points }) =>
        points.flatMap(({ index, incomplete }) =>
          incomplete ? [`${labelOf(metricId)} of ${formatPeriod({ type, index })}: ${partialWords(incomplete)}`] : [],
        ),
      );
    return partly.length > 0 ? { notes: partly } : {};
  };
  return [...panels.values()].map(({ unit, labels, series }) => ({
    title: labels.join(', '),
    ...(unit !== undefined && { unit }),
    periods,
    series,
    ...notesOf(series),
  }));
}

/** On one scale a metric five times as large would make a flat line of the other. */
const mostApart = 5;

/** The name of the panel of a metric: that of an earlier one of its unit whose values are about as large. */
function scales(): (unit: string, lines: readonly MetricLine[]) => string {
  const known: { unit: string; least: number; most: number }[] = [];
  return (unit, lines) => {
    const sizes = lines.flatMap(({ points }) => points.map(({ value }) => Math.abs(Number(value))));
    const size = Math.max(0, ...sizes.filter(Number.isFinite));
    const fits = known.findIndex(
      (scale) =>
        scale.unit === unit && Math.max(scale.most, size) <= mostApart * Math.min(scale.least, size || scale.least),
    );
    const held = known[fits];
    if (held === undefined) return `${known.push({ unit, least: size, most: size }) - 1}`;
    held.least = Math.min(held.least, size || held.least);
    held.most = Math.max(held.most, size);
    return `${fits}`;
  };
}
