/** `comem server` on PostgreSQL, and what an operator sees of a server: the built program as a process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { demo } from '../../../src/core/demo.ts';
import { finished, runBinary, start, temporaryFolder } from '../../helpers/cli.ts';
import { type Cluster, dropCluster, makeCluster, programs } from '../../helpers/postgres.ts';

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});
const comem = (argv: string[], env: Record<string, string | undefined> = {}) =>
  runBinary(argv, { home, cwd: home, env });

async function serving(argv: readonly string[], env: Record<string, string> = {}) {
  const child = start(['server', 'start', '--port', '0', ...argv], { home, cwd: home, env });
  const done = finished(child);
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk;
      const found = /Serving (http:\S+)/.exec(text);
      if (found) resolve(found[1] as string);
    });
    child.on('close', () => reject(new Error(text)));
  });
  return { child, url, done };
}

describe.skipIf(programs === undefined)('a database on PostgreSQL', () => {
  let cluster: Cluster;
  let address: string;
  beforeAll(() => {
    cluster = makeCluster();
    for (const name of ['served', 'copied']) cluster.sql(`create database ${name}`);
    address = cluster.address('served');
  });
  afterAll(() => dropCluster(cluster));

  test('is filled, served, shown and copied, by flag and by COMEM_DATABASE', async () => {
    const { child, url, done } = await serving(['--seed', 'demo', '--database', address]);
    const env = { COMEM_BASE_URL: url, COMEM_API_KEY: demo.apiKey, COMEM_SESSION_COOKIE: demo.session };
    const lists = await comem(['lists', 'list', '-o', 'id'], { ...env, COMEM_COMPANY_ID: demo.companyId });
    expect(lists.stdout.trim().split('\n')).toHaveLength(4);
    child.kill('SIGTERM');
    expect(await done).toMatchObject({ code: 143, stdout: '' });

    const there = await comem(['server', 'dump', '-O', 'dump.ndjson'], { COMEM_DATABASE: address });
    expect(there).toMatchObject({ code: 0 });
    const load = ['server', 'load', 'dump.ndjson', '--database', cluster.address('copied'), '-o', 'csv', '--no-header'];
    expect(await comem(load)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lists,5,0,\d+$/m) });
    expect(await comem(load)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lists,0,0,\d+$/m) });
  });

  test('two names for one database are refused, and what is not an address', async () => {
    const both = await comem(['server', 'dump', '--database', address, '--data-dir', 'x']);
    expect(both).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--dir and --database cannot be combined'),
    });
    const other = await comem(['server', 'dump', '--database', 'mysql://u:s3cret@h/d']);
    expect(other).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('must begin with postgres://'),
    });
    expect(other.stderr).not.toContain('s3cret');
  });

  test('is not filled with the demo unless that is asked for', async () => {
    cluster.sql('create database bare');
    const { child, url, done } = await serving(['--database', cluster.address('bare')]);
    const answer = await fetch(`${url}/api/metrics/catalog`, { headers: { authorization: `Bearer ${demo.apiKey}` } });
    expect(answer.status).toBe(401);
    child.kill('SIGTERM');
    await done;
  });
});

describe('the log', () => {
  const ask = async (url: string) => {
    await fetch(`${url}/api/metrics/catalog?companyId=${demo.companyId}`, {
      headers: { authorization: `Bearer ${demo.apiKey}` },
    });
    await fetch(`${url}/healthz`);
  };

  test('is one JSON object for each request, without a secret', async () => {
    const { child, url, done } = await serving(['--data-dir', 'db', '--seed', 'demo']);
    await ask(url);
    child.kill('SIGTERM');
    const { stderr } = await done;
    const lines = stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { level: 'info', message: `listening at ${url}` },
      { level: 'info', method: 'GET', route: '/api/metrics/catalog', status: 200 },
      { level: 'info', message: expect.stringContaining('stopping') },
    ]);
    expect(lines[1]).toMatchObject({
      time: expect.stringMatching(/Z$/),
      ms: expect.any(Number),
    });
    expect(stderr).not.toContain(demo.apiKey);
  });
});

describe('a server on its own', () => {
  test('finishes a request after SIGTERM, takes no more, and a second signal ends it at once', async () => {
    for (const signals of [1, 2]) {
      const { child, url, done } = await serving(['--data-dir', `db${signals}`, '--seed', 'demo', '--latency', '4s']);
      const headers = { authorization: `Bearer ${demo.apiKey}` };
      const answer = fetch(`${url}/api/metrics/catalog?companyId=${demo.companyId}`, { headers }).then(
        ({ status }) => status,
        () => 'cut',
      );
      await new Promise((resolve) => setTimeout(resolve, 1500));
      for (let n = 0; n < signals; n += 1) {
        child.kill('SIGTERM');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      expect(await answer).toBe(signals === 1 ? 200 : 'cut');
      const { code, signal } = await done;
      // The second signal is the system's.
      expect(signals === 1 ? [143] : [143, 'SIGTERM']).toContain(code ?? signal);
    }
  });

  test('warns when others can reach it', async () => {
    const { child, done } = await serving(['--data-dir', 'db', '--seed', 'none', '--host', '0.0.0.0']);
    child.kill('SIGTERM');
    expect((await done).stderr).toContain('put a TLS reverse proxy in front');
    expect(readFileSync(join(home, 'db/comem.db')).length).toBeGreaterThan(0);
  });
});
