/** `comem serve`, as a process, on a PostgreSQL that is frozen, full, out of connections, a standby, or not there. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { openStore } from '../../src/server/store/store.ts';
import { cli, finished, start, temporaryFolder } from '../helpers/cli.ts';
import {
  type Cluster,
  dropCluster,
  makeCluster,
  makeStandby,
  missing,
  pgbouncer,
  programs,
  startBouncer,
  systemUser,
} from '../helpers/postgres.ts';

if (programs === undefined) it.skip(`bad databases (needs ${missing})`, () => {});

/** `comem serve` with the demo, until the end of the test. */
async function serving(database: string) {
  const home = temporaryFolder();
  const child = start(['serve', '--port', '0', '--seed', 'demo', '--database', database], { home });
  const done = finished(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await done;
  });
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk;
      const [, address] = /Serving (http:\S+)/.exec(log) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.on('close', () => reject(new Error(log)));
  });
  const headers = { authorization: `Bearer ${demo.apiKey}`, cookie: demo.session, 'content-type': 'application/json' };
  const send = async (path: string, body?: unknown) => {
    const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(url + path, { headers, ...request });
    const text = await answer.text();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), error: JSON.parse(text).error };
  };
  return {
    /** Until its log says so. */
    logs: (text: string) => vi.waitUntil(() => log.includes(text), 5_000),
    read: () => send(`/api/metrics/catalog?companyId=${demo.companyId}`),
    write: (name: string) => send(`/api/lists?companyId=${demo.companyId}`, { name }),
  };
}

const unavailable = (error: string) => ({ status: 503, retryAfter: '1', error: expect.stringContaining(error) });

