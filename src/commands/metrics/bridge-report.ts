/** The steps of a bridge, and its rows, picture and page. */

import type { Context } from '../../cli/context.ts';
import { longName } from '../../cli/define.ts';
import { hasRowFlags, openRowQuery, type RowFlags, selectedRows } from '../../cli/query.ts';
import { companyTitle, pictureKind, timeFact, writePicture } from '../../cli/show.ts';
import type { Version } from '../../contract/metrics.ts';
import { difference, sum } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import { formatPeriod, type Period, parsePeriod, partialWords, periodAt } from '../../core/periods.ts';
import { bridgeOf, changesBetween, flowBetween, type Step, verdictOf } from '../../domain/analysis/difference.ts';
import { linesOf, type Point } from '../../domain/analysis/points.ts';
import { addsUp, comparedSums, withoutCompanies } from '../../domain/analysis/total.ts';
import { lastUnit, seriesRange } from '../../domain/series/range.ts';
import { isShare, measureOf } from '../../domain/series/units.ts';
import { figureSection, keyFigure, pageOf, tableSection } from '../../output/chart/page.ts';
import type { Waterfall, WaterfallBar } from '../../output/chart/panel.ts';
import type { Column } from '../../output/column.ts';
import { asciiOnly, cleanLine, isAccessible, painter } from '../../output/terminal-text.ts';
import {
  type Comparison,
  formatChange,
  formatNumber,
  type NumberStyle,
  pictureDifference,
  pictureNumber,
  pictureStyle,
} from '../../output/values.ts';
import { type Analyses, readAnalyses } from './analyses.ts';
import {
  amountColumn,
  metric as metricColumn,
  noteColumn,
  type OfCompany,
  percentColumn,
  rare,
  unit as unitColumn,
} from './columns.ts';
import { type Analysis, type AnalysisRequest, type Metric, metricIds, versionsOf } from './read.ts';

interface BridgeRequest extends AnalysisRequest, RowFlags {
  parts?: string[] | undefined;
  versions?: string | undefined;
  title?: string | undefined;
  ascii?: boolean | undefined;
}

interface BridgePlan {
  metric: string;
  from: Period;
  to: Period;
  version: Version;
  /** Undefined: the steps are companies or periods. */
  parts: string[] | undefined;
}

interface Bridge {
  metric: Metric;
  from: string;
  to: string;
  /** The kind of the steps. */
  by: 'company' | 'period' | 'part';
  steps: (Step & { companyId?: string })[];
  /** The companies that are left out of both totals. */
  note?: string | undefined;
}

/** @throws Failure usage */
function planOf(ctx: Context, request: BridgeRequest, several: boolean): BridgePlan {
  const ids = metricIds(request.metrics);
  const [metric, second] = ids ?? [];
  if (metric === undefined) throw usage('metrics bridge needs a metric', 'add -m, such as -m arr');
  if (second !== undefined) throw usage(`a bridge is of one metric, got ${ids?.join(', ')}`, 'run it once for each');
  const [from, to] = boundsOf(ctx, request);
  const calculated = request.calc?.flatMap((text) => /^\s*([\w.-]+)\s*=/.exec(text)?.[1] ?? []);
  const named = metricIds(request.parts, '--parts') ?? calculated;
  const parts = named?.filter((id) => id !== metric);
  if (several && parts !== undefined && parts.length > 0) {
    throw usage('a bridge has a step for each company or for each part, not both', 'name one company with -c');
  }
  const [version, other] = versionsOf(request.versions);
  if (version === undefined || other !== undefined) throw usage('a bridge is of one version', 'run it once for each');
  return {
    metric,
    from,
    to,
    version,
    parts: parts?.length === 0 ? undefined : parts,
  };
}

