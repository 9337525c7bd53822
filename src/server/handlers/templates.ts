import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import { templateIds } from '../../contract/lists.ts';
import { stringifyJson } from '../../core/json.ts';
import { mergedConfig } from '../model/attribute.ts';
import { ApiError } from '../model/failure.ts';
import { freeSlug, slugOf } from '../model/slug.ts';
import { type AttributeRow, insertAttributes } from '../store/lists.ts';
import type { Handler } from './handler.ts';
import { type Template, templates } from './list-templates.ts';
import { addList, summary } from './lists.ts';

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
    await insertAttributes(db, attributeRows(template, row.id, now.toISOString()));
    return row;
  }, call.company);
  return { body: { list: summary(list, template.attributes.length), template: { id, name, description } } };
};

function attributeRows({ attributes }: Template, listId: string, at: string): AttributeRow[] {
  const taken = new Set<string>();
  return attributes.map(({ name, type, required, options, ...bounds }, position) => {
    const slug = freeSlug(slugOf(name, 'attribute'), taken);
    taken.add(slug);
    const config = options ? { ...bounds, options: options.map(([label, tone]) => ({ label, tone })) } : bounds;
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
