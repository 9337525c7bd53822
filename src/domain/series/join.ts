/** The parts of one row as one row, of those values that were written last. Loaded where a row comes in parts. */

import type { MetricObservation } from '../../contract/metrics.ts';
import { latest, readDay, readInstant } from '../../core/periods.ts';
import { canonicalText } from '../../core/same.ts';
import type { Keyed } from './plan.ts';

/** Two different values of one metric, of which the one that was written later is kept. */
export interface Conflict extends Keyed {
  metricId: string;
}

export type OnConflict = (conflict: Conflict) => void;

interface Item extends Keyed {
  metrics: Record<string, unknown>;
  source?: string | null;
  updatedAt?: string | null;
}

/** The parts of one row as one: all metrics, the sources, and the newest time. */
export function joinItems<Row extends Item>(parts: readonly Row[], onConflict: OnConflict = () => {}): Row {
  const [first] = parts as readonly [Row, ...Row[]];
  const found = new Map<string, { value: unknown; at: number }>();
  for (const part of parts) {
    const at = timeOf(part);
    for (const [metricId, value] of Object.entries(part.metrics)) {
      const before = found.get(metricId);
      if (before && !isSame(before.value, value)) {
        onConflict({ periodKey: first.periodKey, version: first.version, metricId });
      }
      if (!before || wins({ value, at }, before)) found.set(metricId, { value, at });
    }
  }
  const sources = [...new Set(parts.map(({ source }) => source).filter((source) => source != null))];
  const times = parts.map(({ updatedAt }) => updatedAt).filter((time) => time != null);
  return {
    ...first,
    metrics: Object.fromEntries([...found].map(([metricId, { value }]) => [metricId, value])),
    ...(sources.length > 0 ? { source: sources.join(', ') } : {}),
    ...(times.length > 0 ? { updatedAt: latest(times) } : {}),
  };
}

/** The observation of one value, of those that name the same period, version and metric. */
export function joinObservations(parts: readonly MetricObservation[], onConflict: OnConflict): MetricObservation {
  return parts.reduce((kept, part) => {
    if (!isSame(kept.value, part.value)) onConflict(part);
    return wins({ value: part.value, at: timeOf(part) }, { value: kept.value, at: timeOf(kept) }) ? part : kept;
  });
}

/** Without a time, or at the same one, a value outranks none, and else the first stays. */
function wins(next: { value: unknown; at: number }, kept: { value: unknown; at: number }): boolean {
  if (next.at !== kept.at) return next.at > kept.at;
  return (kept.value ?? null) === null && (next.value ?? null) !== null;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || canonicalText(a ?? null) === canonicalText(b ?? null);
}

function timeOf({ updatedAt }: { updatedAt?: string | null }): number {
  return readInstant(updatedAt ?? '') ?? readDay(updatedAt ?? '') ?? Number.NEGATIVE_INFINITY;
}