describe.skipIf(programs === undefined)('comem serve', () => {
  let cluster: Cluster;
  let standby: ReturnType<typeof makeStandby>;
  beforeAll(async () => {
    cluster = makeCluster(undefined, 'fsync = off\n');
    for (const name of ['frozen', 'pooled', 'limited', 'copied']) cluster.sql(`create database ${name}`);
    await cli(['server', 'load', '-', '--database', cluster.address('copied')], { stdin: 'companies: [{name: Acme}]' });
    standby = makeStandby(cluster);
  });
  afterAll(() => {
    dropCluster(standby);
    dropCluster(cluster);
  });

  it('answers 503 while its primary is frozen, and again when it goes on', async () => {
    const server = await serving(`${cluster.address('frozen')}&statement_timeout=1000`);
    expect((await server.write('Before')).status).toBe(201);
    cluster.signal('SIGSTOP');
    try {
      const answers = await Promise.all([server.read(), server.write('Frozen'), server.read()]);
      expect(answers).toEqual(answers.map(() => unavailable('cannot be reached')));
      await server.logs('it gave no answer within 3 s');
    } finally {
      cluster.signal('SIGCONT');
    }
    expect((await server.write('After')).status).toBe(201);
    expect((await server.read()).status).toBe(200);
  });

  it('answers 503 when PostgreSQL takes no more connections', async () => {
    cluster.sql('create role few login connection limit 2');
    cluster.sql('alter database limited owner to few');
    const address = cluster.address('limited').replace('comem@', 'few@');
    const server = await serving(address);
    const other = await serving(address);
    await Promise.all([server.read(), other.read()]);
    const store = await openStore({ database: cluster.address('limited') });
    onTestFinished(() => store.close());
    const answers: Awaited<ReturnType<typeof server.read>>[] = [];
    const reads: Promise<unknown>[] = [];
    await store.db.transaction().execute(async (transaction) => {
      // A read that waits keeps its connection.
      await sql`lock table tokens, sessions in access exclusive mode`.execute(transaction);
      for (let read = 0; read < 8; read += 1) reads.push(server.read().then((answer) => answers.push(answer)));
      await vi.waitUntil(() => answers.length >= 6, { timeout: 5_000 });
    });
    await Promise.all(reads);
    const refusals = answers.filter(({ status }) => status !== 200);
    expect(refusals.length).toBeGreaterThanOrEqual(6);
    expect(refusals).toEqual(refusals.map(() => unavailable('accepts no more connections')));
    await server.logs('too many connections for role \\"few\\"');
    expect((await server.read()).status).toBe(200);
    const { code, stderr } = await cli(['serve', '--port', '0', '--seed', 'none', '--database', address]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('hint: raise max_connections') });
  });

  it.skipIf(pgbouncer === undefined)('answers 503 when a pool has no connection', async () => {
    const bouncer = startBouncer(cluster, 'default_pool_size = 1\nquery_wait_timeout = 1\nmax_client_conn = 12\n');
    const server = await serving(bouncer.address('pooled'));
    const other = await openStore({ database: bouncer.address('pooled') });
    // A transaction has the only connection.
    await other.read(async () => {
      await vi.waitUntil(async () => (await server.read()).status === 503, 10_000);
      expect(await server.read()).toEqual(unavailable('cannot be reached'));
      await server.logs('query_wait_timeout');
    });
    await other.close();
    await vi.waitUntil(async () => (await server.read()).status === 200, 10_000);
  });

  it('refuses a standby as the primary', async () => {
    const argv = ['serve', '--port', '0', '--seed', 'none', '--database', standby.address('copied')];
    const { code, stderr } = await cli(argv);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/the database is a standby, which takes no writes\n {2}hint: name its primary/),
    });
  });

  it.each([
    ['localhost:1/frozen', 'ECONNREFUSED', 'start PostgreSQL there'],
    ['localhost/frozen?host=/nowhere', 'ENOENT', 'start PostgreSQL there, or name the folder of its socket'],
    ['host.invalid/frozen', 'host.invalid', 'correct the name of the host'],
    ['localhost:99999/frozen', 'Invalid URL', 'it looks like postgres://'],
    [
      'localhost/nothing?host=FOLDER',
      'database "nothing" does not exist',
      'create it with `createdb --encoding=UTF8 nothing`',
    ],
    ['nobody@localhost/frozen?host=FOLDER', 'role "nobody" does not exist', 'correct the user'],
  ])('says what is wrong with postgres://%s', async (rest, says, hint) => {
    const address = rest.replace('FOLDER', encodeURIComponent(cluster.folder));
    const database = `postgres://${address.includes('@') ? '' : 'comem:secret@'}${address}`;
    const { code, stderr } = await cli(['serve', '--port', '0', '--seed', 'none', '--database', database]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('comem: cannot open the database') });
    expect(stderr).toContain(says);
    expect(stderr).toContain(`hint: ${hint}`);
    expect(stderr).not.toContain('secret');
  });

  const small = mkdtempSync(join(tmpdir(), 'comem-small-'));
  afterAll(() => rmSync(small, { recursive: true, force: true }));
  const mount = (options: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', small]).status === 0;
  const canMount = process.platform === 'linux' && mount('size=1m') && spawnSync('umount', [small]).status === 0;
  if (!canMount) it.skip('a full disk of PostgreSQL (needs root, to mount a small one)', () => {});
  it.runIf(canMount)('answers 503 to writes while the disk of its primary is full, and loses none', async () => {
    mount('size=20m');
    try {
      const folder = join(small, 'space');
      mkdirSync(folder);
      const owner = systemUser();
      if (owner) chownSync(folder, owner.uid, owner.gid);
      cluster.sql(`create tablespace small location '${folder}'`);
      cluster.sql('create database crowded tablespace small');
      const server = await serving(cluster.address('crowded'));
      const written: string[] = [];
      let refusal: Awaited<ReturnType<typeof server.write>> | undefined;
      for (let n = 0; n < 5000 && refusal === undefined; n += 1) {
        const name = `full ${randomBytes(14_000).toString('base64')}`;
        const answer = await server.write(name);
        if (answer.status === 201) written.push(name);
        else refusal = answer;
      }
      expect(refusal).toEqual(unavailable('The disk of the database is full; nothing was written'));
      await server.logs('No space left on device');
      expect((await server.read()).status).toBe(200);
      spawnSync('mount', ['-o', 'remount,size=64m', small]);
      expect((await server.write('After')).status).toBe(201);
      const names = cluster.sql("select name from lists where name like 'full %'", 'crowded').trim().split('\n');
      expect(names.sort()).toEqual(written.sort());
      cluster.sql('drop database crowded with (force)');
      cluster.sql('drop tablespace small');
    } finally {
      spawnSync('umount', ['-l', small]);
    }
  });
});
