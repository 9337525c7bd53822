/** Entries, always written together with their facets. */
import type { AttributeType } from '../../contract/lists.ts';
import { folded } from '../../core/fold.ts';
import { parseJson, stringifyJson } from '../../core/json.ts';
import { countIn, type Placed } from './blocks.ts';
import { facetKey, facetTexts } from './facets.ts';
import { fixed } from './fixed.ts';
import { type Selectable, sql } from './kysely.ts';
import type { Db, EntryTable, FacetTable } from './schema.ts';
import { insertRows } from './upsert.ts';

/** An entry with its values parsed. */
export interface Entry extends Omit<Selectable<EntryTable>, 'values' | 'title_key' | 'archived'> {
  values: Record<string, unknown>;
  archived: boolean;
}

/** The attribute types of a list by slug: they say how values are found. */
export type AttributeTypes = ReadonlyMap<string, AttributeType>;

/** Entries whose rows are in memory at once. */
const batch = 1000;

export function toEntry({ title_key: _, ...row }: Selectable<EntryTable>): Entry {
  return {
    ...row,
    values: parseJson(row.values) as Record<string, unknown>,
    position: Number(row.position),
    archived: row.archived === 1,
  };
}

export async function entryById(db: Db, listId: string, id: string): Promise<Entry | undefined> {
  const [row] = await entryWithId(db, { listId, id });
  return row && toEntry(row);
}

const entryWithId = fixed((db, value: { listId: string; id: string }) =>
  db.selectFrom('entries').selectAll().where('id', '=', value.id).where('list_id', '=', value.listId),
);

/** All of one list. */
export async function insertEntries(db: Db, entries: readonly Entry[], types: AttributeTypes): Promise<void> {
  for (let at = 0; at < entries.length; at += batch) {
    const part = entries.slice(at, at + batch);
    const rows = part.map(({ archived, values, ...row }) => ({
      ...row,
      title_key: folded(row.title),
      values: stringifyJson(values),
      archived: Number(archived),
    }));
    await insertRows(db, 'entries', rows);
    await insertFacets(
      db,
      part.flatMap((entry) => facetRows(entry, types)),
    );
    await countIn(db, part, 1);
  }
}

/**
 * Writes the entry. With `before`, the entry as this transaction read it, only facets that differ are written. They take
 * most of the time and of the disk.
 */
export async function updateEntry(db: Db, entry: Entry, types: AttributeTypes, before?: Entry): Promise<void> {
  await moveCount(db, entry, before);
  const { title, values, archived } = entry;
  await writeEntry(db, {
    ...entry,
    title_key: folded(title),
    values: stringifyJson(values),
    archived: Number(archived),
  });
  const rows = facetRows(entry, types);
  const placed = before && samePlace(before, entry) ? facetRows(before, types) : undefined;
  if (placed === undefined) {
    await deleteFacets(db, { id: entry.id });
    return insertFacets(db, rows);
  }
  const [old, now] = [new Set(placed.map(nameOfFacet)), new Set(rows.map(nameOfFacet))];
  for (const row of placed) {
    if (!now.has(nameOfFacet(row))) await deleteFacet(db, { id: entry.id, slug: row.slug, value_key: row.value_key });
  }
  await insertFacets(
    db,
    rows.filter((row) => !old.has(nameOfFacet(row))),
  );
}

/** The columns that facets copy from their entry. */
function samePlace(a: Entry, b: Entry): boolean {
  return (
    a.list_id === b.list_id && a.archived === b.archived && a.position === b.position && a.created_at === b.created_at
  );
}

function nameOfFacet({ slug, value_key }: FacetTable): string {
  return JSON.stringify([slug, value_key]);
}

const writeEntry = fixed((db, value: Selectable<EntryTable>) =>
  db
    .updateTable('entries')
    .set({
      list_id: value.list_id,
      title: value.title,
      title_key: value.title_key,
      values: value.values,
      position: value.position,
      archived: value.archived,
      linked_entity_type: value.linked_entity_type,
      linked_entity_id: value.linked_entity_id,
      created_by: value.created_by,
      created_at: value.created_at,
      updated_at: value.updated_at,
    })
    .where('id', '=', value.id),
);

