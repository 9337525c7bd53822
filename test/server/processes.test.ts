import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperationId } from '../../src/contract/index.ts';
import { totalCountHeader } from '../../src/contract/operation.ts';
import { isPostgres } from '../../src/core/addresses.ts';
import { createApi } from '../../src/server/api.ts';
import { KeptAnswers } from '../../src/server/kept-answers.ts';
import { openStore, type StoreOptions } from '../../src/server/store/store.ts';
import { freshDatabase } from '../helpers/database.ts';
import { buildWriter, runWriter } from './process.ts';
import { call, companies, now, type Sent, sessions, tokens, type World, world } from './world.ts';

let folder: string;
/** As the store takes it, and as the writer does. */
let database: StoreOptions;
let named: string;
let program: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-processes-'));
  program = await buildWriter(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  count += 1;
  const fresh = await freshDatabase();
  named = fresh.database ?? join(folder, `data-${count}`);
  database = isPostgres(named) ? fresh : { dataDir: named };
});

const run = (...args: string[]) => runWriter(program, ...args);

async function withList(): Promise<{ w: World; listId: string }> {
  const w = await world({}, database);
  const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } });
  const listId = list.body.id as string;
  await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
  return { w, listId };
}

describe('several processes on one database', () => {
  it('make one database when they start at once', async () => {
    const runs = Array.from({ length: 4 }, () => run('open', named));
    await Promise.all(runs.map(({ done }) => done));
    expect(new Set(runs.flatMap(({ lines }) => lines)).size).toBe(1);
    if (isPostgres(named)) return;
    expect((await stat(join(named, 'comem.db'))).mode & 0o777).toBe(0o600);
    expect((await stat(named)).mode & 0o777).toBe(0o700);
  });

  it('write at the same time without an error, each entry at its own position', async () => {
    const { w, listId } = await withList();
    const runs = ['a', 'b', 'c'].map((name) => run('write', named, listId, name));
    await Promise.all(runs.map(({ done }) => done));
    const lines = runs.flatMap((one) => one.lines);
    expect(lines.filter((line) => !line.startsWith('201 '))).toEqual([]);
    const entries = (await w.call('listEntries', { params: { listId }, query: { limit: 500 } })).body;
    expect(entries.map((entry: { title: string }) => `201 ${entry.title}`).sort()).toEqual(lines.sort());
    expect(new Set(entries.map((entry: { position: number }) => entry.position)).size).toBe(120);
    const facet = await w.call('listEntries', { params: { listId }, query: { 'filter[t]': 'b', limit: 500 } });
    expect(facet.body).toHaveLength(40);
    await w.close();
  });

  it('give two lists of one name two slugs', async () => {
    const { w } = await withList();
    const other = await openStore(database);
    const make = () => w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Same' } });
    const slugs = (await Promise.all([make(), make(), make()])).map(({ body }) => body.slug);
    expect(slugs.sort()).toEqual(['same', 'same-2', 'same-3']);
    await other.close();
    await w.close();
  });
});

