import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldCase } from '../../src/core/same.ts';
import { companies, sessions, tokens, unknown, users, type World, world } from './world.ts';

let w: World;
let listId: string;
beforeEach(async () => {
  w = await world();
  const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Deals' } });
  listId = list.body.id;
});
afterEach(() => w.close());

const attribute = async (name: string, attribute_type: string, more = {}) =>
  (await w.call('createAttribute', { params: { listId }, body: { name, attribute_type, ...more } })).body;
const add = (title: string, values = {}, more = {}) =>
  w.call('createEntry', { params: { listId }, body: { title, values, ...more } });
const page = (query: Record<string, unknown> | string = {}) => w.call('listEntries', { params: { listId }, query });
const titles = async (query: Record<string, unknown> | string = {}): Promise<string[]> =>
  (await page(query)).body.map((entry: { title: string }) => entry.title);
const issuesOf = (got: { body: { details: { issues: unknown } } }) => got.body.details.issues;

describe('attributes', () => {
  it('get a slug, an id for each option, and keep the slug at a rename', async () => {
    const created = await attribute('Dëal Stage', 'status', { config: { options: [{ label: 'New', tone: 'sage' }] } });
    expect(created).toMatchObject({ list_id: listId, slug: 'deal-stage', is_required: false, position: 0 });
    expect(created.config.options).toEqual([{ id: expect.stringMatching(/./), label: 'New', tone: 'sage' }]);
    expect((await attribute('Deal stage', 'text')).slug).toBe('deal-stage-2');
    const renamed = await w.call('updateAttribute', { params: { listId }, body: { id: created.id, name: 'Phase' } });
    expect(renamed.body).toMatchObject({ name: 'Phase', slug: 'deal-stage', config: created.config });
  });

  it('keep an option under its id through a rename, and values of a removed one readable', async () => {
    const config = { options: [{ label: 'New' }, { label: 'Old' }] };
    const { id, config: made } = await attribute('Stage', 'select', { config });
    const [first, second] = made.options;
    const { id: entryId } = (await add('E', { stage: 'Old' })).body;
    const change = (options: unknown[]) =>
      w.call('updateAttribute', { params: { listId }, body: { id, config: { options } } });
    const got = await change([{ id: first.id, label: 'Fresh' }]);
    expect(got.body.config.options).toEqual([{ id: first.id, label: 'Fresh' }]);
    expect(await titles(`filter[stage]=Old`)).toEqual(['E']);
    expect((await page()).body[0].values).toEqual({ stage: second.id });
    expect((await add('F', { stage: second.id })).status).toBe(400);
    expect((await add('F', { stage: 'Old' })).status).toBe(400);
    // What is there already may be sent again, as a client does that writes a whole entry.
    const same = await w.call('updateEntry', {
      params: { listId },
      body: { id: entryId, title: 'E2', values: { stage: second.id } },
    });
    expect(same.body).toMatchObject({ title: 'E2', values: { stage: second.id } });
    // The label comes back under its old id.
    expect((await change([{ label: 'Fresh' }, { label: 'Old' }])).body.config.options).toEqual([
      { id: first.id, label: 'Fresh' },
      { id: second.id, label: 'Old' },
    ]);
  });

  it('refuse what does not belong together', async () => {
    const bad = async (body: object) => issuesOf(await w.call('createAttribute', { params: { listId }, body }));
    expect(await bad({ name: 'A', attribute_type: 'colour' })).toMatchObject([{ path: 'attribute_type' }]);
    expect(await bad({ name: 'A' })).toMatchObject([{ path: 'attribute_type', message: 'is required' }]);
    const text = { name: 'A', attribute_type: 'text' };
    expect(await bad({ ...text, config: { options: [] } })).toMatchObject([{ path: 'config.options' }]);
    expect(await bad({ ...text, config: { min: 1 } })).toMatchObject([{ path: 'config.min' }]);
    const number = { name: 'A', attribute_type: 'number' };
    expect(await bad({ ...number, config: { min: 2, max: 1 } })).toMatchObject([{ path: 'config.max' }]);
    expect(await bad({ ...number, config: { currency: 'USD' } })).toMatchObject([{ path: 'config.currency' }]);
    const select = { name: 'A', attribute_type: 'select' };
    const twice = { options: [{ label: 'x' }, { label: 'x' }] };
    expect(await bad({ ...select, config: twice })).toMatchObject([{ path: 'config.options.1.label' }]);
    const tone = { options: [{ label: 'x', tone: 'pink' }] };
    expect(await bad({ ...select, config: tone })).toMatchObject([{ path: 'config.options.0.tone' }]);
  });

  it('are deleted with their values and facets; those of other lists do not exist here', async () => {
    const { id } = await attribute('T', 'text');
    await attribute('U', 'text');
    await add('E', { t: 'x', u: 'y "t": z' });
    const other = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Other' } });
    const elsewhere = { params: { listId: other.body.id }, query: { attributeId: id } };
    expect((await w.call('deleteAttribute', elsewhere)).status).toBe(404);
    expect((await w.call('updateAttribute', { params: elsewhere.params, body: { id, name: 'Z' } })).status).toBe(404);
    expect((await w.call('deleteAttribute', { params: { listId }, query: { attributeId: id } })).status).toBe(204);
    expect((await page()).body[0].values).toEqual({ u: 'y "t": z' });
    // A new attribute of the same name starts empty.
    expect((await attribute('T', 'text')).slug).toBe('t');
    expect((await page()).body[0].values).toEqual({ u: 'y "t": z' });
    expect(await titles('filter[t]=x')).toEqual([]);
    expect((await w.call('deleteAttribute', { params: { listId } })).status).toBe(400);
  });
});

