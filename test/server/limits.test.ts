/** How large content may be, and what large content that is there already costs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstMonth, lastMonth } from '../../src/core/periods.ts';
import { type ConfigInput, mergedConfig } from '../../src/server/model/attribute.ts';
import { insertEntries } from '../../src/server/store/entries.ts';
import { insertRows } from '../../src/server/store/tables.ts';
import { call, companies, now, tokens, users, type World, world } from './world.ts';

const sizes = { title: 20, value: 100, entry: 300, options: 5, page: 1000 };

let w: World;
let listId: string;
beforeEach(async () => {
  w = await world({ sizes });
  const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Deals' } });
  listId = list.body.id;
  for (const name of ['A', 'B', 'C', 'D']) {
    await w.call('createAttribute', { params: { listId }, body: { name, attribute_type: 'text' } });
  }
});
afterEach(() => w.close());

const add = (body: object) => w.call('createEntry', { params: { listId }, body });
const change = (body: object) => w.call('updateEntry', { params: { listId }, body });
const attribute = (labels: string[], more = {}) =>
  w.call('createAttribute', {
    params: { listId },
    body: { name: 'S', attribute_type: 'select', config: { options: labels.map((label) => ({ label })) }, ...more },
  });

describe('limits', () => {
  it('count the characters of a title, and of any other text', async () => {
    expect((await add({ title: '😀'.repeat(20) })).status).toBe(201);
    expect((await add({ title: 'x'.repeat(21) })).body).toEqual({
      error: 'Invalid request: title must have at most 20 characters, got 21',
      status: 400,
      details: { issues: [{ path: 'title', message: 'must have at most 20 characters, got 21' }] },
    });
    const long = 'x'.repeat(21);
    const { body: entry } = await add({ title: 'x' });
    const { fund } = companies;
    const refused = await Promise.all([
      change({ id: entry.id, title: long }),
      add({ title: 'x', linked_entity_type: long }),
      w.call('createList', { query: { companyId: fund }, body: { name: long } }),
      w.call('createList', { query: { companyId: fund }, body: { name: 'x', description: long } }),
      w.call('updateList', { params: { listId }, body: { icon: long } }),
      attribute(['a', long]),
      attribute(['a'], { name: long }),
      w.call('instantiateTemplate', { body: { templateId: 'okrs', name: long } }),
      w.call('createGrant', { body: { companyId: fund, scope: ['metrics'], note: long } }),
      w.call('createGrant', { body: { companyId: fund, scope: ['metrics'], metric_ids: ['a', long] } }),
      w.call('setMetricPreferences', { body: { vcCompanyId: fund, tableColumns: [long] } }),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(
      refused.map(() => [400, expect.stringMatching(/must have at most 20 characters/)]),
    );
  });

  it('count the bytes of a value and of an entry, which may still shrink', async () => {
    expect((await add({ title: 'x', values: { a: 'x'.repeat(100) } })).status).toBe(201);
    const one = await add({ title: 'x', values: { a: 'é'.repeat(51) } });
    expect(one.body.details.issues).toEqual([{ path: 'values.a', message: 'must have at most 100 bytes, got 102' }]);
    const half = 'x'.repeat(95);
    const all = await add({ title: 'x', values: { a: half, b: half, c: half } });
    expect([all.status, all.body.error]).toEqual([400, expect.stringContaining('at most 300 are allowed')]);
    const { body: entry } = await add({ title: 'x', values: { a: half, b: half } });
    expect((await change({ id: entry.id, values: { c: half } })).status).toBe(400);
    // Written before the limit.
    const { api } = await loose();
    const grown = { params: { listId }, body: { id: entry.id, values: { c: half, d: half } } };
    expect((await call(api, 'updateEntry', grown)).status).toBe(200);
    expect((await change({ id: entry.id, values: { d: null } })).status).toBe(200);
    expect((await change({ id: entry.id, values: { d: half } })).status).toBe(400);
  });

  it('count options, removed ones included, and items', async () => {
    const { body: created } = await attribute(['a', 'b', 'c']);
    expect((await attribute(['a', 'b', 'c', 'd', 'e', 'f'])).status).toBe(400);
    const options = (labels: string[]) =>
      w.call('updateAttribute', {
        params: { listId },
        body: { id: created.id, config: { options: labels.map((label) => ({ label })) } },
      });
    expect((await options(['d', 'e'])).status).toBe(200);
    const got = await options(['f']);
    expect([got.status, got.body.error]).toEqual([400, expect.stringContaining('at most 5, got 6 with the 5')]);
    expect((await options(['a', 'e'])).status).toBe(200);
    const body = { companyId: companies.fund, scope: ['metrics'], metric_ids: ['a', 'b', 'c', 'd', 'e', 'f'] };
    expect((await w.call('createGrant', { body })).body.error).toContain('metric_ids must have at most 5 items, got 6');
  });

  it('end a page early, but not before its first row', async () => {
    const { api, close } = await loose();
    const title = (n: number) => `${String(n).padStart(2, '0')} ${'x'.repeat(n % 3 === 0 ? 2000 : 150)}`;
    for (let n = 0; n < 30; n += 1) {
      const values = { a: n % 2 === 0 ? 'even' : 'odd' };
      await call(api, 'createEntry', { params: { listId }, body: { title: title(n), values } });
    }
    const walks = [
      {},
      { search: 'x' },
      { search: 'xxx' },
      { 'filter[a]': 'even' },
      { 'filter[a]': 'odd', search: 'x' },
    ];
    for (const query of walks) {
      const seen: string[] = [];
      const total = Number(
        (await w.call('listEntries', { params: { listId }, query: { ...query, limit: 1, withTotal: true } })).headers[
          'x-list-total-count'
        ],
      );
      let pages = 0;
      while (seen.length < total) {
        const paging = { ...query, limit: 25, offset: seen.length };
        const { body, text } = await w.call('listEntries', { params: { listId }, query: paging });
        if (body.length > 1)
          expect(body.map((entry: { title: string }) => entry.title).join('').length).toBeLessThan(1000);
        expect(body.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThan(6000);
        seen.push(...body.map((entry: { title: string }) => entry.title.slice(0, 2)));
        pages += 1;
      }
      expect(pages).toBeGreaterThan(4);
      expect(seen).toEqual([...new Set(seen)].sort());
    }
    await close();
  });

  it('hold far into a list, where a page starts from the counts of blocks', async () => {
    const at = now.toISOString();
    const entries = Array.from({ length: 2100 }, (_, n) => ({
      id: `e0000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      list_id: listId,
      title: `${n} ${'x'.repeat(300)}`,
      values: {},
      position: n,
      archived: false,
      linked_entity_type: null,
      linked_entity_id: null,
      created_by: null,
      created_at: at,
      updated_at: at,
    }));
    await w.store.write((db) => insertEntries(db, entries, new Map()));
    for (const offset of [300, 2060]) {
      const { body } = await w.call('listEntries', { params: { listId }, query: { limit: 30, offset } });
      expect(body.map((entry: { position: number }) => entry.position)).toEqual([offset, offset + 1, offset + 2]);
    }
  });
});

/** The same database without limits. */
async function loose() {
  const { createApi } = await import('../../src/server/api.ts');
  return { api: createApi(w.store, { now: () => now }), close: () => Promise.resolve() };
}

