/** A chart where the command line wants it: on the terminal, as SVG or HTML in a file, or as the rows behind it. */

import type { Context } from '../../../cli/context.ts';
import { Failure, usage } from '../../../core/errors.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { doubles, type Panel } from '../../../output/chart/panel.ts';
import type { ChartType } from '../../../output/chart/svg.ts';
import type { Column } from '../../../output/column.ts';
import type { Color } from '../../../output/terminal-text.ts';
import { asciiOnly } from '../../../output/terminal-text.ts';
import { wideColumns } from '../columns.ts';
import { panelsOf } from './panels.ts';
import type { Analysis } from './read.ts';

export interface ChartWish {
  type: ChartType;
  title?: string;
  /** Lines of a terminal's plot. */
  height?: number;
  ascii?: boolean;
}

export type ChartKind = 'text' | 'svg' | 'html' | 'rows';

const colors: readonly Color[] = ['cyan', 'yellow', 'green', 'red'];
const picture = { wide: { width: 880, height: 320 }, narrow: { width: 360, height: 260 } };

/** What is to be made, from `-o` and the extension of `--out`; formats of rows carry the data instead of a picture. */
export function chartKind({ settings }: Context): ChartKind {
  const { output, out, fields } = settings;
  const extension = /\.(svg|html?)$/i.exec(out ?? '')?.[1]?.toLowerCase();
  const asked = output.value === undefined || output.value === 'table' ? undefined : output.value;
  if (asked !== undefined && (extension === undefined || output.origin === 'flag')) return 'rows';
  if (fields !== undefined) throw usage('--fields picks columns of rows, and this is a picture', 'add -o csv');
  if (extension !== undefined) return extension === 'svg' ? 'svg' : 'html';
  const other = /\.(png|jpe?g|gif|webp|pdf|ps|eps)$/i.exec(out ?? '')?.[0];
  if (other === undefined) return 'text';
  throw usage(
    `--out ${out}: charts are written as .svg and .html, not as ${other}`,
    'a browser prints the page to PDF',
  );
}

export async function writeChart(ctx: Context, analysis: Analysis, wish: ChartWish): Promise<void> {
  const kind = chartKind(ctx);
  const columns = columnsOf(analysis);
  const items = analysis.items;
  if (kind === 'rows') return ctx.out.rows(items, columns, { id: (row) => row.periodKey });
  const panels = panelsOf(analysis, kind === 'html');
  if (panels.every((panel) => doubles(panel).length === 0)) {
    ctx.out.note('No values in the range: nothing was drawn.');
    if (ctx.settings.failEmpty) throw new Failure('no', 'there is nothing to draw, and --fail-empty was given');
    if (kind === 'text') return;
  }
  if (kind === 'text') return ctx.out.text(await drawing(ctx, panels, wish));
  if (kind === 'svg') {
    const { svgOf } = await import('../../../output/chart/svg.ts');
    return ctx.out.text(`${svgOf(panels, { type: wish.type, ...picture.wide, titles: true })}\n`);
  }
  const { metricsPage } = await import('./page.ts');
  await ctx.out.text(await metricsPage(ctx, { ...analysis, items }, panels, columns, wish));
}

function columnsOf({ metrics }: Analysis): Column<AnalysisItem>[] {
  return wideColumns(metrics.map(({ id, label, unit }) => ({ id, label, unit })));
}

/** Panels as text, an empty line between them. */
export async function drawing(ctx: Context, panels: readonly Panel[], wish: ChartWish): Promise<string> {
  const { terminal } = ctx.runtime;
  const color = terminal.color.stdout && ctx.settings.out === undefined;
  const { painter } = await import('../../../output/terminal-text.ts');
  const paint = await painter(color);
  const rules = {
    width: Math.max(24, terminal.columns - 1),
    height: wish.height ?? (panels.length > 2 ? 8 : 12),
    ascii: wish.ascii ?? asciiOnly(ctx.runtime.env),
    color,
    paint: (series: number, text: string) => paint(colors[series % colors.length] ?? 'cyan', text),
  };
  const lines = await (wish.type === 'bar' ? bars(panels, rules) : plots(panels, rules));
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

/** Both sizes of a panel's picture. */
export async function bothSizes(panel: Panel, type: ChartType): Promise<{ wide: string; narrow: string }> {
  const { svgOf } = await import('../../../output/chart/svg.ts');
  const draw = (size: { width: number; height: number }) => svgOf([panel], { type, ...size, titles: false });
  return { wide: draw(picture.wide), narrow: draw(picture.narrow) };
}

export async function bothVerdicts(
  title: string,
  bars: Parameters<typeof import('../../../output/chart/svg.ts').verdictSvg>[1],
): Promise<{ wide: string; narrow: string }> {
  const { verdictSvg } = await import('../../../output/chart/svg.ts');
  const draw = ({ width }: { width: number }) => verdictSvg(title, bars, { width, height: 220, titles: false });
  return { wide: draw(picture.wide), narrow: draw(picture.narrow) };
}