describe('values', () => {
  const cases: [type: string, config: object, good: unknown[], bad: unknown[]][] = [
    ['text', {}, ['', 'x', '\u{1F600}', 'a\u0000b'], [1, true, {}, []]],
    ['number', { min: 0, max: 10 }, [0, 10, 2.5], [-1, 10.5, '3', true]],
    ['currency', { currency: 'USD' }, [1e9, -0.01], ['1', '$1']],
    ['date', {}, ['2024-02-29'], ['2023-02-29', '2024-2-1', 'today', 20240229]],
    ['url', {}, ['https://example.com/a?b', 'http://x'], ['example.com', 'ftp://x', 'javascript:alert(1)', 'https://']],
    ['email', {}, ['a@example.com'], ['a', 'a@b', 'a b@example.com', '@example.com', `a@${'.'.repeat(100_000)}`]],
    ['checkbox', {}, [true, false], ['true', 1, 0]],
    ['rating', {}, [0, 5], [6, -1, 2.5, '3']],
    ['rating', { max: 10 }, [10], [11]],
  ];
  it.each(cases)('%s %j', async (type, config, good, bad) => {
    await attribute('V', type, { config });
    for (const value of good) {
      const got = await add('E', { v: value });
      expect([value, got.status, got.body.values]).toEqual([value, 201, { v: value }]);
    }
    for (const value of bad) {
      const got = await add('E', { v: value });
      expect([value, got.status]).toEqual([value, 400]);
      expect(issuesOf(got)).toMatchObject([{ path: 'values.v' }]);
    }
  });

  it('name options by id or label and keep ids', async () => {
    const config = {
      options: [
        { id: 'a', label: 'Alpha' },
        { id: 'b', label: 'Beta' },
      ],
    };
    await attribute('One', 'status', { config });
    await attribute('Many', 'multi_select', { config });
    expect((await add('E', { one: 'Alpha', many: ['Beta', 'a'] })).body.values).toEqual({ one: 'a', many: ['b', 'a'] });
    expect(issuesOf(await add('E', { one: 'Gamma' }))).toMatchObject([
      { message: expect.stringContaining('Alpha, Beta') },
    ]);
    expect((await add('E', { one: ['a'] })).status).toBe(400);
    expect((await add('E', { many: 'a' })).status).toBe(400);
    expect((await add('E', { many: ['a', 'Alpha'] })).status).toBe(400);
    expect((await add('E', { many: [['a']] })).status).toBe(400);
  });

  it('keep every digit of a number', async () => {
    await attribute('N', 'number');
    for (const literal of ['1.10', '12345678901234567890', '0.1000000000000000055511151231257827', '1E+2', '-0']) {
      const got = await w.call('createEntry', {
        params: { listId },
        body: `{"title":"${literal}","values":{"n":${literal}}}`,
      });
      expect(got.text).toContain(`"values":{"n":${literal}}`);
    }
    expect((await page()).text).toContain('"values":{"n":12345678901234567890}');
    expect(await titles('filter[n]=100')).toEqual(['1E+2']);
    expect(await titles('filter[n]=1.1')).toEqual(['1.10']);
    expect(await titles('filter[n]=12345678901234567891')).toEqual([]);
    expect(await titles('filter[n]=0')).toEqual(['-0']);
    expect(
      (await w.call('createEntry', { params: { listId }, body: '{"title":"x","values":{"n":1e999}}' })).status,
    ).toBe(400);
  });

  it('refuse unknown slugs, also those that every object has', async () => {
    await attribute('N', 'number');
    for (const slug of ['nope', '__proto__', 'constructor', 'toString']) {
      const got = await w.call('createEntry', { params: { listId }, body: `{"title":"E","values":{"${slug}":1}}` });
      expect(issuesOf(got)).toEqual([{ path: `values.${slug}`, message: 'is not an attribute of this list' }]);
    }
  });

  it('must be there when required, at create and at clearing', async () => {
    const { id } = await attribute('Req', 'text', { is_required: true });
    await attribute('Tags', 'multi_select', { is_required: false, config: { options: [{ label: 'x' }] } });
    expect(issuesOf(await add('E'))).toEqual([{ path: 'values.req', message: 'is required' }]);
    expect((await add('E', { req: null })).status).toBe(400);
    const entry = (await add('E', { req: 'x' })).body;
    const update = (values: object) => w.call('updateEntry', { params: { listId }, body: { id: entry.id, values } });
    expect((await update({ req: null })).status).toBe(400);
    expect((await update({ tags: ['x'] })).status).toBe(200);
    await w.call('updateAttribute', { params: { listId }, body: { id, is_required: false } });
    expect((await update({ req: null })).body.values).not.toHaveProperty('req');
  });
});

