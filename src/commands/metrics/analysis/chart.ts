/** A chart on the terminal, as SVG or HTML in a file, or as its rows. */

import type { Context } from '../../../cli/context.ts';
import { companyTitle, pictureKind, writePicture } from '../../../cli/picture.ts';
import { timeFact } from '../../../cli/show.ts';
import { Failure } from '../../../core/errors.ts';
import { mapRows } from '../../../core/spool.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { doubles, type Panel } from '../../../output/chart/panel.ts';
import type { ChartType, Head } from '../../../output/chart/svg.ts';
import type { Column } from '../../../output/column.ts';
import { asciiOnly, type Color, isAccessible, painter } from '../../../output/terminal-text.ts';
import { width } from '../../../output/width.ts';
import type { Analysis, Metric } from '../read.ts';
import { wideColumns } from '../series-columns.ts';
import { rowsOfAll, type SeveralAnalyses, withCompanies } from '../several.ts';
import { keptItems } from './items.ts';
import { panelsOf } from './panels.ts';

interface ChartOptions {
  type: ChartType;
  title?: string | undefined;
  /** Lines of a plot on the terminal. */
  height?: number | undefined;
  ascii?: boolean | undefined;
}

const colors: readonly Color[] = ['cyan', 'yellow', 'green', 'red'];

export async function writeChart(ctx: Context, found: SeveralAnalyses, options: ChartOptions): Promise<void> {
  const kind = pictureKind(ctx);
  if (kind === 'rows') {
    const pages = rowsOfAll(found, ({ items }) => items);
    return ctx.out.rows(each(pages), withCompanies(found, rowColumns(found)), { id: (row) => row.periodKey });
  }
  const analysis = await joined(ctx, found);
  const columns = columnsOf([analysis], analysis.metrics);
  const panels = panelsOf(analysis, kind !== 'text' && found.parts.length === 1);
  if (panels.every((panel) => doubles(panel).length === 0)) {
    ctx.out.note('No values in the range: nothing was drawn.');
    if (ctx.settings.failEmpty) throw new Failure('no', 'nothing to draw, and --fail-empty was given');
    if (kind === 'text') return;
  }
  if (kind === 'text') return ctx.out.text(await drawing(ctx, await titled(ctx, found, panels), options));
  const company = await companyTitle(ctx, found, 'ask');
  if (kind === 'svg' || kind === 'png') {
    const { sizeOf, svgOf } = await import('../../../output/chart/svg.ts');
    const head = headOf(options.title, company, panels, ctx.past && timeFact(ctx));
    return writePicture(ctx, kind, svgOf(panels, { type: options.type, ...sizeOf(panels.length), titles: true, head }));
  }
  const { metricsPage } = await import('./page.ts');
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
async function titled(ctx: Context, found: SeveralAnalyses, panels: readonly Panel[]): Promise<readonly Panel[]> {
  const company = await companyTitle(ctx, found, 'known');
  return company === undefined ? panels : panels.map((panel) => ({ ...panel, company }));
}

/** Several companies in one picture: a metric of one of them is a line with its name. */
async function joined(ctx: Context, { parts }: SeveralAnalyses): Promise<Analysis> {
  const [first] = parts;
  if (!first) throw new RangeError('no company was read');
  if (!first.who) return first.value;
  const named = parts.map(({ who, value }) => {
    const nameOf = (text: string) => `${text} ${who?.company}`;
    const renamed = <T>(values: Record<string, T>) =>
      Object.fromEntries(Object.entries(values).map(([id, held]) => [nameOf(id), held]));
    return {
      items: mapRows(value.items, ({ metrics, incomplete, ...item }) => ({
        ...{ ...item, metrics: renamed(metrics) },
        ...(incomplete && { incomplete: renamed(incomplete) }),
      })),
      metrics: value.metrics.map((metric) => ({
        ...metric,
        id: nameOf(metric.id),
        label: nameOf(metric.label ?? metric.id),
      })),
    };
  });
  const metrics = named.flatMap(({ metrics }) => metrics);
  // The companies of one metric stand together.
  const ids = [...new Set(parts.flatMap(({ value }) => value.metrics.map(({ id }) => id)))];
  const order = ids.flatMap((id) => metrics.filter((metric) => metric.id.startsWith(`${id} `)));
  const items = await keptItems(ctx, ...named.map((each) => each.items));
  return { ...first.value, items, metrics: [...new Set(order)] };
}

function* each<Row>(pages: Iterable<readonly Row[]>): Generator<Row> {
  for (const page of pages) yield* page;
}

/** A column for each metric that one of the companies has. */
function rowColumns({ parts }: SeveralAnalyses): Column<AnalysisItem>[] {
  const all = parts.map(({ value }) => value);
  const [only] = all;
  if (only && all.length === 1) return columnsOf(all, only.metrics);
  const metrics = new Map(
    all.flatMap((analysis) => analysis.metrics.map(({ id, label }) => [id, { id, label }] as const)),
  );
  return columnsOf(all, [...metrics.values()]);
}

function columnsOf(analyses: readonly Analysis[], metrics: readonly Metric[]): Column<AnalysisItem>[] {
  const marked = analyses.some(({ items }) => items.partial);
  return wideColumns(
    metrics.map(({ id, label, unit }) => ({ id, label, unit })),
    { derived: marked && analyses[0]?.type !== 'month', months: marked },
  );
}

/** Panels as text; where there are several and room, two beside each other. */
async function drawing(ctx: Context, panels: readonly Panel[], options: ChartOptions): Promise<string> {
  if (isAccessible(ctx.runtime.env)) {
    const { panelInWords } = await import('../../../output/chart/terminal.ts');
    return `${panels.map((panel) => panelInWords(panel).join('\n')).join('\n\n')}\n`;
  }
  const { rules, total } = await terminalRules(ctx, options, panels.length);
  const blocks =
    options.type === 'bar'
      ? await bars(panels, { ...rules, width: total })
      : beside(await plots(panels, rules), rules.width, total);
  return `${blocks.map((each) => each.join('\n')).join('\n\n')}\n`;
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
        const [one = '', other = ''] = [left[line], right[line]];
        return other === '' ? one : `${one}${' '.repeat(Math.max(0, room - width(one)))}${gap}${other}`;
      }),
    ];
  });
}

type Rules = Parameters<typeof import('../../../output/chart/terminal.ts').drawLines>[1];

async function bars(panels: readonly Panel[], rules: Rules): Promise<string[][]> {
  const { drawBars } = await import('../../../output/chart/terminal.ts');
  return panels.map((panel) => drawBars(panel, rules));
}

async function plots(panels: readonly Panel[], rules: Rules): Promise<string[][]> {
  const { drawLines } = await import('../../../output/chart/terminal.ts');
  return panels.map((panel) => drawLines(panel, rules));
}
