import { parseJson } from '../../core/json.ts';
import type { Attribute } from '../model/attribute.ts';
import { toEntry } from '../store/entries.ts';
import { attributesOf, toAttribute } from '../store/lists.ts';
import type { Db } from '../store/schema.ts';
import { type Names, withoutNull } from './dump-names.ts';
import type { SeedAttribute, SeedEntry, SeedList, SeedView } from './seed-lists.ts';

export async function dumpLists(db: Db, names: Names): Promise<SeedList[]> {
  const rows = await db
    .selectFrom('lists')
    .selectAll()
    .orderBy('company_id')
    .orderBy('position')
    .orderBy('id')
    .execute();
  const result: SeedList[] = [];
  for (const { company_id, network_id: _, is_system, created_by, ...row } of rows) {
    const attributes = (await attributesOf(db, row.id)).map(toAttribute);
    result.push({
      company: names.company(company_id),
      ...withoutNull(row),
      position: Number(row.position),
      is_system: is_system === 1,
      ...(created_by !== null && { created_by: names.user(created_by) }),
      // Every stored option has a label, which the type of the API leaves open.
      attributes: attributes.map(({ list_id: _list, ...attribute }) => attribute as SeedAttribute),
      entries: await dumpEntries(db, names, row.id, attributes),
    });
  }
  return result;
}

async function dumpEntries(
  db: Db,
  names: Names,
  listId: string,
  attributes: readonly Attribute[],
): Promise<SeedEntry[]> {
  const loops = await db
    .selectFrom('entry_loops')
    .innerJoin('entries', 'entries.id', 'entry_loops.entry_id')
    .select(['entry_id', 'queued_at', 'steps'])
    .where('list_id', '=', listId)
    .execute();
  const loopOf = new Map(loops.map(({ entry_id, ...loop }) => [entry_id, loop]));
  const rows = await db
    .selectFrom('entries')
    .selectAll()
    .where('list_id', '=', listId)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  // Entries may be older than a required attribute: a null says that the value is known to be missing.
  const required = attributes.filter(({ is_required }) => is_required).map(({ slug }) => [slug, null]);
  return rows.map(toEntry).map(({ list_id: _, created_by, values, ...entry }) => {
    const loop = loopOf.get(entry.id);
    return {
      ...withoutNull(entry),
      values: { ...Object.fromEntries(required), ...values },
      ...(created_by !== null && { created_by: names.user(created_by) }),
      ...(loop && { loop }),
    };
  });
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
