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
import { invalid, notFound } from '../model/failure.ts';
import { fitting, maxPageBytes } from '../model/sizes.ts';
import { catalogOf } from '../store/catalog.ts';
import { numberOf, type PointRow, type RowKey, readSeries, type SeriesFilter } from '../store/metrics.ts';
import type { Handler } from './handler.ts';
import { openCursor, sealCursor } from './handler.ts';
import { requireScopes } from './metrics.ts';

const defaultLimit = 24;

export const getMetricSeries: Handler<typeof operations.getMetricSeries> = async (call) => {
  const { store, company } = call;
  if (company === undefined) throw invalid({ path: 'companyId', message: 'is required' });
  const body = await seriesPage(call, company, {
    secret: store.cursorSecret,
    async rows(filter, order, limit, after) {
      // One row more than the page shows whether there is a next one.
      const series = await readSeries(store, filter, { order, limit: limit + 1, after });
      if (series === undefined) throw notFound('company', company);
      const rows = groupByRow(series.points);
      return {
        rows: rows.slice(0, limit),
        isAll: rows.length <= limit,
        currency: series.currency,
        catalog: catalogOf(series.definitions),
      };
    },
  });
  return { body };
};

/** Reads the points of a company. */
interface SeriesSource {
  /** The key that signs cursors. */
  secret: string;
  /** Logical rows after a key, each with its points by metric id, and whether there are no more. */
  rows(
    filter: SeriesFilter,
    order: 'asc' | 'desc',
    limit: number,
    after: RowKey | undefined,
  ): Promise<{
    rows: readonly PointRow[][];
    isAll: boolean;
    currency: string;
    catalog: readonly MetricDefinition[];
  }>;
}

type SeriesCall = Pick<Parameters<Handler<typeof operations.getMetricSeries>>[0], 'query' | 'caller' | 'maxPage'>;

/** One page of the series of a company. */
export async function seriesPage(
  { query, caller, maxPage }: SeriesCall,
  companyId: string,
  source: SeriesSource,
): Promise<CompanyMetricSeriesResponse> {
  const requested = splitList(query.versions ?? 'actual');
  const versions = allVersions.filter((version) => requested.includes(version));
  requireScopes(caller, versions);
  const limit = Math.min(Number(query.limit ?? defaultLimit), maxPage);
  const order = query.order ?? 'desc';
  const filter = seriesFilter(companyId, versions, query);
  const binding = ['series', filter, order];
  const after = query.cursor === undefined ? undefined : position(openCursor(source.secret, binding, query.cursor));
  const result = await source.rows(filter, order, limit, after);
  const rows = fitting(result.rows, maxPageBytes, bytesOf);
  const catalog = new Map(result.catalog.map((definition) => [definition.metricId, definition]));
  const last = rows.at(-1)?.[0];
  const truncated = !result.isAll || rows.length < result.rows.length;
  return {
    companyId,
    currency: result.currency,
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
    observations: rows.flatMap((points) => points.map((point) => observation(point, result.currency, catalog))),
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

/** Points in the order of the series, by the logical row that they belong to. */
function groupByRow(points: readonly PointRow[]): PointRow[][] {
  const rows: PointRow[][] = [];
  for (const point of points) {
    const row = rows.at(-1);
    if (row?.[0]?.period_key === point.period_key && row[0].version === point.version) row.push(point);
    else rows.push([point]);
  }
  return rows;
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
