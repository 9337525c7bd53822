/**
 * Rows and values for periods that have none. No row, null and 0 are three things: what the API gave stays as it is,
 * and only what is missing is filled.
 */

import type { MetricSeriesItem, Version } from '../../contract/metrics.ts';
import { formatPeriod, monthsIn, type Period, runningMonths } from '../../core/periods.ts';
import { type Fill, type Order, periodOf } from './plan.ts';

export interface FillRules {
  /** `rows`: a row for each period without any, its values missing. */
  fill: Exclude<Fill, 'none'> | 'rows';
  /** The metrics that every row must hold. */
  ids: readonly string[];
  /** The versions that every period must have, in their order. */
  versions: readonly Version[];
  /** The first and the last period to fill, in the grain of the rows; default: those of the rows. */
  from?: Period | undefined;
  to?: Period | undefined;
  order: Order;
  /** The current period: actuals of later ones are not missing, they are in the future. */
  newest: Period;
  /** A series without any row stays without rows. */
  orNone?: boolean;
  /** The rows are derived from months. */
  derived: boolean;
}

type Row = MetricSeriesItem & { derived?: true; months?: string; incomplete?: Record<string, string> };
type Metrics = MetricSeriesItem['metrics'];

/** Fills missing rows and values. `prev` fills from earlier periods: a descending series is read completely first. */
export async function* fillRows<R extends MetricSeriesItem>(
  rows: AsyncIterable<R>,
  rules: FillRules,
): AsyncGenerator<Row> {
  if (rules.fill === 'prev' && rules.order === 'desc') {
    const periods: Row[][] = [];
    for await (const period of byPeriod(rows)) periods.unshift(period);
    const filled: Row[][] = [];
    const ascending = (async function* () {
      for (const period of periods) yield* period;
    })();
    for await (const period of filledPeriods(ascending, { ...rules, order: 'asc' })) filled.unshift(period);
    for (const period of filled) yield* period;
    return;
  }
  for await (const period of filledPeriods(rows, rules)) yield* period;
}

/** The rows of each period, of rows in order. */
export async function* byPeriod<Row extends { periodKey: string }>(
  rows: AsyncIterable<Row> | Iterable<Row>,
): AsyncGenerator<Row[]> {
  let period: Row[] = [];
  for await (const row of rows) {
    if (period[0] && period[0].periodKey !== row.periodKey) {
      yield period;
      period = [];
    }
    period.push(row);
  }
  if (period.length > 0) yield period;
}

async function* filledPeriods(rows: AsyncIterable<MetricSeriesItem>, rules: FillRules): AsyncGenerator<Row[]> {
  const { order, from, to } = rules;
  const step = order === 'asc' ? 1 : -1;
  const [first, last] = order === 'asc' ? [from, to] : [to, from];
  const complete = filler(rules);
  let empty = true;
  let next = first?.index;
  for await (const group of byPeriod(rows)) {
    const period = periodOf(group[0] as Row);
    next ??= period.index;
    empty = false;
    for (; (period.index - next) * step > 0; next += step) yield complete({ type: period.type, index: next }, []);
    yield complete(period, group);
    next = period.index + step;
  }
  // A series without any row stays empty where that is an answer.
  if (next === undefined || last === undefined || (empty && rules.orNone)) return;
  for (; (last.index - next) * step >= 0; next += step) yield complete({ type: last.type, index: next }, []);
}

/** Completes one period. For `prev` it is called in the order of time. */
function filler(rules: FillRules): (period: Period, rows: readonly Row[]) => Row[] {
  const { fill, ids, versions, newest, derived } = rules;
  const values = new Map<string, Metrics>();
  const completed = (row: Row): Row => {
    const before = values.get(row.version) ?? {};
    const metrics: Metrics = { ...row.metrics };
    for (const id of ids) {
      if (fill === 'rows' || Object.hasOwn(metrics, id)) continue;
      metrics[id] = fill === 'zero' ? 0 : fill === 'prev' && Object.hasOwn(before, id) ? (before[id] ?? null) : null;
    }
    values.set(row.version, metrics);
    return { ...row, metrics };
  };
  return (period, rows) => {
    // Every period that was counted has its row.
    const late = fill !== 'rows' && period.index > newest.index;
    const running = !derived && period.type === 'month' && period.index >= newest.index;
    const due = versions.filter((version) => !(late && version === 'actual'));
    const byVersion = new Map<string, Row>(rows.map((row) => [row.version, row]));
    const missing = (version: Version): Row => ({
      periodKey: formatPeriod(period),
      periodType: period.type,
      version,
      metrics: {},
      source: null,
      updatedAt: null,
      ...(derived ? { derived: true as const, months: `0/${monthsIn[period.type]}`, incomplete: {} } : {}),
      ...(running && version === 'actual' ? { months: runningMonths } : {}),
    });
    const others = rows.filter(({ version }) => !due.includes(version));
    return [...due.map((version) => byVersion.get(version) ?? missing(version)), ...others].map(completed);
  };
}