describe('entries', () => {
  it('are created at the end and changed field by field', async () => {
    await attribute('A', 'text');
    await attribute('B', 'text');
    const created = await add('First', { a: '1' }, { linked_entity_type: 'company', linked_entity_id: unknown });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: created.body.id,
      list_id: listId,
      title: 'First',
      values: { a: '1' },
      position: 0,
      archived: false,
      linked_entity_type: 'company',
      linked_entity_id: unknown,
      created_by: users.ann,
      created_at: '2026-02-15T12:00:00.000Z',
      updated_at: '2026-02-15T12:00:00.000Z',
    });
    expect((await add('Second')).body.position).toBe(1);
    const { id } = created.body;
    const update = (body: object) => w.call('updateEntry', { params: { listId }, body: { id, ...body } });
    expect((await update({ values: { b: '2' } })).body.values).toEqual({ a: '1', b: '2' });
    expect((await update({ values: { a: null } })).body.values).toEqual({ b: '2' });
    expect((await update({ title: 'Third', position: 9, linked_entity_type: null })).body).toMatchObject({
      title: 'Third',
      position: 9,
      values: { b: '2' },
      linked_entity_type: null,
      linked_entity_id: unknown,
    });
    expect(await titles()).toEqual(['Second', 'Third']);
    expect((await update({ title: '' })).status).toBe(400);
    expect((await update({ archived: 'yes' })).status).toBe(400);
    expect((await w.call('updateEntry', { params: { listId }, body: { title: 'x' } })).status).toBe(400);
    expect((await w.call('updateEntry', { params: { listId }, body: { id: unknown } })).status).toBe(404);
  });

  it('are deleted once, and only in their list', async () => {
    const { id: entryId } = (await add('E')).body;
    const other = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Other' } });
    const remove = (id: string, as?: string) =>
      w.call('deleteEntry', { params: { listId: id }, query: { entryId }, as });
    expect((await remove(other.body.id)).status).toBe(404);
    expect((await remove(listId, sessions.ben)).status).toBe(404);
    expect((await remove(listId)).status).toBe(204);
    expect((await remove(listId)).status).toBe(404);
  });

  it('are paged without gap or repetition, by position, creation and id', async () => {
    for (let n = 0; n < 25; n += 1) await add(`E${n}`, {}, { position: n % 3 });
    const whole = (await page({ limit: 500 })).body;
    expect(whole).toHaveLength(25);
    const positions = whole.map((entry: { position: number }) => entry.position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const pages: unknown[] = [];
    for (let offset = 0; offset < 30; offset += 4) pages.push(...(await page({ limit: 4, offset })).body);
    expect(pages).toEqual(whole);
    expect((await page({ offset: '99999999999999999999' })).body).toEqual([]);
    expect((await page()).headers).not.toHaveProperty('x-list-total-count');
    expect((await page({ limit: 1, withTotal: true })).headers['x-list-total-count']).toBe('25');
    expect((await page({ withTotal: 'false' })).headers).not.toHaveProperty('x-list-total-count');
  });

  it('default to a hundred, and hold limit and offset to their ranges', async () => {
    for (let n = 0; n < 101; n += 1) await add(`E${n}`);
    expect((await page()).body).toHaveLength(100);
    for (const query of ['limit=0', 'limit=501', 'limit=ten', 'limit=1.5', 'limit=', 'offset=-1', 'limit=1&limit=2']) {
      expect([query, (await page(query)).status]).toEqual([query, 400]);
    }
    for (const query of ['archived=1', 'archivedOnly=yes', 'withTotal=', 'viewId=x']) {
      expect([query, (await page(query)).status]).toEqual([query, 400]);
    }
  });

  it('leave archived ones out unless they are asked for', async () => {
    await add('In');
    await add('Out', {}, { archived: true });
    expect(await titles()).toEqual(['In']);
    expect(await titles('archived=true')).toEqual(['In', 'Out']);
    expect(await titles('archived=false')).toEqual(['In']);
    expect(await titles('archivedOnly=true')).toEqual(['Out']);
    expect(await titles('archivedOnly=true&archived=false')).toEqual(['Out']);
    expect((await page('archivedOnly=true&withTotal=true')).headers['x-list-total-count']).toBe('1');
  });
});

