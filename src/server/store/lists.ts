/** Lists with their attributes and saved views, and the loops of entries. */
import { parseJson } from '../../core/json.ts';
import type { Attribute, StoredConfig } from '../model/attribute.ts';
import type { Engine } from './engine.ts';
import { arrayText, type JsonColumns, objectText } from './json-text.ts';
import { sql } from './kysely.ts';
import type { Db, Row } from './schema.ts';
import type { Store } from './store.ts';
import { runCompiled } from './tables.ts';

export type ListRow = Row<'lists'>;
export type AttributeRow = Row<'list_attributes'>;

/** As the API sends a list. */
const listColumns: JsonColumns<keyof ListRow> = {
  id: 'text',
  network_id: 'text',
  company_id: 'text',
  name: 'text',
  slug: 'text',
  description: 'text',
  icon: 'text',
  color: 'text',
  entity_type: 'text',
  context_type: 'text',
  position: 'integer',
  created_by: 'text',
  created_at: 'text',
  updated_at: 'text',
  is_system: 'flag',
};

/** The lists of the companies in their order, each with its number of attributes, as a JSON array. */
export async function readLists({ db, engine }: Store, companies: readonly string[]): Promise<string> {
  if (companies.length === 0) return '[]';
  const list_attributes_count = sql<string>`
    (select cast(count(*) as text) from list_attributes a where a.list_id = l.id)`;
  const lists = arrayText(sql`
    select ${objectText(engine, 'l', listColumns, { list_attributes_count })} as json from lists l
    where l.company_id in (${sql.join(companies)}) order by l.position, l.created_at, l.id`);
  const { rows } = await sql<{ text: string }>`select ${lists} as text`.execute(db);
  return rows[0]?.text ?? '[]';
}

/** Configurations as they are stored. */
const attributeColumns: JsonColumns<keyof AttributeRow> = {
  id: 'text',
  list_id: 'text',
  name: 'text',
  slug: 'text',
  attribute_type: 'text',
  config: 'json',
  is_required: 'flag',
  position: 'integer',
  created_at: 'text',
  updated_at: 'text',
};

interface ListAttributes {
  companyId: string;
  /** In their order. */
  attributes: Attribute[];
}

/** The attributes of a list, or those with one of the slugs, in one statement; undefined when there is no such list. */
export async function readAttributes(
  db: Db,
  engine: Engine,
  { listId, slugs }: { listId: string; slugs?: readonly string[] | undefined },
): Promise<ListAttributes | undefined> {
  const compile = () => {
    const named = slugs === undefined ? sql`` : sql`and a.slug in (${sql.join(slugs)})`;
    const attributes = arrayText(sql`
      select ${objectText(engine, 'a', attributeColumns)} as json from list_attributes a
      where a.list_id = l.id ${named} order by a.position, a.created_at, a.id`);
    return sql`
      select l.company_id as "companyId", ${attributes} as text from lists l where l.id = ${listId}`.compile(db);
  };
  const { rows } = await runCompiled<{ companyId: string; text: string }>(db, {
    name: `attributes ${slugs?.length}`,
    compile,
    parameters: [...(slugs ?? []), listId],
  });
  const [list] = rows;
  return list && { companyId: list.companyId, attributes: parseJson(list.text) as Attribute[] };
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
  await db.deleteFrom('entry_facets').where('list_id', '=', id).execute();
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
