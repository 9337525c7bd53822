import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import type { CustomListEntry } from '../../contract/lists.ts';
import { totalCountHeader } from '../../contract/operation.ts';
import type { Attribute } from '../model/attribute.ts';
import { invalidBy, notFound } from '../model/failure.ts';
import { entryIssues } from '../model/sizes.ts';
import { mergedValues } from '../model/values.ts';
import * as store from '../store/entries.ts';
import { countEntries, entryPage } from '../store/entry-pages.ts';
import { attributesOf, toAttribute, viewById } from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import { entryFilter } from './entry-filter.ts';
import type { Call, Handler } from './handler.ts';
import { positionOf, requireList } from './lists.ts';

/** The page size when the request names none (docs/server.md, "Entries" 2). */
const defaultLimit = 100;

export const listEntries: Handler<typeof operations.listEntries> = async (call) => {
  const { query, store: database } = call;
  const list = await requireList(database.db, call);
  const attributes = await attributesIn(database.db, list.id);
  const view = query.viewId === undefined ? undefined : await viewById(database.db, query.viewId, list.company_id);
  if (query.viewId !== undefined && view === undefined) throw notFound('view', query.viewId);
  const filter = entryFilter(list.id, attributes, query, view && JSON.parse(view.filters));
  const limit = Math.min(Number(query.limit ?? defaultLimit), call.maxPage);
  // Engines limit an offset to their integers, and no list is longer.
  const offset = Math.min(Number(query.offset ?? 0), Number.MAX_SAFE_INTEGER);
  const entries = await entryPage(database, filter, { limit, offset, bytes: call.sizes.page });
  const counted = query.withTotal === true && query.viewId === undefined;
  const headers = counted ? { [totalCountHeader]: String(await countEntries(database, filter)) } : undefined;
  return { body: entries.map(entryBody), headers };
};

export const createEntry: Handler<typeof operations.createEntry> = async (call) => {
  const { params, body, caller, now } = call;
  const created = await call.store.write(async (db) => {
    await requireList(db, call);
    const attributes = await attributesIn(db, params.listId);
    const values = mergedValues(attributes, body.values ?? {});
    requireSize(call, body.values, { title: body.title, values });
    const entry: store.Entry = {
      id: randomUUID(),
      list_id: params.listId,
      title: body.title,
      values,
      position: positionOf(body.position, await store.lastEntryPosition(db, params.listId)),
      archived: body.archived ?? false,
      linked_entity_type: body.linked_entity_type ?? null,
      linked_entity_id: body.linked_entity_id ?? null,
      created_by: caller.userId,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    };
    await store.insertEntries(db, [entry], typesOf(attributes));
    return entry;
  }, params.listId);
  return { body: entryBody(created) };
};

export const updateEntry: Handler<typeof operations.updateEntry> = async (call) => {
  const { params, body, now } = call;
  const updated = await call.store.write(async (db) => {
    await requireList(db, call);
    const before = await requireEntry(db, params.listId, body.id);
    const attributes = await attributesIn(db, params.listId);
    const { title, archived, linked_entity_type, linked_entity_id } = body;
    const entry: store.Entry = {
      ...before,
      title: title ?? before.title,
      values: body.values === undefined ? before.values : mergedValues(attributes, body.values, before.values),
      position: positionOf(body.position ?? before.position),
      archived: archived ?? before.archived,
      linked_entity_type: linked_entity_type === undefined ? before.linked_entity_type : linked_entity_type,
      linked_entity_id: linked_entity_id === undefined ? before.linked_entity_id : linked_entity_id,
      updated_at: now.toISOString(),
    };
    requireSize(call, body.values, entry, before);
    await store.updateEntry(db, entry, typesOf(attributes), before);
    return entry;
  }, params.listId);
  return { body: entryBody(updated) };
};

export const deleteEntry: Handler<typeof operations.deleteEntry> = async (call) => {
  const { params, query } = call;
  await call.store.write(async (db) => {
    await requireList(db, call);
    if (!(await store.deleteEntry(db, params.listId, query.entryId))) throw notFound('entry', query.entryId);
  }, params.listId);
  return { body: undefined };
};

type Content = Pick<store.Entry, 'title' | 'values'>;

/** Throws 400 for values that are too large, or that make the entry too large. */
function requireSize({ sizes }: Pick<Call, 'sizes'>, written = {}, after: Content, before?: Content): void {
  const found = entryIssues(written, after, before, sizes);
  if (found.length > 0) throw invalidBy(found);
}

export async function requireEntry(db: Db, listId: string, id: string): Promise<store.Entry> {
  const entry = await store.entryById(db, listId, id);
  if (entry === undefined) throw notFound('entry', id);
  return entry;
}

async function attributesIn(db: Db, listId: string): Promise<Attribute[]> {
  return (await attributesOf(db, listId)).map(toAttribute);
}

function typesOf(attributes: readonly Attribute[]): store.AttributeTypes {
  return new Map(attributes.map(({ slug, attribute_type }) => [slug, attribute_type]));
}

function entryBody(entry: store.Entry): CustomListEntry {
  return entry;
}
