/** The facets after each change of an entry are those that writing the entry again gives. */
import { afterEach, expect, it } from 'vitest';
import { toEntry, updateEntry } from '../../src/server/store/entries.ts';
import { attributesOf } from '../../src/server/store/lists.ts';
import { findRow } from '../../src/server/store/tables.ts';
import { companies, type World, world } from './world.ts';

let w: World;
afterEach(() => w.close());

it('stay what the entries hold, whatever changes', async () => {
  w = await world();
  const listId = (await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Facets' } })).body
    .id;
  const params = { listId };
  const options = ['a', 'b', 'c'].map((label) => ({ label }));
  for (const body of [
    { name: 'T', attribute_type: 'text' },
    { name: 'N', attribute_type: 'number' },
    { name: 'M', attribute_type: 'multi_select', config: { options } },
  ]) {
    await w.call('createAttribute', { params, body });
  }
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    ids.push(
      (await w.call('createEntry', { params, body: { title: `E${n}`, values: { t: 'x', n, m: ['a'] } } })).body.id,
    );
  }
  const changes: Record<string, unknown>[] = [
    { title: 'Another' },
    { values: { t: 'x' } },
    { values: { t: 'y' } },
    { values: { t: null, n: 1.5 } },
    { values: { m: ['c', 'a', 'b'] } },
    { values: { m: ['b'] } },
    { values: { m: null } },
    { values: { t: `${'long '.repeat(60)}` } },
    { values: { t: '["t","x"]', n: 1e21 } },
    { position: 70_000 },
    { archived: true },
    { archived: true, values: { t: 'z', m: ['a', 'c'] } },
    { archived: false, position: -3 },
    { values: { n: 0 } },
    { values: { n: -0 } },
  ];
  const facets = async () => {
    const rows = await w.store.db.selectFrom('entry_facets').selectAll().where('list_id', '=', listId).execute();
    return rows.map((row) => JSON.stringify({ ...row, position: Number(row.position) })).sort();
  };
  for (const [n, change] of [...changes, ...changes.toReversed()].entries()) {
    const { status } = await w.call('updateEntry', { params, body: { id: ids[n % 3], ...change } });
    expect(status).toBe(200);
    const written = await facets();
    await w.store.write(async (db) => {
      const types = new Map((await attributesOf(db, listId)).map(({ slug, attribute_type }) => [slug, attribute_type]));
      await db.deleteFrom('entry_facets').execute();
      for (const id of ids) {
        const row = await findRow(db, 'entries', { id });
        const after = row && toEntry(row);
        // Without values it had no facets, so that all are written.
        if (after) await updateEntry(db, { before: { ...after, values: {} }, after, types });
      }
    }, listId);
    expect(written).toEqual(await facets());
  }
  expect(await facets()).not.toEqual([]);
  for (const entryId of ids.slice(1)) await w.call('deleteEntry', { params, query: { entryId } });
  const left = await facets();
  expect(left).not.toEqual([]);
  expect(left.filter((row) => !row.includes(String(ids[0])))).toEqual([]);
  await w.call('deleteList', { params });
  expect(await facets()).toEqual([]);
});
