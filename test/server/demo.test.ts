import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attributeTypes } from '../../src/contract/lists.ts';
import { demo } from '../../src/core/demo.ts';
import type { Transport } from '../../src/core/wire.ts';
import { demoCredentials, ensureDemo, holdsDemo } from '../../src/server/demo.ts';
import { openEmbedded } from '../../src/server/embedded.ts';
import { loadFile } from '../../src/server/seed/file.ts';
import type { Store } from '../../src/server/store/store.ts';
import { demoDatabase } from '../helpers/database.ts';
import { demoSeed } from '../helpers/demo-seed.ts';

const seed = demoSeed();
const { companies: demoCompanies = [] } = seed;
const company = (slug: string) => demoCompanies.find((one) => one.slug === slug)?.id ?? '';
const credentials = demoCredentials();
const secret = (name: string) => credentials.find((one) => one.name === name)?.secret ?? '';

describe('the data', () => {
  test('four lists of the investor, of 20 to 400 entries, over all eleven attribute types', () => {
    const ours = (seed.lists ?? []).filter((list) => list.company === 'northgate');
    expect(ours.map(({ slug, entries }) => [slug, entries?.length])).toEqual([
      ['deal-pipeline', 400],
      ['portfolio', 24],
      ['investor-crm', 140],
      ['hiring', 64],
    ]);
    for (const list of ours) {
      const used = new Set(list.attributes?.map(({ attribute_type }) => attribute_type));
      expect([...used].sort()).toEqual([...attributeTypes].sort());
      expect(list.entries?.some(({ archived }) => archived)).toBe(true);
    }
  });

  test('nothing in it lies after its own clock', () => {
    const stamps = JSON.stringify([seed.lists, seed.publications, seed.grants?.map(({ created_at }) => created_at)]);
    const times = stamps.match(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g) ?? [];
    expect(times.length).toBeGreaterThan(50);
    expect(times.filter((time) => time > demo.now)).toEqual([]);
  });

  const of = (slug: string, version: string) =>
    (seed.points ?? []).filter((point) => point.company === slug && point.version === version);

  test('48 months of actuals, with gaps, a restatement and another currency', () => {
    expect(of('lumen', 'actual')).toHaveLength(48);
    expect(of('lumen', 'actual').filter(({ source }) => source === 'restatement')).toHaveLength(1);
    expect(of('harbor', 'actual').map(({ period }) => period)).not.toContain('2024-08');
    expect(of('quill', 'actual').at(-1)?.period).toBe('2025-12');
    expect(seed.companies?.find(({ slug }) => slug === 'tessera')?.currency).toBe('EUR');
    for (const { metrics, period } of of('lumen', 'actual')) {
      expect(metrics.arr, String(period)).toBeCloseTo(Number(metrics.mrr ?? 0) * 12, 2);
    }
  });

  test.each(['lumen', 'harbor', 'tessera', 'fieldwork', 'quill'])('%s plans by month, quarter and year', (slug) => {
    for (const version of ['budget', 'forecast']) {
      const periods = of(slug, version).map(({ period }) => String(period));
      for (const grain of [/^\d{4}-\d{2}$/, /^\d{4}-Q\d$/]) expect(periods.some((one) => grain.test(one))).toBe(true);
    }
    expect(of(slug, 'budget').some(({ period }) => /^\d{4}$/.test(String(period)))).toBe(true);
  });

  test('more than one page of snapshots, months and quarters, one of them sent twice', () => {
    const lumen = (seed.publications ?? []).filter((one) => one.company === 'lumen');
    expect(lumen.length).toBeGreaterThan(48);
    expect(lumen.some(({ period }) => String(period).includes('Q'))).toBe(true);
    expect(lumen.filter(({ version_number }) => version_number === 2)).toHaveLength(1);
  });
});

