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
import { type BridgeStep, bridgeOf, changesBetween, flowBetween, verdictOf } from '../../domain/analysis/difference.ts';
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
  pictureNumber,
  pictureStyle,
  shownDifference,
} from '../../output/values.ts';
import { type Analyses, readAnalyses } from './analyses.ts';
import {
  amountColumn,
  type Metric,
  metric as metricColumn,
  noteColumn,
  type OfCompany,
  percentColumn,
  rare,
  unit as unitColumn,
} from './columns.ts';
import { type Analysis, type AnalysisRequest, metricIds, readableCatalogs, versionsOf } from './read.ts';

interface BridgeRequest extends AnalysisRequest, RowFlags {
  parts?: string[] | undefined;
  versions?: string | undefined;
  title?: string | undefined;
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
  ends: EndValues;
  changes: readonly Contribution[];
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
  return { metric, from, to, version, parts: parts?.length === 0 ? undefined : parts };
}

/** @throws Failure usage for bounds that are not two periods of one kind */
function boundsOf(ctx: Context, { from, to, last }: BridgeRequest): [Period, Period] {
  const hint = 'add --from 2025-Q3 --to 2025-Q4, or --last 6';
  if (last === undefined && (from === undefined || to === undefined)) {
    throw usage(`metrics bridge needs --${from === undefined ? 'from' : 'to'}`, hint);
  }
  const [first, second] = [from, to].map((text) => parsePeriod(text ?? '')?.type);
  if (first !== undefined && second !== undefined && first !== second) {
    throw usage(`--from is a ${first} and --to is a ${second}`, 'name two months, two quarters or two years');
  }
  const type = lastUnit(last) ?? first ?? second ?? 'month';
  const range = seriesRange({ from, to, last }, type, periodAt(ctx.now(), type), longName);
  if (range.from && range.to && range.from.index < range.to.index) return [range.from, range.to];
  throw usage('a bridge is between two periods, and the range has one', hint);
}

export async function bridge(ctx: Context, request: BridgeRequest): Promise<void> {
  const several = ctx.settings.companies.value.length > 1;
  const plan = planOf(ctx, request, several);
  const { title, parts: _, versions: __, last: ___, ...rest } = request;
  const words = { ...rest, ...keysOf(plan), metrics: [plan.metric, ...(plan.parts ?? [])], periodType: plan.from.type };
  const analyses = await readAnalyses(ctx, words, { versions: [plan.version] });
  const [first] = analyses.parts;
  if (!first) throw new Failure('notFound', `no company has ${plan.metric}`);
  const all = several ? bridgeOfCompanies(analyses, plan) : ofPeriods(ctx, first.value, plan);
  if (all.note !== undefined) ctx.out.warn(`the totals are ${all.note}`);
  const rates = (await isExchanged(ctx, request))
    ? `steps include changes of exchange rates: --rate-at ${formatPeriod(plan.to)} converts both ends at one rate`
    : undefined;
  const note = [all.note, rates].filter(Boolean).join('; ') || undefined;
  const result = await chosenSteps(ctx, request, { ...all, note }, several ? undefined : first.who);
  await writeBridge(ctx, result, analyses, title);
  analyses.verdict();
}

/** Whether amounts are converted at a rate of each period. */
async function isExchanged(ctx: Context, { in: currency, rateAt }: BridgeRequest): Promise<boolean> {
  if (currency === undefined || rateAt !== undefined) return false;
  const companies = ctx.settings.companies.value;
  const catalogs = await readableCatalogs(ctx, companies.length > 1 ? companies : [undefined]);
  return catalogs.some((catalog) => catalog.currency !== currency.toUpperCase());
}

/** The bridge with the steps that conditions choose; the others are in "other". */
async function chosenSteps(ctx: Context, flags: RowFlags, bridge: Bridge, who: OfCompany | undefined): Promise<Bridge> {
  if (!hasRowFlags(flags)) return bridge;
  const question = await openRowQuery(ctx, columnsOf(bridge, who), { flags, command: [] });
  const rows = rowsOf(bridge).flatMap((row) => (row.kind === 'step' ? { ...row, ...who } : []));
  const chosen = new Set<unknown>(await selectedRows(question, rows));
  return { ...bridge, changes: bridge.changes.filter((_, at) => chosen.has(rows[at])) };
}

/** The first and the last value. */
type EndValues = [from: Numeric, to: Numeric];

interface Contribution {
  name: string;
  value: Numeric;
  companyId?: string | undefined;
}

