/** Backups that are made under load, restored into new servers, and compared row by row. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/core/sqlite.ts';
import { tableNames } from '../../src/server/store/schema.ts';
import { openStore, type StoreOptions } from '../../src/server/store/store.ts';
import { runBinary, temporaryFolder } from '../helpers/cli.ts';
import { sumOf } from '../helpers/database.ts';
import { freePort } from '../helpers/haproxy.ts';
import {
  archiveTo,
  baseBackup,
  type Cluster,
  dropCluster,
  makeCluster,
  missing,
  programs,
  recover,
} from '../helpers/postgres.ts';
import { MixedLoad } from './mixed-load.ts';
import { buildWriter, runWriter, serveProgram } from './process.ts';
import { companies, sessions, tokens, world } from './world.ts';

/** Backups under load: a few in a run of all tests, more in `npm run soak`. */
const rounds = Number(process.env.COMEM_RESTORES ?? 3);
const options = { timeout: 120_000 + rounds * 20_000 };

const comem = async (...argv: string[]) => {
  const result = await runBinary(argv);
  expect(result).toMatchObject({ code: 0 });
  return result.stdout;
};

/** The number and checksum of the rows of each table. */
async function sumsOf(database: StoreOptions): Promise<unknown> {
  const store = await openStore(database);
  const sums: Record<string, unknown> = {};
  for (const table of tableNames) sums[table] = await sumOf(store.db, table);
  await store.close();
  return sums;
}

/** What a client reads from a server: all entries of the list, in pages. */
async function entriesAt(url: string, listId: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (;;) {
    const path = `/api/lists/${listId}/entries?archived=true&limit=500&offset=${rows.length}`;
    const answer = await fetch(url + path, { headers: { cookie: `comem-auth-token=${sessions.ann}` } });
    expect(answer.status).toBe(200);
    const page = (await answer.json()) as unknown[];
    rows.push(...page);
    if (page.length < 500) return rows;
  }
}

it('SQLite: a copy under load has what was acknowledged before, at rest every row', options, async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  const w = await world({}, { dataDir: data });
  onTestFinished(() => w.close());
  const list = await w.call('createList', { query: { companyId: companies.fund }, body: { name: 'Rows' } });
  const listId: string = list.body.id;
  await w.call('createAttribute', { params: { listId }, body: { name: 'T', attribute_type: 'text' } });
  const load = await MixedLoad.create(w);
  const program = await buildWriter(folder);
  const ports = [await freePort(), await freePort()] as const;
  await serveProgram(ports[0], ['--dir', data]);
  const writers = ['x', 'y'].map((name) => ({ name, run: runWriter(program, 'write-on', data, listId, name) }));
  onTestFinished(() => {
    for (const { run } of writers) run.child.kill('SIGKILL');
  });
  const end = new AbortController();
  const writes = load.run(`http://127.0.0.1:${ports[0]}`, () => {}, end.signal);
  await Promise.all(writers.map(({ run }) => run.line(20)));
  for (let round = 0; round < rounds; round += 1) {
    const before = writers.map(({ run }) => run.lines.length);
    const file = join(folder, `copy${round}.db`);
    await comem('server', 'backup', file, '--dir', data);
    const copy = await openDatabase(file);
    expect(copy.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(copy.prepare('pragma foreign_key_check').all()).toEqual([]);
    for (const [index, { name }] of writers.entries()) {
      const stored = `select title from entries join entry_facets on entry_id = id and slug = 't' and value_key = ?
        where entries.list_id = ? order by entries.position`;
      const titles = copy.prepare(stored).all(name, listId) as { title: string }[];
      // Without a gap: a later write of one writer is never there without the earlier ones.
      expect(titles.map(({ title }) => title)).toEqual(titles.map((_, n) => `${name} ${n}`));
      expect(titles.length).toBeGreaterThanOrEqual(before[index] ?? 0);
    }
    const bare = copy.prepare('select count(*) as n from entries where id not in (select entry_id from entry_facets)');
    expect(bare.get()).toEqual({ n: 0 });
    copy.close();
  }
  end.abort();
  for (const { run } of writers) run.child.kill('SIGKILL');
  await Promise.all([writes, ...writers.map(({ run }) => run.done)]);
  const restored = join(folder, 'restored');
  mkdirSync(restored);
  await comem('server', 'backup', join(restored, 'comem.db'), '--dir', data);
  await serveProgram(ports[1], ['--dir', restored]);
  expect(await entriesAt(`http://127.0.0.1:${ports[1]}`, listId)).toEqual(
    await entriesAt(`http://127.0.0.1:${ports[0]}`, listId),
  );
  const dump = await comem('server', 'dump', '-o', 'ndjson', '--dir', data);
  expect(await comem('server', 'dump', '-o', 'ndjson', '--dir', restored)).toBe(dump);
  expect(await sumsOf({ dataDir: restored })).toEqual(await sumsOf({ dataDir: data }));
  await load.check();
});

if (programs === undefined) it.skip(`a restored PostgreSQL (needs ${missing})`, () => {});

it.runIf(programs)('PostgreSQL: a base backup and the archive give every row of a named moment', options, async () => {
  const archive = mkdtempSync(join(tmpdir(), 'comem-archive-'));
  onTestFinished(() => rmSync(archive, { recursive: true }));
  const cluster = makeCluster(undefined, `fsync = off\nautovacuum_naptime = 5s\n${archiveTo(archive)}`);
  onTestFinished(() => dropCluster(cluster));
  cluster.sql('create database b');
  const database = cluster.address('b');
  const w = await world({}, { database });
  onTestFinished(() => w.close());
  const load = await MixedLoad.create(w);
  const ports = [await freePort(), await freePort()] as const;
  await serveProgram(ports[0], ['--database', database]);
  const url = `http://127.0.0.1:${ports[0]}`;
  const loaded = async (writes: number, meanwhile: () => void = () => {}) => {
    const end = new AbortController();
    let left = writes;
    await load.run(
      url,
      () => {
        left -= 1;
        if (left === Math.floor(writes / 2)) meanwhile();
        if (left <= 0) end.abort();
      },
      end.signal,
    );
  };
  let copy: Cluster | undefined;
  await loaded(300, () => {
    copy = baseBackup(cluster);
  });
  await loaded(300);
  // The moment to which a team returns, with everything at rest.
  const dump = await comem('server', 'dump', '-o', 'ndjson', '--database', database);
  const sums = await sumsOf({ database });
  const point = cluster.sql("select pg_create_restore_point('monday')");
  expect(point).toMatch(/^0\//);
  await loaded(200);
  expect(await comem('server', 'dump', '-o', 'ndjson', '--database', database)).not.toBe(dump);
  const segment = cluster.sql('select pg_walfile_name(pg_switch_wal())').trim();
  await expect.poll(() => existsSync(join(archive, segment)), { timeout: 20_000 }).toBe(true);
  cluster.stop('fast');
  const recovered = copy;
  if (recovered === undefined) throw new Error('no base backup was made');
  onTestFinished(() => dropCluster(recovered));
  recover(recovered, archive, 'monday');
  await expect.poll(() => recovered.sql('select pg_is_in_recovery()').trim(), { timeout: 20_000 }).toBe('f');
  const restored = recovered.address('b');
  expect(await comem('server', 'dump', '-o', 'ndjson', '--database', restored)).toBe(dump);
  expect(await sumsOf({ database: restored })).toEqual(sums);
  await serveProgram(ports[1], ['--database', restored]);
  const answer = await fetch(`http://127.0.0.1:${ports[1]}/api/lists?companyId=${companies.fund}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'After' }),
  });
  expect(answer.status).toBe(201);
});
