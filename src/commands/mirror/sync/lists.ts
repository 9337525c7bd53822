/** The lists of a company: the listing, then attributes and entries of each. */
import type { Client } from '../../../client/client.ts';
import { getList, listLists } from '../../../contract/list-operations.ts';
import type { CustomListSummary } from '../../../contract/lists.ts';
import { Failure } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { Resource } from '../../../domain/history/versions.ts';
import { addChanges, type Changes, noChanges } from '../../../mirror/tables.ts';
import { steadyEntries } from './entries.ts';
import { type Sync, withIds } from './parts.ts';

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
  for await (const page of steadyEntries(client, listId, reading)) await entries.page(page);
  return entries.finish();
}

/** The list was deleted: so is all that it had. */
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