/** @throws Failure usage for bounds that are not two periods of one kind */
function boundsOf(ctx: Context, { from, to, last }: BridgeRequest): [Period, Period] {
  if (last !== undefined) {
    const type = lastUnit(last) ?? parsePeriod(to ?? '')?.type ?? 'month';
    const range = seriesRange({ from, to, last }, type, periodAt(ctx.now(), type), longName);
    if (range.from && range.to && range.from.index < range.to.index) return [range.from, range.to];
    throw usage('a bridge needs two periods or more', 'give --last 2 or more');
  }
  const bound = (name: '--from' | '--to', text: string | undefined) => {
    if (text === undefined) throw usage(`metrics bridge needs ${name}`, 'add --from 2025-Q3 --to 2025-Q4, or --last 6');
    const period = parsePeriod(text);
    if (!period) throw usage(`${name} must be a period such as 2006-01, 2006-Q1 or 2006, got "${text}"`);
    return period;
  };
  const [start, end] = [bound('--from', from), bound('--to', to)];
  if (start.type !== end.type) {
    throw usage(`--from is a ${start.type} and --to is a ${end.type}`, 'name two months, two quarters or two years');
  }
  if (start.index >= end.index) throw usage('--from must be before --to');
  return [start, end];
}

export async function bridge(ctx: Context, request: BridgeRequest): Promise<void> {
  const several = ctx.settings.companies.value.length > 1;
  const plan = planOf(ctx, request, several);
  const { title, ascii, parts: _, versions: __, last: ___, ...rest } = request;
  const bounds = { from: formatPeriod(plan.from), to: formatPeriod(plan.to) };
  const words = { ...rest, ...bounds, metrics: [plan.metric, ...(plan.parts ?? [])], periodType: plan.from.type };
  const analyses = await readAnalyses(ctx, words, { versions: [plan.version] });
  const [first] = analyses.parts;
  if (!first) throw new Failure('notFound', `no company has ${plan.metric}`);
  const all = several ? bridgeOfCompanies(analyses, plan) : ofPeriods(ctx, first.value, plan);
  if (all.note !== undefined) ctx.out.warn(`the totals are ${all.note}`);
  const result = await chosenSteps(ctx, request, { bridge: all, who: several ? undefined : first.who }, plan);
  await writeBridge(ctx, result, analyses, { title, ascii });
  analyses.verdict();
}

/** The bridge with the steps that conditions choose; the others are in "other". */
async function chosenSteps(
  ctx: Context,
  flags: RowFlags,
  { bridge, who }: { bridge: Bridge; who: OfCompany | undefined },
  plan: BridgePlan,
): Promise<Bridge> {
  if (!hasRowFlags(flags)) return bridge;
  const question = await openRowQuery(ctx, columnsOf(bridge, who), { flags, command: [] });
  const rows = rowsOf(bridge).map((row) => ({ ...row, ...who }));
  const chosen = await selectedRows(
    question,
    rows.filter(({ kind }) => kind === 'step'),
  );
  const [first, last] = [rows[0], rows.at(-1)] as [BridgeRow, BridgeRow];
  const ends: Ends = [first.value, last.value];
  const changes = chosen.map(({ step, value, companyId }) => ({ name: step, value, companyId }));
  return { ...bridgeFrom(plan, { metric: bridge.metric, by: bridge.by, ends, changes }), note: bridge.note };
}

/** The first and the last value. */
type Ends = [from: Numeric, to: Numeric];

interface Change {
  name: string;
  value: Numeric;
  companyId?: string | undefined;
}

const pointsOf = ({ items }: Analysis, id: string): Point[] => linesOf(items, [id]).flatMap(({ points }) => points);

/** @throws usage where the value is of part of its period */
function endOf(points: readonly Point[], end: Period, { metric }: BridgePlan): Numeric | undefined {
  const point = points.find(({ index }) => index === end.index);
  if (point?.incomplete !== undefined) {
    throw usage(
      `${metric} of ${formatPeriod(end)} is ${partialWords(point.incomplete)}, and cannot be compared`,
      'choose periods that are complete',
    );
  }
  return point?.value ?? undefined;
}

function ofPeriods(ctx: Context, analysis: Analysis, plan: BridgePlan): Bridge {
  const points = pointsOf(analysis, plan.metric);
  const ends = [plan.from, plan.to].map((period) => {
    const end = endOf(points, period, plan);
    if (end !== undefined) return end;
    throw new Failure('notFound', `${plan.metric} has no ${plan.version} in ${formatPeriod(period)}`);
  });
  const metric = metricOf(analysis, plan.metric);
  const changes = plan.parts ? partsOf(ctx, analysis, metric, plan) : periodSteps(ctx, points, plan);
  return bridgeFrom(plan, { metric, by: plan.parts ? 'part' : 'period', ends: ends as Ends, changes });
}

