/** Databases for tests, on the engine that the tests run on: SQLite in memory, or one database of a shared cluster. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { openEmbedded } from '../../src/server/embedded.ts';
import type { Database, Db } from '../../src/server/store/schema.ts';
import { openStore, type StoreOptions } from '../../src/server/store/store.ts';
import { rowsOf } from '../../src/server/store/tables.ts';
import { afterFile } from './after-file.ts';
import { fillWithDemo } from './demo-folder.ts';
import { type Bouncer, bouncerIn, type Cluster, clusterIn, makeCluster, startBouncer } from './postgres.ts';

/** PostgreSQL is reached through PgBouncer under `pgbouncer`. */
const wanted = process.env.COMEM_TEST_ENGINE;
export const engine = wanted === 'postgres' || wanted === 'pgbouncer' ? 'PostgreSQL' : 'SQLite';

/** What databases on PostgreSQL are copies of: a copy is faster than migrations and a seed. */
const templates = ['comem_empty', 'comem_demo'] as const;
/** Where a commit does not wait for a disk, if there is such a folder with room: a container may have 64 MB of it. */
const memoryFolder = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 2 ** 30;
}

/** A fresh, empty database, gone with the store or at the end of all tests. */
export function freshDatabase(): Promise<StoreOptions> {
  return engine === 'SQLite' ? Promise.resolve({ memory: true }) : freshPostgres();
}

/** A fresh database with the demo data, gone at the end of the test file or of all tests. */
export async function demoDatabase(): Promise<StoreOptions> {
  if (engine === 'PostgreSQL') return freshPostgres('comem_demo');
  const dataDir = mkdtempSync(join(memoryFolder, 'comem-demo-'));
  afterFile(() => rmSync(dataDir, { recursive: true, force: true }));
  return { dataDir: await fillWithDemo(dataDir) };
}

export async function freshPostgres(
  template: (typeof templates)[number] = 'comem_empty',
): Promise<StoreOptions & { database: string }> {
  const cluster = await sharedCluster();
  const name = `t${randomBytes(8).toString('hex')}`;
  cluster.sql(`create database ${name} template ${template}`);
  const address = wanted === 'pgbouncer' ? (await sharedBouncer(cluster)).address(name) : cluster.address(name);
  return { database: address };
}

let shared: Promise<Cluster> | undefined;

/** One cluster for all test files of a run, made by the first that asks. Its end is global-setup.ts's. */
export function sharedCluster(): Promise<Cluster> {
  shared ??= findOrMake(join(inject('runFolder'), 'postgres'));
  return shared;
}

/** One pool before that cluster. */
async function sharedBouncer(cluster: Cluster): Promise<Bouncer> {
  const bouncer = bouncerIn(cluster);
  try {
    mkdirSync(join(cluster.folder, 'pgbouncer'));
  } catch {
    while (!bouncer.isReady()) await sleep(50);
    return bouncer;
  }
  return startBouncer(cluster);
}

async function findOrMake(folder: string): Promise<Cluster> {
  const ready = join(folder, 'ready');
  try {
    mkdirSync(folder);
  } catch {
    while (!existsSync(ready)) await sleep(50);
    return clusterIn(folder);
  }
  const cluster = makeCluster(folder);
  for (const template of templates) cluster.sql(`create database ${template}`);
  await (await openStore({ database: cluster.address('comem_empty') })).close();
  await (await openEmbedded({ database: cluster.address('comem_demo'), seed: 'demo' })).close();
  writeFileSync(ready, '');
  return cluster;
}

/** The number and a checksum of all rows of a table, in order of its key. */
export async function sumOf(db: Db, table: keyof Database): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of rowsOf(db, table)) {
    count += rows.length;
    for (const row of rows) hash.update(`${JSON.stringify(Object.entries(row).sort())}\n`);
  }
  return { rows: count, sha256: hash.digest('hex') };
}
