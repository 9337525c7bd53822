import { parseJson } from '../../core/json.ts';
import type { Attribute } from '../model/attribute.ts';
import { toEntry } from '../store/entries.ts';
import { attributesOf, toAttribute } from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import { type Names, type SeedPiece, withoutNull } from './dump-names.ts';
import type { SeedAttribute, SeedEntry, SeedList, SeedView } from './seed-lists.ts';

/** Rows that are in memory at once. */
const batch = 1000;

/** Each list without its entries, and then its entries. */
export async function* dumpLists(db: Db, names: Names): AsyncGenerator<SeedPiece> {
  const rows = await db
    .selectFrom('lists')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('id')
    .execute();
  for (const { company_id, network_id: _, is_system, created_by, ...row } of rows) {
    const attributes = (await attributesOf(db, row.id)).map(toAttribute);
    const list: Omit<SeedList, 'entries'> = {
      company: names.company(company_id),
      ...withoutNull(row),
      position: Number(row.position),
      is_system: is_system === 1,
      ...(created_by !== null && { created_by: names.user(created_by) }),
      // Every stored option has a label, which the type of the API leaves open.
      attributes: attributes.map(({ list_id: _list, ...attribute }) => attribute as SeedAttribute),
    };
    yield { part: 'lists', items: [list] };
    for await (const items of dumpEntries(db, names, row.id, attributes)) yield { part: 'entries', items };
  }
}

async function* dumpEntries(
  db: Db,
  names: Names,
  listId: string,
  attributes: readonly Attribute[],
): AsyncGenerator<SeedEntry[]> {
  // Entries may be older than a required attribute: a null says that the value is known to be missing.
  const required = attributes.filter(({ is_required }) => is_required).map(({ slug }) => [slug, null]);
  let last: { position: number | bigint | string; created_at: string; id: string } | undefined;
  do {
    let query = db.selectFrom('entries').selectAll().where('list_id', '=', listId);
    if (last) {
      const { position, created_at, id } = last;
      query = query.where((is) =>
        is(is.refTuple('position', 'created_at', 'id'), '>', is.tuple(Number(position), created_at, id)),
      );
    }
    const rows = await query.orderBy('position').orderBy('created_at').orderBy('id').limit(batch).execute();
    const loops = await loopsOf(
      db,
      rows.map(({ id }) => id),
    );
    yield rows.map(toEntry).map(({ list_id: _, created_by, values, ...entry }) => {
      const loop = loops.get(entry.id);
      return {
        ...withoutNull(entry),
        values: { ...Object.fromEntries(required), ...values },
        ...(created_by !== null && { created_by: names.user(created_by) }),
        ...(loop && { loop }),
      };
    });
    last = rows.length < batch ? undefined : rows.at(-1);
  } while (last);
}

async function loopsOf(db: Db, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('entry_loops')
    .select(['entry_id', 'queued_at', 'steps'])
    .where('entry_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ entry_id, ...loop }) => [entry_id, loop]));
}

export async function dumpViews(db: Db, names: Names): Promise<SeedView[]> {
  const rows = await db
    .selectFrom('saved_views')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('id')
    .execute();
  return rows.map(({ company_id, created_by, filters, is_pinned, ...row }) => ({
    company: names.company(company_id),
    ...withoutNull(row),
    position: Number(row.position),
    filters: parseJson(filters) as SeedView['filters'],
    is_pinned: is_pinned === 1,
    ...(created_by !== null && { created_by: names.user(created_by) }),
  }));
}