describe('behind the API', () => {
  let api: { transport: Transport; store: Store; close(): Promise<void> };
  beforeAll(async () => {
    api = await openEmbedded(await demoDatabase());
  });
  afterAll(() => api.close());

  const get = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await api.transport({ method: 'GET', url: `http://embedded${path}`, headers });
    return { status, body: JSON.parse(Buffer.from(body).toString()) };
  };
  const key = (name: string) => ({ authorization: `Bearer ${secret(name)}` });
  const cookie = (name: string) => ({ cookie: `comem-auth-token=${secret(name)}` });
  const series = (versions: string) => `/api/metrics/series?periodType=month&versions=${versions}`;

  test('it is seeded once', async () => {
    expect(await ensureDemo(api.store)).toBe(false);
    expect(await holdsDemo(api.store)).toBe(true);
  });

  test.each([
    ['investor', 'actual', 200],
    ['investor', 'budget', 200],
    ['actuals only', 'actual', 200],
    ['actuals only', 'budget', 403],
    ['plans only', 'budget', 200],
    ['plans only', 'actual', 403],
    ['revoked key', 'actual', 401],
    ['investor oauth', 'actual', 200],
  ])('the %s reads %s: %i', async (name, versions, status) => {
    expect((await get(series(versions), key(name))).status).toBe(status);
  });

  test('an OAuth token is only for series and catalog, and an expired session for nothing', async () => {
    const lists = `/api/lists?companyId=${demo.companyId}`;
    expect((await get(`/api/metrics/grants?companyId=${demo.companyId}`, key('investor oauth'))).status).toBe(401);
    expect((await get(lists, cookie('investor session'))).body).toHaveLength(4);
    expect((await get(lists, cookie('expired session'))).status).toBe(401);
  });

  test('the second investor sees nothing of the first', async () => {
    expect((await get(`/api/lists?companyId=${demo.companyId}`, cookie('second investor session'))).status).toBe(403);
    for (const { id, slug } of demoCompanies.filter((one) => one.slug !== 'alder')) {
      expect((await get(`/api/metrics/published/${id}`, key('second investor'))).status, slug).toBe(403);
      expect((await get(`/api/metrics/series?periodType=month&companyId=${id}`, key('second investor'))).status).toBe(
        403,
      );
    }
    expect((await get(series('actual'), key('second investor'))).body.items).toHaveLength(4);
  });

  test('published: with history, without, narrowed, not sent yet, not granted', async () => {
    const published = (slug: string, query = '') =>
      get(`/api/metrics/published/${company(slug)}${query}`, key('investor'));
    const lumen = await published('lumen');
    expect(lumen.body).toMatchObject({ truncated: true, missingPublication: false });
    expect(lumen.body.metrics.periods).toHaveLength(24);
    expect((await published('lumen', '?period=2024-11')).body.metrics.periods).toMatchObject([{ versionNumber: 2 }]);
    expect((await published('harbor')).body.metrics.periods).toHaveLength(1);
    expect((await published('harbor', '?period=2025-01')).status).toBe(403);
    const { summary } = (await published('tessera')).body.metrics;
    expect(Object.keys(summary).sort()).toEqual(['arr', 'headcount', 'mrr', 'runway']);
    expect((await published('fieldwork')).body).toMatchObject({ missingPublication: true });
    expect((await published('quill')).status).toBe(403);
  });

  test('grants in every state', async () => {
    const all = await Promise.all(
      demoCompanies
        .filter(({ slug }) => slug !== 'alder' && slug !== 'cedar')
        .map(({ id }) => get(`/api/metrics/grants?companyId=${id}`, key('investor'))),
    );
    const states = all.flatMap(({ body }) => body.grants.map((grant: { status: string }) => grant.status));
    expect(new Set(states)).toEqual(new Set(['active', 'expired', 'revoked']));
    const ours = (await get(`/api/metrics/grants?companyId=${demo.companyId}`, key('investor'))).body.grants;
    expect(new Set(ours.map((grant: { status: string }) => grant.status)).size).toBe(3);
  });
});

describe('the operator of a local database', () => {
  const headers = { authorization: `Bearer ${demo.apiKey}`, cookie: demo.session, 'x-company-id': demo.companyId };
  const text = 'month,nonfarm\n2006-01,135450.50\n';

  async function local(names: readonly string[]) {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { join } = await import('node:path');
    const { tmpdir } = await import('node:os');
    const dataDir = mkdtempSync(join(tmpdir(), 'comem-test-'));
    const first = await openEmbedded({ dataDir });
    for (const name of names) {
      await loadFile(first.store, {
        name: 'c.yaml',
        open: () => [Buffer.from(`companies: [{ slug: ${name}, name: ${name} }]`)],
        now: new Date(),
      });
    }
    if (names.length === 1)
      await loadFile(first.store, { name: 'jobs.csv', open: () => [Buffer.from(text)], now: new Date() });
    await first.close();
    const api = await openEmbedded({ dataDir, seed: 'demo' });
    const done = async () => {
      await api.close();
      rmSync(dataDir, { recursive: true, force: true });
    };
    const send = async (method: string, path: string, body?: unknown) => {
      const url = `http://embedded${path}`;
      const json = body === undefined ? undefined : JSON.stringify(body);
      const answer = await api.transport({
        method,
        url,
        headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
        body: json,
      });
      return { status: answer.status, text: Buffer.from(answer.body).toString() };
    };
    return { api, send, done };
  }

  test('is everyone in a database of one company, whose place the demo company takes', async () => {
    const { api, send, done } = await local(['jobs']);
    try {
      expect(await holdsDemo(api.store)).toBe(false);
      const { text: points } = await send('GET', `/api/metrics/series?periodType=month&companyId=${demo.companyId}`);
      expect(points).toContain('135450.50');
      const made = await send('POST', `/api/lists?companyId=${demo.companyId}`, { name: 'Mine' });
      expect(made.status).toBe(201);
      expect(JSON.parse(made.text).company_id).not.toBe(demo.companyId);
      expect(JSON.parse((await send('GET', `/api/lists?companyId=${demo.companyId}`)).text)).toMatchObject([
        { name: 'Mine' },
      ]);
    } finally {
      await done();
    }
  });

  test('has to name one of several', async () => {
    const { send, done } = await local(['a', 'b']);
    try {
      const { status, text: body } = await send('GET', '/api/metrics/catalog');
      expect(status).toBe(400);
      expect(JSON.parse(body).error).toMatch(/several companies; name one of a \(.*\), b \(/);
    } finally {
      await done();
    }
  });
});
