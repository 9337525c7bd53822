/** Values of series that changed after they were first seen, and what had been published of them. */
import type { PublishedPeriod } from '../../contract/metrics.ts';
import { difference, magnitude, quotient } from '../../core/decimal.ts';
import { isNumeric, type Numeric, numeric } from '../../core/json.ts';
import { sameValue } from '../../core/same.ts';
import { percent } from '../analysis/growth.ts';
import { instantOf, type SyncTimes } from './stays.ts';
import type { Point, Resource, Version } from './versions.ts';

/** A number replaced another one, came where none was, or went without another one. */
export type ValueChangeKind = 'restated' | 'filled' | 'withdrawn';

export interface ValueChange extends Pick<Point, 'companyId' | 'metricId' | 'periodType' | 'periodKey' | 'version'> {
  kind: ValueChangeKind;
  /** Undefined: the series had no such value. */
  before: Numeric | null | undefined;
  after: Numeric | null | undefined;
  difference: Numeric | null;
  percent: Numeric | null;
  /** The last sync that did not see the change, and the one that did. */
  notBefore: string | null;
  seen: string;
  /** When the API says that the value was written, where that lies between the two. */
  at: string | null;
  source: string | null;
  /** Which change of this value it is, and how many there are. */
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
  for await (const line of linesOf(points)) {
    const [first] = line;
    if (first && (line.length > 1 || first.seenTo !== undefined)) yield* changesOf(line, await timesOf(first.value));
  }
}

/** The versions of each point together. */
export async function* linesOf(points: AsyncIterable<Version<Point>>): AsyncGenerator<Version<Point>[]> {
  let line: Version<Point>[] = [];
  for await (const version of points) {
    const [first] = line;
    if (first && identityOf(first.value) !== identityOf(version.value)) {
      yield line;
      line = [];
    }
    line.push(version);
  }
  if (line.length > 0) yield line;
}

function identityOf({ companyId, metricId, version, periodType, periodKey }: Point): string {
  return JSON.stringify([companyId, metricId, version, periodType, periodKey]);
}

function keyOf(periodKey: string, metricId: string): string {
  return JSON.stringify([periodKey, metricId]);
}

export function numberOf(value: string | null): Numeric | null {
  return value === null ? null : numeric(value);
}

function changesOf(line: readonly Version<Point>[], syncs: SyncTimes): ValueChange[] {
  const found: Omit<ValueChange, 'change' | 'changes'>[] = [];
  const add = (point: Point, before: Numeric | null | undefined, after: Numeric | null | undefined, seen: string) => {
    if (sameValue(before, after)) return;
    const { companyId, metricId, periodType, periodKey, version, source } = point;
    const [had, has] = [isNumeric(before), isNumeric(after)];
    const gap = isNumeric(after) && isNumeric(before) ? difference(after, before) : null;
    const last = syncs.before(instantOf(seen) ?? 0);
    found.push({
      ...{ companyId, metricId, periodType, periodKey, version, before, after },
      kind: had && has ? 'restated' : has ? 'filled' : 'withdrawn',
      difference: gap,
      percent: gap !== null && isNumeric(before) ? percent(quotient(gap, magnitude(before))) : null,
      notBefore: last === undefined ? null : new Date(last).toISOString(),
      seen,
      at: after === undefined ? null : writtenIn(point.updatedAt, last, seen),
      source: after === undefined ? null : (source ?? null),
    });
  };
  let last: Version<Point> | undefined;
  let value: Numeric | null | undefined;
  for (const version of line) {
    const gone = last?.seenTo !== undefined && last.seenTo < version.seenFrom;
    if (last && gone) {
      add(last.value, value, undefined, last.seenTo ?? '');
      value = undefined;
    }
    const next = numberOf(version.value.value);
    if (last) add(version.value, value, next, version.seenFrom);
    [last, value] = [version, next];
  }
  if (last?.seenTo !== undefined) add(last.value, value, undefined, last.seenTo);
  return found.map((each, index) => ({ ...each, change: index + 1, changes: found.length }));
}

function writtenIn(updatedAt: string | null | undefined, after: number | undefined, seen: string): string | null {
  const [at, high] = [instantOf(updatedAt ?? undefined), instantOf(seen)];
  if (at === undefined || high === undefined) return null;
  return at <= high && at > (after ?? at - 1) ? (updatedAt ?? null) : null;
}

/** A value in a report that was sent. */
export interface SentValue {
  value: Numeric | null;
  versionNumber: number;
  sentAt: string;
}

/** By time, whatever offset it is written with. */
function bySending(a: SentValue, b: SentValue): number {
  return (instantOf(a.sentAt) ?? 0) - (instantOf(b.sentAt) ?? 0) || a.versionNumber - b.versionNumber;
}

/** What a company published, by period and metric, the first one sent first. */
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

/** How the series and the newest report agree. */
export type Standing = 'agrees' | 'differs' | 'not published';

export function standing(sent: SentValue | undefined, value: Numeric | null | undefined): Standing {
  if (sent === undefined) return 'not published';
  return sameValue(sent.value, value) ? 'agrees' : 'differs';
}
