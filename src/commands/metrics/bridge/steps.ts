/** The steps of a bridge of one company: its periods, or the parts that explain the change. */

import type { Context } from '../../../cli/context.ts';
import type { CompanyPart } from '../../../cli/each-company.ts';
import type { Version } from '../../../contract/metrics.ts';
import { sum } from '../../../core/decimal.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { formatPeriod, type Period, parsePeriod, partialWords } from '../../../core/periods.ts';
import { bridgeOf, changesBetween, flowBetween, type Step } from '../../../domain/analysis/bridge.ts';
import { linesOf, type Point } from '../../../domain/analysis/points.ts';
import { addsUp } from '../analysis/computing.ts';
import { type Analysis, type AnalysisRequest, type Metric, metricIds, versionsOf } from '../read.ts';
import { readAnalyses } from '../several.ts';
import { writeBridge } from './write.ts';

interface Change {
  name: string;
  value: Numeric;
}

/** A step for each period after the first; one over a hole says so. */
function periodSteps(ctx: Context, points: readonly Point[], { metric, from, to }: Asked): Change[] {
  const key = (index: number) => formatPeriod({ type: from.type, index });
  return changesBetween(points, from.index, to.index).map(({ since, index, value }) => {
    const hole = index - since > 1;
    if (hole) ctx.out.warn(`${metric} has no value in ${key(since + 1)}: its change is in that of ${key(index)}`);
    return { name: hole ? `${key(since + 1)} to ${key(index)}` : key(index), value };
  });
}

