/** Metrics, traces and rate limits of `comem serve`, as a process. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { openDatabase } from '../../src/core/sqlite.ts';
import { root } from '../helpers/built.ts';
import { cli, runBinary, temporaryFolder } from '../helpers/cli.ts';
import { catalog, sampleOf, serving, trace, traceparent } from '../helpers/monitored.ts';

describe('--metrics-port', () => {
  let server: Awaited<ReturnType<typeof serving>>;
  beforeAll(async () => {
    server = await serving();
  });
  afterAll(() => server.stop());

  it('counts requests by operation and status, and has every metric of the dashboard that SQLite has', async () => {
    await Promise.all([server.get(catalog), server.get(catalog), server.get('/api/metrics/catalog?companyId=x')]);
    await server.get('/api/none');
    await server.get('/readyz');
    const text = await server.scrape();
    const count = (operation: string, status: number) =>
      sampleOf(text, `comem_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`);
    expect(count('getMetricCatalog', 200)).toBe(2);
    expect(count('getMetricCatalog', 400)).toBe(1);
    expect(count('unknown', 404)).toBe(1);
    expect(sampleOf(text, 'comem_database_up')).toBe(1);
    expect(sampleOf(text, 'comem_writes_waiting')).toBe(0);
    expect(text).toContain('\nprocess_resident_memory_bytes ');
    expect(text).not.toMatch(/comem_database_connections|comem_replication_lag/);
    expect((await fetch(server.metrics.replace('/metrics', '/'))).status).toBe(404);
  });

  it('has every metric that the dashboard shows', async () => {
    const text = await server.scrape();
    const dashboard = readFileSync(join(root, 'docs/grafana.json'), 'utf8');
    const names = new Set(dashboard.match(/\b(?:comem|process|nodejs)_[a-z_\d]+/g));
    expect(names.size).toBeGreaterThan(6);
    const ofPostgres = ['comem_database_connections', 'comem_replication_lag_seconds'];
    for (const name of names) {
      const family = name.replace(/_(?:bucket|count|sum)$/, '');
      if (!ofPostgres.includes(family)) expect(text).toContain(`# TYPE ${family} `);
    }
    const grouped = dashboard.match(/(?<= by \()[^)]+/g)?.flatMap((labels) => labels.split(', ')) ?? [];
    expect(new Set(grouped)).toEqual(new Set(['status', 'le', 'operation', 'state']));
    // The states of connections are of PostgreSQL.
    for (const label of ['status', 'le', 'operation']) expect(text).toMatch(new RegExp(`[{,]${label}="`));
  });

  it('shows a write that waits for another program', async () => {
    const dir = temporaryFolder();
    const server = await serving('--dir', dir, '--seed', 'demo');
    const other = await openDatabase(join(dir, 'comem.db'));
    other.exec('begin immediate');
    const answer = fetch(`${server.url}/api/lists?companyId=${demo.companyId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Late' }),
    });
    const waiting = async () => sampleOf(await server.scrape(), 'comem_writes_waiting');
    await vi.waitUntil(async () => (await waiting()) === 1, 10_000);
    other.exec('rollback');
    other.close();
    expect((await answer).status).toBe(201);
    expect(await waiting()).toBe(0);
    await server.stop();
  });

  it('says that a database is down whose files were deleted', async () => {
    const dir = temporaryFolder();
    const server = await serving('--dir', dir, '--seed', 'demo');
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    expect(sampleOf(await server.scrape(), 'comem_database_up')).toBe(0);
    await server.stop();
  });

  it('answers to names of this machine only', async () => {
    const { port } = new URL(server.metrics);
    const status = await new Promise((resolve) => {
      get({ port, path: '/metrics', headers: { host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    expect(status).toBe(421);
  });

  it('says its address beside a command', async () => {
    const { code, stderr } = await runBinary(['serve', '--metrics-port', '0', '--', process.execPath, '-e', '']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Prometheus: http:\S+\/metrics\n/) });
  });

  it.each([
    [['--port', '4999', '--metrics-port', '4999'], '--metrics-port is the port of the API, 4999'],
    [['--port', '0', '--metrics-port', '0', '--host', '0.0.0.0'], 'the metrics need no credential, and 0.0.0.0 can'],
    [['--port', '0', '--metrics-port', '70000'], '--metrics-port'],
    [['--port', '0', '--metrics-port=-1'], '--metrics-port'],
  ])('refuses %j', async (argv, says) => {
    const { code, stderr } = await cli(['serve', '--seed', 'none', '--dir', temporaryFolder(), ...argv]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  it('is refused on a port in use', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
    );
    const home = temporaryFolder();
    const { code, stderr } = await runBinary(['serve', '--port', '0', '--metrics-port', String(port)], {
      home,
      cwd: home,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('choose another --metrics-port') });
    other.close();
  });
});

describe('--rate-limit', () => {
  it('answers 429 with Retry-After, by credential, and probes are free', async () => {
    const server = await serving('--rate-limit', '3');
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await server.get(catalog)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await server.get(catalog);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ status: 429, error: expect.stringMatching(/^Too many requests/) });
    expect((await server.get(catalog, { authorization: 'Bearer cmk_demo_investor_actuals_only' })).status).not.toBe(
      429,
    );
    expect((await server.get('/readyz')).status).toBe(200);
    await server.stop();
  });

  it('counts what the operation reads, and the address without it', async () => {
    const server = await serving('--rate-limit', '2');
    const lists = (headers: Record<string, string> = {}) =>
      fetch(`${server.url}/api/lists?companyId=${demo.companyId}`, { headers });
    const statuses: number[] = [];
    for (const key of ['a', 'b', 'c'])
      statuses.push((await lists({ cookie: demo.session, authorization: `Bearer cmk_${key}` })).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await lists()).status).toBe(401);
    const unknown = async () => (await fetch(`${server.url}/api/none`)).status;
    expect([await unknown(), await unknown()]).toEqual([404, 429]);
    await server.stop();
  });

  it('is waited for by the client', async () => {
    const server = await serving('--rate-limit', '2/s');
    const env = { COMEM_BASE_URL: server.url, COMEM_API_KEY: demo.apiKey, COMEM_SESSION_COOKIE: demo.session };
    const argv = ['entries', 'list', 'deal-pipeline', '--page-size', '50', '-o', 'id', '-c', demo.companyId];
    const { code, stdout } = await cli(argv, { env });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(306);
    await server.stop();
  });

  it.each(['0', '-5', '0/s', '-1/s', 'x'])('refuses %s', async (text) => {
    const { code, stderr } = await cli(['serve', '--port', '0', `--rate-limit=${text}`]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('requests per second or minute') });
  });
});

describe('traceparent', () => {
  it('is in the line of its request, and one that is not valid is in none', async () => {
    const server = await serving();
    await server.get(catalog, { traceparent });
    for (const version of ['01', 'cc', 'fe']) {
      for (const more of ['', '-', '-what-the-future-brings'])
        await server.get(catalog, { traceparent: `${version}-${trace}-00f067aa0ba902b7-01${more}` });
    }
    for (const wrong of [`${traceparent}-more`, traceparent.replace('00', 'ff'), `01${traceparent.slice(2)}more`])
      await server.get('/api/none', { traceparent: wrong });
    for (const wrong of ['x', `${traceparent}'`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, traceparent.toUpperCase()])
      await server.get('/api/none', { traceparent: wrong });
    await server.stop();
    const lines = server.log().split('\n');
    const traced = lines.filter((line) => line.includes('"trace"'));
    expect(traced).toEqual(Array(10).fill(expect.stringContaining(`"trace":"${trace}"`)));
    expect(traced.filter((line) => !line.includes('/api/metrics/catalog'))).toEqual([]);
  });
});