describe('filters', () => {
  it('match the text form: any value of a key, all keys, both spellings', async () => {
    const config = {
      options: [
        { id: 'a', label: 'Alpha' },
        { id: 'b', label: 'Beta' },
        { id: 'c', label: 'a' },
      ],
    };
    await attribute('One', 'select', { config });
    await attribute('Many', 'multi_select', { config });
    await attribute('Done', 'checkbox');
    await add('A', { one: 'Alpha', many: ['Alpha', 'Beta'], done: true });
    await add('B', { one: 'Beta', many: ['Beta'], done: false });
    await add('C', { one: 'c', done: true });
    await add('None');
    expect(await titles('filter[one]=Beta')).toEqual(['B']);
    expect(await titles('filter.one=b')).toEqual(['B']);
    expect(await titles('filter%5Bone%5D=b')).toEqual(['B']);
    // `a` is the id of one option and the label of another.
    expect(await titles('filter[one]=a')).toEqual(['A', 'C']);
    expect(await titles('filter[one]=Beta&filter.one=Alpha')).toEqual(['A', 'B']);
    expect(await titles('filter[many]=Beta')).toEqual(['A', 'B']);
    expect(await titles('filter[many]=Alpha&filter[many]=Beta')).toEqual(['A', 'B']);
    expect(await titles('filter[many]=Beta&filter[done]=true')).toEqual(['A']);
    expect(await titles('filter[done]=true&filter[one]=Alpha&filter[one]=Beta')).toEqual(['A']);
    expect(await titles('filter[one]=Gamma')).toEqual([]);
    expect(await titles('filter[many]=Beta&limit=1&offset=1')).toEqual(['B']);
    expect((await page('filter[many]=Beta&limit=1&withTotal=true')).headers['x-list-total-count']).toBe('2');
    expect(issuesOf(await page('filter[nope]=x'))).toEqual([
      { path: 'filter[nope]', message: 'is not an attribute of this list' },
    ]);
  });

  it('in any combination, with any number of values, give each entry once, in order, on every page', async () => {
    const letters = ['a', 'b', 'c', 'd', 'e'];
    const config = { options: letters.map((label) => ({ label })) };
    await attribute('Many', 'multi_select', { config });
    await attribute('One', 'select', { config });
    await attribute('Note', 'text');
    const made = Array.from({ length: 60 }, (_, n) => ({
      title: `E${n} ${n % 4 === 0 ? 'four' : ''}`,
      values: {
        many: letters.filter((_, at) => (n >> at) % 2 === 1),
        one: letters[(n * 7) % 5] as string,
        note: `n${n % 30}`,
      },
      archived: n % 6 === 0,
    }));
    for (const { title, values, archived } of made) await add(title, values, { archived });
    const notes = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
    const asked: { many?: string[]; one?: string[]; note?: string[]; search?: string; archived?: 'true' }[] = [
      { many: ['a', 'b'] },
      { many: letters, archived: 'true' },
      { many: ['a', 'b', 'e'], one: ['c', 'd'] },
      { one: ['a'], many: ['b'], note: notes(25) },
      { note: notes(25) },
      { note: notes(25), many: ['c'], archived: 'true' },
      { note: ['n1', 'n2', 'n3'], one: letters },
      { many: ['a', 'c'], search: 'four', archived: 'true' },
      { note: notes(30), search: 'E1' },
      { note: ['none', 'n1'], many: ['a', 'b'] },
    ];
    for (const { search = '', archived, ...facets } of asked) {
      const expected = made
        .filter((entry) => archived === 'true' || !entry.archived)
        .filter((entry) => entry.title.toLowerCase().includes(search.toLowerCase()))
        .filter(({ values }) =>
          Object.entries(facets).every(([slug, wanted]) =>
            [values[slug as keyof typeof values]].flat().some((value) => wanted.includes(value)),
          ),
        )
        .map(({ title }) => title);
      const query = new URLSearchParams({ ...(search && { search }), ...(archived && { archived }) });
      for (const [slug, values] of Object.entries(facets)) {
        for (const value of values) query.append(`filter[${slug}]`, value);
      }
      const found: string[] = [];
      for (let offset = 0; offset <= expected.length; offset += 7) {
        found.push(...(await titles(`${query}&limit=7&offset=${offset}`)));
      }
      expect(found, query.toString()).toEqual(expected);
      expect((await page(`${query}&withTotal=true&limit=1`)).headers['x-list-total-count']).toBe(
        String(expected.length),
      );
    }
  });

  it('follow changes of values, position and archived', async () => {
    await attribute('T', 'text');
    const { id } = (await add('A', { t: 'x' })).body;
    await add('B', { t: 'x' });
    const update = (body: object) => w.call('updateEntry', { params: { listId }, body: { id, ...body } });
    await update({ position: 5 });
    expect(await titles('filter[t]=x')).toEqual(['B', 'A']);
    await update({ archived: true });
    expect(await titles('filter[t]=x')).toEqual(['B']);
    expect(await titles('filter[t]=x&archived=true')).toEqual(['B', 'A']);
    expect(await titles('filter[t]=x&archivedOnly=true')).toEqual(['A']);
    await update({ archived: false, values: { t: 'y' } });
    expect(await titles('filter[t]=x')).toEqual(['B']);
    expect(await titles('filter[t]=x&filter[t]=y')).toEqual(['B', 'A']);
  });

  const hostile = [
    '%',
    '_',
    "'",
    '"',
    '\\',
    "' or 1=1 --",
    '__proto__',
    'sha256:abc',
    '\u{1F600}',
    'é',
    '\t\n',
    'null',
    'x'.repeat(200),
    'x'.repeat(201),
    '\u{1F600}'.repeat(5000),
    '',
  ];
  it('take any text for itself', async () => {
    await attribute('T', 'text');
    for (const [index, text] of hostile.entries()) await add(`E${index}`, { t: text });
    for (const [index, text] of hostile.entries()) {
      expect(await titles(new URLSearchParams({ 'filter[t]': text }).toString())).toEqual([`E${index}`]);
    }
    for (const slug of ['__proto__', 'constructor', '', "t' or 1=1", ']', '[']) {
      const got = await page(new URLSearchParams({ [`filter[${slug}]`]: 'x' }).toString());
      expect([slug, got.status]).toEqual([slug, 400]);
    }
  });

  it('search titles for any text, in either letter case', async () => {
    const names = ['100% Öl_Werk', 'plain', "O'Neil \\ Söhne", 'a\u{1F600}b', 'İstanbul', 'x'.repeat(10_000)];
    for (const name of names) await add(name);
    const search = (text: string) => titles(new URLSearchParams({ search: text }).toString());
    expect(await search('%')).toEqual([names[0]]);
    expect(await search('_')).toEqual([names[0]]);
    expect(await search('öL_w')).toEqual([names[0]]);
    expect(await search("'")).toEqual([names[2]]);
    expect(await search('\\')).toEqual([names[2]]);
    expect(await search('\u{1F600}')).toEqual([names[3]]);
    expect(await search('PLAIN')).toEqual(['plain']);
    expect(await search('X'.repeat(10_000))).toEqual([names[5]]);
    expect(await search('x'.repeat(10_001))).toEqual([]);
    expect(await search('')).toEqual(names);
    expect((await page('search=a%00')).status).toBe(400);
  });

  it('apply a saved view of the company', async () => {
    const config = {
      options: [
        { id: 'o', label: 'Open' },
        { id: 'c', label: 'Closed' },
      ],
    };
    await attribute('Status', 'status', { config });
    await attribute('Content type', 'text');
    await add('Open deal', { status: 'o', 'content-type': 'memo' });
    await add('Closed deal', { status: 'c' });
    await add('Open other', { status: 'o' });
    const view = async (filters: object, company_id = companies.fund) => {
      const id = `00000e1e-0000-4000-8000-${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`;
      const at = '2026-01-01T00:00:00.000Z';
      await w.store.db
        .insertInto('saved_views')
        .values({
          id,
          company_id,
          name: 'V',
          filters: JSON.stringify(filters),
          position: 0,
          is_pinned: 0,
          created_at: at,
          updated_at: at,
        })
        .execute();
      return id;
    };
    const open = await view({ status: ['Open'], tags: [] });
    expect(await titles({ viewId: open })).toEqual(['Open deal', 'Open other']);
    expect(await titles({ viewId: open.toUpperCase(), search: 'other' })).toEqual(['Open other']);
    expect(await titles(`viewId=${open}&filter[status]=Closed`)).toEqual([]);
    expect((await page({ viewId: open, withTotal: true })).headers).not.toHaveProperty('x-list-total-count');
    expect(await titles({ viewId: await view({ search: 'DEAL' }) })).toEqual(['Open deal', 'Closed deal']);
    expect(await titles({ viewId: await view({ search: 'deal' }), search: 'open' })).toEqual(['Open deal']);
    expect(await titles({ viewId: await view({ content_type: ['memo'] }) })).toEqual(['Open deal']);
    expect(await titles({ viewId: await view({ sensitivity: ['high'] }) })).toEqual([]);
    expect(await titles({ viewId: await view({ created_by: [users.ann] }) })).toHaveLength(3);
    expect(await titles({ viewId: await view({ created_by: [users.ben] }) })).toEqual([]);
    expect(await titles({ viewId: await view({ date_from: '2026-02-15', date_to: '2026-02-15' }) })).toHaveLength(3);
    expect(await titles({ viewId: await view({ date_from: '2026-02-16' }) })).toEqual([]);
    expect(await titles({ viewId: await view({ date_to: '2026-02-14' }) })).toEqual([]);
    expect((await page({ viewId: await view({}, companies.rival) })).status).toBe(404);
    expect((await page({ viewId: unknown })).status).toBe(404);
  });
});

