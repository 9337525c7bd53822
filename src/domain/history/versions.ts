/**
 * The past as a mirror keeps it: each version of each thing, with the syncs between which it was seen.
 *
 * A version is seen from the first sync that read it until the first sync that read something else, or nothing. What
 * happened between two syncs is one change; what was before the first sync is not known.
 */
import type { CustomListEntry } from '../../contract/lists.ts';
import { type Numeric, numeric } from '../../core/json.ts';
import type { PeriodType } from '../../core/periods.ts';

/** One completed sync. */
export interface Sync {
  /** 1, 2, 3 …, in the order of time. */
  number: number;
  /** When the last answer was read, by the API's clock: an ISO 8601 timestamp in UTC, later than that of every sync before. */
  seenAt: string;
}

export interface Version<T> {
  /** `seenAt` of the first sync that read it. */
  seenFrom: string;
  /** `seenAt` of the sync that no longer read it; absent while it is current. */
  seenTo?: string;
  value: T;
}

/** Things that are few: each is kept as the JSON object that the API answered. */
const resourceKinds = [
  /** `{ id, name?, currency?, metricIds? }` of a company that was mirrored, the metrics in the order of its catalog. */
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
  /** One of `metrics.periods`. Its owner is the published company, its id `reportId/periodType/periodKey/versionNumber`. */
  'snapshot',
] as const;
export type ResourceKind = (typeof resourceKinds)[number];

export interface Resource {
  kind: ResourceKind;
  owner: string;
  id: string;
  body: Readonly<Record<string, unknown>>;
}

/** One value of a series. */
export interface Point {
  companyId: string;
  metricId: string;
  /** `month`, `quarter` or `year`. */
  periodType: string;
  periodKey: string;
  /** `actual`, `budget` or `forecast`. */
  version: string;
  /** The literal of the number, every digit of it; null: known to be unknown. */
  value: string | null;
  source?: string | null;
  updatedAt?: string | null;
}

/** Selects versions: those of one moment, or all that were current since another. */
export interface VersionRange {
  /** The number of a sync: only what it saw. */
  at?: number | undefined;
  /** ISO 8601: only versions that began or ended after it. */
  changedSince?: string | undefined;
}

interface EntryCount {
  current: number;
  archived: number;
  /** With those that do not say whether they are archived. */
  all: number;
}

/** Selects points; undefined: all. */
export interface PointRange {
  metricIds?: readonly string[];
  periodType?: PeriodType;
  versions?: readonly string[];
  /** The first and the last period, in the grain. */
  from?: string | undefined;
  to?: string | undefined;
  /** `desc`: the newest period first. */
  order?: 'asc' | 'desc';
}

/** A part of the API that syncs asked for: the `entries` of a list, the `series` of a company. */
export interface Part {
  part: string;
  owner: string;
  /** The number of the first sync that read it; undefined: none could. */
  firstSync: number | undefined;
  /** The number of the sync since which it cannot be read; undefined: it can. */
  staleSync: number | undefined;
}

/** The scope of a sync. */
export interface SyncScope {
  /** The number of the sync. */
  number: number;
  companies?: readonly string[] | undefined;
  /** As people named them: by id, slug or name. Undefined: all. */
  lists?: readonly string[] | undefined;
  metrics?: readonly string[] | undefined;
  /** The first period of series. Undefined: all. */
  from?: string | undefined;
  /** Parts that could not be read, such as `entries ID`. */
  unread?: readonly string[] | undefined;
}

/** A mirror, open for reading. */
export interface History {
  /** The address of the API, as a profile writes it. */
  readonly api?: string | undefined;
  /** Oldest first. */
  syncs(): Promise<readonly Sync[]>;
  /** Versions of resources by owner, id and time. */
  resources(kind: ResourceKind, of?: VersionRange & { owner?: string; id?: string }): AsyncIterable<Version<Resource>>;
  /** Versions of entries by position and id when `at` is given, else by id and time. */
  entries(listId: string, of?: VersionRange & { id?: string }): AsyncIterable<Version<CustomListEntry>>;
  /** The number of entries that a sync saw. */
  entryCount?(listId: string, at: number): Promise<EntryCount>;
  /** Versions of points by grain, period, version, metric and time: those of one point are adjacent. */
  points(companyId: string, of?: VersionRange & PointRange): AsyncIterable<Version<Point>>;
  /** Parts that syncs tried to read, as far as they still exist. */
  parts?(): Promise<readonly Part[]>;
  /** The scope of each sync, oldest first. */
  scopes?(): Promise<readonly SyncScope[]>;
  close(): Promise<void>;
}

export function numberOf(value: Point['value']): Numeric | null {
  return value === null ? null : numeric(value);
}
