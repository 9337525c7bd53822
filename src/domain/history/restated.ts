/** Values of series that changed after they were first seen, and what had been published of them. */
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { isNumeric, type Numeric, numeric } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import { type NumberChange, numberChange } from '../analysis/difference.ts';
import { instantOf, type SyncTimes } from './stays.ts';
import { linesOf, stepsOf } from './steps.ts';
import type { Point, Resource, Version } from './versions.ts';

/** A number replaced another one, came where none was, or went without another one. */
type ValueChangeKind = 'restated' | 'filled' | 'withdrawn';

export interface ValueChange
  extends NumberChange,
    Pick<Point, 'companyId' | 'metricId' | 'periodType' | 'periodKey' | 'version'> {
  kind: ValueChangeKind;
  /** Undefined: the series had no such value. */
  before: Numeric | null | undefined;
  after: Numeric | null | undefined;
  /** The last sync that did not see the change, and the one that did. */
  notBefore: string | null;
  seen: string;
  /** When the API says that the value was written, where that lies between the two. */
  at: string | null;
  source: string | null;
  /** The number of this change of the value, and how many there are. */
  change: number;
  changes: number;
}

/**
 * @param points by metric, version, period and time; all versions of them
 * @param timesOf of the syncs that read a point
 */
export async function* valueChanges(
  points: AsyncIterable<Version<Point>>,
  timesOf: (point: Point) => SyncTimes | Promise<SyncTimes>,
): AsyncGenerator<ValueChange> {
  for await (const line of linesOf(points, identityOf)) {
    const [first] = line;
    if (first && (line.length > 1 || first.seenTo !== undefined)) yield* valueSteps(line, await timesOf(first.value));
  }
}

export function identityOf({ companyId, metricId, version, periodType, periodKey }: Point): string {
  return JSON.stringify([companyId, metricId, version, periodType, periodKey]);
}

function keyOf(periodKey: string, metricId: string): string {
  return JSON.stringify([periodKey, metricId]);
}

export function numberOf(value: string | null): Numeric | null {
  return value === null ? null : numeric(value);
}

/** The first value of a line is no change. */
function valueSteps(line: readonly Version<Point>[], syncs: SyncTimes): ValueChange[] {
  const steps = stepsOf(line, syncs, ({ updatedAt }) => updatedAt).slice(1);
  const changes = steps.flatMap((step): Omit<ValueChange, 'change' | 'changes'>[] => {
    const [before, after] = [step.before, step.after].map((point) => point && numberOf(point.value));
    if (sameValue(before, after)) return [];
    const { companyId, metricId, periodType, periodKey, version } = step.after ?? (step.before as Point);
    const { notBefore, seen, when: at } = step;
    const kind = !isNumeric(before) ? 'filled' : isNumeric(after) ? 'restated' : 'withdrawn';
    return [
      {
        ...{ companyId, metricId, periodType, periodKey, version, kind, before, after },
        ...{ ...numberChange(before, after), notBefore, seen, at, source: step.after?.source ?? null },
      },
    ];
  });
  return changes.map((each, index) => ({ ...each, change: index + 1, changes: changes.length }));
}

/** A value in a report that was sent. */
export interface SentValue {
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

/** Whether the series and the newest report agree. */
export type Standing = 'agrees' | 'differs' | 'not published';

export function standing(sent: SentValue | undefined, value: Numeric | null | undefined): Standing {
  if (sent === undefined) return 'not published';
  return sameValue(sent.value, value) ? 'agrees' : 'differs';
}
