/** `--total`: the companies as one, for metrics that add up. */

import type { Context } from '../../../cli/context.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { sum } from '../../../core/decimal.ts';
import { usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { inOrder, keptItems } from './items.ts';
import type { Analysis, CompanyPart, Metric } from './parts.ts';

/** Amounts and counts add up; averages and ratios of companies do not, whatever their unit. */
export function addsUp({ currency, measure, aggregation, isRatio }: Metric): boolean {
  return aggregation !== 'average' && !isRatio && (currency !== undefined || measure === 'count');
}

/** The parts, and their total as the last. @throws Failure usage where their amounts are in several currencies */
export async function withTotal(ctx: Context, parts: CompanyPart<Analysis>[]): Promise<CompanyPart<Analysis>[]> {
  const [first] = parts;
  if (!first || parts[0]?.who === undefined)
    throw usage('--total adds companies, and there is one', 'name more with -c');
  const metrics = new Map<string, Metric>();
  for (const { value } of parts)
    for (const metric of value.metrics) if (addsUp(metric)) metrics.set(metric.id, metrics.get(metric.id) ?? metric);
  const currencies = new Set(
    parts.flatMap(({ value }) => value.metrics.flatMap((metric) => (addsUp(metric) ? (metric.currency ?? []) : []))),
  );
  if (currencies.size > 1) {
    throw usage(
      `--total cannot add amounts in ${[...currencies].join(' and ')}`,
      'convert them with --in CURRENCY --rates FILE',
    );
  }
  const lacks = new Map<string, { first: string; count: number }>();
  const onLack = (company: string, place: string) => {
    const before = lacks.get(company);
    lacks.set(company, { first: before?.first ?? place, count: (before?.count ?? 0) + 1 });
  };
  const items = await keptItems(ctx, totals(parts, [...metrics.keys()], onLack));
  for (const [company, { first: named, count }] of lacks) {
    ctx.out.warn(`the total lacks ${company}: no ${named}${count > 1 ? ` and ${count - 1} more` : ''}`);
  }
  const value: Analysis = { ...first.value, items, metrics: [...metrics.values()] };
  return [...parts, { who: { company: 'total' }, value }];
}

interface Found {
  company: string;
  item: AnalysisItem;
}

/** The sums of each period and version. @param onLack called once for a metric of a company that others have then */
function* totals(
  parts: readonly CompanyPart<Analysis>[],
  ids: readonly string[],
  onLack: (company: string, place: string) => void,
): Generator<AnalysisItem> {
  let lacking = new Set<string>();
  let current: string | undefined;
  for (const found of samePlaces(parts)) {
    const { periodKey, periodType, version, derived } = (found.at(-1) as Found).item;
    if (periodKey !== current) lacking = new Set();
    current = periodKey;
    const values: Record<string, Numeric> = {};
    const incomplete: Record<string, string> = {};
    for (const id of ids) {
      const held = found.filter(({ item: { metrics } }) => isNumeric(metrics[id]));
      if (held.length === 0) continue;
      values[id] = sum(held.map(({ item: { metrics } }) => metrics[id] as Numeric));
      const months = held.map(({ item }) => item.incomplete?.[id]).findLast((count) => count !== undefined);
      if (months !== undefined) incomplete[id] = months;
      for (const { who } of parts) {
        if (!who || held.some(({ company }) => company === who.company)) continue;
        const key = `${who.company} ${id}`;
        if (!lacking.has(key)) onLack(who.company, `${id} of ${periodKey}`);
        lacking.add(key);
      }
    }
    const [months] = found.flatMap(({ item }) => item.months ?? []).sort();
    yield {
      ...{ periodKey, periodType, version, source: null, updatedAt: null },
      metrics: values as MetricSeriesItem['metrics'],
      ...(derived && { derived }),
      ...(months !== undefined && { months }),
      ...(Object.keys(incomplete).length > 0 && { incomplete }),
    };
  }
}

/** The rows of all companies that are of one period and version. */
function* samePlaces(parts: readonly CompanyPart<Analysis>[]): Generator<Found[]> {
  const sources = parts.map(({ who, value: { items } }) => {
    const rows = items[Symbol.iterator]();
    return { company: who?.company ?? '', rows, next: rows.next() };
  });
  for (;;) {
    const left = sources.flatMap(({ next }) => (next.done ? [] : [next.value]));
    const [first] = left;
    if (!first) return;
    const place = left.reduce((a, b) => (inOrder(b, a) < 0 ? b : a));
    const found: Found[] = [];
    for (const source of sources) {
      for (; !source.next.done && inOrder(source.next.value, place) === 0; source.next = source.rows.next()) {
        found.push({ company: source.company, item: source.next.value });
      }
    }
    yield found;
  }
}
