/**
 * Quarters and years derived from months (actuals exist by month only). Each metric is aggregated as the catalog says, or
 * as the user chose for it. A value from fewer months than the period holds is marked; a missing one stays missing.
 */

import type { MetricDefinition, MetricSeriesItem } from '../../contract/metrics.ts';
import { average, compare, sum } from '../../core/decimal.ts';
import { Failure, usage } from '../../core/errors.ts';
import { isNumeric, type Numeric } from '../../core/json.ts';
import type { PeriodType } from '../../core/periods.ts';
import { formatPeriod, latest, monthsIn, type Period, parsePeriod, periodHolding } from '../../core/periods.ts';
import { type Aggregation, aggregations } from './plan.ts';
import type { Marked, SeriesItem } from './shapes.ts';

type Month = MetricSeriesItem & Marked;

/** Aggregations that need no choice where the catalog names them. */
const fromCatalog: readonly Aggregation[] = ['sum', 'average', 'last'];

/** Units and semantics of values that are shares or quotients: their sum means nothing. */
const ratioWords: ReadonlySet<string> = new Set(['percent', 'percentage', 'ratio', 'rate', '%']);

interface AggregationOptions {
  choice?(id: string, aggregation: Aggregation): string;
  /** Takes the metrics that would be refused. */
  leaveOut?(ids: string[]): void;
}

/** The aggregation of each metric. @throws usage where neither the catalog nor the user says it, and for sums of ratios */
export function aggregationOf(
  ids: Iterable<string>,
  definitions: readonly Partial<MetricDefinition>[],
  chosen: ReadonlyMap<string, Aggregation>,
  { choice = (id, aggregation) => `${id}=${aggregation}`, leaveOut }: AggregationOptions = {},
): Map<string, Aggregation> {
  const byId = new Map(definitions.map((definition) => [definition.metricId, definition]));
  const known = new Map<string, Aggregation>();
  const unknown: string[] = [];
  for (const id of ids) {
    const definition = byId.get(id);
    const aggregation = chosen.get(id) ?? fromCatalog.find((name) => name === definition?.aggregation);
    const ratio = aggregation === 'sum' ? ratioOf(definition) : undefined;
    if (aggregation && ratio === undefined) known.set(id, aggregation);
    else if (leaveOut || ratio === undefined) unknown.push(id);
    else {
      throw usage(
        `cannot sum ${id}: it is a ${ratio}, and such a sum means nothing`,
        `choose ${choice(id, 'average')} or ${choice(id, 'last')}`,
      );
    }
  }
  const [first] = unknown;
  if (first === undefined) return known;
  if (leaveOut) leaveOut(unknown);
  else {
    const wordOf = (id: string) => byId.get(id)?.aggregation;
    const names = unknown.map((id) => (wordOf(id) ? `${id} (the catalog says ${wordOf(id)})` : id));
    throw usage(
      `the catalog does not say how months of ${names.join(', ')} become a quarter or year`,
      `choose one: ${choice(first, 'sum')} (or ${aggregations.slice(1).join(', ')})`,
    );
  }
  return known;
}

/** The word of the catalog that makes a metric a ratio. */
function ratioOf(definition: Partial<MetricDefinition> | undefined): string | undefined {
  const words = [definition?.unit, definition?.unitLabel, definition?.valueSemantics];
  return words.find((word): word is string => typeof word === 'string' && ratioWords.has(word.toLowerCase()));
}

/** The rows of a coarser grain, in the order of their first months, with the metrics that have an aggregation. */
export function derive(
  months: Iterable<Month>,
  type: Exclude<PeriodType, 'month'>,
  metrics: ReadonlyMap<string, Aggregation>,
): SeriesItem[] {
  const groups = new Map<string, { period: Period; rows: Month[] }>();
  for (const row of months) {
    const month = parsePeriod(row.periodKey);
    const period = month?.type === 'month' ? periodHolding(month, type) : undefined;
    if (!period) throw new Failure('rejected', `the series holds ${row.periodKey}, which is not a month`);
    const key = `${period.index} ${row.version}`;
    const group = groups.get(key) ?? { period, rows: [] };
    groups.set(key, group);
    group.rows.push(row);
  }
  return [...groups.values()].map(({ period, rows }) => ofVersion(period, rows, metrics));
}

