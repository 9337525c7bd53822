/** `--total`: the companies as one, for metrics that add up. */

import type { Context } from '../../../cli/context.ts';
import type { MetricSeriesItem } from '../../../contract/metrics.ts';
import { sum } from '../../../core/decimal.ts';
import { usage } from '../../../core/errors.ts';
import { isNumeric, type Numeric } from '../../../core/json.ts';
import type { AnalysisItem } from '../../../domain/analysis/points.ts';
import { type Analysis, type CompanyPart, inOrder, type Metric } from './parts.ts';

/** Units of amounts that add up; averages and ratios of companies do not. */
const counts: ReadonlySet<string | undefined> = new Set(['count']);

export function addsUp({ currency, unit, aggregation }: Metric): boolean {
  return aggregation !== 'average' && (currency !== undefined || counts.has(unit));
}

/** The parts, and their total as the last. @throws Failure usage where their amounts are in several currencies */
export function withTotal(ctx: Context, parts: CompanyPart<Analysis>[]): CompanyPart<Analysis>[] {
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
  const items = new Map<string, AnalysisItem>();
  const held = new Map<string, { values: Numeric[]; names: string[]; incomplete?: string }>();
  for (const { who, value } of parts) {
    for (const item of value.items) {
      const place = `${item.periodKey} ${item.version}`;
      const { periodKey, periodType, version } = item;
      const months = [items.get(place)?.months, item.months].filter((count) => count !== undefined).sort()[0];
      items.set(place, {
        ...{ periodKey, periodType, version, source: null, updatedAt: null },
        metrics: {} as MetricSeriesItem['metrics'],
        ...(item.derived && { derived: item.derived }),
        ...(months !== undefined && { months }),
      });
      for (const id of metrics.keys()) {
        const own = item.metrics[id];
        if (!isNumeric(own)) continue;
        const key = `${place} ${id}`;
        const before = held.get(key) ?? { values: [], names: [] };
        const incomplete = item.incomplete?.[id] ?? before.incomplete;
        held.set(key, {
          values: [...before.values, own],
          names: [...before.names, who?.company ?? ''],
          ...(incomplete !== undefined && { incomplete }),
        });
      }
    }
  }
  const lacks = new Map<string, Set<string>>();
  for (const [place, item] of items) {
    const values: Record<string, Numeric> = {};
    const incomplete: Record<string, string> = {};
    for (const id of metrics.keys()) {
      const found = held.get(`${place} ${id}`);
      if (!found) continue;
      values[id] = sum(found.values);
      if (found.incomplete !== undefined) incomplete[id] = found.incomplete;
      for (const { who } of parts) {
        if (who && !found.names.includes(who.company))
          lacks.set(who.company, (lacks.get(who.company) ?? new Set()).add(`${id} of ${item.periodKey}`));
      }
    }
    items.set(place, {
      ...item,
      metrics: values as MetricSeriesItem['metrics'],
      ...(Object.keys(incomplete).length > 0 && { incomplete }),
    });
  }
  for (const [company, places] of lacks) {
    const [named, ...others] = places;
    ctx.out.warn(`the total lacks ${company}: no ${named}${others.length > 0 ? ` and ${others.length} more` : ''}`);
  }
  const value: Analysis = { ...first.value, items: [...items.values()].sort(inOrder), metrics: [...metrics.values()] };
  return [...parts, { who: { company: 'total' }, value }];
}
