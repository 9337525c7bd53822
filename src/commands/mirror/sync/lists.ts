/** The lists of a company: the listing, then attributes and entries of each, read so that no move goes unnoticed. */
import type { Client } from '../../../client/client.ts';
import { type FetchOffset, offsetPages, totalOf } from '../../../client/paging.ts';
import { listEntries } from '../../../contract/entry-operations.ts';
import { getList, listLists } from '../../../contract/list-operations.ts';
import type { CustomListEntry, CustomListSummary } from '../../../contract/lists.ts';
import { Failure } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { Resource } from '../../../domain/history/versions.ts';
import type { ReadEntry } from '../../../mirror/entries.ts';
import { addChanges, type Changes, noChanges } from '../../../mirror/tables.ts';
import { moved, type Sync, withIds } from './parts.ts';

type Listed = CustomListSummary & { id: string };

export async function syncLists(sync: Sync, company: string): Promise<void> {
  const { writer, scope: asked } = sync;
  const client = await sync.client(company);
  if (asked.lists?.length === 0) return;
  const before = await writer.current('list', company);
  let chosen: Listed[] = [];
  let gone: Resource[] = [];
  const isListed = await sync.part({ company, part: 'lists', owner: company }, async () => {
    const lists = withIds(await client.call(listLists, { query: { companyId: company } }), 'a list');
    const ids = askedIds(asked.lists, lists, before);
    const isAsked = (id: string) => ids === undefined || ids.has(id);
    chosen = lists.filter(({ id }) => isAsked(id));
    gone = before.filter(({ id }) => isAsked(id) && !lists.some((list) => list.id === id));
    const resources = chosen.map(({ list_attributes_count: _, ...body }) => ({ id: body.id, body }));
    return writer.resources('list', company, resources, isAsked);
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
    sync.deleted({ company, part: 'entries', owner: id, name: String(body.slug ?? id) }, changes);
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
function askedIds(
  words: readonly string[] | undefined,
  lists: readonly Listed[],
  before: readonly Resource[],
): ReadonlySet<string> | undefined {
  if (words === undefined) return undefined;
  const known = [...lists, ...before.map(({ id, body }) => ({ ...body, id }) as Listed)];
  return new Set(
    words.map((word) => {
      const match = known.find(({ id, slug, name }) => word === id || word === slug || word === name);
      if (match) return match.id;
      const near = nearest(
        word,
        known.flatMap(({ slug }) => slug ?? []),
      );
      throw new Failure('usage', `--lists: list "${word}" not found`, {
        hint: near === undefined ? 'run `comem lists list` to see the lists' : `did you mean ${near}?`,
      });
    }),
  );
}

/** One less than the API allows: each page begins with the last row of the previous page. */
const mostRows = (listEntries.query.properties?.limit?.maximum ?? 500) - 1;

interface Reading {
  signal: AbortSignal;
  /** Rows of one request; default: as many as the API allows. */
  pageSize: number | undefined;
}

/**
 * The entries in pages. Rows that shift between two pages show where these meet; what came twice, and a total that is not
 * what was read, show at the end.
 * @throws Failure of code `moved`
 */
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
      size: Math.max(1, Math.min(mostRows, pageSize ?? mostRows)),
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

function hasId(entry: CustomListEntry): entry is ReadEntry {
  return typeof entry.id === 'string';
}
