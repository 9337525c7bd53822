/**
 * Rows and values for periods that have none. No row, null and 0 are three things: what the API gave stays as it is,
 * and only what is missing is filled.
 */

import type { Version } from '../../contract/metrics.ts';
import { formatPeriod, monthsIn, type Period, runningMonths } from '../../core/periods.ts';
import { type Fill, periodOf } from './plan.ts';
import type { SeriesItem } from './shapes.ts';

export interface FillRules {
  /** `rows`: a row for each period without any, its values missing. */
  fill: Exclude<Fill, 'none'> | 'rows';
  ids: readonly string[];
  /** The versions that every period must have, in their order. */
  versions: readonly Version[];
  /** The first and the last period to fill, in the grain of the rows; default: those of the rows. */
  from?: Period | undefined;
  to?: Period | undefined;
  /** The current period: actuals of later ones are not missing, they are in the future. */
  newest: Period;
  derived: boolean;
}

type Metrics = SeriesItem['metrics'];

/** The rows, oldest first, with those that are missing. */
export function fillRows(rows: readonly SeriesItem[], { from, to, ...rules }: FillRules): SeriesItem[] {
  const byIndex = new Map<number, SeriesItem[]>();
  let type = (from ?? to ?? rules.newest).type;
  for (const row of rows) {
    const period = periodOf(row);
    type = period.type;
    byIndex.set(period.index, [...(byIndex.get(period.index) ?? []), row]);
  }
  const indexes = [...byIndex.keys()].sort((a, b) => a - b);
  const first = Math.min(from?.index ?? Number.POSITIVE_INFINITY, indexes[0] ?? Number.POSITIVE_INFINITY);
  const last = Math.max(to?.index ?? Number.NEGATIVE_INFINITY, indexes.at(-1) ?? Number.NEGATIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY || last === Number.NEGATIVE_INFINITY) return [];
  const complete = filler(rules);
  return Array.from({ length: last - first + 1 }, (_, step) =>
    complete({ type, index: first + step }, byIndex.get(first + step) ?? []),
  ).flat();
}

/** Completes one period. For `prev` it is called in the order of time. */
function filler(rules: FillRules): (period: Period, rows: readonly SeriesItem[]) => SeriesItem[] {
  const { fill, ids, versions, newest, derived } = rules;
  const values = new Map<string, Metrics>();
  const completed = (row: SeriesItem): SeriesItem => {
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
    // A row is due for every counted period, also a future one.
    const late = fill !== 'rows' && period.index > newest.index;
    const running = !derived && period.type === 'month' && period.index >= newest.index;
    const due = versions.filter((version) => !(late && version === 'actual'));
    const byVersion = new Map<string, SeriesItem>(rows.map((row) => [row.version, row]));
    const missing = (version: Version): SeriesItem => ({
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
