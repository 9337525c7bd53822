import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import {
  type AttributeType,
  type CustomListSummary,
  type CustomListWithAttributes,
  templateIds,
  tones,
} from '../../contract/lists.ts';
import { type Numeric, stringifyJson } from '../../core/json.ts';
import {
  type Attribute,
  attributeBody,
  type ConfigInput,
  mergedConfig,
  type StoredConfig,
} from '../model/attribute.ts';
import { ApiError, invalid, invalidRequest, notFound } from '../model/failure.ts';
import { freeSlug, slugOf } from '../model/names.ts';
import { optionIssues } from '../model/sizes.ts';
import { deleteValues } from '../store/entries.ts';
import * as store from '../store/lists.ts';
import type { Db, Row } from '../store/schema.ts';
import { findRow, insertRows } from '../store/tables.ts';
import { type Call, type Handler, JsonText } from './handler.ts';
import { type Template, templates } from './list-templates.ts';

/** The optional fields of a new or changed list. */
type ListFields = Partial<
  Pick<store.ListRow, 'description' | 'icon' | 'color' | 'entity_type' | 'context_type'> & { position: Numeric }
>;

export const listLists: Handler<typeof operations.listLists> = async ({ companies, store: database }) => {
  return { body: new JsonText(await store.readLists(database, companies)) };
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
    return { ...listFields(list), list_attributes: attributes.map(attributeBody) };
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
    const changes = { ...change, ...position, updated_at: now.toISOString() };
    await db.updateTable('lists').set(changes).where('id', '=', params.listId).execute();
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
  { params: { listId }, companies }: Pick<Call, 'companies'> & { params: { listId: string } },
): Promise<store.ListRow> {
  const list = await store.listById(db, listId, companies);
  if (list === undefined) throw notFound('list', listId);
  return list;
}

/** Adds an empty list to the company of the call, at the end unless a position is given. */
async function addList(
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
  await insertRows(db, 'lists', [row]);
  return row;
}

function summary(row: store.ListRow, attributes: number): CustomListSummary {
  return { ...listFields(row), list_attributes_count: attributes };
}

function listFields({ is_system, ...row }: store.ListRow) {
  return { ...row, is_system: is_system === 1 };
}

/** The given position, else the one after the last. Throws 400 for one that an engine cannot store exactly. */
export function positionOf(requested: unknown, last: number | null = null): number {
  if (requested === undefined) return last === null ? 0 : Math.min(last + 1, Number.MAX_SAFE_INTEGER);
  const position = Number(requested);
  if (Number.isSafeInteger(position)) return position;
  throw invalid({ path: 'position', message: `must be between ±${Number.MAX_SAFE_INTEGER}, got ${requested}` });
}

export const createAttribute: Handler<typeof operations.createAttribute> = async (call) => {
  const { params, body, now } = call;
  const row = await call.store.write(async (db) => {
    await requireList(db, call);
    const others = await store.attributesOf(db, params.listId);
    const created: store.AttributeRow = {
      id: randomUUID(),
      list_id: params.listId,
      name: body.name,
      slug: freeSlug(slugOf(body.name, 'attribute'), new Set(others.map(({ slug }) => slug))),
      attribute_type: body.attribute_type,
      config: stringifyJson(configFor(body.attribute_type, body.config)),
      is_required: Number(body.is_required ?? false),
      position: positionOf(body.position, others.length === 0 ? undefined : Number(others.at(-1)?.position)),
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    };
    await insertRows(db, 'list_attributes', [created]);
    return created;
  }, params.listId);
  return { body: attributeBody(store.toAttribute(row)) };
};

export const updateAttribute: Handler<typeof operations.updateAttribute> = async (call) => {
  const { params, body, now } = call;
  const attribute = await call.store.write(async (db) => {
    await requireList(db, call);
    const before = await requireAttribute(db, params.listId, body.id);
    const after: Attribute = {
      ...before,
      name: body.name ?? before.name,
      config: configFor(before.attribute_type, body.config, before.config),
      is_required: body.is_required ?? before.is_required,
      position: positionOf(body.position ?? before.position),
      updated_at: now.toISOString(),
    };
    const { name, position, updated_at } = after;
    const changes = { name, position: Number(position), updated_at };
    await db
      .updateTable('list_attributes')
      .set({ ...changes, config: stringifyJson(after.config), is_required: Number(after.is_required) })
      .where('id', '=', before.id)
      .execute();
    return after;
  }, params.listId);
  return { body: attributeBody(attribute) };
};

export const deleteAttribute: Handler<typeof operations.deleteAttribute> = async (call) => {
  const { params, query, now } = call;
  await call.store.write(async (db) => {
    await requireList(db, call);
    const attribute = await requireAttribute(db, params.listId, query.attributeId);
    await deleteValues(db, params.listId, attribute.slug, now.toISOString());
    await db.deleteFrom('list_attributes').where('id', '=', attribute.id).execute();
  }, params.listId);
  return { body: undefined };
};

/** The configuration to store. Throws 400 when it is wrong or has too many options. */
function configFor(type: AttributeType, input: ConfigInput = {}, before?: StoredConfig) {
  const config = mergedConfig(type, input, before);
  const problems = input.options === undefined ? [] : optionIssues(config);
  if (problems.length > 0) throw invalidRequest(problems);
  return config;
}

async function requireAttribute(db: Db, listId: string, id: string): Promise<Attribute> {
  const row = await findRow(db, 'list_attributes', { id, list_id: listId });
  if (row === undefined) throw notFound('attribute', id);
  return store.toAttribute(row);
}

export const instantiateTemplate: Handler<typeof operations.instantiateTemplate> = async (call) => {
  const { body, now } = call;
  const id = templateIds.find((known) => known === body.templateId);
  if (id === undefined) {
    throw new ApiError(404, `No template ${body.templateId}; choose one of ${templateIds.join(', ')}`);
  }
  const template = templates[id];
  const { name, description, icon, entityType: entity_type } = template;
  const list = await call.store.write(async (db) => {
    const row = await addList(db, call, body.name ?? name, { description, icon, entity_type });
    await insertRows(db, 'list_attributes', attributeRows(template, row.id, now.toISOString()));
    return row;
  }, call.company);
  return { body: { list: summary(list, template.attributes.length), template: { id, name, description } } };
};

function attributeRows({ attributes }: Template, listId: string, at: string): Row<'list_attributes'>[] {
  const taken = new Set<string>();
  return attributes.map(({ name, type, required, options, ...bounds }, position) => {
    const slug = freeSlug(slugOf(name, 'attribute'), taken);
    taken.add(slug);
    const config = options
      ? { ...bounds, options: options.map((label, index) => ({ label, tone: tones[index % tones.length] ?? null })) }
      : bounds;
    return {
      id: randomUUID(),
      list_id: listId,
      name,
      slug,
      attribute_type: type,
      config: stringifyJson(mergedConfig(type, config)),
      is_required: Number(required ?? false),
      position,
      created_at: at,
      updated_at: at,
    };
  });
}
