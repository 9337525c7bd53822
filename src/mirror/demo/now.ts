/** The demo's data as the API answers it to the investor. */
import type { CustomListEntry } from '../../contract/lists.ts';
import type {
  CompanyMetricSeriesResponse,
  MetricDefinition,
  MetricGrant,
  PublishedMetricsResponse,
} from '../../contract/metrics.ts';
import { demo } from '../../core/demo.ts';
import { parseJson } from '../../core/json.ts';
import type { Transport } from '../../core/wire.ts';
import type { Point, Resource, ResourceKind } from '../../domain/history/versions.ts';
import { demoCompanies } from '../../server/demo/credentials.ts';

export type Body = Resource['body'];

export interface DemoNow {
  resources: Resource[];
  entries: Map<string, (CustomListEntry & { id: string })[]>;
  points: Point[];
}

/** The companies whose own data the investor reads. */
export const ownCompanies = demoCompanies.filter(({ slug }) => slug !== 'alder' && slug !== 'cedar');
const investor = demo.companyId;

export async function demoNow(transport: Transport): Promise<DemoNow> {
  const get = reader(transport);
  const resources: Resource[] = [];
  const add = (kind: ResourceKind, owner: string, id: string, body: object) => {
    resources.push({ kind, owner, id, body: { ...body } });
  };
  const entries = new Map<string, (CustomListEntry & { id: string })[]>();
  for (const list of (await get(`/api/lists?companyId=${investor}`)) as Body[]) {
    const { list_attributes_count: _, ...summary } = list;
    const id = String(list.id);
    add('list', investor, id, summary);
    const { list_attributes: attributes } = (await get(`/api/lists/${id}`)) as { list_attributes: Body[] };
    for (const attribute of attributes) add('attribute', id, String(attribute.id), attribute);
    entries.set(id, await entriesOf(get, id));
  }
  const points: Point[] = [];
  for (const { id, name, currency } of ownCompanies) {
    const catalog = (await get(`/api/metrics/catalog?companyId=${id}`)) as { definitions: MetricDefinition[] };
    add('company', id, id, { id, name, currency, metricIds: catalog.definitions.map(({ metricId }) => metricId) });
    for (const definition of catalog.definitions) add('definition', id, String(definition.metricId), definition);
    add('live', id, id, (await get(`/api/company/metrics?companyId=${id}`)) as object);
    const { grants } = (await get(`/api/metrics/grants?companyId=${id}`)) as { grants: MetricGrant[] };
    for (const grant of grants) add('grant', id, String(grant.id), grant);
    points.push(...(await pointsOf(get, id)));
  }
  const preferences = (await get(`/api/metrics/preferences?vcCompanyId=${investor}`)) as { preferences: object | null };
  if (preferences.preferences) add('preferences', investor, investor, preferences.preferences);
  for (const { id } of ownCompanies) {
    const published = await publishedOf(get, id);
    if (!published) continue;
    add('published', investor, id, published.body);
    for (const period of published.periods) add('snapshot', id, snapshotId(period), period);
  }
  return { resources, entries, points };
}

export function snapshotId({ reportId, periodType, periodKey, versionNumber }: Body): string {
  return `${reportId}/${periodType}/${periodKey}/${versionNumber}`;
}

type Get = (path: string) => Promise<unknown>;

/** Undefined for what may not be read. */
function reader(transport: Transport): Get {
  const headers = { authorization: `Bearer ${demo.apiKey}`, cookie: demo.session };
  return async (path) => {
    const { status, body } = await transport({ method: 'GET', url: `http://embedded${path}`, headers });
    return status === 200 ? parseJson(Buffer.from(body).toString('utf8')) : undefined;
  };
}

const entryPage = 500;

async function entriesOf(get: Get, listId: string): Promise<(CustomListEntry & { id: string })[]> {
  const entries: (CustomListEntry & { id: string })[] = [];
  for (;;) {
    const query = `archived=true&limit=${entryPage}&offset=${entries.length}`;
    const page = (await get(`/api/lists/${listId}/entries?${query}`)) as typeof entries;
    entries.push(...page);
    if (page.length < entryPage) return entries;
  }
}

const grains = [
  ['month', 'actual,budget,forecast'],
  ['quarter', 'budget,forecast'],
  ['year', 'budget,forecast'],
] as const;

async function pointsOf(get: Get, companyId: string): Promise<Point[]> {
  const points: Point[] = [];
  for (const [periodType, versions] of grains) {
    const query = `companyId=${companyId}&periodType=${periodType}&versions=${versions}&order=asc&limit=100`;
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
      const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await get(`/api/metrics/series?${query}${after}`)) as CompanyMetricSeriesResponse;
      for (const { metricId, periodKey, version, value, source, updatedAt } of page.observations ?? []) {
        points.push({
          companyId,
          metricId: metricId ?? '',
          periodType,
          periodKey: periodKey ?? '',
          version: version ?? '',
          value: value === null || value === undefined ? null : String(value),
          source: source ?? null,
          updatedAt: updatedAt ?? null,
        });
      }
      cursor = page.nextCursor;
    }
  }
  return points;
}

async function publishedOf(get: Get, id: string): Promise<{ body: Body; periods: Body[] } | undefined> {
  const periods: Body[] = [];
  let first: Body | undefined;
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const after: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page = (await get(`/api/metrics/published/${id}${after}`)) as PublishedMetricsResponse | undefined;
    if (!page) return undefined;
    const { nextCursor, truncated: _, metrics, ...rest } = page;
    periods.push(...((metrics?.periods ?? []) as Body[]));
    first ??= { ...rest, metrics: { summary: metrics?.summary } };
    cursor = nextCursor;
  }
  const historical = (await get(`/api/metrics/published/${id}?from=2000&limit=1`)) !== undefined;
  return first && { body: { ...first, historical }, periods };
}