const pointsOf = ({ items }: Analysis, id: string): Point[] => linesOf(items, [id]).flatMap(({ points }) => points);

/** @throws usage where the value covers part of its period */
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
  return { ...keysOf(plan), metric, by: plan.parts ? 'part' : 'period', ends: ends as EndValues, changes };
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
  const ends: EndValues = [sum(pairs.map(({ from }) => from)), sum(pairs.map(({ to }) => to))];
  const changes = pairs.map(({ name, companyId, from, to }) => ({ name, companyId, value: difference(to, from) }));
  return { ...keysOf(plan), metric, by: 'company', ends, changes, note };
}

const keysOf = ({ from, to }: BridgePlan) => ({ from: formatPeriod(from), to: formatPeriod(to) });

function metricOf({ metrics }: Analysis, id: string): Metric {
  return metrics.find((metric) => metric.id === id) ?? { id };
}

/** A step for each period after the first; one over a hole says so. */
function periodSteps(ctx: Context, points: readonly Point[], { metric, from, to }: BridgePlan): Contribution[] {
  const key = (index: number) => formatPeriod({ type: from.type, index });
  return changesBetween(points, from.index, to.index).map(({ since, index, value }) => {
    const hole = index - since > 1;
    if (hole) ctx.out.warn(`${metric} has no value in ${key(since + 1)}: its change is in that of ${key(index)}`);
    return { name: hole ? `${key(since + 1)} to ${key(index)}` : key(index), value };
  });
}