function bridgeOfCompanies({ parts, absent }: Analyses, plan: BridgePlan): Bridge {
  const metrics = parts.map(({ value }) => metricOf(value, plan.metric));
  const [metric] = metrics as [Metric, ...Metric[]];
  if (!metrics.every(addsUp)) {
    throw usage(
      `a bridge adds companies, and ${plan.metric} does not add up (${metric.unit ?? 'no unit'})`,
      'name one company with -c, or choose an amount or a count',
    );
  }
  const currencies = [...new Set(metrics.flatMap(({ currency }) => currency ?? []))];
  if (currencies.length > 1) {
    throw usage(
      `a bridge cannot add amounts in ${currencies.join(' and ')}`,
      'convert them with --in CURRENCY --rates FILE',
    );
  }
  const members = parts.map(({ who, value }) => {
    const points = pointsOf(value, plan.metric);
    return {
      company: who?.company ?? '',
      companyId: who?.companyId,
      valueAt: (period: Period) => endOf(points, period, plan),
    };
  });
  const { included, lacking } = comparedSums(
    members.map(({ company, valueAt }) => ({ company, valueAt })),
    [plan.from, plan.to],
  );
  const without = [
    ...lacking.map(({ company, missing }) => ({
      company,
      reason: `no ${plan.version} in ${missing.map(formatPeriod).join(' and ')}`,
    })),
    ...absent.map((company) => ({ company, reason: `no ${plan.metric}` })),
  ];
  const note = without.length === 0 ? undefined : withoutCompanies(without);
  const pairs = included.flatMap((at) => {
    const { company: name, companyId, valueAt } = members[at] as (typeof members)[number];
    const [from, to] = [valueAt(plan.from), valueAt(plan.to)];
    return from !== undefined && to !== undefined ? [{ name, companyId, from, to }] : [];
  });
  if (pairs.length === 0) throw new Failure('notFound', `no company has ${plan.metric} in both periods`);
  const ends: Ends = [sum(pairs.map(({ from }) => from)), sum(pairs.map(({ to }) => to))];
  const changes = pairs.map(({ name, companyId, from, to }) => ({
    name,
    companyId,
    value: difference(to, from),
  }));
  return { ...bridgeFrom(plan, { metric, by: 'company', ends, changes }), note };
}

interface Changes {
  metric: Metric;
  by: Bridge['by'];
  ends: Ends;
  changes: readonly Change[];
}

/** The steps with their companies. */
function bridgeFrom(plan: BridgePlan, { metric, by, ends: [first, second], changes }: Changes): Bridge {
  const [from, to] = [formatPeriod(plan.from), formatPeriod(plan.to)];
  const companies = new Map(changes.map(({ name, companyId }) => [name, companyId]));
  const ends = { from: { name: from, value: first }, to: { name: to, value: second } };
  // A share of a percentage would be taken for points of it.
  const withShare = !isShare(metric.measure);
  const steps = bridgeOf(ends, changes, 'other').map((step) => {
    const companyId = step.kind === 'step' ? companies.get(step.name) : undefined;
    const percent = withShare ? step.percent : null;
    return { ...step, percent, ...(companyId !== undefined && { companyId }) };
  });
  return { from, to, metric, by, steps };
}

function metricOf({ metrics }: Analysis, id: string): Metric {
  return metrics.find((metric) => metric.id === id) ?? { id };
}

/** A step for each period after the first; one over a hole says so. */
function periodSteps(ctx: Context, points: readonly Point[], { metric, from, to }: BridgePlan): Change[] {
  const key = (index: number) => formatPeriod({ type: from.type, index });
  return changesBetween(points, from.index, to.index).map(({ since, index, value }) => {
    const hole = index - since > 1;
    if (hole) ctx.out.warn(`${metric} has no value in ${key(since + 1)}: its change is in that of ${key(index)}`);
    return { name: hole ? `${key(since + 1)} to ${key(index)}` : key(index), value };
  });
}

