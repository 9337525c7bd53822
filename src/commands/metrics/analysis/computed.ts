/** `--calc`: computed metrics beside those of the catalog, and their saved definitions. */

import type { Context } from '../../../cli/context.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { monthsIn, type PeriodType, parsePeriod } from '../../../core/periods.ts';
import {
  computedValue,
  type Definition,
  inOrderOfUse,
  namesIn,
  reach,
  readDefinition,
} from '../../../domain/analysis/calc.ts';
import { unitOf } from '../../../domain/analysis/calc-units.ts';
import { linesOf } from '../../../domain/analysis/points.ts';
import { metricIds } from '../read.ts';
import type { Analysis, AnalysisRequest, Metric } from './parts.ts';

interface Calc {
  all: ReadonlyMap<string, Definition>;
  /** What the result shows besides the metrics of the catalog. */
  shown: readonly string[];
  /** What was asked for by `-m`, without the computed ones; undefined: everything. */
  asked: readonly string[] | undefined;
  /** What was asked for by `-m`, in its order. */
  order: readonly string[];
}

/** The definitions of `--calc` and of the profile. Undefined where none is used. @throws Failure usage */
export async function calcOf(ctx: Context, { calc, metrics }: AnalysisRequest): Promise<Calc | undefined> {
  const saved = Object.keys(ctx.settings.calc);
  if (calc === undefined && saved.length === 0) return undefined;
  const given = await definitionsOf(ctx, calc ?? []);
  const all = new Map([...savedDefinitions(ctx), ...given].map((one) => [one.name, one]));
  const asked = metricIds(metrics);
  const shown = [...new Set([...(asked ?? []).filter((id) => all.has(id)), ...given.map(({ name }) => name)])];
  if (shown.length === 0) return undefined;
  return { all, shown, asked: asked?.filter((id) => !all.has(id)), order: asked ?? [] };
}

function savedDefinitions(ctx: Context): Definition[] {
  return Object.entries(ctx.settings.calc).map(([name, text]) =>
    readDefinition(`${name} = ${text}`, `calc of profile "${ctx.settings.profile.value}"`),
  );
}

async function definitionsOf(ctx: Context, given: readonly string[]): Promise<Definition[]> {
  const found: Definition[] = [];
  for (const text of given) {
    if (!text.startsWith('@')) found.push(readDefinition(text, '--calc'));
    else {
      const lines = (await ctx.readArgument(text)).split(/\r?\n/).map((line) => line.replace(/^\s*#.*$/, '').trim());
      found.push(...lines.filter((line) => line !== '').map((line) => readDefinition(line, `--calc ${text}`)));
    }
  }
  return found;
}

const perYearOf = (type: PeriodType) => 12 / monthsIn[type];

/** The metrics to read for a company, and how many periods before the range. @throws Failure notFound */
export function needsOf({ all, shown, asked }: Calc, known: ReadonlySet<string>, type: PeriodType) {
  const ordered = inOrderOfUse(shown, all, known);
  const taken = ordered.find(({ name }) => known.has(name));
  if (taken) {
    throw usage(
      `--calc ${taken.name}: the catalog has a metric "${taken.name}"`,
      'choose another name, since both would be shown under it',
    );
  }
  const back = ordered.reduce((sum, { node }) => sum + reach(node, perYearOf(type)), 0);
  const named = ordered.flatMap(({ node }) => namesIn(node)).filter((name) => !all.has(name));
  return { ordered, back, metrics: asked && [...new Set([...asked, ...named])] };
}

/** The analysis with the computed metrics, and without those that were only read for them. */
export function computed(
  analysis: Analysis,
  { shown, asked, order }: Calc,
  ordered: readonly Definition[],
  partial: boolean,
): Analysis {
  const { type } = analysis;
  let { items, metrics } = analysis;
  for (const { name, node } of ordered) {
    const where = `--calc ${name}`;
    const found = unitOf(node, (id) => unitOfMetric(metrics, id), where);
    const [unit, count] = found === 'count' ? [undefined, { isCount: true }] : [found, {}];
    const points = new Map(
      linesOf(items).map((line) => [
        `${line.version} ${line.metricId}`,
        new Map(line.points.map((point) => [point.index, point])),
      ]),
    );
    items = items.map((item) => {
      const index = parsePeriod(item.periodKey)?.index ?? 0;
      const valueAt = (id: string, at: number) => points.get(`${item.version} ${id}`)?.get(at);
      const held = computedValue(node, index, valueAt, perYearOf(type), partial);
      if (!held) return item;
      const incomplete =
        held.incomplete === undefined ? item.incomplete : { ...item.incomplete, [name]: held.incomplete };
      const values = { ...item.metrics, [name]: held.value } as MetricSeriesItem['metrics'];
      return { ...item, metrics: values, ...(incomplete && { incomplete }) };
    });
    const money = analysis.currency !== undefined && unit === analysis.currency ? { currency: analysis.currency } : {};
    metrics = [...metrics.filter(({ id }) => id !== name), { id: name, label: name, unit, ...count, ...money }];
  }
  const visible = (id: string) => asked === undefined || asked.includes(id) || shown.includes(id);
  const hidden = new Set(ordered.map(({ name }) => name).filter((name) => !shown.includes(name)));
  const kept = metrics.filter(({ id }) => visible(id) && !hidden.has(id));
  const place = ({ id }: Metric) => (order.includes(id) ? order.indexOf(id) : order.length);
  return { ...analysis, items, metrics: kept.sort((a, b) => place(a) - place(b)) };
}

function unitOfMetric(metrics: readonly Metric[], id: string): string | undefined {
  const { unit, isCount } = metrics.find((metric) => metric.id === id) ?? {};
  return isCount ? 'count' : unit === '%' ? 'percent' : unit;
}

/** The rows from the range on, with those that the command itself compares with. */
export function withinRange(analysis: Analysis, back: number): Analysis {
  const first = analysis.range.from && analysis.range.from.index - back;
  if (first === undefined) return analysis;
  return {
    ...analysis,
    items: analysis.items.filter(({ periodKey }) => (parsePeriod(periodKey)?.index ?? first) >= first),
  };
}