/** A step for each part. One without a value in a period is left to the rest, with a warning. */
function partsOf(ctx: Context, analysis: Analysis, whole: Metric, { parts = [], from, to }: Asked): Change[] {
  return parts.flatMap((id) => {
    const metric = analysis.metrics.find((one) => one.id === id) ?? { id };
    if (metric.unit !== whole.unit) {
      throw usage(
        `parts of ${whole.id} must be in ${whole.unit ?? 'its unit'}, and ${id} is in ${metric.unit ?? 'none'}`,
        "compute the amount with --calc 'NAME = EXPRESSION'",
      );
    }
    if (metric.aggregation === 'average') throw usage(`${id} cannot be a part: the catalog averages its months`);
    const points = linesOf(analysis.items, [id]).flatMap((line) => line.points);
    const found =
      metric.aggregation === 'last' ? balance(points, from.index, to.index) : flowBetween(points, from.index, to.index);
    const name = metric.label ?? id;
    if (found.value !== undefined) return [{ name, value: found.value }];
    const missing = formatPeriod({ type: from.type, index: found.missing ?? to.index });
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

/** What `metrics bridge` is asked for, and what it answers. */

interface BridgeRequest extends AnalysisRequest {
  parts?: string[] | undefined;
  versions?: string | undefined;
  title?: string | undefined;
  ascii?: boolean | undefined;
}

interface Asked {
  metric: string;
  from: Period;
  to: Period;
  version: Version;
  /** Undefined: the steps are companies or periods. */
  parts: string[] | undefined;
  partial: boolean;
}

export interface Bridge {
  metric: Metric;
  from: string;
  to: string;
  /** What the names of the steps are. */
  by: 'company' | 'period' | 'part';
  steps: (Step & { companyId?: string; months?: string })[];
}

/** @throws Failure usage */
function askedOf(request: BridgeRequest, several: boolean): Asked {
  const ids = metricIds(request.metrics);
  const [metric, second] = ids ?? [];
  if (metric === undefined) throw usage('metrics bridge needs a metric', 'add -m, such as -m arr');
  if (second !== undefined) throw usage(`a bridge is of one metric, got ${ids?.join(', ')}`, 'run it once for each');
  const bound = (name: '--from' | '--to', text: string | undefined) => {
    if (text === undefined) throw usage(`metrics bridge needs ${name}`, 'add --from 2025-Q3 --to 2025-Q4');
    const period = parsePeriod(text);
    if (!period) throw usage(`${name} must be a period such as 2006-01, 2006-Q1 or 2006, got "${text}"`);
    return period;
  };
  const [from, to] = [bound('--from', request.from), bound('--to', request.to)];
  if (from.type !== to.type) {
    throw usage(`--from is a ${from.type} and --to is a ${to.type}`, 'name two months, two quarters or two years');
  }
  if (from.index >= to.index) throw usage('--from must be before --to');
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
    partial: request.partial === true,
  };
}

/** From the values of companies to the steps of a bridge. */

export async function bridge(ctx: Context, request: BridgeRequest): Promise<void> {
  const several = ctx.settings.companies.value.length > 1;
  const asked = askedOf(request, several);
  const { title, ascii, parts: _, versions: __, ...rest } = request;
  const metrics = [asked.metric, ...(asked.parts ?? [])];
  const read = { ...rest, metrics, periodType: asked.from.type };
  const found = await readAnalyses(ctx, read, { versions: [asked.version] });
  const [first] = found.parts;
  if (!first) throw new Failure('notFound', `no company has ${asked.metric}`);
  const result = several ? ofCompanies(ctx, found.parts, asked) : ofOne(ctx, first.value, asked);
  await writeBridge(ctx, result, found, { title, ascii });
  found.verdict();
}

/** A value at one end. @throws usage where it is of part of its period */
function endOf(points: readonly Point[], end: Period, { metric, partial }: Asked): Point | undefined {
  const point = points.find(({ index }) => index === end.index);
  if (point?.incomplete !== undefined && !partial) {
    throw usage(
      `${metric} of ${formatPeriod(end)} is ${partialWords(point.incomplete)}, and cannot be compared`,
      'choose a complete period, or add --partial',
    );
  }
  return point && isNumeric(point.value) ? point : undefined;
}

function ofOne(ctx: Context, analysis: Analysis, asked: Asked): Bridge {
  const { metric: id, from, to } = asked;
  const points = linesOf(analysis.items, [id]).flatMap((line) => line.points);
  const [one, other] = [from, to].map((end) => {
    const point = endOf(points, end, asked);
    if (point) return { name: formatPeriod(end), value: point.value as Numeric, months: point.incomplete };
    throw new Failure('notFound', `${id} has no ${asked.version} in ${formatPeriod(end)}`);
  }) as [End, End];
  const metric = metricOf(analysis, id);
  const steps = asked.parts ? partsOf(ctx, analysis, metric, asked) : periodSteps(ctx, points, asked);
  const bridged = bridgeOf({ from: one, to: other }, steps, 'other');
  return { ...ends(asked), metric, by: asked.parts ? 'part' : 'period', steps: marked(bridged, one, other) };
}

interface End {
  name: string;
  value: Numeric;
  months: string | undefined;
}

function ofCompanies(ctx: Context, parts: readonly CompanyPart<Analysis>[], asked: Asked): Bridge {
  const metrics = parts.map(({ value }) => metricOf(value, asked.metric));
  const [metric] = metrics as [Metric, ...Metric[]];
  if (!metrics.every(addsUp)) {
    throw usage(
      `a bridge adds companies, and ${asked.metric} does not add up (${metric.unit ?? 'no unit'})`,
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
  const held = parts.flatMap(({ who, value }) => {
    const points = linesOf(value.items, [asked.metric]).flatMap((line) => line.points);
    const [one, other] = [endOf(points, asked.from, asked), endOf(points, asked.to, asked)];
    const name = who?.company ?? '';
    if (one && other) return [{ ...who, name, from: one, to: other }];
    const lacking = [...(one ? [] : [asked.from]), ...(other ? [] : [asked.to])].map(formatPeriod);
    ctx.out.warn(
      `left out of both totals, since ${asked.metric} has no ${asked.version} in ${lacking.join(' and ')}: ${name}`,
    );
    return [];
  });
  if (held.length === 0) throw new Failure('notFound', `no company has ${asked.metric} in both periods`);
  const total = (end: 'from' | 'to'): End => ({
    name: formatPeriod(asked[end]),
    value: sum(held.map((one) => one[end].value as Numeric)),
    months: held.map((one) => one[end].incomplete).find((months) => months !== undefined),
  });
  const [one, other] = [total('from'), total('to')];
  const changes = held.map(({ name, from, to }) => ({
    name,
    value:
      bridgeOf({ from: { name, value: from.value as Numeric }, to: { name, value: to.value as Numeric } }, [], name)[1]
        ?.value ?? 0,
  }));
  const steps = marked(bridgeOf({ from: one, to: other }, changes, 'other'), one, other);
  const idOf = new Map(held.map(({ name, companyId }) => [name, companyId]));
  return {
    ...{ ...ends(asked), metric, by: 'company' },
    steps: steps.map((step) => {
      const companyId = step.kind === 'step' ? idOf.get(step.name) : undefined;
      return companyId === undefined ? step : { ...step, companyId };
    }),
  };
}

const ends = ({ from, to }: Asked) => ({ from: formatPeriod(from), to: formatPeriod(to) });

function metricOf({ metrics }: Analysis, id: string): Metric {
  return metrics.find((metric) => metric.id === id) ?? { id };
}

/** The steps with what their ends say of months. */
function marked(steps: Step[], from: End, to: End): Bridge['steps'] {
  return steps.map((step) => {
    const months = step.kind === 'start' ? from.months : step.kind === 'end' ? to.months : undefined;
    return months === undefined ? step : { ...step, months };
  });
}
