/**
 * The history that a mirror holds: the versions of each resource, with the syncs that read them.
 *
 * A version lasts from the first sync that read it to the first sync that read another one, or none. All changes between
 * two syncs are one, and nothing is known of the time before the first sync.
 */
import type { CustomListEntry } from '../../contract/lists.ts';
import { type Numeric, numeric } from '../../core/json.ts';
import type { PeriodType } from '../../core/periods.ts';

export interface Sync {
  /** 1, 2, 3 …, in the order of time. */
  number: number;
  /** The time of its last answer by the API's clock: ISO 8601 in UTC, later than that of every sync before. */
  seenAt: string;
}

export interface Revision<T> {
  /** `seenAt` of the first sync that read it. */
  seenFrom: string;
  /** `seenAt` of the sync that no longer read it; absent while it is current. */
  seenTo?: string;
  value: T;
}

/** Resources other than entries and points, which are the JSON objects of the API. */
const resourceKinds = [
  /** `{ id, name?, currency?, metricIds? }` of a mirrored company, with the metrics in the order of its catalog. */
  'company',
  /** CustomListSummary, without the count of its attributes. Its owner is the company. */
  'list',
  /** CustomListAttribute. Its owner is the list. */
  'attribute',
  /** MetricDefinition. Its owner is the company, its id the metricId. */
  'definition',
  /** CompanyMetrics, the live values. Owner and id are the company. */
  'live',
  /** MetricGrant. Its owner is the granting company. */
  'grant',
  /** MetricPreferences. Owner and id are the company. */
  'preferences',
  /** PublishedMetricsResponse without `metrics.periods`, `truncated` and `nextCursor`, and `historical`. Its owner is the reading company, its id the published one. */
  'published',
  /** An item of `metrics.periods` of the published company, its owner. Id: `reportId/periodType/periodKey/versionNumber`. */
  'snapshot',
] as const;
export type ResourceKind = (typeof resourceKinds)[number];

export interface Resource {
  kind: ResourceKind;
  owner: string;
  id: string;
  body: Readonly<Record<string, unknown>>;
}

export interface Point {
  companyId: string;
  metricId: string;
  periodType: string;
  periodKey: string;
  version: string;
  /** The number as the API wrote it. */
  value: string | null;
  source?: string | null;
  updatedAt?: string | null;
}

/** Selects versions: those of one sync, or those that began or ended in a time. */
export interface VersionRange {
  at?: number | undefined;
  /** ISO 8601: only versions that began or ended after it. */
  changedSince?: string | undefined;
  /** With `changedSince`: and not later than this. */
  changedUntil?: string | undefined;
}

export interface EntryCount {
  current: number;
  archived: number;
  /** Includes entries whose `archived` is missing. */
  all: number;
}

/** Selects points; undefined: all. */
export interface PointRange {
  metricIds?: readonly string[];
  periodType?: PeriodType;
  versions?: readonly string[];
  from?: string | undefined;
  to?: string | undefined;
  /** `desc`: the newest period first. */
  order?: 'asc' | 'desc';
}

/** A part of the API that syncs read: the `entries` of a list, the `series` of a company. */
export interface Part {
  part: string;
  owner: string;
  /** The number of the first sync that read it. */
  firstSync: number | undefined;
  /** The number of the first sync that could no longer read it. */
  staleSync: number | undefined;
}

export interface SyncScope {
  number: number;
  companies?: readonly string[] | undefined;
  /** Ids, slugs or names as they were typed. Undefined: all. */
  lists?: readonly string[] | undefined;
  metrics?: readonly string[] | undefined;
  /** The first period of series. Undefined: all. */
  from?: string | undefined;
  /** Parts that could not be read, such as `entries ID`. */
  unread?: readonly string[] | undefined;
}

export interface History {
  readonly api?: string | undefined;
  syncs(): Promise<readonly Sync[]>;
  /** Versions of resources by owner, id and time. */
  resources(kind: ResourceKind, of?: VersionRange & { owner?: string; id?: string }): AsyncIterable<Revision<Resource>>;
  /** Versions of entries by position and id when `at` is given, else by id and time. */
  entries(listId: string, of?: VersionRange & { id?: string }): AsyncIterable<Revision<CustomListEntry>>;
  entryCount?(listId: string, at: number): Promise<EntryCount>;
  /** Versions of points by grain, period, version, metric and time: those of one point are adjacent. */
  points(companyId: string, of?: VersionRange & PointRange): AsyncIterable<Revision<Point>>;
  /** Parts that syncs tried to read, without those of deleted lists. */
  parts?(): Promise<readonly Part[]>;
  scopes?(): Promise<readonly SyncScope[]>;
  close(): Promise<void>;
}

export function numberOf(value: Point['value']): Numeric | null {
  return value === null ? null : numeric(value);
}
