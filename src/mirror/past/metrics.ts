/** Metrics of a company as they were: live values, catalog, preferences and series. */
import type { operations } from '../../contract/index.ts';
import type { CompanyMetrics, MetricPreferences } from '../../contract/metrics.ts';
import { splitList } from '../../contract/rules.ts';
import { firstMonth } from '../../core/periods.ts';
import { seriesPage } from '../../server/handlers/series.ts';
import type { Reader } from './lists.ts';
import { SeriesRows } from './series-rows.ts';
import { bodyOf, notKept, type State } from './state.ts';

export const getLiveMetrics: Reader<typeof operations.getLiveMetrics> = async (state, { company }) => {
  const { id } = state.requireCompany(company);
  await state.requirePart('live', id, 'live metrics of this company');
  const resource = await state.one('live', id, id);
  if (resource === undefined) throw notKept('live metrics of this company');
  return { body: bodyOf<CompanyMetrics>(resource) };
};

export const getMetricCatalog: Reader<typeof operations.getMetricCatalog> = async (state, { company }) => {
  const { id, currency = '' } = state.requireCompany(company);
  await state.requirePart('catalog', id, 'the metric catalog of this company');
  await sayNarrow(state);
  const definitions = await state.definitions(id);
  return {
    body: {
      companyId: id,
      currency,
      sourceBoundary: 'company_internal',
      definitions,
    },
  };
};

export const getMetricPreferences: Reader<typeof operations.getMetricPreferences> = async (state, { query }) => {
  const { id } = state.requireCompany(query.vcCompanyId);
  await state.requirePart('preferences', id, 'metric preferences of this company');
  const resource = await state.one('preferences', id, id);
  if (resource === undefined) throw notKept('metric preferences of this company');
  return { body: { preferences: bodyOf<MetricPreferences>(resource) } };
};

/** @throws notFound for a metric that no sync asked for; says where others are missing */
async function requireMetrics(state: State, metricIds: readonly string[], from: string | undefined): Promise<void> {
  const narrow = await state.narrowedTo('metrics');
  const missing = narrow && metricIds.find((id) => !narrow.has(id));
  if (missing !== undefined) throw notKept(`the metric "${missing}"`);
  if (metricIds.length === 0) await sayNarrow(state);
  const first = await state.narrowedFrom();
  if (first !== undefined && (firstMonth(from ?? '') ?? 0) < (firstMonth(first) ?? 0)) {
    state.warn(`the mirror holds series from ${first} on`);
  }
}

async function sayNarrow(state: State): Promise<void> {
  const narrow = await state.narrowedTo('metrics');
  if (narrow) state.warn(`the mirror holds only the metrics that its syncs named: ${[...narrow].join(', ') || 'none'}`);
}

/** Signs cursors, which are only used in this process. */
const secret = 'mirror';

export function seriesReader(): Reader<typeof operations.getMetricSeries> {
  const series = new Map<string, SeriesRows>();
  return async (state, call) => {
    const { id, currency = '' } = state.requireCompany(call.company);
    await state.requirePart('series', id, 'metric series of this company');
    const metricIds = splitList(call.query.metricIds);
    await requireMetrics(state, metricIds, call.query.fromPeriod);
    const ids = metricIds.length > 0 ? metricIds : (await state.definitions(id)).map(({ metricId }) => metricId);
    await state.sayOlder(new Map(ids.map((metric) => [metric, { part: 'series', owner: id, metric }])));
    const body = await seriesPage(
      call,
      { id, currency },
      {
        secret,
        catalog: () => state.definitions(id),
        async rows(filter, order, limit, after) {
          const key = JSON.stringify([filter, order]);
          const rows = series.get(key) ?? new SeriesRows(state, filter, order);
          series.set(key, rows);
          const page = await rows.page(limit, after);
          if (page.isAll) series.delete(key);
          return page;
        },
      },
    );
    return { body };
  };
}
