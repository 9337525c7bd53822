/** Finds the syncs that read a resource: narrowed syncs leave some out, and a part may be unreadable. */

import type { CustomListEntry } from '../../contract/lists.ts';
import { textOf } from '../../core/json.ts';
import { endMonth, parsePeriod, startMonth } from '../../core/periods.ts';
import { type StepRules, SyncTimes, writeTime } from './steps.ts';
import type { History, Point, Resource, ResourceKind, Revision, Sync, SyncScope, VersionRange } from './versions.ts';

export interface ResourceKey {
  /** The part of the API and its owner: `entries` of a list, `catalog` of a company. */
  part: string;
  owner: string;
  /** The id of the list, also of a list itself. */
  list?: string | undefined;
  metric?: string | undefined;
  period?: string | undefined;
}

export function entriesKey(listId: string): ResourceKey {
  return { part: 'entries', owner: listId, list: listId };
}

export function pointKey({ companyId, metricId, periodKey, version }: Point): ResourceKey {
  return { part: version === 'actual' ? 'series' : 'plans', owner: companyId, metric: metricId, period: periodKey };
}

export function resourceKey(kind: ResourceKind, owner: string, id: string): ResourceKey {
  if (kind === 'list') return { part: 'lists', owner, list: id };
  if (kind === 'attribute') return { part: 'entries', owner, list: owner };
  if (kind === 'definition') return { part: 'catalog', owner, metric: id };
  // The publisher of a report is not among the companies of the sync.
  return { part: kind === 'grant' ? 'grants' : kind, owner: kind === 'snapshot' ? '' : owner };
}

/** The versions of a kind, with those of one key (`resourceRules`) next to each other. */
export async function* resourceVersions(
  history: History,
  kind: ResourceKind,
  range: VersionRange & { owner?: string } = {},
): AsyncGenerator<Revision<Resource>> {
  if (kind !== 'snapshot') {
    yield* history.resources(kind, range);
    return;
  }
  const reports: { rank: string; version: Revision<Resource> }[] = [];
  for await (const version of history.resources(kind, range)) {
    const number = String(version.value.body.versionNumber).padStart(9, '0');
    reports.push({ rank: [reportKey(version.value), version.seenFrom, number].join(' '), version });
  }
  for (const { version } of reports.sort((a, b) => (a.rank < b.rank ? -1 : 1))) yield version;
}

/** A report of a period replaces the one before. */
const reportKey = ({ owner, body }: Resource) => `${owner} ${body.periodType} ${body.periodKey}`;

export function resourceRules(kind: ResourceKind, reads: Pick<Reads, 'times'>): StepRules<Resource> {
  const timesOf = ({ owner, id }: Resource) => reads.times(resourceKey(kind, owner, id));
  if (kind === 'snapshot') {
    return { keyOf: reportKey, writtenAt: ({ body }) => textOf(body.sentAt), timesOf };
  }
  return {
    keyOf: ({ owner, id }) => `${owner} ${id}`,
    writtenAt: ({ body }, isNew) => writeTime(body, isNew),
    timesOf,
  };
}

export function entryRules(listId: string, reads: Pick<Reads, 'times'>): StepRules<CustomListEntry> {
  const times = reads.times(entriesKey(listId));
  return { keyOf: ({ id }) => String(id), writtenAt: writeTime, timesOf: () => times };
}

export function pointRules(reads: Pick<Reads, 'times'>): StepRules<Point> {
  return {
    keyOf: ({ metricId, version, periodType, periodKey }) => [metricId, version, periodType, periodKey].join(' '),
    writtenAt: writeTime,
    timesOf: (point) => reads.times(pointKey(point)),
  };
}

export class Reads {
  private readonly known = new Map<string, SyncTimes>();

  private constructor(
    private readonly syncs: readonly Sync[],
    private readonly scopes: ReadonlyMap<number, SyncScope>,
    /** Lists by id, with all names that they had. */
    private readonly lists: ReadonlyMap<string, { names: Set<string>; company: string }>,
  ) {}

  static async of(history: History, syncs: readonly Sync[]): Promise<Reads> {
    const scopes = new Map(((await history.scopes?.()) ?? []).map((each) => [each.number, each]));
    const lists = new Map<string, { names: Set<string>; company: string }>();
    for await (const { value } of history.resources('list')) {
      const { id, owner, body } = value;
      const names = lists.get(id)?.names ?? new Set([id]);
      for (const name of [body.slug, body.name]) if (typeof name === 'string') names.add(name);
      lists.set(id, { names, company: owner });
    }
    return new Reads(syncs, scopes, lists);
  }

  times(resource: ResourceKey): SyncTimes {
    const syncs = this.syncs.filter(({ number }) => this.isRead(resource, this.scopes.get(number)));
    const key = syncs.map(({ number }) => number).join();
    const times = this.known.get(key) ?? new SyncTimes(syncs);
    this.known.set(key, times);
    return times;
  }

  private isRead({ part, owner, list, metric, period }: ResourceKey, scope: SyncScope | undefined): boolean {
    if (!scope) return true;
    const known = list === undefined ? undefined : this.lists.get(list);
    const company = known?.company ?? owner;
    if (company !== '' && scope.companies && !scope.companies.includes(company)) return false;
    if (known && scope.lists && !scope.lists.some((word) => known.names.has(word))) return false;
    if (metric !== undefined && scope.metrics && !scope.metrics.includes(metric)) return false;
    if (isBefore(period, scope.from)) return false;
    const parts = [`${part} ${owner}`, ...(known ? [`lists ${company}`] : [])];
    return !scope.unread?.some((each) => parts.includes(each));
  }
}

function isBefore(period: string | undefined, from: string | undefined): boolean {
  const [key, first] = [parsePeriod(period ?? ''), parsePeriod(from ?? '')];
  return key !== undefined && first !== undefined && endMonth(key) < startMonth(first);
}
