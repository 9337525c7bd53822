/** What only PostgreSQL can show: many processes that migrate at once, a restart, time-outs, the order of text. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/errors.ts';
import { listen } from '../../src/server/app.ts';
import { openEmbedded } from '../../src/server/embedded.ts';
import { dumpText } from '../../src/server/seed/dump.ts';
import { loadFile } from '../../src/server/seed/file.ts';
import { sql } from '../../src/server/store/kysely.ts';
import { newestSchema } from '../../src/server/store/migrations.ts';
import { shownAddress } from '../../src/server/store/postgres-address.ts';
import { tableNames } from '../../src/server/store/schema.ts';
import { openStore, readMeta, type Store } from '../../src/server/store/store.ts';
import { rowsOf } from '../../src/server/store/tables.ts';
import { sumOf } from '../helpers/database.ts';
import { type Cluster, clusterIn, dropCluster, makeCluster, missing, programs } from '../helpers/postgres.ts';
import { companies, now, sessions, tokens, world } from './world.ts';

/** Ends the connections of a database. */
const leave = "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'NAME'";

let versions = 'PostgreSQL is not tested';
afterAll(async () => {
  const store = await openStore({ memory: true });
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(store.db);
  const sqlite = `SQLite ${rows[0]?.version}`;
  await store.close();
  process.stdout.write(`engines: ${programs === undefined ? 1 : 2}, ${sqlite} and ${versions}\n`);
});