describe('pages by cursor', () => {
  const months = ['2025-08', '2025-09', '2025-10', '2025-11', '2025-12'];
  /** The periods of each page. */
  const pages = async (id: 'getMetricSeries' | 'getPublishedMetrics', as: string, input: object, query: object) => {
    const found: string[][] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const { body } = await w.call(id, {
        ...input,
        as,
        query: { ...query, ...(cursor === undefined ? {} : { cursor }) },
      });
      const rows: { periodKey: string }[] = body.items ?? body.metrics.periods;
      found.push(rows.map(({ periodKey }) => periodKey));
      cursor = body.nextCursor;
      expect(body.truncated).toBe(cursor !== undefined);
    }
    return found;
  };

  it('end early by the bytes of a series, with every row once and one at least', async () => {
    const point = (period_key: string, n: number) => ({
      ...{ company_id: companies.startup, metric_id: `m${n}`, period_type: 'month' as const, period_key },
      ...{ version: 'actual' as const, value: '1', source: 'books', updated_at: '2026-01-05T00:00:00.000Z' },
    });
    // 300 and more bytes a point, and 1000 a page.
    const counts = [1, 1, 1, 1, 5];
    const rows = months.flatMap((month, at) => Array.from({ length: counts[at] ?? 0 }, (_, n) => point(month, n)));
    await insertRows(w.store.db, 'metric_points', rows);
    const query = { periodType: 'month', order: 'asc' };
    expect(await pages('getMetricSeries', tokens.annStartup, {}, query)).toEqual([
      ['2025-08', '2025-09', '2025-10'],
      ['2025-11'],
      ['2025-12'],
    ]);
  });

  it('end early by the bytes of publications', async () => {
    const at = '2026-01-05T00:00:00.000Z';
    const grant = {
      ...{ id: '000000ab-0000-4000-8000-000000000001', company_id: companies.startup, granted_by: users.cat },
      ...{ recipient_company_id: companies.rival, recipient_user_id: null, scope: '["metrics"]', metric_ids: '[]' },
      ...{ include_historical: 1, status: 'active' as const, note: null, expires_at: null, revoked_at: null },
      ...{ revoked_by: null, created_at: at, updated_at: at },
    };
    await w.store.db.insertInto('grants').values(grant).execute();
    for (const [n, month] of months.entries()) {
      const row = {
        ...{ report_id: `000000cd-0000-4000-8000-00000000000${n}`, company_id: companies.startup, period_key: month },
        ...{ period_type: 'month' as const, first_month: firstMonth(month) ?? 0, last_month: lastMonth(month) ?? 0 },
        ...{ version_number: 1, sent_at: at, data: `{"mrr":1,"note":"${'x'.repeat(n === 4 ? 5000 : 400)}"}` },
        ...{ units: '{}', unit_labels: '{}', currency: 'EUR', share_token: 'share', viewer_policy: '{}' },
      };
      await w.store.db.insertInto('publications').values(row).execute();
    }
    const params = { params: { companyId: companies.startup } };
    expect(await pages('getPublishedMetrics', tokens.ben, params, {})).toEqual([
      ['2025-12'],
      ['2025-11', '2025-10'],
      ['2025-09', '2025-08'],
    ]);
  });
});

