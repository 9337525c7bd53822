/**
 * Failovers of PostgreSQL under a mixed load: every acknowledged write is there, none twice, and the server finds the
 * new primary by itself.
 */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropPatroni, type Patroni, patroni, startPatroni } from '../helpers/patroni.ts';
import { type Cluster, dropCluster, makeCluster, makeStandby, missing, programs } from '../helpers/postgres.ts';
import { MixedLoad } from './mixed-load.ts';
import { buildWriter, type Run, runWriter } from './process.ts';
import { companies, tokens, type World, world } from './world.ts';

/** One in a run of all tests, ten in `npm run soak`. */
const rounds = Number(process.env.COMEM_FAILOVERS ?? 1);
const maxSeconds = 10;
const options = { timeout: 60_000 + rounds * 90_000 };

let folder: string;
let program: string;
beforeAll(async () => {
  if (programs === undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'comem-failovers-'));
  program = await buildWriter(folder);
});
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

if (programs === undefined) it.skip(`failovers (needs ${missing})`, () => {});
else if (patroni === undefined) it.skip('failovers under Patroni (need patroni and etcd-server)', () => {});

/** A server in a process of its own, and the load on it. */
interface Service {
  w: World;
  load: MixedLoad;
  server: Run;
  url: string;
}

async function serve(database: string): Promise<Service> {
  const w = await world({}, { database });
  const load = await MixedLoad.create(w);
  const server = runWriter(program, 'serve', database);
  return { w, load, server, url: await server.line(0) };
}

/** Kills the primary in the middle of the load. @param kill gives a promise that is kept when another host takes writes */
async function failOver({ load, server, url }: Service, kill: () => Promise<void>): Promise<number> {
  let left = randomInt(20, 120);
  let promoted: Promise<void> | undefined;
  const end = new AbortController();
  const onAcknowledged = () => {
    left -= 1;
    if (left === 0) promoted = kill().finally(() => end.abort());
  };
  await load.run(url, onAcknowledged, end.signal);
  await promoted;
  const began = Date.now();
  while (!(await takesWrites(url))) {
    if (Date.now() - began > maxSeconds * 1000) throw new Error(`no write in ${maxSeconds} s: ${server.lines.join()}`);
    await sleep(100);
  }
  const milliseconds = Date.now() - began;
  await load.check();
  return milliseconds;
}

async function takesWrites(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/metrics/grants?companyId=${companies.fund}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
    body: JSON.stringify({ companyId: companies.fund, scope: ['metrics'], recipient_company_id: companies.startup }),
  });
  const { status } = answer;
  if (status === 503) expect(answer.headers.get('retry-after')).not.toBeNull();
  else expect(status).toBe(201);
  return status === 201;
}

function report(kind: string, { load }: Service, times: readonly number[]): void {
  const slowest = (Math.max(...times) / 1000).toFixed(1);
  process.stdout.write(
    `${kind}: ${times.length} failovers, ${load.acknowledged} writes acknowledged and found, back after ${slowest} s at most\n`,
  );
}

async function end({ server, w }: Service): Promise<void> {
  server.child.kill('SIGKILL');
  await server.done;
  await w.close();
}

describe.skipIf(programs === undefined)('two hosts, one of which follows the other', () => {
  it(`keeps every acknowledged write in ${rounds} failovers`, options, async () => {
    const first = makeCluster(undefined, 'fsync = off\n');
    first.sql('create database f');
    const folders = [first.folder, await mkdtemp(join(tmpdir(), 'comem-pg-'))] as const;
    const hosts = encodeURIComponent(folders.join(','));
    let primary: Cluster = first;
    let standby = makeStandby(primary, folders[1]);
    const service = await serve(`postgres://comem@localhost/f?host=${hosts}&target_session_attrs=read-write`);
    const times: number[] = [];
    try {
      for (let round = 0; round < rounds; round += 1) {
        await followInStep(primary);
        times.push(
          await failOver(service, async () => {
            primary.signal('SIGKILL');
            // A write that waits for the standby would wait for itself.
            standby.promote();
            standby.sql("alter system set synchronous_standby_names = ''");
            standby.sql('select pg_reload_conf()');
          }),
        );
        [primary, standby] = [standby, makeStandby(standby, primary.folder)];
      }
      report('two hosts', service, times);
    } finally {
      await end(service);
      dropCluster(primary);
      dropCluster(standby);
    }
  });
});

/** A commit is acknowledged from now on when the standby has it, too. */
async function followInStep(primary: Cluster): Promise<void> {
  primary.sql("alter system set synchronous_standby_names = '*'");
  primary.sql('select pg_reload_conf()');
  while (primary.sql('select sync_state from pg_stat_replication').trim() !== 'sync') await sleep(100);
}

describe.skipIf(programs === undefined || patroni === undefined)('two hosts under Patroni', () => {
  it(`keeps every acknowledged write in ${rounds} failovers`, options, async () => {
    const cluster: Patroni = await startPatroni();
    cluster.sql('create database f');
    const service = await serve(cluster.address('f'));
    const times: number[] = [];
    try {
      for (let round = 0; round < rounds; round += 1) {
        await cluster.inStep();
        times.push(await failOver(service, () => cluster.killPrimary()));
      }
      report('Patroni', service, times);
    } finally {
      await end(service);
      await dropPatroni(cluster);
    }
  });
});
