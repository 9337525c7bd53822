/** A bridge as rows, on the terminal, as a picture or as a page. */

import type { Context } from '../../../cli/context.ts';
import { companyTitle, pictureKind, writePicture } from '../../../cli/picture.ts';
import { timeFact } from '../../../cli/show.ts';
import { compare } from '../../../core/decimal.ts';
import { type Numeric, plainDecimal } from '../../../core/json.ts';
import { isPartial, markedPeriod } from '../../../core/periods.ts';
import { groupDigits } from '../../../output/cells.ts';
import type { Waterfall, WaterfallBar } from '../../../output/chart/panel.ts';
import { shortNumber } from '../../../output/chart/scale.ts';
import type { Column } from '../../../output/column.ts';
import { asciiOnly, cleanLine, isAccessible, painter } from '../../../output/terminal-text.ts';
import { amountColumn, metric as metricColumn, percentColumn, unit as unitColumn } from '../columns.ts';
import type { SeveralAnalyses } from '../several.ts';
import type { Bridge } from './steps.ts';

interface Options {
  title?: string | undefined;
  ascii?: boolean | undefined;
}

interface BridgeRow {
  metricId: string;
  step: string;
  kind: string;
  value: Numeric;
  running: Numeric;
  percent: Numeric | null;
  unit?: string;
  companyId?: string;
  months?: string;
}

const rare = { hidden: true };
const columns: Column<BridgeRow>[] = [
  { ...metricColumn, ...rare },
  { key: 'step', heading: 'Step', get: (row) => row.step, shown: (row) => markedPeriod(row.step, row.months) },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  amountColumn('value', 'Value', (row) => row.value),
  { ...amountColumn('running', 'Running total', (row: BridgeRow) => row.running), spare: true },
  percentColumn('percent', '% of start', (row) => row.percent),
  unitColumn,
  { key: 'companyId', heading: 'Company ID', type: 'id', get: (row) => row.companyId, ...rare },
  { key: 'months', heading: 'Months', get: (row) => row.months, ...rare },
];

export async function writeBridge(ctx: Context, found: Bridge, of: SeveralAnalyses, options: Options): Promise<void> {
  const { output } = ctx.settings;
  const kind = output.value === 'table' && output.origin === 'flag' ? 'rows' : pictureKind(ctx);
  const rows = rowsOf(found);
  if (kind === 'rows') return ctx.out.rows(rows, columns, { id: (row) => row.step });
  const company = await companyTitle(ctx, of, kind === 'text' ? 'known' : 'ask');
  const waterfall = waterfallOf(found, company);
  if (kind === 'text') {
    if (isAccessible(ctx.runtime.env)) {
      const { waterfallInWords } = await import('../../../output/chart/terminal.ts');
      return ctx.out.text(`${waterfallInWords(waterfall).join('\n')}\n`);
    }
    const { drawWaterfall } = await import('../../../output/chart/terminal.ts');
    const { terminal, env } = ctx.runtime;
    const paint = await painter(terminal.color.stdout && ctx.settings.out === undefined);
    const lines = drawWaterfall(waterfall, {
      width: Math.max(32, terminal.columns - 1),
      ascii: options.ascii ?? asciiOnly(env),
      paint: (verdict, text) => (verdict === 'even' ? text : paint(verdict === 'good' ? 'green' : 'red', text)),
    });
    return ctx.out.text(`${lines.join('\n')}\n`);
  }
  const { waterfallSvg } = await import('../../../output/chart/svg.ts');
  const title = options.title ?? company ?? waterfall.title;
  if (kind !== 'html') {
    const unit = found.metric.unit === undefined ? '' : ` (${found.metric.unit})`;
    const head = { title, facts: `${waterfall.title}${unit}` };
    return writePicture(ctx, kind, waterfallSvg(waterfall, { width: 880, head }));
  }
  const { figureSection, pageOf, tableSection } = await import('../../../output/chart/page.ts');
  const unit = found.metric.unit;
  const draw = (width: number) => waterfallSvg(waterfall, { width });
  const heading = `${waterfall.title}${unit === undefined ? '' : ` (${unit})`}`;
  const sections = [
    figureSection('Bridge', [{ heading, wide: draw(960), narrow: draw(360) }]),
    tableSection({ heading: 'Data', columns, rows }),
  ];
  const facts = [`${found.from} to ${found.to}`, timeFact(ctx)];
  await ctx.out.text(pageOf({ title, facts, keyFigures: figuresOf(found), sections }));
}

function rowsOf({ metric, steps }: Bridge): BridgeRow[] {
  return steps.map(({ name, kind, value, running, percent, companyId, months }) => ({
    ...{ metricId: metric.id, step: name, kind, value, running, percent },
    ...(metric.unit !== undefined && { unit: metric.unit }),
    ...(companyId !== undefined && { companyId }),
    ...(months !== undefined && { months }),
  }));
}

function waterfallOf({ metric, from, to, by, steps }: Bridge, company: string | undefined): Waterfall {
  const { label = metric.id, unit, direction } = metric;
  const bars = steps.map(({ name, kind, value, running, percent, months }, at): WaterfallBar => {
    const total = kind === 'start' || kind === 'end';
    const sign = compare(value, 0);
    const better = direction === 'up' ? sign > 0 : sign < 0;
    const judged = sign === 0 || (direction !== 'up' && direction !== 'down') ? 'even' : better ? 'good' : 'bad';
    return {
      label: cleanLine(markedPeriod(name, months)),
      total,
      from: total ? 0 : Number(steps[at - 1]?.running ?? 0),
      to: Number(running),
      caption: `${!total && sign > 0 ? '+' : ''}${shown(value)}`,
      share: percent === null ? undefined : shownPercent(Number(percent)),
      verdict: judged,
      ...(total && isPartial(months) && { partial: true }),
    };
  });
  const each = by === 'company' ? ' by company' : '';
  return { title: cleanLine(`${label}, ${from} to ${to}${each}`), company, unit, bars };
}

/** Whole amounts from a thousand on, as people read them. */
function shown(value: Numeric): string {
  const double = Number(value);
  if (Math.abs(double) >= 2 ** 53) return groupDigits(plainDecimal(value));
  return groupDigits(plainDecimal(Number(double.toFixed(Math.abs(double) >= 1000 ? 0 : 2))));
}

const shownPercent = (percent: number): string => `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;

function figuresOf({ metric: { unit, label, id, direction }, steps }: Bridge) {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return [];
  const change = Number(last.value) - Number(first.value);
  const percents = unit === '%';
  const said = (value: number) => `${shortNumber(value)}${percents ? '%' : ''}`;
  const own = unit !== undefined && !percents ? { unit } : {};
  const better = direction === 'up' ? change > 0 : change < 0;
  const verdict =
    change === 0 || (direction !== 'up' && direction !== 'down')
      ? undefined
      : better
        ? ('good' as const)
        : ('bad' as const);
  return [
    { label: `${label ?? id}, ${first.name}`, value: said(Number(first.value)), ...own },
    { label: `${label ?? id}, ${markedPeriod(last.name, last.months)}`, value: said(Number(last.value)), ...own },
    {
      ...{ label: 'Change', value: `${change > 0 ? '+' : ''}${said(change)}`, ...own, verdict },
      change: last.percent === null ? undefined : shownPercent(Number(last.percent)),
    },
  ];
}