/** A step for each part. One without a value in a period is left to the rest, with a warning. */
function partsOf(ctx: Context, analysis: Analysis, whole: Metric, { parts = [], from, to }: BridgePlan): Change[] {
  return parts.flatMap((id) => {
    const metric = metricOf(analysis, id);
    if (metric.unit !== whole.unit) {
      throw usage(
        `parts of ${whole.id} must be in ${whole.unit ?? 'its unit'}, and ${id} is in ${metric.unit ?? 'none'}`,
        "compute the amount with --calc 'NAME = EXPRESSION'",
      );
    }
    if (metric.aggregation === 'average') throw usage(`${id} cannot be a part: the catalog averages its months`);
    const points = pointsOf(analysis, id);
    const between = metric.aggregation === 'last' ? balance : flowBetween;
    const change = between(points, from.index, to.index);
    const name = metric.label ?? id;
    if (change.value !== undefined) return [{ name, value: change.value }];
    const missing = formatPeriod({ type: from.type, index: change.missing ?? to.index });
    ctx.out.warn(`${id} has no value in ${missing}: its part is in "other"`);
    return [];
  });
}

function balance(points: readonly Point[], from: number, to: number): { value?: Numeric; missing?: number } {
  const ends = points.filter(({ index }) => index === from || index === to);
  const [change] = changesBetween(ends, from, to);
  if (change) return { value: change.value };
  return { missing: ends.some(({ index, value }) => index === from && value !== null) ? to : from };
}

interface Options {
  title?: string | undefined;
  ascii?: boolean | undefined;
}

interface BridgeRow {
  metricId: string;
  step: string;
  kind: Step['kind'];
  value: Numeric;
  running: Numeric;
  percent: Numeric | null;
  unit?: string;
  company?: string;
  companyId?: string;
  note?: string;
}

function operandsOf({ kind, value, running }: BridgeRow): readonly [Numeric, Numeric] | undefined {
  return kind === 'start' || kind === 'end' ? undefined : [running, difference(running, value)];
}

export const bridgeColumns: readonly Column<BridgeRow>[] = [
  { ...metricColumn, ...rare },
  {
    key: 'step',
    heading: 'Step',
    aliases: ['company', 'period'],
    rank: 1,
    get: (row) => row.step,
  },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  {
    ...amountColumn('value', 'Value', (row: BridgeRow) => row.value),
    operands: operandsOf,
    points: (row) => operandsOf(row) !== undefined && measureOf({ unit: row.unit }) === 'percent',
  },
  { ...amountColumn('running', 'Running total', (row: BridgeRow) => row.running), spare: true },
  percentColumn('percent', 'Change', (row) => row.percent),
  unitColumn,
  { key: 'companyId', heading: 'Company ID', type: 'id', get: (row) => row.companyId, ...rare },
];

/** A step of companies names one; the steps of one company name it where flags ask for it. */
function columnsOf({ by }: Pick<Bridge, 'by'>, who: object | undefined): readonly Column<BridgeRow>[] {
  const named = bridgeColumns.map((column) =>
    column.key === 'step' && by !== 'part' ? { ...column, aliases: [by] } : column,
  );
  if (by === 'company') return [...named, noteColumn];
  return who ? [{ key: 'company', heading: 'Company', get: (row) => row.company }, ...named] : named;
}

async function writeBridge(ctx: Context, bridge: Bridge, analyses: Analyses, options: Options): Promise<void> {
  const { output } = ctx.settings;
  const kind = output.value === 'table' && output.origin === 'flag' ? 'rows' : pictureKind(ctx);
  const who = bridge.by === 'company' ? undefined : analyses.parts[0]?.who;
  const rows = rowsOf(bridge).map((row) => ({ ...row, ...who }));
  const visible = columnsOf(bridge, who);
  if (kind === 'rows') return ctx.out.rows(rows, visible, { id: (row) => row.step });
  const company = await companyTitle(ctx, analyses, kind === 'text' ? 'known' : 'ask');
  const waterfall = waterfallOf(bridge, company);
  if (kind === 'text') {
    if (isAccessible(ctx.runtime.env)) {
      const { waterfallInWords } = await import('../../output/chart/terminal.ts');
      return ctx.out.text(`${waterfallInWords(waterfall).join('\n')}\n`);
    }
    const { drawWaterfall } = await import('../../output/chart/terminal.ts');
    const { terminal, env } = ctx.runtime;
    const paint = await painter(terminal.color.stdout && ctx.settings.out === undefined);
    const lines = drawWaterfall(waterfall, {
      width: Math.max(32, terminal.columns - 1),
      ascii: options.ascii ?? asciiOnly(env),
      paint: (verdict, text) => (verdict === 'even' ? text : paint(verdict === 'good' ? 'green' : 'red', text)),
    });
    return ctx.out.text(`${lines.join('\n')}\n`);
  }
  const { waterfallSvg } = await import('../../output/chart/svg.ts');
  const title = options.title ?? company ?? waterfall.title;
  if (kind !== 'html') {
    const unit = bridge.metric.unit === undefined ? '' : ` (${bridge.metric.unit})`;
    const head = { title, facts: `${waterfall.title}${unit}` };
    return writePicture(ctx, kind, waterfallSvg(waterfall, { width: 880, head }));
  }
  const unit = bridge.metric.unit;
  const draw = (width: number) => waterfallSvg(waterfall, { width });
  const heading = `${waterfall.title}${unit === undefined ? '' : ` (${unit})`}`;
  const sections = [
    figureSection('Bridge', [{ heading, wide: draw(960), narrow: draw(360) }]),
    tableSection({ heading: 'Data', columns: visible, rows }),
  ];
  const facts = [`${bridge.from} to ${bridge.to}`, timeFact(ctx)];
  await ctx.out.text(pageOf({ title, facts, keyFigures: figuresOf(bridge), sections }));
}

