/** Lists with their attributes and saved views, and the loops of entries. */
import { parseJson } from '../../core/json.ts';
import type { Attribute, StoredConfig } from '../model/attribute.ts';
import type { Engine } from './engine.ts';
import { sql } from './kysely.ts';
import type { Db, Row } from './schema.ts';
import type { Store } from './store.ts';
import { arrayText, findRow, findRows, objectText, runCompiled } from './tables.ts';

export type ListRow = Row<'lists'>;
export type AttributeRow = Row<'list_attributes'>;

/** The lists of the companies in their order, each with its number of attributes, as a JSON array. */
export async function readLists({ db, engine }: Store, companies: readonly string[]): Promise<string> {
  if (companies.length === 0) return '[]';
  const list_attributes_count = sql<string>`
    (select cast(count(*) as text) from list_attributes a where a.list_id = l.id)`;
  const lists = arrayText(sql`
    select ${objectText(engine, 'lists', 'l', { list_attributes_count })} as json from lists l
    where l.company_id in (${sql.join(companies)}) order by l.position, l.created_at, l.id`);
  const { rows } = await sql<{ text: string }>`select ${lists} as text`.execute(db);
  return rows[0]?.text ?? '[]';
}

/** The highest position of the company's lists; null where it has none. */
export async function lastListPosition(db: Db, companyId: string): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select max(position) as last from lists where company_id = ${companyId}`.execute(db);
  return rows[0]?.last ?? null;
}

interface ListAttributes {
  companyId: string;
  /** The highest position of its entries; null where it has none. */
  lastPosition: number | null;
  /** In their order. */
  attributes: readonly Attribute[];
}

/** The attributes that were parsed last: entries are written to one list after the other. */
let parsed: { text: string; attributes: readonly Attribute[] } = { text: '[]', attributes: [] };

/** The attributes of a list, or those with one of the slugs, in one statement; undefined when there is no such list. */
export async function readAttributes(
  db: Db,
  engine: Engine,
  { listId, slugs }: { listId: string; slugs?: readonly string[] | undefined },
): Promise<ListAttributes | undefined> {
  const compile = () => {
    const named = slugs === undefined ? sql`` : sql`and a.slug in (${sql.join(slugs)})`;
    const attributes = arrayText(sql`
      select ${objectText(engine, 'list_attributes', 'a')} as json from list_attributes a
      where a.list_id = l.id ${named} order by a.position, a.created_at, a.id`);
    return sql`
      select l.company_id as "companyId", ${attributes} as text,
        (select max(e.position) from entries e where e.list_id = l.id) as "lastPosition"
      from lists l where l.id = ${listId}`.compile(db);
  };
  const { rows } = await runCompiled<Omit<ListAttributes, 'attributes'> & { text: string }>(db, {
    name: `attributes ${slugs?.length}`,
    compile,
    parameters: [...(slugs ?? []), listId],
  });
  const [list] = rows;
  if (list === undefined) return undefined;
  const { text, ...rest } = list;
  if (text !== parsed.text) parsed = { text, attributes: parseJson(text) as Attribute[] };
  return { ...rest, attributes: parsed.attributes };
}

/** Undefined too when the list belongs to none of the companies. */
export async function listById(db: Db, id: string, companies: readonly string[]): Promise<ListRow | undefined> {
  const row = await findRow(db, 'lists', { id });
  return row && companies.includes(row.company_id) ? row : undefined;
}

/** The attributes of a list in their order. */
export async function attributesOf(db: Db, listId: string): Promise<Attribute[]> {
  const rows = await findRows(db, 'list_attributes', { list_id: listId }, 'position', 'created_at', 'id');
  return rows.map(toAttribute);
}

export function toAttribute(row: AttributeRow): Attribute {
  return { ...row, config: parseJson(row.config) as StoredConfig, is_required: row.is_required === 1 };
}

/** Deletes the list with its attributes, its entries and their facets. */
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

/** Queues a step unless one was queued after `doneBefore`; of several callers at once one gets true. */
export async function queueStep(
  db: Db,
  { entry_id, queued_at }: Pick<Row<'entry_loops'>, 'entry_id' | 'queued_at'>,
  doneBefore: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('entry_loops')
    .values({ entry_id, queued_at, steps: 1 })
    .onConflict((c) =>
      c
        .column('entry_id')
        .doUpdateSet((eb) => ({ queued_at, steps: eb('entry_loops.steps', '+', 1) }))
        .where('entry_loops.queued_at', '<=', doneBefore),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