describe('loop steps', () => {
  const step = (entryId: string, sent = {}) => w.call('stepEntry', { params: { listId, entryId }, ...sent });
  /** As if the step had been queued that long ago. */
  const age = (ms: number) =>
    w.store.db
      .updateTable('entry_loops')
      .set({ queued_at: new Date(Date.now() - ms).toISOString() })
      .execute();

  it('are queued once until they are done', async () => {
    const { id } = (await add('E')).body;
    const dry = await step(id, { body: { dryRun: true } });
    expect([dry.status, dry.body]).toEqual([
      200,
      expect.objectContaining({ queued: false, canStep: true, state: 'idle' }),
    ]);
    const first = await step(id);
    expect([first.status, first.body]).toEqual([
      202,
      expect.objectContaining({ queued: true, canStep: true, state: 'queued' }),
    ]);
    const second = await step(id, { body: {} });
    expect([second.status, second.body]).toEqual([
      409,
      expect.objectContaining({ queued: false, canStep: false, state: 'queued', error: expect.any(String) }),
    ]);
    const queued = await step(id, { body: { dryRun: true } });
    expect([queued.status, queued.body.canStep]).toEqual([200, false]);
    expect(queued.body).not.toHaveProperty('error');
    await age(2000);
    expect((await step(id, { body: { dryRun: true } })).body).toMatchObject({ state: 'idle', note: '1 step is done' });
    expect((await step(id)).status).toBe(202);
  });

  it('are refused for archived entries, unknown ones, and callers who may not', async () => {
    const { id } = (await add('E', {}, { archived: true })).body;
    const got = await step(id);
    expect([got.status, got.body]).toMatchObject([
      409,
      { queued: false, canStep: false, error: 'The entry is archived' },
    ]);
    expect((await step(unknown)).status).toBe(404);
    expect((await step(id, { as: tokens.ben })).status).toBe(404);
    expect((await step(id, { as: tokens.annStartup })).status).toBe(404);
    expect((await step(id, { as: tokens.annStartup, headers: { 'x-company-id': companies.fund } })).status).toBe(409);
    expect((await step(id, { as: tokens.ben, headers: { 'x-company-id': companies.fund } })).status).toBe(403);
    expect((await step(id, { body: { dryRun: 1 } })).status).toBe(400);
  });
});