function rowsOf({ metric, steps, note }: Bridge): BridgeRow[] {
  return steps.map(({ name, kind, value, running, percent, companyId }) => ({
    metricId: metric.id,
    step: name,
    kind,
    value,
    running,
    percent,
    ...(metric.unit !== undefined && { unit: metric.unit }),
    ...(companyId !== undefined && { companyId }),
    ...(note !== undefined && (kind === 'start' || kind === 'end') && { note }),
  }));
}

function waterfallOf(bridge: Bridge, company: string | undefined): Waterfall {
  const { metric, from, to, by, steps, note } = bridge;
  const { label = metric.id, unit, direction } = metric;
  const style = styleOfSteps(bridge);
  const bars = steps.map(({ name, kind, value, running, percent }, at): WaterfallBar => {
    const total = kind === 'start' || kind === 'end';
    const verdict = verdictOf(value, direction);
    return {
      label: cleanLine(name),
      total,
      from: total ? 0 : Number(steps[at - 1]?.running ?? 0),
      to: Number(running),
      caption: captionOf({ kind, value, running }, style) + (total || metric.measure !== 'percent' ? '' : ' pp'),
      share: isNumeric(percent)
        ? `${formatChange(formatNumber(percent, { power: 0, decimals: 1 }), false)}%`
        : undefined,
      verdict: verdict === 'unknown' ? 'even' : verdict,
    };
  });
  const suffix = by === 'company' ? ' by company' : '';
  return {
    title: cleanLine(`${label}, ${from} to ${to}${suffix}`),
    company,
    unit,
    bars,
    style,
    ...(note !== undefined && { notes: [cleanLine(note)] }),
  };
}

function captionOf(step: Pick<Step, 'kind' | 'value' | 'running'>, style: NumberStyle): string {
  const comparison = comparisonOf(step);
  if (!comparison) return pictureNumber(step.value, style);
  return formatChange(pictureDifference(comparison, style), false);
}

/** The style of the amounts, in which every step is the difference of its totals. */
function styleOfSteps({ metric, steps }: Bridge): NumberStyle {
  const totals = steps.map(({ running }) => running);
  return pictureStyle(
    totals,
    metric.unit,
    steps.flatMap((step) => comparisonOf(step) ?? []),
  );
}

function comparisonOf({ kind, value, running }: Pick<Step, 'kind' | 'value' | 'running'>): Comparison | undefined {
  if (kind === 'start' || kind === 'end') return undefined;
  return { after: running, before: difference(running, value), difference: value };
}

function figuresOf(bridge: Bridge) {
  const { metric, steps } = bridge;
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return [];
  const { unit, label = metric.id, direction, measure } = metric;
  const style = styleOfSteps(bridge);
  return [
    keyFigure({ label: `${label}, ${first.name}`, value: first.value, unit, style }),
    keyFigure(
      { label: `${label}, ${last.name}`, value: last.value, unit, style },
      { value: first.value, words: `vs ${first.name}`, measure, direction },
    ),
  ];
}