describe('large requests', () => {
  const many = (item: (n: number) => string, count: number) => Array.from({ length: count }, (_, n) => item(n)).join();

  it.each<[string, 'createGrant' | 'createEntry' | 'createAttribute' | 'updateEntry', string]>([
    ['500,000 ids that are none', 'createGrant', `{"metric_ids":[${many(() => '1', 500_000)}]}`],
    ['250,000 ids', 'createGrant', `{"metric_ids":[${many(() => '"a"', 250_000)}]}`],
    ['unknown values', 'createEntry', `{"title":"x","values":{${many((n) => `"k${n}":1`, 90_000)}}}`],
    ['options without a label', 'createAttribute', `{"config":{"options":[${many(() => '{}', 300_000)}]}}`],
    ['unknown fields with NUL', 'updateEntry', `{${many((n) => `"k${n}":"\\u0000"`, 55_000)}}`],
    ['a path of a megabyte', 'createEntry', `{"title":"x","values":{"${'k'.repeat(1_000_000)}":1}}`],
  ])('that are wrong everywhere are 400, with at most 100 issues: %s', async (_, id, body) => {
    const op = id === 'createGrant' ? {} : { params: { listId } };
    const got = await w.call(id, { ...op, body });
    expect(got.status).toBe(400);
    expect(got.body.details.issues.length).toBeLessThanOrEqual(100);
    expect(got.text.length).toBeLessThan(60_000);
  });

  it('merge options in time that grows with their number, not with its square', () => {
    let looks = 0;
    const option = (n: number) => ({
      get id() {
        looks += 1;
        return `o${n}`;
      },
      get label() {
        looks += 1;
        return `l${n}`;
      },
    });
    const before = { options: Array.from({ length: 5000 }, (_, n) => option(n)) };
    const input: ConfigInput = { options: Array.from({ length: 5000 }, (_, n) => ({ label: `l${4999 - n}` })) };
    const merged = mergedConfig('select', input, before);
    expect(merged.options?.map(({ id }) => id)).toEqual(Array.from({ length: 5000 }, (_, n) => `o${4999 - n}`));
    expect(looks).toBeLessThan(20 * 5000);
  });
});
