import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertEntries } from '../../src/server/store/entries.ts';
import { companies, sessions, tokens, unknown, users, type World, world } from './world.ts';

let w: World;
beforeEach(async () => {
  w = await world();
});
afterEach(() => w.close());

const companyId = companies.fund;
const create = async (name: string, body = {}) =>
  (await w.call('createList', { query: { companyId }, body: { name, ...body } })).body;

describe('lists', () => {
  it('are created with a slug of their own and every field in place', async () => {
    const got = await w.call('createList', { query: { companyId }, body: { name: 'Déal  Pipeline!', icon: 'x' } });
    expect(got.status).toBe(201);
    expect(got.body).toEqual({
      id: got.body.id,
      network_id: null,
      company_id: companyId,
      name: 'Déal  Pipeline!',
      slug: 'deal-pipeline',
      description: null,
      icon: 'x',
      color: null,
      entity_type: 'custom',
      context_type: null,
      is_system: false,
      position: 0,
      created_by: users.ann,
      created_at: '2026-02-15T12:00:00.000Z',
      updated_at: '2026-02-15T12:00:00.000Z',
      list_attributes_count: 0,
    });
    expect((await create('Deal pipeline')).slug).toBe('deal-pipeline-2');
    expect((await create('deal pipeline')).slug).toBe('deal-pipeline-3');
    expect((await create('日本')).slug).toBe('list');
    const other = await w.call('createList', {
      query: { companyId: companies.startup },
      body: { name: 'Deal pipeline' },
    });
    expect(other.body.slug).toBe('deal-pipeline');
  });

  it('are listed in order of position, of only the one company', async () => {
    const first = await create('A');
    const second = await create('B', { position: -1 });
    await w.call('createList', { query: { companyId: companies.startup }, body: { name: 'Elsewhere' } });
    const got = await w.call('listLists', { query: { companyId } });
    expect(got.status).toBe(200);
    expect(got.body.map((list: { id: string }) => list.id)).toEqual([second.id, first.id]);
  });

  it('take the company from the header, and refuse two that differ', async () => {
    await create('A');
    const byHeader = await w.call('listLists', { headers: { 'x-company-id': companyId.toUpperCase() } });
    expect(byHeader.body).toHaveLength(1);
    const { side } = companies;
    const made = await w.call('instantiateTemplate', { query: { companyId: side }, body: { templateId: 'okrs' } });
    expect(made.body.list.company_id).toBe(side);
    const mine = { params: { listId: made.body.list.id } };
    expect((await w.call('getList', { ...mine, query: { companyId: side } })).status).toBe(200);
    expect((await w.call('getList', { ...mine, query: { companyId } })).status).toBe(404);
    expect((await w.call('getList', { ...mine, query: 'companyId=me' })).body.details.issues).toEqual([
      { path: 'companyId', message: 'must be a UUID' },
    ]);
    const twice = await w.call('getList', { ...mine, query: `companyId=${side}&companyId=${side}` });
    expect([twice.status, twice.body.error]).toEqual([400, expect.stringContaining('more than once')]);
    const both = await w.call('listLists', { query: { companyId }, headers: { 'x-company-id': companies.startup } });
    expect(both.status).toBe(400);
    expect((await w.call('listLists', {})).body.details.issues).toEqual([
      { path: 'companyId', message: 'is required' },
    ]);
    expect((await w.call('createList', { body: { name: 'A' }, headers: { 'x-company-id': companyId } })).status).toBe(
      201,
    );
  });

  it('are read with their attributes in order', async () => {
    const { id: listId } = await create('A');
    const add = (name: string, position?: number) =>
      w.call('createAttribute', { params: { listId }, body: { name, attribute_type: 'text', position } });
    await add('Late', 9);
    await add('Last');
    await add('Early', -1);
    const got = await w.call('getList', { params: { listId } });
    expect(got.body.list_attributes.map((a: { slug: string }) => a.slug)).toEqual(['early', 'late', 'last']);
    expect(got.body).not.toHaveProperty('list_attributes_count');
    expect((await w.call('listLists', { query: { companyId } })).body[0].list_attributes_count).toBe(3);
  });

  it('change what is sent and nothing else; a rename keeps the slug', async () => {
    const { id: listId } = await create('A', { description: 'old', color: 'red' });
    const got = await w.call('updateList', { params: { listId }, body: { name: 'B', description: null, position: 7 } });
    expect(got.status).toBe(200);
    expect(got.body).toMatchObject({ name: 'B', slug: 'a', description: null, color: 'red', position: 7 });
    expect((await w.call('updateList', { params: { listId }, body: {} })).body).toMatchObject({ name: 'B' });
    expect((await w.call('updateList', { params: { listId }, body: { name: '' } })).status).toBe(400);
    expect((await w.call('updateList', { params: { listId }, body: '{"position":1e300}' })).status).toBe(400);
  });

  it('are deleted with attributes and entries', async () => {
    const { id: listId } = await create('A');
    await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
    await w.call('createEntry', { params: { listId }, body: { title: 'E', values: { t: 'x' } } });
    expect((await w.call('deleteList', { params: { listId } })).status).toBe(204);
    expect((await w.call('deleteList', { params: { listId } })).status).toBe(404);
    for (const table of ['list_attributes', 'entries', 'entry_facets'] as const) {
      expect(await w.store.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  it('of other companies do not exist for the caller', async () => {
    const { id: listId } = await create('A');
    const as = sessions.ben;
    expect((await w.call('getList', { params: { listId }, as })).status).toBe(404);
    expect((await w.call('updateList', { params: { listId }, as, body: { name: 'Mine' } })).status).toBe(404);
    expect((await w.call('deleteList', { params: { listId }, as })).status).toBe(404);
    expect((await w.call('getList', { params: { listId: unknown } })).status).toBe(404);
    const headers = { 'x-company-id': companies.startup };
    expect((await w.call('getList', { params: { listId }, headers })).status).toBe(404);
    expect((await w.call('listLists', { query: { companyId }, as })).status).toBe(403);
    expect((await w.call('createList', { query: { companyId }, as: tokens.ben, body: { name: 'A' } })).status).toBe(
      403,
    );
    expect((await w.call('listLists', { query: { companyId: unknown } })).status).toBe(403);
  });

  it('refuse malformed input with the field and the rule', async () => {
    const bad = async (body: unknown) => (await w.call('createList', { query: { companyId }, body })).body;
    expect(await bad({})).toMatchObject({
      status: 400,
      details: { issues: [{ path: 'name', message: 'is required' }] },
    });
    expect(await bad({ name: 7 })).toMatchObject({ error: 'Invalid request: name must be a string' });
    expect(await bad('[]')).toMatchObject({ status: 400 });
    expect(await bad('{"name":')).toMatchObject({ status: 400, details: { issues: [{ path: 'body' }] } });
    expect(await bad({ name: 'a\u0000b' })).toMatchObject({ status: 400, details: { issues: [{ path: 'name' }] } });
    expect((await w.call('getList', { params: { listId: 'deals' } })).body.details.issues[0].path).toBe('listId');
  });
});

describe('templates', () => {
  it('make a list with typed attributes', async () => {
    for (const templateId of ['deal-pipeline', 'portfolio', 'investor-crm', 'hiring', 'okrs']) {
      const got = await w.call('instantiateTemplate', { body: { templateId } });
      expect([got.status, got.text]).toEqual([201, got.text]);
      expect(got.body.template.id).toBe(templateId);
      expect(got.body.list.company_id).toBe(companies.fund);
      const list = await w.call('getList', { params: { listId: got.body.list.id } });
      expect(list.body.list_attributes).toHaveLength(got.body.list.list_attributes_count);
      expect(list.body.list_attributes.length).toBeGreaterThan(5);
    }
  });

  it('take a name and another company, and are 404 when unknown', async () => {
    const got = await w.call('instantiateTemplate', {
      body: { templateId: 'okrs', name: 'Goals' },
      headers: { 'x-company-id': companies.startup },
    });
    expect(got.body.list).toMatchObject({ name: 'Goals', slug: 'goals', company_id: companies.startup });
    expect((await w.call('instantiateTemplate', { body: { templateId: 'nope' } })).status).toBe(404);
    expect((await w.call('instantiateTemplate', { body: { templateId: '__proto__' } })).status).toBe(404);
    expect((await w.call('instantiateTemplate', { body: {} })).status).toBe(400);
  });
});

describe('a list of thousands', () => {
  const size = 5100;

  async function filled(): Promise<string> {
    const { id: listId } = await create('Large');
    const attribute = (name: string) =>
      w.call('createAttribute', { params: { listId }, body: { name, attribute_type: 'text' } });
    await attribute('T');
    await attribute('U');
    const at = '2026-01-01T00:00:00.000Z';
    const entries = Array.from({ length: size }, (_, n) => ({
      ...{ id: crypto.randomUUID(), list_id: listId, title: `E${n}`, values: { t: `t${n}`, u: `"t":${n}` } },
      // Many in one place, so that only the id tells them apart.
      ...{ position: n % 3, archived: n % 2 === 0, linked_entity_type: null, linked_entity_id: null },
      ...{ created_by: null, created_at: at, updated_at: at },
    }));
    const types = new Map([
      ['t', 'text'],
      ['u', 'text'],
    ] as const);
    await w.store.write((db) => insertEntries(db, entries, types));
    return listId;
  }
  const count = async (table: 'entries' | 'entry_facets') =>
    (await w.store.db.selectFrom(table).selectAll().execute()).length;

  it('loses one attribute in all entries, and nothing else', async () => {
    const listId = await filled();
    const { body } = await w.call('getList', { params: { listId } });
    const [t] = body.list_attributes;
    expect((await w.call('deleteAttribute', { params: { listId }, query: { attributeId: t.id } })).status).toBe(204);
    const rows = await w.store.db.selectFrom('entries').selectAll().execute();
    expect(rows).toHaveLength(size);
    for (const row of rows) expect(JSON.parse(row.values)).toEqual({ u: `"t":${row.title.slice(1)}` });
    expect(new Set(rows.map((row) => row.updated_at))).toEqual(new Set(['2026-02-15T12:00:00.000Z']));
    expect(await count('entry_facets')).toBe(size);
  });

  it('is deleted with all that hangs on it, and no other', async () => {
    const listId = await filled();
    const kept = await create('Kept');
    await w.call('createEntry', { params: { listId: kept.id }, body: { title: 'Kept' } });
    expect((await w.call('deleteList', { params: { listId } })).status).toBe(204);
    expect([await count('entries'), await count('entry_facets')]).toEqual([1, 0]);
    expect((await w.call('listEntries', { params: { listId: kept.id } })).body).toHaveLength(1);
  });
});
