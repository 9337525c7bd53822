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
import { panelsOf } from './panels.ts';

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

export async function writeChart(ctx: Context, analysis: Analysis, options: ChartOptions): Promise<void> {
  const kind = chartKind(ctx);
  const columns = columnsOf(analysis);
  const items = analysis.items;
  if (kind === 'rows') return ctx.out.rows(items, columns, { id: (row) => row.periodKey });
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
