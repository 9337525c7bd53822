/** The values that companies published. */
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { isNumeric, type Numeric, numeric } from '../../core/json.ts';
import { instantOf } from './stays.ts';
import type { Point, Resource, Version } from './versions.ts';

export function identityOf({ companyId, metricId, version, periodType, periodKey }: Point): string {
  return JSON.stringify([companyId, metricId, version, periodType, periodKey]);
}

function keyOf(periodKey: string, metricId: string): string {
  return JSON.stringify([periodKey, metricId]);
}

export function numberOf(value: string | null): Numeric | null {
  return value === null ? null : numeric(value);
}

/** A value in a report that was sent. */
interface SentValue {
  value: Numeric | null;
  versionNumber: number;
  sentAt: string;
}

/** Sorts by instant, whatever the offset. */
function bySending(a: SentValue, b: SentValue): number {
  return (instantOf(a.sentAt) ?? 0) - (instantOf(b.sentAt) ?? 0) || a.versionNumber - b.versionNumber;
}

/** The values that a company published, by period and metric, in order of sending. */
export class Publications {
  private readonly found = new Map<string, SentValue[]>();

  constructor(snapshots: Iterable<Version<Resource>>) {
    for (const { value } of snapshots) this.add(value.body);
    for (const sent of this.found.values()) sent.sort(bySending);
  }

  get size(): number {
    return this.found.size;
  }

  /** The value that a reader of the period found at a time (default: finds); undefined: nothing was sent. */
  at(periodKey: string, metricId: string, time?: number): SentValue | undefined {
    return this.found
      .get(keyOf(periodKey, metricId))
      ?.findLast(({ sentAt }) => time === undefined || (instantOf(sentAt) ?? 0) <= time);
  }

  /** Each period and metric that was sent. */
  *all(): Generator<{ periodKey: string; metricId: string; sent: readonly SentValue[] }> {
    for (const [key, sent] of this.found) {
      const [periodKey, metricId] = JSON.parse(key) as [string, string];
      yield { periodKey, metricId, sent };
    }
  }

  private add({ periodKey = '', sentAt = '', versionNumber = 0, data = {} }: PublishedPeriod): void {
    for (const [metricId, value] of Object.entries(data)) {
      if (value !== null && !isNumeric(value)) continue;
      const key = keyOf(periodKey, metricId);
      const known = this.found.get(key) ?? [];
      const number = Number(versionNumber);
      if (!known.some((sent) => sent.versionNumber === number)) known.push({ value, versionNumber: number, sentAt });
      this.found.set(key, known);
    }
  }
}