describe('answers that are kept', () => {
  const listLists = { query: { companyId: companies.fund } };

  /** An API that keeps its answers, and another one on the database. */
  async function twoServers() {
    const { w, listId } = await withList();
    const selects: string[] = [];
    const store = await openStore({ ...database, onQuery: ({ sql }) => selects.push(sql) });
    const api = createApi(store, { now: () => now, kept: new KeptAnswers() });
    const reads = async (id: OperationId, sent: Sent) => {
      selects.length = 0;
      const { status, text } = await call(api, id, sent);
      return { status, text, statements: selects.length };
    };
    return { w, listId, store, api, reads, close: () => Promise.all([store.close(), w.close()]) };
  }

  it('are the same bytes for one statement, until the next write of any server', async () => {
    const { w, listId, api, reads, close } = await twoServers();
    const query = { limit: 5 };
    const series = { query: { companyId: companies.fund, periodType: 'month' } };
    const requests: [OperationId, Sent][] = [
      ['listLists', listLists],
      ['getList', { params: { listId } }],
      ['listEntries', { params: { listId }, query }],
      ['listEntries', { params: { listId }, query: { 'filter[t]': 'x' } }],
      ['getMetricSeries', series],
      ['getMetricCatalog', listLists],
    ];
    const create = { params: { listId }, body: { title: 'A', values: { t: 'x' } } };
    const pages = new Set<string>();
    const writers = [w.api, api, w.api];
    for (const writer of writers) {
      await call(writer, 'createEntry', create);
      for (const [id, sent] of requests) {
        const first = await reads(id, sent);
        expect([id, first.statements > 1]).toEqual([id, true]);
        let second = await reads(id, sent);
        // On PostgreSQL the transactions of other databases of the cluster end an answer, too.
        for (let tries = 0; second.statements > 1 && tries < 100; tries += 1) second = await reads(id, sent);
        expect([id, second]).toEqual([id, { ...first, statements: 1 }]);
        if (id === 'listEntries') pages.add(first.text);
      }
    }
    expect(pages.size).toBe(writers.length);
    await close();
  });

  it('belong to one credential, one company and one query', async () => {
    const { listId, reads, close } = await twoServers();
    const params = { listId };
    expect((await reads('listEntries', { params })).status).toBe(200);
    expect((await reads('listEntries', { params, as: sessions.ben })).status).toBe(404);
    expect((await reads('listEntries', { params, headers: { 'x-company-id': companies.side } })).status).toBe(404);
    expect((await reads('listEntries', { params, headers: { 'x-company-id': companies.rival } })).status).toBe(403);
    expect((await reads('listEntries', { params, query: { limit: 0 } })).status).toBe(400);
    await close();
  });

  it('end with their credential, at once', async () => {
    const { w, reads, close } = await twoServers();
    const revoked_at = now.toISOString();
    for (const [change, status] of [
      [() => w.store.db.deleteFrom('memberships').where('company_id', '=', companies.fund).execute(), 403],
      [() => w.store.db.updateTable('sessions').set({ revoked_at }).execute(), 401],
      [() => w.store.db.updateTable('tokens').set({ revoked_at }).execute(), 401],
    ] as const) {
      for (let round = 0; round < 2; round += 1) await reads('listLists', listLists);
      await change();
      expect((await reads('listLists', listLists)).status).toBe(status);
    }
    await close();
  });

  it('end when a session expires', async () => {
    const { store, close } = await twoServers();
    let time = now;
    const api = createApi(store, { now: () => time, kept: new KeptAnswers() });
    const statuses = [];
    for (const at of [now, now, new Date('2999-01-01')]) {
      time = at;
      statuses.push((await call(api, 'getList', { params: { listId: companies.fund } })).status);
    }
    expect(statuses).toEqual([404, 404, 401]);
    await close();
  });
});

