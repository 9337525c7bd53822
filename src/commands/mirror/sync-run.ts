/** `mirror sync`: reads part after part into one transaction, and reports what each had. */

import type { Context } from '../../cli/context.ts';
import { refuseRaw } from '../../cli/show.ts';
import { timeText } from '../../cli/words.ts';
import type { Client } from '../../client/client.ts';
import { type FetchOffset, offsetPages, totalOf } from '../../client/paging.ts';
import { observationPages } from '../../client/series.ts';
import { listEntries } from '../../contract/entry-operations.ts';
import { getList, listLists } from '../../contract/list-operations.ts';
import type { CustomListEntry, CustomListSummary } from '../../contract/lists.ts';
import {
  getLiveMetrics,
  getMetricCatalog,
  getMetricPreferences,
  getPublishedMetrics,
  listGrants,
} from '../../contract/metric-operations.ts';
import {
  type PublishedMetricsResponse,
  type PublishedPeriod,
  planVersions,
  type Version,
  versions,
} from '../../contract/metrics.ts';
import { urlOf } from '../../core/addresses.ts';
import { Failure, usage } from '../../core/errors.ts';
import { nearestHint } from '../../core/nearest.ts';
import { formatPeriod, type PeriodType } from '../../core/periods.ts';
import type { Resource } from '../../domain/history/versions.ts';
import type { ReadEntry } from '../../mirror/entries.ts';
import { addChanges, type Changes, changesText, noChanges } from '../../mirror/tables.ts';
import { beginSync, type SyncWriter } from '../../mirror/writer.ts';
import {
  firstOf,
  isRefused,
  moved,
  narrowing,
  partColumns,
  Sync,
  type SyncFlags,
  scopeOf,
  withIds,
} from './sync-parts.ts';

/** Percent: less takes a tenth more time, and no less memory. */
const heapGrowth = 150;

export async function syncMirror(ctx: Context, folder: string, flags: SyncFlags): Promise<void> {
  refuseRaw(ctx, 'it reads many responses');
  const scope = scopeOf(ctx, flags);
  if (!(await ctx.out.check(partColumns))) return;
  // Pages are written soon after they are read, so the heap can stay small.
  ctx.runtime.keepHeapSmall?.({ growth: heapGrowth });
  const writer = await beginSync(folder, addressOf(ctx), ctx.now().toISOString());
  const sync = new Sync(ctx, writer, scope);
  let ended: Awaited<ReturnType<SyncWriter['commit']>>;
  try {
    await requireSameCompany(ctx, writer, scope.companies);
    await readParts(sync);
    ctx.out.progress('writing');
    const unread = sync.unread.length > 0 ? { unread: sync.unread } : {};
    ended = await writer.commit(ctx.now(), { ...narrowing(scope), ...unread }, sync.sum);
  } catch (error) {
    throw await writer.abandon(error);
  } finally {
    ctx.out.progress(undefined);
  }
  await ctx.out.rows(sync.rows, partColumns, { counts: ['part', 'parts'] });
  ctx.out.note(`Sync ${writer.number}, seen ${timeText(ended.seenAt)}: ${changesText(sync.sum)}.`);
  if (ended.untidy !== undefined) {
    ctx.out.warn(
      `the sync is written, but not moved from mirror.db-wal into mirror.db (${ended.untidy}): keep both files; the next sync moves it`,
    );
  }
  const verdict = sync.verdict();
  if (verdict) throw verdict;
}

/** Reads all parts in scope. @throws when nothing could be read */
export async function readParts(sync: Sync): Promise<void> {
  for (const company of sync.scope.companies) {
    await nameCompany(sync, company);
    await syncLists(sync, company);
    await syncMetrics(sync, company);
  }
  await syncPublished(sync);
  sync.requireSome();
}

/** A company belongs to the mirror from its first sync, whatever could be read of it. */
async function nameCompany({ ctx, writer }: Sync, id: string): Promise<void> {
  if ((await writer.current('company', id)).length > 0) return;
  const name = ctx.companyName(id);
  await writer.resources('company', id, [{ id, body: { id, ...(name !== undefined && { name }) } }]);
}

/** The API's address for comparing: without credentials and final slash. */
export function addressOf({ settings }: Context): string {
  const { value = '' } = settings.baseUrl;
  const url = urlOf(value);
  return url && /^https?:/.test(value) ? url.origin + url.pathname.replace(/\/+$/, '') : value;
}

/** A sync may add companies to a mirror, but not replace them. */
async function requireSameCompany(ctx: Context, writer: SyncWriter, companies: readonly string[]): Promise<void> {
  const held = [...new Set((await writer.current('company')).map(({ id }) => id))];
  if (held.length === 0 || companies.some((id) => held.includes(id))) return;
  const named = (ids: readonly string[]) => ids.map((id) => ctx.companyName(id) ?? id).join(', ');
  throw usage(
    `the mirror is of company ${named(held)}, not of ${named(companies)}`,
    `name both to add one: ${[...held, ...companies].map((id) => `-c ${ctx.companyName(id) ?? id}`).join(' ')}; or name another folder`,
  );
}