describe('titles', () => {
  it('are found in any case, as Unicode folds it, wherever a letter is in its word', async () => {
    const pairs = [
      ['ΟΔΟΣ', 'οδοσ'],
      ['Οδός', 'ΟΔΌΣ'],
      ['ΟΔΟΣΗΜΟ', 'οδος'],
      ['Straße', 'STRASSE'],
      ['STRASSE', 'straße'],
      ['ﬁnance', 'FINANCE'],
      ['İstanbul', 'i̇STANBUL'],
      ['ŉ', 'ʼN'],
      ['K', 'k'],
      ['ᾳ', 'ΑΙ'],
      ['ꭰ', 'Ꭰ'],
    ] as const;
    for (const [title, search] of pairs) {
      await add(`<${title}>`);
      expect([search, await titles({ search: `<${search.slice(0, 4)}` })]).toEqual([search, [`<${title}>`]]);
      await w.store.db.deleteFrom('entries').execute();
    }
    await add('Diyarbakır');
    expect(await titles({ search: 'diyarbakir' })).toEqual([]);
    expect(await titles({ search: 'DİYARBAKIR' })).toEqual([]);
  });

  it('fold alike whenever a regular expression says that they are equal', () => {
    const letters = Array.from({ length: 0x1_10_00 }, (_, code) => String.fromCodePoint(code + 0x80)).filter((letter) =>
      /\p{Changes_When_Casemapped}/u.test(letter),
    );
    let compared = 0;
    for (const letter of letters) {
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (!new RegExp(`^${letter}$`, 'iu').test(other)) continue;
        compared += 1;
        expect([letter, foldCase(letter)]).toEqual([letter, foldCase(other)]);
        expect(foldCase(`x${letter}`)).toBe(`x${foldCase(other)}`);
      }
    }
    expect(compared).toBeGreaterThan(2000);
  });
});

it('a page has the bytes of the entries as they were created', async () => {
  await attribute('Note', 'text');
  await attribute('Amount', 'number');
  const texts = [
    '"quoted" \\ and/or',
    '\b\f\n\r\t\u0001\u001f\u007f',
    '\u2028\u2029',
    'naïve 東京 👩‍💻',
    "it's",
    '</script>',
  ];
  const created: string[] = [];
  for (const [n, text] of texts.entries()) {
    const more = `"archived":${n === 1},"position":${n - 2},"linked_entity_type":${n === 3 ? JSON.stringify(text) : 'null'}`;
    const values = `{"note":${JSON.stringify(`${text}\u0000`)},"amount":12345678901234567890.${n}0}`;
    const body = `{"title":${JSON.stringify(text)},"values":${values},${more}}`;
    const { status, text: answer } = await w.call('createEntry', { params: { listId }, body });
    expect(status).toBe(201);
    created.push(answer);
  }
  expect((await page({ archived: true })).text).toBe(`[${created.join(',')}]`);
  expect((await page({ archived: true, offset: 4, limit: 1 })).text).toBe(`[${created[4]}]`);
  expect((await page({ offset: 99 })).text).toBe('[]');
});
