/** How large content may be, and what large content that is there already costs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstMonth, lastMonth } from '../../src/core/periods.ts';
import { type Attribute, type ConfigInput, mergedConfig, mergedValues } from '../../src/server/model/attribute.ts';
import { insertEntries } from '../../src/server/store/entries.ts';
import { insertRows } from '../../src/server/store/tables.ts';
import { countedOptions } from '../helpers/counted-options.ts';
import { companies, now, tokens, users, type World, world } from './world.ts';

const [titleLimit, valueLimit, entryLimit, itemLimit] = [20_000, 262_144, 1_048_576, 10_000];
const pageLimit = 4 * 1024 * 1024;

let w: World;
let listId: string;
beforeEach(async () => {
  w = await world();
  const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Deals' } });
  listId = list.body.id;
  for (const name of ['A', 'B', 'C', 'D', 'E']) {
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

/** Writes entries as the operator's files do, which have no limits. */
function insert(entries: readonly { title: string; values?: Record<string, unknown> }[]) {
  const at = now.toISOString();
  const rows = entries.map(({ title, values = {} }, position) => ({
    ...{
      id: `e0000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
      list_id: listId,
      title,
      values,
      position,
    },
    ...{ archived: false, linked_entity_type: null, linked_entity_id: null, created_by: null },
    ...{ created_at: at, updated_at: at },
  }));
  return w.store.write((db) => insertEntries(db, rows, new Map([['a', 'text']])));
}

describe('limits', () => {
  it('count the characters of a title, and of any other text', async () => {
    expect((await add({ title: '😀'.repeat(titleLimit) })).status).toBe(201);
    const message = `must have at most ${titleLimit} characters, got ${titleLimit + 1}`;
    expect((await add({ title: 'x'.repeat(titleLimit + 1) })).body).toEqual({
      error: `Invalid request: title ${message}`,
      status: 400,
      details: { issues: [{ path: 'title', message }] },
    });
    const long = 'x'.repeat(titleLimit + 1);
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
      refused.map(() => [400, expect.stringContaining(`must have at most ${titleLimit} characters`)]),
    );
  });

  it('count the bytes of a value and of an entry, which may still shrink', async () => {
    expect((await add({ title: 'x', values: { a: 'x'.repeat(valueLimit) } })).status).toBe(201);
    const wide = await add({ title: 'x', values: { a: 'é'.repeat(valueLimit / 2 + 1) } });
    expect(wide.body.details.issues).toEqual([
      { path: 'values.a', message: `must have at most ${valueLimit} bytes, got ${valueLimit + 2}` },
    ]);
    const part = 'x'.repeat(valueLimit - 200);
    const { body: entry } = await add({ title: 'x', values: { a: part, b: part, c: part } });
    expect((await change({ id: entry.id, values: { d: part } })).status).toBe(200);
    const full = await change({ id: entry.id, values: { e: part } });
    expect([full.status, full.body.error]).toEqual([400, expect.stringContaining(`at most ${entryLimit} are allowed`)]);
    await insert([{ title: 'Loaded', values: { a: part, b: part, c: part, d: part, e: part } }]);
    const id = 'e0000000-0000-4000-8000-000000000000';
    expect((await change({ id, values: { e: 'x'.repeat(1000) } })).status).toBe(200);
    expect((await change({ id, values: { e: 'x'.repeat(2000) } })).status).toBe(400);
  });

  it('count options, removed ones included, and items', async () => {
    const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
    const { body: created } = await attribute(names(itemLimit / 2, 'a'));
    expect((await attribute(names(itemLimit + 1, 'a'))).status).toBe(400);
    const options = (labels: string[]) =>
      w.call('updateAttribute', {
        params: { listId },
        body: { id: created.id, config: { options: labels.map((label) => ({ label })) } },
      });
    expect((await options(names(itemLimit / 2, 'b'))).status).toBe(200);
    const more = await options(['c']);
    const message = `at most ${itemLimit}, got ${itemLimit + 1} with the ${itemLimit}`;
    expect([more.status, more.body.error]).toEqual([400, expect.stringContaining(message)]);
    expect((await options(['a1', 'b2'])).status).toBe(200);
    const body = { companyId: companies.fund, scope: ['metrics'], metric_ids: names(itemLimit + 1, 'm') };
    expect((await w.call('createGrant', { body })).body.error).toContain(
      `metric_ids must have at most ${itemLimit} items, got ${itemLimit + 1}`,
    );
  });

  it('end a page early, but not before its first row', async () => {
    const title = (n: number) => `${String(n).padStart(2, '0')} ${'x'.repeat(10)}`;
    await insert(
      Array.from({ length: 12 }, (_, n) => ({
        title: title(n),
        values: { a: n % 2 === 0 ? 'even' : 'odd', b: 'x'.repeat(n % 3 === 0 ? pageLimit + 1 : pageLimit / 3) },
      })),
    );
    for (const query of [{}, { search: 'xxx' }, { 'filter[a]': 'even' }, { 'filter[a]': 'odd', search: 'x' }]) {
      const seen: string[] = [];
      const first = await w.call('listEntries', { params: { listId }, query: { ...query, limit: 1, withTotal: true } });
      const total = Number(first.headers['x-list-total-count']);
      let pages = 0;
      while (seen.length < total) {
        const paging = { ...query, limit: 25, offset: seen.length };
        const { body, text } = await w.call('listEntries', { params: { listId }, query: paging });
        expect(body.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThan(body.length > 1 ? pageLimit + 10_000 : 2 * pageLimit);
        seen.push(...body.map((entry: { title: string }) => entry.title));
        pages += 1;
      }
      expect(pages).toBeGreaterThan(2);
      expect(seen).toEqual([...new Set(seen)].sort());
    }
  });
});

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
    // 300 and more bytes a point, and 4 MiB a page.
    const counts = [4_000, 4_000, 4_000, 4_000, 20_000];
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
        ...{
          version_number: 1,
          sent_at: at,
          data: `{"mrr":1,"note":"${'x'.repeat(n === 4 ? pageLimit + 1 : pageLimit * 0.4)}"}`,
        },
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

  it('merge options with a few reads of each', () => {
    const { reads, options } = countedOptions(5000);
    const input: ConfigInput = { options: Array.from({ length: 5000 }, (_, n) => ({ label: `Label ${4999 - n}` })) };
    const merged = mergedConfig('select', input, { options });
    expect(merged.options?.map(({ id }) => id)).toEqual(Array.from({ length: 5000 }, (_, n) => `o${4999 - n}`));
    expect(reads.count).toBeLessThan(20 * 5000);
  });

  it('check the labels of a value with a few reads of each option', () => {
    const { reads, options } = countedOptions(5000);
    const attribute = { ...manyOptions, config: { options } };
    const labels = Array.from({ length: 5000 }, (_, n) => `Label ${n}`);
    const values = mergedValues([attribute], { many: labels });
    expect(values).toEqual({ many: labels.map((label) => label.replace('Label ', 'o')) });
    expect(reads.count).toBeLessThan(20 * 5000);
  });
});

const manyOptions: Attribute = {
  id: 'a0000000-0000-4000-8000-000000000000',
  list_id: 'b0000000-0000-4000-8000-000000000000',
  name: 'Many',
  slug: 'many',
  attribute_type: 'multi_select',
  config: {},
  is_required: false,
  position: 0,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
};
