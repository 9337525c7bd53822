/** From the values of companies to the steps of a bridge. */

import type { Context } from '../../../cli/context.ts';
import { sum } from '../../../core/decimal.ts';
import { Failure, usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import { formatPeriod, type Period, partialWords } from '../../../core/periods.ts';
import { bridgeOf, type Step } from '../../../domain/analysis/bridge.ts';
import { linesOf, type Point } from '../../../domain/analysis/points.ts';
import type { Analysis, CompanyPart, Metric } from '../analysis/parts.ts';
import { addsUp } from '../analysis/total.ts';
import { readAnalyses } from '../several.ts';
import { type Asked, askedOf, type Bridge, type BridgeRequest } from './asked.ts';
import { partsOf, periodSteps } from './steps.ts';
import { writeBridge } from './write.ts';

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
