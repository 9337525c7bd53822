/**
 * Rows of one period and version as one row. A page may end within a period, and two sources may share one, so that a
 * server gives a row in several parts: no value of any part is lost.
 */

import type { CompanyMetricSeriesResponse, MetricObservation, MetricSeriesItem } from '../../contract/metrics.ts';
import { latest, readDay, readInstant } from '../../core/periods.ts';
import { canonicalText, groupBy } from '../../core/same.ts';
import type { Keyed } from './plan.ts';

/** Two different values of one metric. The later one wins. */
export interface Conflict extends Keyed {
  metricId: string;
}

export type OnConflict = (conflict: Conflict) => void;

interface Item extends Keyed {
  metrics: Record<string, unknown>;
  source?: string | null;
  updatedAt?: string | null;
}

type Join<Row> = (parts: readonly Row[], onConflict: OnConflict) => Row;

/** The rows of pages in their order, the parts of a row joined, also those before a failure. */
export async function* joinedRows<Row extends Keyed>(
  pages: AsyncIterable<readonly Row[]>,
  keyOf: (row: Row) => string,
  join: Join<Row>,
  onConflict: OnConflict,
): AsyncGenerator<Row[]> {
  let pending: Row[] = [];
  const take = (rows: Row[]) => joinRows(rows, keyOf, (parts) => join(parts, onConflict));
  try {
    for await (const page of pages) {
      const last = page.at(-1)?.periodKey;
      const open = page.findLastIndex(({ periodKey }) => periodKey !== last) + 1;
      if (last === undefined) continue;
      const rows = pending.concat(page.slice(0, open));
      if (open === 0 && pending[0]?.periodKey === last) {
        pending = rows.concat(page);
        continue;
      }
      pending = page.slice(open);
      if (rows.length > 0) yield take(rows);
    }
  } catch (error) {
    if (pending.length > 0) yield take(pending);
    throw error;
  }
  if (pending.length > 0) yield take(pending);
}

function joinRows<Row extends Keyed>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  join: (parts: readonly Row[]) => Row,
): Row[] {
  const joined: Row[] = [];
  for (let start = 0; start < rows.length; ) {
    const first = rows[start] as Row;
    let end = start + 1;
    while (rows[end]?.periodKey === first.periodKey) end += 1;
    if (end === start + 1) joined.push(first);
    else {
      for (const parts of groupBy(rows.slice(start, end), keyOf).values()) {
        joined.push(parts.length === 1 ? (parts[0] as Row) : join(parts));
      }
    }
    start = end;
  }
  return joined;
}

/** The parts of one row as one: all metrics, the sources, and the newest time. */
export function joinItems<Row extends Item>(parts: readonly Row[], onConflict: OnConflict = () => {}): Row {
  const [first] = parts as readonly [Row, ...Row[]];
  const merged = new Map<string, { value: unknown; at: number }>();
  for (const part of parts) {
    const at = timeOf(part);
    for (const [metricId, value] of Object.entries(part.metrics)) {
      const before = merged.get(metricId);
      if (before && !isSame(before.value, value)) {
        onConflict({ periodKey: first.periodKey, version: first.version, metricId });
      }
      if (!before || wins({ value, at }, before)) merged.set(metricId, { value, at });
    }
  }
  const sources = [...new Set(parts.map(({ source }) => source).filter((source) => source != null))];
  const times = parts.map(({ updatedAt }) => updatedAt).filter((time) => time != null);
  return {
    ...first,
    metrics: Object.fromEntries([...merged].map(([metricId, { value }]) => [metricId, value])),
    ...(sources.length > 0 ? { source: sources.join(', ') } : {}),
    ...(times.length > 0 ? { updatedAt: latest(times) } : {}),
  };
}

/** Joins the observations of one period, version and metric. */
export function joinObservations(parts: readonly MetricObservation[], onConflict: OnConflict): MetricObservation {
  return parts.reduce((merged, part) => {
    if (!isSame(merged.value, part.value)) onConflict(part);
    return wins({ value: part.value, at: timeOf(part) }, { value: merged.value, at: timeOf(merged) }) ? part : merged;
  });
}

/** Whether the next value replaces the current one: the later one wins, and at the same time a value outranks none. */
function wins(next: { value: unknown; at: number }, current: { value: unknown; at: number }): boolean {
  if (next.at !== current.at) return next.at > current.at;
  return (current.value ?? null) === null && (next.value ?? null) !== null;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || canonicalText(a ?? null) === canonicalText(b ?? null);
}

function timeOf({ updatedAt }: { updatedAt?: string | null }): number {
  return readInstant(updatedAt ?? '') ?? readDay(updatedAt ?? '') ?? Number.NEGATIVE_INFINITY;
}

/** The rows of an API that answers with observations only. */
function itemsOf(observations: readonly MetricObservation[]): MetricSeriesItem[] {
  return observations.map(({ periodKey, periodType, version, metricId, value, source, updatedAt }) => ({
    periodKey,
    periodType,
    version,
    // Absent is not null.
    metrics: value === undefined ? {} : Object.fromEntries([[metricId, value]]),
    ...(source !== undefined && { source }),
    ...(updatedAt !== undefined && { updatedAt }),
  }));
}

/** The values of an API that answers with rows only. Units are not in them. */
function observationsOf(items: readonly MetricSeriesItem[]): MetricObservation[] {
  return items.flatMap(({ metrics, periodKey, periodType, version, source, updatedAt }) =>
    Object.entries(metrics).map(([metricId, value]) => ({
      metricId,
      value,
      periodKey,
      periodType,
      version,
      sourceBoundary: 'company_internal' as const,
      ...(source !== undefined && { source }),
      ...(updatedAt !== undefined && { updatedAt }),
    })),
  );
}

/** Rows are in a response twice: by period and version, and by value. One half is read, the other where it is empty. */
export interface Half<Row extends Keyed> {
  rowsOf(page: Partial<CompanyMetricSeriesResponse>): readonly Row[];
  keyOf(row: Row): string;
  join: Join<Row>;
  array: 'items' | 'observations';
}

export const items: Half<MetricSeriesItem> = {
  rowsOf: (page) => (page.items?.length ? page.items : itemsOf(page.observations ?? [])),
  keyOf: (row) => row.version,
  join: joinItems,
  array: 'items',
};

export const observations: Half<MetricObservation> = {
  rowsOf: (page) => (page.observations?.length ? page.observations : observationsOf(page.items ?? [])),
  keyOf: (row) => `${row.version} ${row.metricId}`,
  join: joinObservations,
  array: 'observations',
};
