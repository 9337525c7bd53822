/** Metrics and traces of `comem serve` on PostgreSQL, and behind PgBouncer. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { demo } from '../../src/core/demo.ts';
import { sampleOf, serving, trace } from '../helpers/monitored.ts';
import {
  dropCluster,
  makeCluster,
  makeStandby,
  missing,
  pgbouncer,
  programs,
  startBouncer,
} from '../helpers/postgres.ts';

describe('traceparent', () => {
  if (programs === undefined) it.skip(`is in the log of SQL (needs ${missing})`, () => {});
  it.skipIf(programs === undefined)('is in the log of SQL, also of a write that shares its transaction', async () => {
    const cluster = makeCluster(undefined, "fsync = off\nlog_statement = 'all'\n");
    cluster.sql('create database traced');
    const server = await serving('--database', cluster.address('traced'), '--seed', 'demo');
    const ids = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(16));
    const answers = await Promise.all(
      ids.map((id) =>
        fetch(`${server.url}/api/metrics/grants?companyId=${demo.companyId}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${demo.apiKey}`,
            'content-type': 'application/json',
            traceparent: `00-${trace}-${id.replace(/^0/, 'a')}-01`,
          },
          body: JSON.stringify({ companyId: demo.companyId, scope: ['metrics'], note: `note of ${id}` }),
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
    expect(sampleOf(await server.scrape(), 'comem_database_up')).toBe(1);
    expect(await server.scrape()).toMatch(/comem_database_connections\{state="idle"\} \d/);
    expect(sampleOf(await server.scrape(), 'comem_replication_lag_seconds')).toBeUndefined();
    const standby = makeStandby(cluster);
    const lag = async () => sampleOf(await server.scrape(), 'comem_replication_lag_seconds');
    await vi.waitUntil(async () => ((await lag()) ?? -1) >= 0, 10_000);
    dropCluster(standby);
    await server.stop();
    const logs = readdirSync(join(cluster.folder, 'data')).filter((name) => name === 'log');
    expect(logs).toEqual(['log']);
    const log = readFileSync(join(cluster.folder, 'data/log'), 'utf8');
    for (const id of ids) expect(log).toContain(`traceparent='00-${trace}-${id.replace(/^0/, 'a')}-01'`);
    dropCluster(cluster);
  });
});

const hasPool = programs !== undefined && pgbouncer !== undefined;
if (!hasPool) it.skip(`traces behind PgBouncer (need ${missing} pgbouncer)`, () => {});
it.runIf(hasPool)(
  'a trace goes through PgBouncer, and not to a write without one in the same transaction',
  async () => {
    const cluster = makeCluster(undefined, "fsync = off\nlog_statement = 'all'\n");
    cluster.sql('create database pooled');
    const server = await serving('--database', startBouncer(cluster).address('pooled'), '--seed', 'demo');
    try {
      const digits = ['a', undefined, 'b', undefined, 'c'];
      const answers = digits.map((digit, index) =>
        fetch(`${server.url}/api/lists?companyId=${demo.companyId}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${demo.apiKey}`,
            'content-type': 'application/json',
            ...(digit !== undefined && { traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` }),
          },
          body: JSON.stringify({ name: `List ${index}` }),
        }),
      );
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(digits.map(() => 201));
      const log = readFileSync(join(cluster.folder, 'data/log'), 'utf8');
      const inserts = log.split('\n').filter((line) => line.includes('insert into "lists"'));
      const traces = inserts.slice(-digits.length).map((line) => /traceparent='00-(.)/.exec(line)?.[1]);
      expect(traces.sort()).toEqual(['a', 'b', 'c', undefined, undefined]);
    } finally {
      await server.stop();
      dropCluster(cluster);
    }
  },
);

describe('--metrics-port on PostgreSQL', () => {
  if (programs === undefined) it.skip(`shows the database (needs ${missing})`, () => {});
  it.skipIf(programs === undefined)(
    'shows the lag of --read-database, and answers while the database hangs',
    async () => {
      const cluster = makeCluster(undefined, 'fsync = off\n');
      cluster.sql('create database watched');
      const database = cluster.address('watched');
      const first = await serving('--database', database, '--seed', 'demo');
      await first.stop();
      const standby = makeStandby(cluster);
      const server = await serving('--database', database, '--read-database', standby.address('watched'));
      try {
        const lag = async () => sampleOf(await server.scrape(), 'comem_replication_lag_seconds');
        await vi.waitUntil(async () => (await lag()) === 0, 20_000);
        standby.sql('select pg_wal_replay_pause()');
        cluster.sql('select pg_switch_wal()');
        await vi.waitUntil(() => standby.sql('select pg_get_wal_replay_pause_state()').trim() === 'paused', 5_000);
        cluster.sql('create table late (n int)', 'watched');
        await vi.waitUntil(async () => ((await lag()) ?? 0) > 0.5, 10_000);
        standby.sql('select pg_wal_replay_resume()');
        await vi.waitUntil(async () => (await lag()) === 0, 20_000);
        cluster.signal('SIGSTOP');
        const text = await server.scrape();
        expect(sampleOf(text, 'comem_database_up')).toBe(0);
        expect(text).toContain('comem_database_connections{state="active"}');
        cluster.signal('SIGCONT');
        await vi.waitUntil(async () => sampleOf(await server.scrape(), 'comem_database_up') === 1, 40_000);
      } finally {
        cluster.signal('SIGCONT');
        await server.stop();
        dropCluster(standby);
        dropCluster(cluster);
      }
    },
  );
});
