/** Lists with their attributes and saved views, and the loops of entries. */
import { parseJson } from '../../core/json.ts';
import type { Attribute, StoredConfig } from '../model/attribute.ts';
import type { Db, Row } from './schema.ts';

export type ListRow = Row<'lists'>;
export type AttributeRow = Row<'list_attributes'>;

/** The lists of the companies in their order, each with its number of attributes. */
export async function listsOf(
  db: Db,
  companies: readonly string[],
): Promise<(ListRow & { list_attributes_count: number })[]> {
  if (companies.length === 0) return [];
  const rows = await db
    .selectFrom('lists')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('list_attributes')
        .whereRef('list_attributes.list_id', '=', 'lists.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('list_attributes_count'),
    )
    .where('company_id', 'in', companies)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    position: Number(row.position),
    list_attributes_count: Number(row.list_attributes_count),
  }));
}

/** Undefined too when the list belongs to none of the companies. */
export async function listById(db: Db, id: string, companies: readonly string[]): Promise<ListRow | undefined> {
  const row = await db.selectFrom('lists').selectAll().where('id', '=', id).executeTakeFirst();
  return row && companies.includes(row.company_id) ? { ...row, position: Number(row.position) } : undefined;
}

export function toAttribute(row: AttributeRow): Attribute {
  return { ...row, config: parseJson(row.config) as StoredConfig, is_required: row.is_required === 1 };
}

export async function insertList(db: Db, row: ListRow): Promise<void> {
  await db.insertInto('lists').values(row).execute();
}

export async function updateList(db: Db, id: string, change: Partial<ListRow>): Promise<void> {
  await db.updateTable('lists').set(change).where('id', '=', id).execute();
}

/** With its attributes, its entries and their facets. */
export async function deleteList(db: Db, id: string): Promise<void> {
  await db.deleteFrom('lists').where('id', '=', id).execute();
}

/** The slugs of the company that a new slug may collide with: `base`, `base-2`, … */
export async function listSlugsLike(db: Db, companyId: string, base: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('lists')
    .select('slug')
    .where('company_id', '=', companyId)
    .where('slug', 'like', `${base}%`)
    .execute();
  return new Set(rows.map((row) => row.slug));
}

export async function lastListPosition(db: Db, companyId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('lists')
    .select('position')
    .where('company_id', '=', companyId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.position);
}

/** In their order, their configurations as they are stored. */
export async function attributesOf(db: Db, listId: string): Promise<AttributeRow[]> {
  const rows = await db
    .selectFrom('list_attributes')
    .selectAll()
    .where('list_id', '=', listId)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

export async function insertAttributes(db: Db, rows: readonly AttributeRow[]): Promise<void> {
  for (const row of rows) await db.insertInto('list_attributes').values(row).execute();
}

export async function updateAttribute(db: Db, id: string, change: Partial<AttributeRow>): Promise<void> {
  await db.updateTable('list_attributes').set(change).where('id', '=', id).execute();
}

export async function deleteAttribute(db: Db, id: string): Promise<void> {
  await db.deleteFrom('list_attributes').where('id', '=', id).execute();
}

export function viewById(db: Db, id: string, companyId: string): Promise<Row<'saved_views'> | undefined> {
  return db
    .selectFrom('saved_views')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst();
}

export function loopOf(db: Db, entryId: string): Promise<Row<'entry_loops'> | undefined> {
  return db.selectFrom('entry_loops').selectAll().where('entry_id', '=', entryId).executeTakeFirst();
}

/** Queues a step unless one was queued after `doneBefore`; of several callers at once one gets true. */
export async function queueStep(db: Db, entryId: string, queuedAt: string, doneBefore: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('entry_loops')
    .values({ entry_id: entryId, queued_at: queuedAt, steps: 1 })
    .onConflict((c) =>
      c
        .column('entry_id')
        .doUpdateSet((eb) => ({ queued_at: queuedAt, steps: eb('entry_loops.steps', '+', 1) }))
        .where('entry_loops.queued_at', '<=', doneBefore),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
