import type { operations } from '../../contract/index.ts';
import {
  versions as allVersions,
  type CompanyMetricSeriesResponse,
  type MetricDefinition,
  type MetricObservation,
  type MetricSeriesItem,
  type Version,
} from '../../contract/metrics.ts';
import type { Query } from '../../contract/operation.ts';
import { splitList } from '../../contract/rules.ts';
import { fitting, maxPageBytes } from '../model/sizes.ts';
import {
  numberOf,
  type PointRow,
  pointsBetween,
  type RowKey,
  type SeriesFilter,
  seriesKeys,
} from '../store/metrics.ts';
import type { Handler } from './handler.ts';
import { catalogOf, requireCompany, requireScopes } from './metrics.ts';
import { openCursor, sealCursor } from './paging.ts';

const defaultLimit = 24;

export const getMetricSeries: Handler<typeof operations.getMetricSeries> = async (call) => {
  const { store } = call;
  const body = await store.read(async (db) => {
    const company = await requireCompany(db, call.company);
    return seriesPage(call, company, {
      secret: store.cursorSecret,
      catalog: () => catalogOf(db, company.id),
      async rows(filter, order, limit, after) {
        // One row more than the page shows whether there is a next one.
        const keys = await seriesKeys(db, filter, order, limit + 1, after);
        const pageKeys = keys.slice(0, limit);
        const rows = groupByRow(pageKeys, await pointsBetween(db, filter, pageKeys));
        return { rows, isAll: keys.length === pageKeys.length };
      },
    });
  });
  return { body };
};

/** Reads the points of a company. */
interface SeriesSource {
  /** The key that signs cursors. */
  secret: string;
  catalog(): Promise<readonly MetricDefinition[]>;
  /** Logical rows after a key, each with its points by metric id, and whether there are no more. */
  rows(
    filter: SeriesFilter,
    order: 'asc' | 'desc',
    limit: number,
    after: RowKey | undefined,
  ): Promise<{ rows: readonly PointRow[][]; isAll: boolean }>;
}

type SeriesCall = Pick<Parameters<Handler<typeof operations.getMetricSeries>>[0], 'query' | 'caller' | 'maxPage'>;

/** One page of the series of a company. */
export async function seriesPage(
  { query, caller, maxPage }: SeriesCall,
  company: { id: string; currency: string },
  source: SeriesSource,
): Promise<CompanyMetricSeriesResponse> {
  const requested = splitList(query.versions ?? 'actual');
  const versions = allVersions.filter((version) => requested.includes(version));
  requireScopes(caller, versions);
  const limit = Math.min(Number(query.limit ?? defaultLimit), maxPage);
  const order = query.order ?? 'desc';
  const filter = seriesFilter(company.id, versions, query);
  const binding = ['series', filter, order];
  const after = query.cursor === undefined ? undefined : position(openCursor(source.secret, binding, query.cursor));
  const result = await source.rows(filter, order, limit, after);
  const rows = fitting(result.rows, maxPageBytes, bytesOf);
  const catalog = new Map((await source.catalog()).map((definition) => [definition.metricId, definition]));
  const last = rows.at(-1)?.[0];
  const truncated = !result.isAll || rows.length < result.rows.length;
  return {
    companyId: company.id,
    currency: company.currency,
    sourceBoundary: 'company_internal',
    query: {
      metricIds: [...filter.metricIds],
      fromPeriod: query.fromPeriod ?? null,
      toPeriod: query.toPeriod ?? null,
      periodType: query.periodType,
      versions,
      order,
      limit,
    },
    items: rows.map(item),
    observations: rows.flatMap((points) => points.map((point) => observation(point, company.currency, catalog))),
    ...(truncated &&
      last && {
        nextCursor: sealCursor(source.secret, binding, [last.period_key, last.version]),
      }),
    truncated,
  };
}

function seriesFilter(
  companyId: string,
  versions: readonly Version[],
  query: Query<typeof operations.getMetricSeries>,
): SeriesFilter {
  return {
    companyId,
    periodType: query.periodType,
    versions,
    metricIds: [...new Set(splitList(query.metricIds))],
    fromPeriod: query.fromPeriod,
    toPeriod: query.toPeriod,
  };
}

function position([period_key, version]: unknown[]): RowKey {
  return { period_key: String(period_key), version: version as Version };
}

/** The points of each key, in the order of the keys; within a row by metric id. */
function groupByRow(keys: readonly RowKey[], points: readonly PointRow[]): PointRow[][] {
  const rows = new Map(keys.map((key) => [`${key.period_key} ${key.version}`, [] as PointRow[]]));
  for (const point of points) rows.get(`${point.period_key} ${point.version}`)?.push(point);
  for (const row of rows.values()) row.sort((a, b) => (a.metric_id < b.metric_id ? -1 : 1));
  return [...rows.values()];
}

/** A point is in its item and in an observation of its own. */
const bytesOfObservation = 300;

function bytesOf(points: readonly PointRow[]): number {
  return points.reduce(
    (sum, { metric_id, value }) => sum + 2 * (metric_id.length + (value?.length ?? 4)) + bytesOfObservation,
    0,
  );
}

function item(points: PointRow[]): MetricSeriesItem {
  // The source of a row is that of its latest point. A row has at least one point.
  const newest = points.reduce((a, b) => (b.updated_at > a.updated_at ? b : a));
  return {
    periodKey: newest.period_key,
    periodType: newest.period_type,
    version: newest.version,
    metrics: Object.fromEntries(
      points.map(({ metric_id, value }) => [metric_id, value === null ? null : numberOf(value)]),
    ),
    source: newest.source,
    updatedAt: newest.updated_at,
  };
}

function observation(
  point: PointRow,
  currency: string,
  catalog: ReadonlyMap<string, MetricDefinition>,
): MetricObservation {
  const unit = catalog.get(point.metric_id)?.unit ?? null;
  return {
    metricId: point.metric_id,
    value: point.value === null ? null : numberOf(point.value),
    unit,
    currency: unit === 'currency' ? currency : null,
    periodKey: point.period_key,
    periodType: point.period_type,
    version: point.version,
    sourceBoundary: 'company_internal',
    source: point.source,
    updatedAt: point.updated_at,
  };
}