function ofVersion(period: Period, rows: readonly Month[], metrics: ReadonlyMap<string, Aggregation>): SeriesItem {
  const inOrder = [...rows].sort(byMonth);
  // A month that has not ended gives its value, and does not count as one of the months.
  const ended = inOrder.filter(({ months }) => months === undefined);
  const all = monthsIn[period.type];
  const values: Record<string, Numeric | null> = {};
  const incomplete: Record<string, string> = {};
  for (const [id, aggregation] of metrics) {
    const present = inOrder.filter((row) => Object.hasOwn(row.metrics, id)).map((row) => row.metrics[id] ?? null);
    if (present.length === 0) continue;
    const numbers = present.filter((value): value is number => isNumeric(value));
    values[id] = aggregate(aggregation, numbers);
    const count = ended.filter((row) => Object.hasOwn(row.metrics, id) && isNumeric(row.metrics[id])).length;
    if (count < all) incomplete[id] = `${count}/${all}`;
  }
  const times = inOrder.flatMap(({ updatedAt }) => updatedAt ?? []);
  const sources = [...new Set(inOrder.flatMap(({ source }) => source ?? []))];
  return {
    periodKey: formatPeriod(period),
    periodType: period.type,
    version: (inOrder[0] as MetricSeriesItem).version,
    // The contract has plain numbers; longer ones stay exact.
    metrics: values as MetricSeriesItem['metrics'],
    source: sources.length > 0 ? sources.join(', ') : null,
    updatedAt: latest(times),
    derived: true,
    months: `${new Set(ended.map((row) => row.periodKey)).size}/${all}`,
    incomplete,
  };
}

export function withMonths<Item extends MetricSeriesItem>(
  items: readonly Item[],
  months: readonly Month[],
  type: PeriodType,
  metrics: ReadonlyMap<string, Aggregation>,
) {
  return items.map((item) => {
    const period = parsePeriod(item.periodKey);
    const rows = months.filter(({ periodKey, version }) => {
      const month = parsePeriod(periodKey);
      return version === item.version && month && periodHolding(month, type)?.index === period?.index;
    });
    const monthly = (id: string) => {
      const aggregation = metrics.get(id);
      return aggregation && monthlyValues(rows, id, type, aggregation);
    };
    return { ...item, monthly };
  });
}

/** The months that have a value of a metric. @param rows of one period and version */
function monthlyValues(rows: readonly Month[], id: string, type: PeriodType, aggregation: Aggregation) {
  const byPosition = new Map(
    [...rows].sort(byMonth).flatMap((row) => {
      const value = Object.hasOwn(row.metrics, id) ? row.metrics[id] : undefined;
      const month = parsePeriod(row.periodKey)?.index ?? 0;
      return isNumeric(value) ? [[month % monthsIn[type], value] as const] : [];
    }),
  );
  return {
    positions: [...byPosition.keys()],
    over(positions: readonly number[]): Numeric | null | undefined {
      const values = positions.map((position) => byPosition.get(position)).filter(isNumeric);
      return values.length < positions.length ? undefined : aggregate(aggregation, values);
    },
  };
}

const byMonth = (a: Month, b: Month) => (a.periodKey < b.periodKey ? -1 : 1);

/** The aggregate of numbers; null, never zero, where all months of the period are null. */
function aggregate(aggregation: Aggregation, numbers: readonly Numeric[]): Numeric | null {
  if (numbers.length === 0) return null;
  switch (aggregation) {
    case 'sum':
      return sum(numbers);
    case 'average':
      return average(numbers);
    case 'last':
      return numbers.at(-1) ?? null;
    case 'first':
      return numbers[0] ?? null;
    case 'min':
      return numbers.reduce((a, b) => (compare(b, a) < 0 ? b : a));
    case 'max':
      return numbers.reduce((a, b) => (compare(b, a) > 0 ? b : a));
  }
}
