/** The metrics of a company: catalog, series of every version and grain, live values, grants, preferences. */
import { observationPages } from '../../../client/series.ts';
import {
  getLiveMetrics,
  getMetricCatalog,
  getMetricPreferences,
  listGrants,
} from '../../../contract/metric-operations.ts';
import { type Version, versions } from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { formatPeriod, type PeriodType } from '../../../core/periods.ts';
import type { Resource } from '../../../domain/history/versions.ts';
import { addChanges, type Changes, noChanges } from '../../../server/mirror/changes.ts';
import { firstOf } from './asked.ts';
import { isRefused, type Sync } from './parts.ts';

type Found = Pick<Resource, 'id' | 'body'>;

export async function syncMetrics(sync: Sync, company: string): Promise<void> {
  const { writer, asked } = sync;
  const client = await sync.client(company);
  const query = { companyId: company };
  const part = (name: string) => ({ company, part: name, owner: company });
  if (asked.metrics?.length !== 0) {
    await sync.part(part('catalog'), async () => {
      const { definitions, currency } = await client.call(getMetricCatalog, { query });
      const isAsked = (id: string) => asked.metrics?.includes(id) ?? true;
      const found = definitions.flatMap((body): Found[] =>
        isAsked(body.metricId) ? [{ id: body.metricId, body }] : [],
      );
      const name = sync.ctx.companyName(company);
      const metricIds = definitions.map(({ metricId }) => metricId);
      const own = { id: company, ...(name !== undefined && { name }), currency, metricIds };
      await writer.resources('company', company, [{ id: company, body: own }]);
      return writer.resources('definition', company, found, isAsked);
    });
    await syncSeries(sync, company);
    await sync.part(part('live'), async () => {
      const body = { ...(await client.call(getLiveMetrics, { query })) };
      return writer.resources('live', company, [{ id: company, body }]);
    });
  }
  await sync.part(part('grants'), async () => {
    const grants = await client.call(listGrants, { query });
    const found = grants.flatMap((body): Found[] => (body.id === undefined ? [] : [{ id: body.id, body }]));
    return writer.resources('grant', company, found);
  });
  await sync.part(part('preferences'), async () => {
    const body = await client.call(getMetricPreferences, { query: { vcCompanyId: company } }).catch(notFound);
    return writer.resources('preferences', company, body === undefined ? [] : [{ id: company, body: { ...body } }]);
  });
}

/** A company that never set any has none. */
function notFound(error: unknown): undefined {
  if (error instanceof Failure && error.status === 404) return undefined;
  throw error;
}

const plans: readonly Version[] = ['budget', 'forecast'];

async function syncSeries(sync: Sync, company: string): Promise<void> {
  const part = (name: string) => ({ company, part: name, owner: company });
  try {
    const isRead = await sync.part(part('series'), () => readGrain(sync, company, 'month', versions), true);
    if (!isRead) return;
  } catch (error) {
    if (!isRefused(error)) throw error;
    // A credential may read actuals only.
    await sync.part(part('series'), () => readGrain(sync, company, 'month', ['actual']));
  }
  await sync.part(part('plans'), async () => {
    const changes = noChanges();
    for (const grain of ['quarter', 'year'] as const) {
      addChanges(changes, await readGrain(sync, company, grain, plans));
    }
    return changes;
  });
}

async function readGrain(
  sync: Sync,
  company: string,
  periodType: PeriodType,
  some: readonly Version[],
): Promise<Changes> {
  const { writer, asked } = sync;
  const { metrics: metricIds } = asked;
  const from = firstOf(asked.from, periodType);
  const points = writer.points({ companyId: company, periodType, versions: some, from, metricIds });
  const pages = observationPages(await sync.client(company), {
    ...{ periodType, versions: some, order: 'asc', companies: [company], metricIds },
    from: from === undefined ? undefined : formatPeriod({ type: periodType, index: from }),
  });
  for await (const { rows } of pages) await points.page(rows);
  return points.finish();
}
