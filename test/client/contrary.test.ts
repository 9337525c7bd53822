import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { connect } from '../../src/client/connect.ts';
import { type ComemClient, createComemClient, operations } from '../../src/client/public.ts';
import { Failure } from '../../src/core/errors.ts';
import { stringifyJson } from '../../src/core/json.ts';
import { spawnContrary } from '../helpers/contrary-process.ts';
import { type Contrary, startContrary } from '../helpers/contrary-server.ts';

let server: Contrary;
let client: ComemClient;

beforeAll(async () => {
  server = await startContrary();
  client = createComemClient({
    baseUrl: server.url,
    apiKey: server.apiKey,
    sessionCookie: server.sessionCookie,
    companyId: server.companyId,
    retries: 0,
  });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

async function deals() {
  const lists = await client.call(operations.listLists);
  const found = lists.find(({ slug }) => slug === 'deals');
  if (!found?.id) throw new Error('no deals');
  return { listId: found.id };
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('the client against a server that answers every "not shown" otherwise', () => {
  test('reads whole collections, whatever a page holds, in order and once each', async () => {
    const params = await deals();
    const entries = await all(client.rows(operations.listEntries, { params }));
    expect(entries).toHaveLength(117);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(117);
    expect(entries.map(({ title }) => title)).toEqual(
      entries
        .map(({ title }) => title)
        .sort()
        .reverse(),
    );
    const some = await all(client.rows(operations.listEntries, { params, query: { archived: true } }, { limit: 70 }));
    expect(some).toHaveLength(70);
    const won = await all(client.rows(operations.listEntries, { params, query: { filter: { stage: ['st/2'] } } }));
    expect(won.every(({ values }) => values?.stage === 'st/2')).toBe(true);
    expect(won).toHaveLength(entries.filter(({ values }) => values?.stage === 'st/2').length);
  });

  test('follows cursors to the end, digits kept', async () => {
    const rows = await all(client.rows(operations.getMetricSeries, { query: { periodType: 'month', order: 'asc' } }));
    expect(rows).toHaveLength(30);
    expect(rows[0]?.periodKey).toBe('2022-01');
    expect(stringifyJson(rows[0]?.metrics)).toBe('{"mrr":1000.50,"nps_raw":-0.10,"headcount":12}');
    const published = await all(
      client.rows(operations.getPublishedMetrics, { params: { companyId: server.companyId } }, { limit: 9 }),
    );
    expect(published.map(({ periodKey }) => periodKey)).toHaveLength(9);
  });

  test('writes: any 2xx is success, with a body or without one', async () => {
    const { listId } = await deals();
    const params = { listId };
    const attribute = await client.call(operations.createAttribute, {
      params,
      body: { name: 'Next Step', attribute_type: 'text' },
    });
    expect(attribute.slug).toBe('next_step');
    const entry = await client.call(operations.createEntry, {
      params,
      body: { title: 'New', values: { next_step: 'call' } },
    });
    const changed = await client.call(operations.updateEntry, { params, body: { id: entry.id ?? '', title: 'Newer' } });
    expect(changed).toMatchObject({ title: 'Newer', values: { next_step: 'call' } });
    expect(await client.call(operations.deleteEntry, { params, query: { entryId: entry.id } })).toBeUndefined();
    expect(
      await client.call(operations.deleteAttribute, { params, query: { attributeId: attribute.id } }),
    ).toBeUndefined();
    const made = await client.call(operations.createList, { body: { name: 'Two Words' } });
    expect(made).toMatchObject({ slug: 'two_words', list_attributes_count: 0 });
    expect(await client.call(operations.deleteList, { params: { listId: made.id ?? '' } })).toBeUndefined();
    const { list } = await client.call(operations.instantiateTemplate, { body: { templateId: 'tpl:crm' } });
    expect(list?.name).toBe('CRM');
  });

  test('a loop step is read from its body', async () => {
    const params = await deals();
    const [archived] = await client.call(operations.listEntries, { params, query: { archivedOnly: true, limit: 1 } });
    const [open] = await client.call(operations.listEntries, { params, query: { limit: 1 } });
    const step = (entryId: string) => client.send(operations.stepEntry, { params: { ...params, entryId } });
    expect((await step(open?.id ?? '')).data).toMatchObject({ queued: true, canStep: true });
    expect((await step(open?.id ?? '')).data).toMatchObject({ queued: false, canStep: false, reason: 'one at a time' });
    const rejected = await step(archived?.id ?? '');
    expect(rejected).toMatchObject({ status: 422, data: { queued: false, error: 'it is archived' } });
    const unknown = await step('00000000-0000-4000-8000-000000000000').catch((error: unknown) => error);
    expect(unknown).toMatchObject({ kind: 'notFound', message: expect.stringContaining('no entry like that') });
  });

  test('grants: envelope off, revoked once, then refused with the words of the server', async () => {
    const grants = await client.call(operations.listGrants);
    expect(grants.map(({ status }) => status)).toEqual(['active', 'withdrawn', 'lapsed']);
    const made = await client.call(operations.createGrant, {
      body: { companyId: server.companyId, scope: ['metrics'], recipient_company_id: server.investorId },
    });
    expect(made.status).toBe('active');
    const params = { id: made.id ?? '' };
    expect(await client.call(operations.revokeGrant, { params })).toMatchObject({ status: 'withdrawn' });
    const again = await client.call(operations.revokeGrant, { params }).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(Failure);
    expect(again).toMatchObject({ exitCode: 6, status: 400, message: expect.stringContaining('cannot be revoked') });
  });

  test('metrics and preferences', async () => {
    const live = await client.call(operations.getLiveMetrics);
    expect(stringifyJson(live.metrics)).toContain('"mrr":1029.50');
    const { definitions } = await client.call(operations.getMetricCatalog);
    expect(definitions.map(({ metricId }) => metricId)).toEqual(['mrr', 'headcount', 'nps_raw']);
    const query = { vcCompanyId: server.investorId };
    expect(await client.call(operations.getMetricPreferences, { query })).toEqual(query);
    const saved = await client.call(operations.setMetricPreferences, { body: { ...query, requestedMetrics: ['mrr'] } });
    expect(saved).toMatchObject({ requestedMetrics: ['mrr'] });
  });

  test('an ended session is a credential failure, and the login page is not followed', async () => {
    const before = server.requests.length;
    const ended = createClient({
      ...connect({ baseUrl: server.url, retries: 0 }),
      credentials: { session: { secret: server.endedCookie } },
      company: server.companyId,
    });
    const failure = await ended.call(operations.listLists).catch((error: unknown) => error);
    expect(failure).toMatchObject({ exitCode: 4, code: 'redirected', message: expect.stringContaining('/login') });
    expect(server.requests.length - before).toBe(1);
    await ended.close();
  });

  test('runs as a process of its own', async () => {
    const other = await spawnContrary({ maxEntries: 10 });
    try {
      const there = createComemClient({
        baseUrl: other.url,
        sessionCookie: other.sessionCookie,
        companyId: other.companyId,
      });
      const lists = await there.call(operations.listLists);
      const rows = await all(there.rows(operations.listEntries, { params: { listId: lists[0]?.id ?? '' } }));
      expect(rows).toHaveLength(117);
      await there.close();
    } finally {
      await other.close();
    }
  });
});