/** Answers of a fixed conversation, each request sent to the next server, with ids told by when they first came up. */
async function conversation(urls: readonly string[]): Promise<unknown[]> {
  const seen = new Map<string, string>();
  const answers: unknown[] = [];
  let sent = 0;
  const send = async (method: string, path: string, body?: unknown) => {
    const url = urls[sent % urls.length];
    sent += 1;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        cookie: `comem-auth-token=${sessions.ann}`,
        authorization: `Bearer ${tokens.ann}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const told = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|opt_[0-9a-f]+/g, (id) => {
      if (!seen.has(id)) seen.set(id, `id ${seen.size}`);
      return seen.get(id) ?? '';
    });
    answers.push([method, answer.status, answer.headers.get(totalCountHeader), told]);
    return text === '' ? undefined : JSON.parse(text);
  };
  const companyId = companies.fund;
  const list = await send('POST', `/api/lists?companyId=${companyId}`, { name: 'Round' });
  const at = `/api/lists/${list.id}`;
  await send('POST', `${at}/attributes`, { name: 'Text', attribute_type: 'text' });
  await send('POST', `${at}/attributes`, {
    name: 'Tags',
    attribute_type: 'multi_select',
    config: { options: [{ label: 'a' }] },
  });
  const entries: { id: string }[] = [];
  for (let n = 0; n < 12; n += 1) {
    entries.push(
      await send('POST', `${at}/entries`, { title: `Entry ${n}`, values: { text: `t${n % 3}`, tags: ['a'] } }),
    );
    await send('GET', `${at}/entries?limit=5&offset=${n}&withTotal=true`);
  }
  for (const { id } of entries.slice(0, 4)) {
    await send('PATCH', `${at}/entries`, { id, values: { text: 'changed' }, archived: id === entries[1]?.id });
    await send('GET', `${at}/entries?filter[text]=changed&archived=true`);
  }
  await send('GET', `${at}/entries?search=entry%201`);
  await send('POST', `${at}/entries/${entries[5]?.id}/loop-step`, {});
  await send('POST', `${at}/entries/${entries[5]?.id}/loop-step`, {});
  await send('DELETE', `${at}/entries?entryId=${entries[6]?.id}`);
  await send('DELETE', `${at}/entries?entryId=${entries[6]?.id}`);
  const { grant } = await send('POST', '/api/metrics/grants', {
    companyId,
    scope: ['metrics'],
    recipient_company_id: companies.side,
  });
  await send('PATCH', `/api/metrics/grants/${grant.id}/revoke?companyId=${companyId}`);
  await send('PATCH', `/api/metrics/grants/${grant.id}/revoke?companyId=${companyId}`);
  await send('POST', '/api/metrics/preferences', { vcCompanyId: companyId, requestedMetrics: ['mrr'] });
  await send('GET', `/api/metrics/preferences?vcCompanyId=${companyId}`);
  const series = `/api/metrics/series?companyId=${companyId}&periodType=month&versions=actual&limit=2&order=asc`;
  let cursor = '';
  for (let page = 0; page < 4; page += 1) {
    const { nextCursor } = await send('GET', `${series}${cursor}`);
    cursor = nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
    // Cursors are signed with a key of the database.
    answers.push(JSON.stringify(answers.pop()).replace(/nextCursor[^,}]+/, 'nextCursor'));
  }
  await send('GET', `${at}?companyId=${companyId}`);
  await send('DELETE', at);
  await send('GET', at);
  return answers;
}

describe('two servers on one database', () => {
  it('behind a round-robin answer as one server does', async () => {
    const answers: unknown[][] = [];
    for (const servers of [1, 2]) {
      const fresh = await freshDatabase();
      const here = fresh.database ?? join(folder, `round-${servers}`);
      const w = await world({}, isPostgres(here) ? fresh : { dataDir: here });
      const point = {
        company_id: companies.fund,
        metric_id: 'mrr',
        period_type: 'month' as const,
        version: 'actual' as const,
      };
      const more = { value: '1.50', source: null, updated_at: '2026-01-01T00:00:00.000Z' };
      const months = ['2025-01', '2025-02', '2025-03', '2025-04', '2025-05'];
      await w.store.db
        .insertInto('metric_points')
        .values(months.map((period_key) => ({ ...point, period_key, ...more })))
        .execute();
      const runs = Array.from({ length: servers }, () => run('serve', here));
      answers.push(await conversation(await Promise.all(runs.map((one) => one.line(0)))));
      for (const { child } of runs) child.kill('SIGKILL');
      await Promise.all(runs.map(({ done }) => done));
      await w.close();
    }
    expect(answers[0]).toHaveLength(answers[1]?.length ?? 0);
    expect(answers[0]?.length).toBeGreaterThan(45);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('lose no change of one entry that both change', async () => {
    const { w, listId } = await withList();
    const params = { listId };
    for (let n = 0; n < 12; n += 1) {
      await w.call('createAttribute', { params, body: { name: `K${n}`, attribute_type: 'number' } });
    }
    const { id } = (await w.call('createEntry', { params, body: { title: 'Both' } })).body;
    const runs = [run('serve', named), run('serve', named)];
    const urls = await Promise.all(runs.map((one) => one.line(0)));
    const headers = { cookie: `comem-auth-token=${sessions.ann}`, 'content-type': 'application/json' };
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const body = JSON.stringify({ id, values: { [`k${n}`]: n } });
        return (await fetch(`${urls[n % 2]}/api/lists/${listId}/entries`, { method: 'PATCH', headers, body })).status;
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 200));
    const [entry] = (await w.call('listEntries', { params })).body;
    expect(entry.values).toEqual(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, n])));
    for (const { child } of runs) child.kill('SIGKILL');
    await w.close();
  });
});

describe('a process that is killed', () => {
  it('loses no entry that it acknowledged, and leaves no half of one', async () => {
    const { w, listId } = await withList();
    const server = run('serve', named);
    const url = await server.line(0);
    const acknowledged: string[] = [];
    const write = async (name: string) => {
      for (let n = 0; ; n += 1) {
        const title = `${name} ${n}`;
        const answer = await fetch(`${url}/api/lists/${listId}/entries`, {
          method: 'POST',
          headers: { cookie: `comem-auth-token=${sessions.ann}`, 'content-type': 'application/json' },
          body: JSON.stringify({ title, values: { t: 'x' } }),
        }).catch(() => undefined);
        if (answer?.status !== 201) return;
        acknowledged.push(title);
        if (acknowledged.length === 60) server.child.kill('SIGKILL');
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(write));
    await server.done;
    expect(acknowledged.length).toBeGreaterThanOrEqual(60);
    const titles = async (query: Record<string, string>) =>
      (await w.call('listEntries', { params: { listId }, query: { limit: '500', ...query } })).body.map(
        (entry: { title: string }) => entry.title,
      );
    const kept = await titles({});
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    // At most the four that were in flight are there besides, and every entry has its facet.
    expect(kept.length).toBeLessThanOrEqual(acknowledged.length + 4);
    expect(await titles({ 'filter[t]': 'x' })).toEqual(kept);
    await w.close();
  });
});
