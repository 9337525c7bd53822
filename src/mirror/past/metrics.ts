/** Metrics of a company as they were: live values, catalog, preferences and series. */
import type { operations } from '../../contract/index.ts';
import type { CompanyMetrics, MetricPreferences, Version } from '../../contract/metrics.ts';
import { splitList } from '../../contract/rules.ts';
import { firstMonth } from '../../core/periods.ts';
import { seriesPage } from '../../server/handlers/series.ts';
import type { PointRow, RowKey, SeriesFilter } from '../../server/store/metrics.ts';
import type { Reader } from './lists.ts';
import { bodyOf, notMirrored, type State } from './state.ts';

export const getLiveMetrics: Reader<typeof operations.getLiveMetrics> = async (state, { company }) => {
  const { id } = state.requireCompany(company);
  await state.requirePart('live', id, 'live metrics of this company');
  const resource = await state.resource('live', id, id);
  if (resource === undefined) throw notMirrored('live metrics of this company');
  return { body: bodyOf<CompanyMetrics>(resource) };
};

export const getMetricCatalog: Reader<typeof operations.getMetricCatalog> = async (state, { company }) => {
  const { id, currency = '' } = state.requireCompany(company);
  await state.requirePart('catalog', id, 'the metric catalog of this company');
  await warnOfNarrow(state);
  const definitions = await state.definitions(id);
  return { body: { companyId: id, currency, sourceBoundary: 'company_internal', definitions } };
};

export const getMetricPreferences: Reader<typeof operations.getMetricPreferences> = async (state, { query }) => {
  const { id } = state.requireCompany(query.vcCompanyId);
  await state.requirePart('preferences', id, 'metric preferences of this company');
  const resource = await state.resource('preferences', id, id);
  if (resource === undefined) throw notMirrored('metric preferences of this company');
  return { body: { preferences: bodyOf<MetricPreferences>(resource) } };
};

/** Warns of metrics and periods that the mirror lacks. @throws notFound for a metric that no sync read */
async function requireMetrics(state: State, metricIds: readonly string[], from: string | undefined): Promise<void> {
  const narrow = await state.narrowedTo('metrics');
  const missing = narrow && metricIds.find((id) => !narrow.has(id));
  if (missing !== undefined) throw notMirrored(`the metric "${missing}"`);
  if (metricIds.length === 0) await warnOfNarrow(state);
  const first = await state.narrowedFrom();
  if (first !== undefined && (firstMonth(from ?? '') ?? 0) < (firstMonth(first) ?? 0)) {
    state.warn(`the mirror holds series from ${first} on`);
  }
}

async function warnOfNarrow(state: State): Promise<void> {
  const narrow = await state.narrowedTo('metrics');
  if (narrow) state.warn(`the mirror holds only the metrics that its syncs named: ${[...narrow].join(', ') || 'none'}`);
}

/** Signs cursors, which are only used in this process. */
const secret = 'mirror';

export const getMetricSeries: Reader<typeof operations.getMetricSeries> = async (state, call) => {
  const { id, currency = '' } = state.requireCompany(call.company);
  await state.requirePart('series', id, 'metric series of this company');
  const metricIds = splitList(call.query.metricIds);
  await requireMetrics(state, metricIds, call.query.fromPeriod);
  const ids = metricIds.length > 0 ? metricIds : (await state.definitions(id)).map(({ metricId }) => metricId);
  await state.warnOfOlder(new Map(ids.map((metric) => [metric, { part: 'series', owner: id, metric }])));
  const body = await seriesPage(call, id, {
    secret,
    async rows(filter, order, limit, after) {
      const rows: PointRow[][] = [];
      // One row more than the page shows whether there is a next one.
      for await (const row of rowsAfter(state, filter, order, after)) if (rows.push(row) > limit) break;
      const catalog = await state.definitions(id);
      return { rows: rows.slice(0, limit), isAll: rows.length <= limit, currency, catalog };
    },
  });
  return { body };
};

/** The points of each period and version after a row, in the order of the page. */
async function* rowsAfter(
  { at }: State,
  { companyId, metricIds, periodType, versions, fromPeriod, toPeriod }: SeriesFilter,
  order: 'asc' | 'desc',
  after: RowKey | undefined,
): AsyncGenerator<PointRow[]> {
  const points = at.points(companyId, {
    periodType,
    versions,
    order,
    from: order === 'asc' ? (after?.period_key ?? fromPeriod) : fromPeriod,
    to: order === 'desc' ? (after?.period_key ?? toPeriod) : toPeriod,
    ...(metricIds.length > 0 && { metricIds }),
  });
  let row: PointRow[] = [];
  for await (const point of points) {
    const { periodKey, version } = point;
    // The bounds include the period of the row before.
    if (periodKey === after?.period_key && version <= after.version) continue;
    if (row[0] && (row[0].period_key !== periodKey || row[0].version !== version)) {
      yield row.sort(byMetric);
      row = [];
    }
    row.push({
      company_id: companyId,
      metric_id: point.metricId,
      period_type: periodType,
      period_key: periodKey,
      version: version as Version,
      value: point.value,
      source: point.source ?? null,
      updated_at: point.updatedAt ?? '',
    });
  }
  if (row.length > 0) yield row.sort(byMetric);
}

function byMetric(a: PointRow, b: PointRow): number {
  return a.metric_id < b.metric_id ? -1 : a.metric_id > b.metric_id ? 1 : 0;
}