if (programs === undefined) it.skip(`PostgreSQL (needs ${missing})`, () => {});

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  let cluster: Cluster;
  let count = 0;
  const fresh = (options = '') => {
    count += 1;
    cluster.sql(`create database d${count} ${options}`);
    return { database: cluster.address(`d${count}`) };
  };
  beforeAll(() => {
    cluster = makeCluster();
    versions = `PostgreSQL ${cluster.sql('show server_version').trim()}`;
  });
  afterAll(() => dropCluster(cluster));

  const sums = async ({ db }: Store) =>
    Object.fromEntries(await Promise.all(tableNames.map(async (table) => [table, await sumOf(db, table)] as const)));

  it('a database of another program is refused, but may share its names with none of ours', async () => {
    const foreign = fresh();
    const shared = fresh();
    const name = (database: { database: string }) => database.database.split('/').at(-1)?.split('?')[0] as string;
    cluster.sql('create table lists (text text)', name(foreign));
    cluster.sql('create table notes (text text)', name(shared));
    await expect(openStore(foreign)).rejects.toThrow('the database belongs to another program: it has a table "lists"');
    await (await openStore(shared)).close();
    await (await openStore(shared)).close();
  });

  it.each([
    ['dropped', 'drop database NAME with (force)'],
    ['dropped and created again', 'drop database NAME with (force)', 'create database NAME'],
    ['closed to connections', 'alter database NAME allow_connections false', leave],
  ])('a database that is %s under a server is said, and it is not ready', async (_, ...statements) => {
    const w = await world({}, fresh());
    const server = await listen(w.store, { port: 0 });
    const database = `d${count}`;
    for (const statement of statements) cluster.sql(statement.replace('NAME', database));
    for (const path of ['/readyz', `/api/lists?companyId=${companies.fund}`]) {
      const answer = await fetch(server.url + path, { headers: { cookie: `comem-auth-token=${sessions.ann}` } });
      const { error } = (await answer.json()) as { error: string };
      expect([answer.status, error]).toEqual([503, expect.stringMatching(/"Backups"|cannot be reached/)]);
    }
    await server.close();
    await w.close();
  });

  it('servers that start at once make one schema', async () => {
    const database = fresh();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(database)));
    expect(new Set(stores.map(({ cursorSecret }) => cursorSecret)).size).toBe(1);
    expect(stores[0]?.cursorSecret.length).toBeGreaterThan(40);
    expect(await readMeta((stores[0] as Store).db, 'schema_version')).toBe(String(newestSchema));
    await Promise.all(stores.map((store) => store.close()));
  });

  it('text is in the order of its bytes, whatever language the database was made for', async () => {
    const database = fresh("template template0 locale_provider icu icu_locale 'en-US'");
    const w = await world({}, database);
    const names = ['b', 'A', 'a', 'B', 'é', 'z', '_', '-', '😀', 'ａ'];
    const at = now.toISOString();
    const row = (metric_id: string) => ({
      company_id: companies.fund,
      metric_id,
      value: '1',
      source: null,
      updated_at: at,
    });
    const key = { period_type: 'month' as const, period_key: '2025-01', version: 'actual' as const };
    await w.store.db
      .insertInto('metric_points')
      .values(names.map((name) => ({ ...row(name), ...key })))
      .execute();
    const found: unknown[] = [];
    for await (const rows of rowsOf(w.store.db, 'metric_points')) found.push(...rows.map(({ metric_id }) => metric_id));
    expect(found).toEqual([...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    await w.close();
  });

  it('titles are searched for the text itself, not for a pattern', async () => {
    const w = await world({}, fresh());
    const titles = [
      ...Array.from({ length: 100 }, (_, n) => `Entry ${n}`),
      ...['100% of it', 'a_b_c', 'C:\\new', `It's "quoted"`, '日本語の会社', '😀😀😀 smile', 'ÄÖÜ und mehr', 'ab'],
      `${'long '.repeat(60)}needle`,
    ];
    const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } });
    const params = { listId: list.body.id };
    for (const title of titles) await w.call('createEntry', { params, body: { title } });
    for (const search of [
      'entry 29',
      '0% O',
      '_b_',
      ':\\n',
      `'s "q`,
      '本語の',
      '😀😀😀',
      'äöü',
      'dle',
      'ab',
      'zzz',
      '%%%',
    ]) {
      const { body } = await w.call('listEntries', { params, query: { search, limit: '500' } });
      const expected = titles.filter((title) => title.toLowerCase().includes(search.toLowerCase()));
      expect(
        body.map(({ title }: { title: string }) => title),
        search,
      ).toEqual(expected);
    }
    await w.close();
  });

  it('a statement that waits too long is a 503 that says so, and the next one works', async () => {
    const { database } = fresh();
    const lines: string[] = [];
    const w = await world({}, { database });
    await w.close();
    const store = await openStore({ database: `${database}&statement_timeout=400&lock_timeout=200` });
    const server = await listen(store, {
      port: 0,
      now: () => now,
      log: { level: 'warn', format: 'text', write: (line) => lines.push(line) },
    });
    const other = await openStore({ database });
    const create = () =>
      fetch(`${server.url}/api/lists?companyId=${companies.fund}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
        body: '{"name":"L"}',
      });
    await other.write(async () => {
      const answer = await create();
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
        503,
        'The database is busy; nothing was written',
      ]);
    });
    expect(lines.filter((line) => line.includes('a request failed inside the server'))).toHaveLength(1);
    expect((await create()).status).toBe(201);
    await server.close();
    await Promise.all([store.close(), other.close()]);
  });

  it('writers of different lists do not wait for each other, and one without a scope waits for all', async () => {
    const database = fresh();
    const [a, b] = [await openStore(database), await openStore(database)];
    const order: string[] = [];
    await a.write(async () => {
      await b.write(async () => void order.push('other list'), 'two');
      void b.write(async () => void order.push('everything'));
      void b.write(async () => void order.push('same list'), 'one');
      await new Promise((resolve) => setTimeout(resolve, 300));
      order.push('first');
    }, 'one');
    await b.write(async () => void order.push('last'));
    expect(order.slice(0, 2)).toEqual(['other list', 'first']);
    expect(order.at(-1)).toBe('last');
    await Promise.all([a.close(), b.close()]);
  });

  it('a restart of the database is noticed and outlived', async () => {
    const w = await world({}, fresh());
    const server = await listen(w.store, { port: 0, now: () => now });
    const lists = () =>
      fetch(`${server.url}/api/lists?companyId=${companies.fund}`, {
        headers: { cookie: `comem-auth-token=${sessions.ann}` },
      });
    expect((await lists()).status).toBe(200);
    cluster.stop('fast');
    const gone = await lists();
    expect([gone.status, await gone.json()]).toEqual([503, { error: 'The database cannot be reached', status: 503 }]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    cluster.start();
    expect((await lists()).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect((await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'L' } })).status).toBe(
      201,
    );
    await server.close();
    await w.close();
  });

  it('what is wrong with an address is reported without its password', async () => {
    const refused = async (database: string): Promise<Failure> => {
      const failure = await openStore({ database }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Failure);
      expect(`${(failure as Failure).message} ${(failure as Failure).hint}`).not.toContain('s3cret');
      return failure as Failure;
    };
    const at = `?host=${encodeURIComponent(cluster.folder)}`;
    expect((await refused(`postgres://comem:s3cret@localhost/none${at}`)).message).toContain(
      'database "none" does not exist',
    );
    expect((await refused(`postgres://nobody:s3cret@localhost/postgres${at}`)).message).toContain('nobody');
    expect((await refused('postgres://a:s3cret@127.0.0.1:1/x')).message).toContain('ECONNREFUSED');
    expect((await refused('mysql://a:s3cret@127.0.0.1:1/x')).message).toContain('postgres://');
    expect((await refused('postgres://a:s3cret@[/x')).kind).toBe('usage');
    expect(shownAddress('postgres://a:s3cret@h/x?password=s3cret&sslkey=s3cret')).not.toContain('s3cret');
  });

  it('a dump of SQLite loads into PostgreSQL, and back, table by table the same', async () => {
    const demo = await openEmbedded({ memory: true, seed: 'demo' });
    const [there, back] = [await openStore(fresh()), await openStore({ memory: true })];
    const move = async (from: Store, to: Store) => {
      let text = '';
      for await (const part of dumpText(from.db, 'ndjson')) text += part;
      const open = () => [Buffer.from(text)];
      await loadFile(to, { name: 'dump.ndjson', open });
    };
    await move(demo.store, there);
    await move(there, back);
    // Each database has its own key of cursors.
    const dataOf = async (store: Store) => ({ ...(await sums(store)), meta: undefined });
    const before = await dataOf(demo.store);
    expect(await dataOf(there)).toEqual(before);
    expect(await dataOf(back)).toEqual(before);
    for (const store of [there, back]) await store.close();
    await demo.close();
  });

  describe('backups, as docs/team.md says', () => {
    it('pg_dump and pg_restore bring a database back', async () => {
      const [from, to] = [fresh(), fresh()];
      const demo = await openEmbedded({ ...from, seed: 'demo' });
      const name = (database: string) => database.replace(/.*\/(d\d+)\?.*/, '$1');
      const dump = cluster.run('pg_dump', ['--format=custom', name(from.database)]);
      cluster.run('pg_restore', ['--dbname', name(to.database), '--single-transaction', '--exit-on-error'], dump);
      const restored = await openStore(to);
      expect(await sums(restored)).toEqual(await sums(demo.store));
      await restored.close();
      await demo.close();
    });
  });

  it('a cluster in a folder is the one that was made there', () => {
    expect(clusterIn(cluster.folder).sql('select 1').trim()).toBe('1');
  });
});

describe('backups of SQLite, as docs/team.md says', () => {
  it('sqlite3 .backup or VACUUM INTO, while the server writes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'comem-backup-'));
    const demo = await openEmbedded({ dataDir: join(folder, 'live'), seed: 'demo' });
    const backup = join(folder, 'backup');
    execFileSync('mkdir', [backup]);
    const program = `import sqlite3; sqlite3.connect('${join(folder, 'live/comem.db')}').execute("vacuum into '${join(backup, 'comem.db')}'")`;
    execFileSync('python3', ['-c', program]);
    const restored = await openStore({ dataDir: backup });
    for (const table of tableNames) expect(await sumOf(restored.db, table)).toEqual(await sumOf(demo.store.db, table));
    await restored.close();
    await demo.close();
    rmSync(folder, { recursive: true });
  });
});