/** A step for each part. One without a value in a period is left to the rest, with a warning. */
function partsOf(
  ctx: Context,
  analysis: Analysis,
  whole: Metric,
  { parts = [], from, to }: BridgePlan,
): Contribution[] {
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

interface BridgeRow {
  metricId: string;
  step: string;
  kind: BridgeStep['kind'];
  value: Numeric;
  running: Numeric;
  percent: Numeric | null;
  unit?: string;
  company?: string;
  companyId?: string;
  note?: string;
}

const isEnd = (kind: BridgeStep['kind']): boolean => kind === 'start' || kind === 'end';

/** A step is the difference of its totals. */
function comparisonOf({ kind, value, running }: BridgeRow): Comparison | undefined {
  return isEnd(kind) ? undefined : { after: running, before: difference(running, value) };
}

export const bridgeColumns: readonly Column<BridgeRow>[] = [
  { ...metricColumn, ...rare },
  { key: 'step', heading: 'Step', aliases: ['company', 'period', 'periodKey'], rank: 1, get: (row) => row.step },
  { key: 'kind', heading: 'Kind', get: (row) => row.kind },
  {
    ...amountColumn('value', 'Value', (row: BridgeRow) => row.value),
    operands: (row) => {
      const step = comparisonOf(row);
      return step && [step.after, step.before];
    },
    points: (row) => !isEnd(row.kind) && measureOf({ unit: row.unit }) === 'percent',
  },
  { ...amountColumn('running', 'Running total', (row: BridgeRow) => row.running), spare: true },
  { ...percentColumn('percent', 'Change', (row: BridgeRow) => row.percent), change: true },
  unitColumn,
  { key: 'companyId', heading: 'Company ID', type: 'id', get: (row) => row.companyId, ...rare },
];

/** A step of companies names one; the steps of one company name it where flags ask for it. */
function columnsOf({ by, note }: Bridge, who: object | undefined): readonly Column<BridgeRow>[] {
  const named = bridgeColumns.map((column) =>
    column.key === 'step' && by !== 'part'
      ? { ...column, aliases: by === 'period' ? [by, 'periodKey'] : [by] }
      : column,
  );
  const company: Column<BridgeRow> = { key: 'company', heading: 'Company', get: (row) => row.company };
  const hasNotes = by === 'company' || note !== undefined;
  return [...(who && by !== 'company' ? [company] : []), ...named, ...(hasNotes ? [noteColumn] : [])];
}

async function writeBridge(ctx: Context, bridge: Bridge, analyses: Analyses, titleText?: string): Promise<void> {
  const { output } = ctx.settings;
  const kind = output.value === 'table' && output.origin === 'flag' ? 'rows' : pictureKind(ctx);
  const who = bridge.by === 'company' ? undefined : analyses.parts[0]?.who;
  const rows = rowsOf(bridge).map((row) => ({ ...row, ...who }));
  const visible = columnsOf(bridge, who);
  if (kind === 'rows') return ctx.out.rows(rows, visible, { id: (row) => row.step });
  const company = await companyTitle(ctx, analyses, kind === 'text' ? 'known' : 'ask');
  const waterfall = waterfallOf(bridge, company);
  if (kind === 'text') {
    const { drawWaterfall, waterfallInWords } = await import('../../output/chart/terminal.ts');
    const { terminal, env } = ctx.runtime;
    if (isAccessible(env)) return ctx.out.text(`${waterfallInWords(waterfall).join('\n')}\n`);
    const paint = await painter(terminal.color.stdout && ctx.settings.out === undefined);
    const lines = drawWaterfall(waterfall, {
      width: Math.max(32, terminal.columns - 1),
      ascii: asciiOnly(env),
      paint: (verdict, text) => (verdict === 'even' ? text : paint(verdict === 'good' ? 'green' : 'red', text)),
    });
    return ctx.out.text(`${lines.join('\n')}\n`);
  }
  const { waterfallSvg } = await import('../../output/chart/svg.ts');
  const unit = bridge.metric.unit === undefined ? '' : ` (${bridge.metric.unit})`;
  const heading = `${waterfall.title}${unit}`;
  const name = titleText ?? company;
  if (kind !== 'html') {
    const head = { title: name ?? heading, facts: name === undefined ? '' : heading };
    return writePicture(ctx, kind, waterfallSvg(waterfall, { width: 880, head }));
  }
  const [wide, narrow] = [960, 360].map((width) => waterfallSvg(waterfall, { width })) as [string, string];
  const sections = [
    figureSection('Bridge', [{ heading, wide, narrow }]),
    tableSection({ heading: 'Data', columns: visible, rows }),
  ];
  const title = name ?? waterfall.title;
  const facts = [`${bridge.from} to ${bridge.to}`, timeFact(ctx)];
  await ctx.out.text(pageOf({ title, facts, keyFigures: figuresOf(bridge, rows), sections, notes: ctx.out.remarks }));
}

/** The first value, the steps with their companies, and the last value. */
function rowsOf({ metric, from, to, ends: [first, last], changes, note }: Bridge): BridgeRow[] {
  const companies = new Map(changes.map(({ name, companyId }) => [name, companyId]));
  const bounds = { from: { name: from, value: first }, to: { name: to, value: last } };
  return bridgeOf(bounds, changes).map(({ name, kind, value, running, percent }) => {
    const companyId = kind === 'step' ? companies.get(name) : undefined;
    return {
      metricId: metric.id,
      step: name,
      kind,
      value,
      running,
      // A share of a percentage would be taken for points of it.
      percent: isShare(metric.measure) ? null : percent,
      ...(metric.unit !== undefined && { unit: metric.unit }),
      ...(companyId !== undefined && { companyId }),
      ...(note !== undefined && isEnd(kind) && { note }),
    };
  });
}

function waterfallOf(bridge: Bridge, company: string | undefined): Waterfall {
  const { metric, from, to, by, note } = bridge;
  const { label = metric.id, unit, direction } = metric;
  const rows = rowsOf(bridge);
  const style = styleOfSteps(bridge.metric, rows);
  const bars = rows.map((row, at): WaterfallBar => {
    const { step, kind, value, running, percent } = row;
    const total = isEnd(kind);
    const verdict = verdictOf(value, direction);
    return {
      label: cleanLine(step),
      total,
      from: total ? 0 : Number(rows[at - 1]?.running ?? 0),
      to: Number(running),
      caption: captionOf(row, style) + (total || metric.measure !== 'percent' ? '' : ' pp'),
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

function captionOf(row: BridgeRow, style: NumberStyle): string {
  const step = comparisonOf(row);
  return step
    ? formatChange(pictureNumber(shownDifference(step, style), style), false)
    : pictureNumber(row.value, style);
}

function styleOfSteps({ unit }: Metric, rows: readonly BridgeRow[]): NumberStyle {
  const totals = rows.map(({ running }) => running);
  const steps = rows.flatMap((row) => comparisonOf(row) ?? []);
  return pictureStyle(totals, unit, steps);
}

function figuresOf({ metric, from, to, ends: [first, last] }: Bridge, rows: readonly BridgeRow[]) {
  const { unit, label = metric.id, direction, measure } = metric;
  const style = styleOfSteps(metric, rows);
  const baseline = { value: first, words: `vs ${from}`, measure, direction };
  return [
    keyFigure({ label: `${label}, ${from}`, value: first, unit, style }),
    keyFigure({ label: `${label}, ${to}`, value: last, unit, style }, baseline),
  ];
}
