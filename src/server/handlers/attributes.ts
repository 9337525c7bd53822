import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import type { AttributeType } from '../../contract/lists.ts';
import { stringifyJson } from '../../core/json.ts';
import {
  type Attribute,
  attributeBody,
  type ConfigInput,
  mergedConfig,
  type StoredConfig,
} from '../model/attribute.ts';
import { invalidBy, notFound } from '../model/failure.ts';
import { optionIssues } from '../model/sizes.ts';
import { freeSlug, slugOf } from '../model/slug.ts';
import { deleteValues } from '../store/entries.ts';
import * as store from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import type { Call, Handler } from './handler.ts';
import { positionOf, requireList } from './lists.ts';

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
      config: stringifyJson(configFor(call, body.attribute_type, body.config)),
      is_required: Number(body.is_required ?? false),
      position: positionOf(body.position, others.at(-1)?.position),
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    };
    await store.insertAttributes(db, [created]);
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
      config: configFor(call, before.attribute_type, body.config, before.config),
      is_required: body.is_required ?? before.is_required,
      position: positionOf(body.position ?? before.position),
      updated_at: now.toISOString(),
    };
    const { name, position, updated_at } = after;
    await store.updateAttribute(db, before.id, {
      name,
      position: Number(position),
      updated_at,
      config: stringifyJson(after.config),
      is_required: Number(after.is_required),
    });
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
    await store.deleteAttribute(db, attribute.id);
  }, params.listId);
  return { body: undefined };
};

/** The configuration to store. Throws 400 when it is wrong or has too many options. */
function configFor(
  { sizes }: Pick<Call, 'sizes'>,
  type: AttributeType,
  input: ConfigInput = {},
  before?: StoredConfig,
) {
  const config = mergedConfig(type, input, before);
  const found = input.options === undefined ? [] : optionIssues(config, sizes);
  if (found.length > 0) throw invalidBy(found);
  return config;
}

async function requireAttribute(db: Db, listId: string, id: string): Promise<Attribute> {
  const rows = await store.attributesOf(db, listId);
  const row = rows.find((attribute) => attribute.id === id);
  if (row === undefined) throw notFound('attribute', id);
  return store.toAttribute(row);
}