type Listed = CustomListSummary & { id: string };

async function syncLists(sync: Sync, company: string): Promise<void> {
  const { writer, scope } = sync;
  const client = await sync.client(company);
  if (scope.lists?.length === 0) return;
  const before = await writer.current('list', company);
  let chosen: Listed[] = [];
  let gone: Resource[] = [];
  const isListed = await sync.part({ company, part: 'lists', owner: company }, async () => {
    const lists = withIds(await client.call(listLists, { query: { companyId: company } }), 'a list');
    const ids = idsOfLists(scope.lists, lists, before);
    const isInScope = (id: string) => ids === undefined || ids.has(id);
    chosen = lists.filter(({ id }) => isInScope(id));
    gone = before.filter(({ id }) => isInScope(id) && !lists.some((list) => list.id === id));
    const resources = chosen.map(({ list_attributes_count: _, ...body }) => ({ id: body.id, body }));
    return writer.resources('list', company, resources, isInScope);
  });
  if (!isListed) return;
  for (const { id, slug, company_id: owner } of chosen) {
    if (sync.listsRead.has(id)) continue;
    sync.listsRead.add(id);
    const ofOwner = await sync.client(owner ?? company);
    await sync.part({ company, part: 'entries', owner: id, name: slug ?? id }, () => readList(sync, ofOwner, id));
  }
  for (const { id, body } of gone) {
    const changes = await sync.writer.attempt(async () => endList(sync, id));
    sync.add({ company, part: 'entries', owner: id, name: String(body.slug ?? id) }, changes, 'deleted');
  }
}

async function readList({ writer, ctx }: Sync, client: Client, listId: string): Promise<Changes> {
  const { list_attributes: attributes = [] } = await client.call(getList, { params: { listId } });
  const resources = withIds(attributes, 'an attribute').map((body) => ({ id: body.id, body }));
  await writer.resources('attribute', listId, resources);
  const entries = writer.entries(listId);
  const reading = { signal: ctx.runtime.signal, pageSize: ctx.settings.pageSize };
  let hasArchived = false;
  for await (const page of steadyEntries(client, listId, reading)) {
    hasArchived ||= page.some(({ archived }) => archived === true);
    for (const { updated_at } of page) writer.changed(updated_at);
    await entries.page(page);
  }
  const changes = await entries.finish();
  if (changes.deleted > 0 && !hasArchived) await requireNoneArchived(client, listId);
  return changes;
}

/** Entries that came without archived ones may lack them: a proxy may drop the parameter. @throws rejected if so */
async function requireNoneArchived(client: Client, listId: string): Promise<void> {
  const query = { archivedOnly: true, limit: 1 };
  const [archived] = await client.call(listEntries, { params: { listId }, query }).catch((error: unknown) => {
    // A server that answers with other entries does not know the parameter, and tells nothing.
    if (error instanceof Failure && error.code === 'wrong_answer') return [];
    throw error;
  });
  if (archived)
    throw new Failure('rejected', `the entry ${archived.id} is archived, and did not come with archived=true`);
}

/** Records that the list was deleted, with everything in it. */
async function endList({ writer }: Sync, listId: string): Promise<Changes> {
  await writer.resources('attribute', listId, []);
  await writer.forgetPart('entries', listId);
  const changes = noChanges();
  addChanges(changes, await writer.entries(listId).finish());
  return changes;
}

/** @throws notFound for a word that names no list, neither now nor in the mirror */
function idsOfLists(words: readonly string[] | undefined, lists: readonly Listed[], before: readonly Resource[]) {
  if (words === undefined) return undefined;
  const known = [...lists, ...before.map(({ id, body }) => ({ ...body, id }) as Listed)];
  return new Set(
    words.map((word) => {
      const match = known.find(({ id, slug, name }) => word === id || word === slug || word === name);
      if (match) return match.id;
      const slugs = known.flatMap(({ slug }) => slug ?? []);
      const hint = nearestHint(word, slugs, 'run `comem lists list` to see the lists');
      throw usage(`--lists: list "${word}" not found`, hint);
    }),
  );
}

/** One less than the API allows: each page begins with the last row of the previous page. */
const maxRows = (listEntries.query.properties?.limit?.maximum ?? 500) - 1;

interface Reading {
  signal: AbortSignal;
  /** Rows of one request; default: as many as the API allows. */
  pageSize: number | undefined;
}

