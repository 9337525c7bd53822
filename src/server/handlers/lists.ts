import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import type { CustomListSummary, CustomListWithAttributes } from '../../contract/lists.ts';
import type { Numeric } from '../../core/json.ts';
import { attributeBody } from '../model/attribute.ts';
import { ApiError, invalid, notFound } from '../model/failure.ts';
import { freeSlug, slugOf } from '../model/slug.ts';
import * as store from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import type { Call, Handler } from './handler.ts';

/** What a write may say of a list. */
type ListFields = Partial<
  Pick<store.ListRow, 'description' | 'icon' | 'color' | 'entity_type' | 'context_type'> & { position: Numeric }
>;

export const listLists: Handler<typeof operations.listLists> = async ({ companies, store: { db } }) => {
  const rows = await store.listsOf(db, companies);
  return { body: rows.map(({ list_attributes_count, ...row }) => ({ ...listFields(row), list_attributes_count })) };
};

export const createList: Handler<typeof operations.createList> = async (call) => {
  const { body, store: database } = call;
  const list = await database.write((db) => addList(db, call, body.name, body), call.company);
  return { body: summary(list, 0) };
};

export const getList: Handler<typeof operations.getList> = async (call) => {
  const body = await call.store.read(async (db): Promise<CustomListWithAttributes> => {
    const list = await requireList(db, call);
    const attributes = await store.attributesOf(db, list.id);
    return { ...listFields(list), list_attributes: attributes.map((row) => attributeBody(store.toAttribute(row))) };
  });
  return { body };
};

export const updateList: Handler<typeof operations.updateList> = async (call) => {
  const { params, body, now } = call;
  const fields = ['name', 'description', 'icon', 'color', 'entity_type', 'context_type'] as const;
  const change = Object.fromEntries(
    fields.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );
  const result = await call.store.write(async (db) => {
    await requireList(db, call);
    const position = body.position === undefined ? {} : { position: positionOf(body.position) };
    await store.updateList(db, params.listId, { ...change, ...position, updated_at: now.toISOString() });
    const list = await requireList(db, call);
    return summary(list, (await store.attributesOf(db, list.id)).length);
  }, params.listId);
  return { body: result };
};

export const deleteList: Handler<typeof operations.deleteList> = async (call) => {
  const { params } = call;
  await call.store.write(async (db) => {
    await requireList(db, call);
    await store.deleteList(db, params.listId);
  }, params.listId);
  return { body: undefined };
};

/** The list, if one of the companies has it; 404 for any other, so that its existence is not revealed. */
export async function requireList(
  db: Db,
  { params: { listId }, companies, concerns }: Pick<Call, 'companies' | 'concerns'> & { params: { listId: string } },
): Promise<store.ListRow> {
  const list = await store.listById(db, listId, companies);
  if (list === undefined) throw notFound('list', listId);
  concerns(list.company_id);
  return list;
}

/** Adds an empty list to the company of the call, at the end unless a position is given. */
export async function addList(
  db: Db,
  call: Pick<Call, 'company' | 'caller' | 'now'>,
  name: string,
  fields: ListFields,
): Promise<store.ListRow> {
  const { company, caller, now } = call;
  if (company === undefined) throw new ApiError(400, 'Invalid request: companyId is required');
  const base = slugOf(name, 'list');
  const last = await store.lastListPosition(db, company);
  const row: store.ListRow = {
    id: randomUUID(),
    network_id: null,
    company_id: company,
    name,
    slug: freeSlug(base, await store.listSlugsLike(db, company, base)),
    description: fields.description ?? null,
    icon: fields.icon ?? null,
    color: fields.color ?? null,
    entity_type: fields.entity_type ?? 'custom',
    context_type: fields.context_type ?? null,
    is_system: 0,
    position: positionOf(fields.position, last),
    created_by: caller.userId,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
  await store.insertList(db, row);
  return row;
}

export function summary(row: store.ListRow, attributes: number): CustomListSummary {
  return { ...listFields(row), list_attributes_count: attributes };
}

function listFields({ is_system, ...row }: store.ListRow) {
  return { ...row, is_system: is_system === 1 };
}

/** The given position, else the one after the last. Throws 400 for one that an engine cannot store exactly. */
export function positionOf(given: unknown, last?: number): number {
  if (given === undefined) return last === undefined ? 0 : Math.min(last + 1, Number.MAX_SAFE_INTEGER);
  const position = Number(given);
  if (Number.isSafeInteger(position)) return position;
  throw invalid({ path: 'position', message: `must be between ±${Number.MAX_SAFE_INTEGER}, got ${given}` });
}
