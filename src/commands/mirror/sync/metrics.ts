/** Metrics, grants and preferences of a company, and what other companies published to it. */
import type { Client } from '../../../client/client.ts';
import { observationPages } from '../../../client/series.ts';
import {
  getLiveMetrics,
  getMetricCatalog,
  getMetricPreferences,
  getPublishedMetrics,
  listGrants,
} from '../../../contract/metric-operations.ts';
import {
  type PublishedMetricsResponse,
  type PublishedPeriod,
  planVersions,
  type Version,
  versions,
} from '../../../contract/metrics.ts';
import { Failure } from '../../../core/errors.ts';
import { formatPeriod, type PeriodType } from '../../../core/periods.ts';
import type { Resource } from '../../../domain/history/versions.ts';
import { addChanges, type Changes, noChanges } from '../../../mirror/tables.ts';
import { firstOf, isRefused, type Sync, withIds } from './parts.ts';

type IdAndBody = Pick<Resource, 'id' | 'body'>;

export async function syncMetrics(sync: Sync, company: string): Promise<void> {
  const { writer, scope: asked } = sync;
  const client = await sync.client(company);
  const query = { companyId: company };
  const part = (name: string) => ({ company, part: name, owner: company });
  if (asked.metrics?.length !== 0) {
    await sync.part(part('catalog'), async () => {
      const { definitions, currency } = await client.call(getMetricCatalog, { query });
      const isAsked = (id: string) => asked.metrics?.includes(id) ?? true;
      const resources = definitions.flatMap((body): IdAndBody[] =>
        isAsked(body.metricId) ? [{ id: body.metricId, body }] : [],
      );
      const name = sync.ctx.companyName(company);
      const metricIds = definitions.map(({ metricId }) => metricId);
      const companyBody = { id: company, ...(name !== undefined && { name }), currency, metricIds };
      await writer.resources('company', company, [{ id: company, body: companyBody }]);
      return writer.resources('definition', company, resources, isAsked);
    });
    await syncSeries(sync, company);
    await sync.part(part('live'), async () => {
      const body = { ...(await client.call(getLiveMetrics, { query })) };
      return writer.resources('live', company, [{ id: company, body }]);
    });
  }
  await sync.part(part('grants'), async () => {
    const grants = withIds(await client.call(listGrants, { query }), 'a grant');
    return writer.resources(
      'grant',
      company,
      grants.map((body) => ({ id: body.id, body })),
    );
  });
  await syncPreferences(sync, company, client);
}

/**
 * A company that never set preferences has none, which an API may report as 404. A 404 does not end known preferences.
 */
async function syncPreferences(sync: Sync, company: string, client: Client): Promise<void> {
  const { writer } = sync;
  const known = (await writer.current('preferences', company)).length > 0;
  const isNone = ({ status }: Failure) => status === 404 && !known;
  try {
    await sync.part(
      { company, part: 'preferences', owner: company },
      async () => {
        const body = await client.call(getMetricPreferences, { query: { vcCompanyId: company } });
        return writer.resources('preferences', company, [{ id: company, body: { ...body } }]);
      },
      isNone,
    );
  } catch (error) {
    if (!(error instanceof Failure && isNone(error))) throw error;
  }
}

async function syncSeries(sync: Sync, company: string): Promise<void> {
  const part = (name: string) => ({ company, part: name, owner: company });
  try {
    const isRead = await sync.part(part('series'), () => readGrain(sync, company, 'month', versions), isRefused);
    if (!isRead) return;
  } catch (error) {
    if (!isRefused(error)) throw error;
    // A credential may read actuals only.
    await sync.part(part('series'), () => readGrain(sync, company, 'month', ['actual']));
  }
  await sync.part(part('plans'), async () => {
    const changes = noChanges();
    for (const grain of ['quarter', 'year'] as const) {
      addChanges(changes, await readGrain(sync, company, grain, planVersions));
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
  const { writer, scope: asked } = sync;
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

/**
 * Tries every company for every reader. Readers may see different periods of one company; the mirror keeps their union.
 */
export async function syncPublished(sync: Sync): Promise<void> {
  const { writer, scope: asked } = sync;
  const mirrored = (await writer.current('company')).map(({ id }) => id);
  const everyone = mirrored.every((id) => asked.companies.includes(id));
  for (const publisher of asked.published) {
    const snapshots = new Map<string, IdAndBody>();
    let complete = everyone;
    for (const reader of asked.companies) {
      if (reader === publisher) continue;
      const part = { company: reader, part: 'published', owner: `${reader} ${publisher}` };
      const name = sync.shown(publisher);
      const before = (await writer.current('published', reader)).some(({ id }) => id === publisher);
      try {
        const read = () => readPublished(sync, reader, publisher, snapshots);
        // A company that never read it has no grant.
        const isForeign = (failure: Failure) => !before && isRefused(failure);
        if (!(await sync.part({ ...part, name }, read, isForeign))) complete = false;
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    }
    const known = await writer.current('snapshot', publisher);
    if (snapshots.size === 0 && known.length === 0) continue;
    const changes = await writer.resources('snapshot', publisher, [...snapshots.values()], () => complete);
    sync.addPublished(publisher, changes);
  }
}

async function readPublished(sync: Sync, reader: string, publisher: string, into: Map<string, IdAndBody>) {
  const client = await sync.client(reader);
  let first: PublishedMetricsResponse | undefined;
  const periods: PublishedPeriod[] = [];
  for await (const page of client.pages(getPublishedMetrics, { params: { companyId: publisher } })) {
    first ??= page;
    periods.push(...(page.metrics?.periods ?? []));
  }
  if (first === undefined) return noChanges();
  const { nextCursor: _, truncated: __, metrics, ...rest } = first;
  const { periods: ___, ...others } = metrics ?? {};
  const historical = periods.length > 1 || (await hasHistory(client, publisher, periods[0]?.periodKey));
  const body = { ...rest, metrics: others, historical };
  for (const period of periods) {
    const { reportId, periodType, periodKey, versionNumber } = period;
    const id = [reportId, periodType, periodKey, versionNumber].join('/');
    into.set(id, { id, body: { ...period } });
  }
  await sync.writer.resources('published', reader, [{ id: publisher, body }], (id) => id === publisher);
  return { ...noChanges(), read: periods.length };
}

/** The API does not say so, but refuses a question that needs it. */
async function hasHistory(client: Client, companyId: string, from = '2000'): Promise<boolean> {
  try {
    await client.call(getPublishedMetrics, { params: { companyId }, query: { from, limit: 1 } });
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}
