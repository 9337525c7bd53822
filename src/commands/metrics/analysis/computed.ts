/** `--calc`: computed metrics beside those of the catalog, and their saved definitions. */

import type { Context } from '../../../cli/context.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { usage } from '../../../core/errors.ts';
import { monthsIn, type PeriodType } from '../../../core/periods.ts';
import {
  computedValue,
  type Definition,
  type Held,
  inOrderOfUse,
  namesIn,
  reach,
  readDefinition,
} from '../../../domain/analysis/calc.ts';
import { isLinear, unitOf } from '../../../domain/analysis/calc-units.ts';
import { type AnalysisItem, indexOf } from '../../../domain/analysis/points.ts';
import { isMoney } from '../../../domain/series/units.ts';
import { metricIds } from '../read.ts';
import { byPeriod, keptItems } from './items.ts';
import type { Analysis, AnalysisRequest, Metric } from './parts.ts';
import { addsUp } from './total.ts';

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
  if (calc === undefined && ctx.settings.definitions === undefined) return undefined;
  const given = await definitionsOf(ctx, calc ?? []);
  const all = new Map([...(await savedDefinitions(ctx)), ...given].map((definition) => [definition.name, definition]));
  const asked = metricIds(metrics);
  const shown = [...new Set([...(asked ?? []).filter((id) => all.has(id)), ...given.map(({ name }) => name)])];
  if (shown.length === 0) return undefined;
  return { all, shown, asked: asked?.filter((id) => !all.has(id)), order: asked ?? [] };
}

/** The definitions of the profile: those of its file, or those that 0.1.0 kept in the settings. */
export async function savedDefinitions(ctx: Context): Promise<Definition[]> {
  const { definitions = {}, profile } = ctx.settings;
  if (typeof definitions === 'string') return definitionsOf(ctx, [`@${definitions}`]);
  return Object.entries(definitions).map(([name, text]) =>
    readDefinition(`${name} = ${text}`, `calc of profile "${profile.value}"`),
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

interface Computing {
  calc: Calc;
  ordered: readonly Definition[];
  /** Periods that are not complete may be compared with complete ones. */
  partial: boolean;
  /** So many periods before the range the command itself compares with. */
  back: number;
}

/** The analysis with the computed metrics, and without those that were only read for them. */
export async function computed(
  ctx: Context,
  analysis: Analysis,
  { calc: { shown, asked, order }, ordered, partial, back }: Computing,
): Promise<Analysis> {
  const { type, items, currency, range } = analysis;
  let { metrics } = analysis;
  for (const { name, node } of ordered) {
    const measure = unitOf(node, (id) => metrics.find((metric) => metric.id === id)?.measure, `--calc ${name}`);
    const unit = measure === 'count' ? undefined : measure;
    const money = isMoney(measure, currency) ? { currency: measure } : {};
    const adds = isLinear(node, (id) => metrics.some((metric) => metric.id === id && addsUp(metric)));
    const made = { id: name, label: name, unit, measure, ...money, ...(!adds && { isRatio: true }) };
    metrics = [...metrics.filter(({ id }) => id !== name), made];
  }
  const first = range.from && range.from.index - back;
  const found = calculated(items, ordered, perYearOf(type), partial);
  const kept = await keptItems(ctx, first === undefined ? found : startingAt(found, first));
  const visible = (id: string) => asked === undefined || asked.includes(id) || shown.includes(id);
  const hidden = new Set(ordered.map(({ name }) => name).filter((name) => !shown.includes(name)));
  const own = metrics.filter(({ id }) => visible(id) && !hidden.has(id));
  const place = ({ id }: Metric) => (order.includes(id) ? order.indexOf(id) : order.length);
  return { ...analysis, items: kept, metrics: own.sort((a, b) => place(a) - place(b)) };
}

/** The rows with the values of the definitions. As many periods are held as a definition looks back. */
function* calculated(
  items: Iterable<AnalysisItem>,
  ordered: readonly Definition[],
  perYear: number,
  partial: boolean,
): Generator<AnalysisItem> {
  const named = [...new Set(ordered.flatMap(({ node }) => namesIn(node)))];
  const back = Math.max(0, ...ordered.map(({ node }) => reach(node, perYear)));
  const held = new Map<string, Map<number, Held>>();
  const hold = (rows: readonly AnalysisItem[], index: number, ids: readonly string[]) => {
    for (const { version, metrics, incomplete } of rows) {
      for (const id of ids) {
        if (!Object.hasOwn(metrics, id)) continue;
        const key = `${version} ${id}`;
        const line = held.get(key) ?? new Map<number, Held>();
        held.set(key, line.set(index, { value: metrics[id] ?? null, incomplete: incomplete?.[id] }));
      }
    }
  };
  for (const period of byPeriod(items)) {
    const index = indexOf(period[0] as AnalysisItem);
    let rows = period;
    hold(rows, index, named);
    for (const { name, node } of ordered) {
      rows = rows.map((item) => {
        const valueAt = (id: string, at: number) => held.get(`${item.version} ${id}`)?.get(at);
        const own = computedValue(node, index, valueAt, perYear, partial);
        return own ? withValue(item, name, own) : item;
      });
      hold(rows, index, [name]);
    }
    yield* rows;
    for (const line of held.values()) {
      for (const at of line.keys()) {
        if (at > index - back) break;
        line.delete(at);
      }
    }
  }
}

function withValue(item: AnalysisItem, name: string, { value, incomplete: months }: Held): AnalysisItem {
  const incomplete = months === undefined ? item.incomplete : { ...item.incomplete, [name]: months };
  const metrics = { ...item.metrics, [name]: value } as MetricSeriesItem['metrics'];
  return { ...item, metrics, ...(incomplete && { incomplete }) };
}

/** The rows from the range on, with those that the command itself compares with. */
function* startingAt(items: Iterable<AnalysisItem>, first: number): Generator<AnalysisItem> {
  for (const item of items) if (indexOf(item) >= first) yield item;
}
