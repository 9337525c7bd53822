/** A chart on the terminal, as SVG or HTML in a file, or as its rows. */

import type { Context } from '../../../cli/context.ts';
import { Failure, usage } from '../../../core/errors.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { doubles, type Panel } from '../../../output/chart/panel.ts';
import type { ChartType } from '../../../output/chart/svg.ts';
import type { Column } from '../../../output/column.ts';
import { asciiOnly, type Color, painter } from '../../../output/terminal-text.ts';
import type { Analysis } from '../read.ts';
import { wideColumns } from '../series-columns.ts';
import { rowsOfAll, type SeveralAnalyses, withCompanies } from '../several.ts';
import { panelsOf } from './panels.ts';
import { inOrder } from './parts.ts';

interface ChartOptions {
  type: ChartType;
  title?: string | undefined;
  /** Lines of a plot on the terminal. */
  height?: number | undefined;
  ascii?: boolean | undefined;
}

type ChartKind = 'text' | 'svg' | 'html' | 'rows';

const colors: readonly Color[] = ['cyan', 'yellow', 'green', 'red'];

/** What is written, from `-o` and the extension of `--out`; formats of rows carry the data instead of a picture. */
export function chartKind({ settings }: Context): ChartKind {
  const { output, out, fields } = settings;
  const extension = /\.(svg|html?)$/i.exec(out ?? '')?.[1]?.toLowerCase();
  const asked = output.value === undefined || output.value === 'table' ? undefined : output.value;
  if (asked !== undefined && (extension === undefined || output.origin === 'flag')) return 'rows';
  if (fields !== undefined) throw usage('--fields picks columns of rows, and this command draws', 'add -o csv');
  if (extension !== undefined) return extension === 'svg' ? 'svg' : 'html';
  const other = /\.(png|jpe?g|gif|webp|pdf|ps|eps)$/i.exec(out ?? '')?.[0];
  if (other === undefined) return 'text';
  throw usage(
    `cannot write --out ${out}: charts are written as .svg or .html, not ${other}`,
    'write .html, and print the page to PDF in a browser',
  );
}

export async function writeChart(ctx: Context, found: SeveralAnalyses, options: ChartOptions): Promise<void> {
  const kind = chartKind(ctx);
  const analysis = joined(found);
  const columns = columnsOf(analysis);
  if (kind === 'rows') {
    const rows = rowsOfAll(found, ({ items }) => items);
    return ctx.out.rows(rows, withCompanies(found, rowColumns(found)), { id: (row) => row.periodKey });
  }
  const panels = panelsOf(analysis, kind === 'html');
  if (panels.every((panel) => doubles(panel).length === 0)) {
    ctx.out.note('No values in the range: nothing was drawn.');
    if (ctx.settings.failEmpty) throw new Failure('no', 'nothing to draw, and --fail-empty was given');
    if (kind === 'text') return;
  }
  if (kind === 'text') return ctx.out.text(await drawing(ctx, panels, options));
  if (kind === 'svg') {
    const { svgOf } = await import('../../../output/chart/svg.ts');
    return ctx.out.text(`${svgOf(panels, { type: options.type, width: 880, height: 320, titles: true })}\n`);
  }
  const { metricsPage } = await import('./page.ts');
  await ctx.out.text(metricsPage(ctx, analysis, panels, columns, options));
}

/** Several companies in one picture: a metric of one of them is a line with its name. */
function joined({ parts }: SeveralAnalyses): Analysis {
  const [first] = parts;
  if (!first) throw new RangeError('no company was read');
  if (!first.who) return first.value;
  const named = parts.map(({ who, value }) => {
    const nameOf = (text: string) => `${text} ${who?.company}`;
    const renamed = <T>(values: Record<string, T>) =>
      Object.fromEntries(Object.entries(values).map(([id, held]) => [nameOf(id), held]));
    return {
      items: value.items.map(({ metrics, incomplete, ...item }) => ({
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
  return { ...first.value, items: named.flatMap(({ items }) => items).sort(inOrder), metrics: [...new Set(order)] };
}

/** A column for each metric that one of the companies has. */
function rowColumns({ parts }: SeveralAnalyses): Column<AnalysisItem>[] {
  const [first, ...others] = parts.map(({ value }) => value);
  if (!first || others.length === 0) return first ? columnsOf(first) : [];
  const all = [first, ...others];
  const metrics = new Map(
    all.flatMap((analysis) => analysis.metrics.map(({ id, label }) => [id, { id, label }] as const)),
  );
  return columnsOf({ ...first, items: all.flatMap(({ items }) => items), metrics: [...metrics.values()] });
}

function columnsOf({ metrics, items, type }: Analysis): Column<AnalysisItem>[] {
  const marked = items.some(({ incomplete }) => incomplete !== undefined);
  return wideColumns(
    metrics.map(({ id, label, unit }) => ({ id, label, unit })),
    { derived: marked && type !== 'month', months: marked },
  );
}

/** Panels as text, an empty line between them. */
async function drawing(ctx: Context, panels: readonly Panel[], options: ChartOptions): Promise<string> {
  const { terminal } = ctx.runtime;
  const color = terminal.color.stdout && ctx.settings.out === undefined;
  const paint = await painter(color);
  const rules = {
    width: Math.max(24, terminal.columns - 1),
    height: options.height ?? (panels.length > 2 ? 8 : 12),
    ascii: options.ascii ?? asciiOnly(ctx.runtime.env),
    color,
    paint: (series: number, text: string) => paint(colors[series % colors.length] ?? 'cyan', text),
  };
  const lines = await (options.type === 'bar' ? bars(panels, rules) : plots(panels, rules));
  return `${lines.map((each) => each.join('\n')).join('\n\n')}\n`;
}

type Rules = Parameters<typeof import('../../../output/chart/terminal-lines.ts').drawLines>[1];

async function bars(panels: readonly Panel[], rules: Rules): Promise<string[][]> {
  const { drawBars } = await import('../../../output/chart/terminal-bars.ts');
  return panels.map((panel) => drawBars(panel, rules));
}

async function plots(panels: readonly Panel[], rules: Rules): Promise<string[][]> {
  const { drawLines } = await import('../../../output/chart/terminal-lines.ts');
  return panels.map((panel) => drawLines(panel, rules));
}
