/** Reads what other companies published, as far as the companies of the mirror may. */
import type { Client } from '../../../client/client.ts';
import { getPublishedMetrics } from '../../../contract/metric-operations.ts';
import type { PublishedMetricsResponse, PublishedPeriod } from '../../../contract/metrics.ts';
import type { Failure } from '../../../core/errors.ts';
import type { Resource } from '../../../domain/history/versions.ts';
import { noChanges } from '../../../mirror/tables.ts';
import { isRefused, type Sync } from './parts.ts';

type Found = Pick<Resource, 'id' | 'body'>;

/**
 * Tries every company for every reader. Several readers may see different periods of one company: together they are what
 * is known of it.
 */
export async function syncPublished(sync: Sync): Promise<void> {
  const { writer, scope: asked } = sync;
  const mirrored = (await writer.current('company')).map(({ id }) => id);
  const everyone = mirrored.every((id) => asked.companies.includes(id));
  for (const publisher of asked.published) {
    const snapshots = new Map<string, Found>();
    let complete = everyone;
    for (const reader of asked.companies) {
      if (reader === publisher) continue;
      const part = { company: reader, part: 'published', owner: `${reader} ${publisher}` };
      const name = sync.shown(publisher);
      const before = (await writer.current('published', reader)).some(({ id }) => id === publisher);
      try {
        const read = () => readPublished(sync, reader, publisher, snapshots);
        // Refused to who never read it, it was not granted.
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

async function readPublished(sync: Sync, reader: string, publisher: string, into: Map<string, Found>) {
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