const deleteFacet = fixed((db, value: { id: string; slug: string; value_key: string }) =>
  db
    .deleteFrom('entry_facets')
    .where('entry_id', '=', value.id)
    .where('slug', '=', value.slug)
    .where('value_key', '=', value.value_key),
);

const deleteFacets = fixed((db, value: { id: string }) =>
  db.deleteFrom('entry_facets').where('entry_id', '=', value.id),
);

/** Removes the stored entry from the counts and adds the one that replaces it. */
async function moveCount(db: Db, entry: Entry, known: Entry | undefined): Promise<void> {
  const before = known ?? (await placed(db, entry.id));
  if (before === undefined) return;
  if (before.position === entry.position && before.archived === entry.archived) return;
  await countIn(db, [before], -1);
  await countIn(db, [entry], 1);
}

async function placed(db: Db, id: string): Promise<Placed | undefined> {
  const [row] = await placeOf(db, { id });
  return row && { ...row, position: Number(row.position), archived: row.archived === 1 };
}

const placeOf = fixed((db, value: { id: string }) =>
  db.selectFrom('entries').select(['list_id', 'position', 'archived']).where('id', '=', value.id),
);

export async function deleteEntry(db: Db, listId: string, id: string): Promise<boolean> {
  const entry = await placed(db, id);
  if (entry?.list_id !== listId) return false;
  await deleteWithId(db, { id });
  await countIn(db, [entry], -1);
  return true;
}

const deleteWithId = fixed((db, value: { id: string }) => db.deleteFrom('entries').where('id', '=', value.id));

/** Removes the values of one attribute from all entries of the list. */
export async function deleteValues(db: Db, listId: string, slug: string, updatedAt: string): Promise<void> {
  await db.deleteFrom('entry_facets').where('list_id', '=', listId).where('slug', '=', slug).execute();
  let after: { position: number; created_at: string; id: string } | undefined;
  for (;;) {
    // Slugs have no pattern characters. A text that only looks like the key is checked below.
    let query = db
      .selectFrom('entries')
      .select(['id', 'values', 'position', 'created_at'])
      .where('list_id', '=', listId)
      .where('values', 'like', `%"${slug}":%`);
    if (after)
      query = query.where(
        sql<boolean>`(position, created_at, id) > (${after.position}, ${after.created_at}, ${after.id})`,
      );
    const rows = await query.orderBy('position').orderBy('created_at').orderBy('id').limit(batch).execute();
    const changed = rows.flatMap((row) => {
      const values = parseJson(row.values) as Record<string, unknown>;
      if (!Object.hasOwn(values, slug)) return [];
      delete values[slug];
      return [sql`(${row.id}, ${stringifyJson(values)})`];
    });
    if (changed.length > 0) {
      await sql`update entries set "values" = changed.column2, updated_at = ${updatedAt}
        from (values ${sql.join(changed)}) changed where entries.id = changed.column1`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = { ...last, position: Number(last.position) };
  }
}

export async function lastEntryPosition(db: Db, listId: string): Promise<number | undefined> {
  const [row] = await lastPosition(db, { listId });
  return row && Number(row.position);
}

const lastPosition = fixed((db, value: { listId: string }) =>
  db.selectFrom('entries').select('position').where('list_id', '=', value.listId).orderBy('position', 'desc').limit(1),
);

function facetRows(entry: Entry, types: AttributeTypes): FacetTable[] {
  return Object.entries(entry.values).flatMap(([slug, value]) => {
    const type = types.get(slug);
    if (type === undefined) return [];
    return facetTexts(type, value).map((text) => ({
      list_id: entry.list_id,
      slug,
      value_key: facetKey(text),
      archived: Number(entry.archived),
      position: entry.position,
      created_at: entry.created_at,
      entry_id: entry.id,
    }));
  });
}

function insertFacets(db: Db, rows: readonly FacetTable[]): Promise<void> {
  return insertRows(
    db,
    'entry_facets',
    rows.map((row) => ({ ...row })),
  );
}