/** The entries in pages. @throws Failure of code `moved` for rows that shift between pages, or come twice */
async function* steadyEntries(
  client: Client,
  listId: string,
  { signal, pageSize }: Reading,
): AsyncGenerator<readonly ReadEntry[]> {
  const seams = new Seams();
  let total: number | undefined;
  let [came, announced] = [0, 0];
  const fetch: FetchOffset = async ({ offset, limit, withTotal }) => {
    const overlap = offset > 0 ? 1 : 0;
    const page = { offset: offset - overlap, limit: limit + overlap };
    const query = { archived: true, ...page, ...(withTotal ? { withTotal } : {}) };
    const { data, headers } = await client.send(listEntries, { params: { listId }, query });
    const rows = data as readonly CustomListEntry[];
    if (overlap === 1) seams.begins(offset, rows[0]?.id);
    const newRows = rows.slice(overlap);
    if (newRows.length > 0) seams.ends(offset + newRows.length, newRows.at(-1)?.id);
    return { rows: newRows, total: totalOf(headers) };
  };
  const pages = offsetPages(fetch, {
    ...{
      offset: 0,
      size: Math.max(1, Math.min(maxRows, pageSize ?? maxRows)),
      limit: Number.POSITIVE_INFINITY,
      signal,
      withTotal: true,
    },
    broken: (says) => new Failure('rejected', says, { code: 'broken_paging' }),
    onPage: (_, newest, rows) => {
      total = newest;
      came += rows.length;
    },
    onMoved: (before, now) => {
      throw movedFailure(`the number of entries went from ${before} to ${now}`);
    },
  });
  for await (const page of pages) {
    const rows = page as CustomListEntry[];
    if (!rows.every(hasId)) throw new Failure('rejected', 'the server gave an entry without an id');
    announced += rows.length;
    yield rows;
  }
  if (came > announced) throw movedFailure('an entry came twice');
  if (total !== undefined && total !== announced) {
    throw movedFailure(`the server announced ${total} entries, but ${announced} came`);
  }
}

/** Compares the last row of each page with the same row on the next page. */
class Seams {
  private readonly last = new Map<number, string | undefined>();
  private readonly first = new Map<number, string | undefined>();

  begins(offset: number, id: string | undefined): void {
    this.meet(offset, this.last, this.first, id);
  }

  ends(offset: number, id: string | undefined): void {
    this.meet(offset, this.first, this.last, id);
  }

  private meet(
    offset: number,
    other: Map<number, string | undefined>,
    titles: Map<number, string | undefined>,
    id?: string,
  ) {
    if (!other.has(offset)) {
      titles.set(offset, id);
      return;
    }
    const previous = other.get(offset);
    other.delete(offset);
    if (previous !== id) throw movedFailure('entries moved between two pages');
  }
}

function movedFailure(says: string): Failure {
  return new Failure('tryLater', `${says} while they were read`, { code: moved });
}

const hasId = (entry: CustomListEntry): entry is ReadEntry => typeof entry.id === 'string';

type IdAndBody = Pick<Resource, 'id' | 'body'>;

async function syncMetrics(sync: Sync, company: string): Promise<void> {
  const { writer, scope } = sync;
  const client = await sync.client(company);
  const query = { companyId: company };
  const part = (name: string) => ({ company, part: name, owner: company });
  if (scope.metrics?.length !== 0) {
    await sync.part(part('catalog'), async () => {
      const { definitions, currency } = await client.call(getMetricCatalog, { query });
      const isInScope = (id: string) => scope.metrics?.includes(id) ?? true;
      const resources = definitions.flatMap((body): IdAndBody[] =>
        isInScope(body.metricId) ? [{ id: body.metricId, body }] : [],
      );
      const name = sync.ctx.companyName(company);
      const metricIds = definitions.map(({ metricId }) => metricId);
      const companyBody = { id: company, ...(name !== undefined && { name }), currency, metricIds };
      await writer.resources('company', company, [{ id: company, body: companyBody }]);
      return writer.resources('definition', company, resources, isInScope);
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

/** A company without preferences may be a 404, which does not end known ones. */
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

async function readGrain(sync: Sync, company: string, periodType: PeriodType, some: readonly Version[]) {
  const { writer, scope } = sync;
  const { metrics: metricIds } = scope;
  const from = firstOf(scope.from, periodType);
  const points = writer.points({ companyId: company, periodType, versions: some, from, metricIds });
  const pages = observationPages(await sync.client(company), {
    periodType,
    versions: some,
    order: 'asc',
    companies: [company],
    metricIds,
    from: from === undefined ? undefined : formatPeriod({ type: periodType, index: from }),
  });
  for await (const { rows } of pages) await points.page(rows);
  return points.finish();
}

/** Tries every company for every reader, who may see different periods: the mirror keeps their union. */
async function syncPublished(sync: Sync): Promise<void> {
  const { writer, scope } = sync;
  const mirrored = (await writer.current('company')).map(({ id }) => id);
  const everyone = mirrored.every((id) => scope.companies.includes(id));
  for (const publisher of scope.published) {
    const snapshots = new Map<string, IdAndBody>();
    let complete = everyone;
    for (const reader of scope.companies) {
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
