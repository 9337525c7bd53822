/** An address of several hosts: the one that takes writes is found, at the start and after it failed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../src/server/app.ts';
import { openStore } from '../../src/server/store/store.ts';
import { type Cluster, dropCluster, makeCluster, makeStandby, missing, programs } from '../helpers/postgres.ts';
import { companies, now, tokens, world } from './world.ts';

if (programs === undefined) it.skip(`failover (needs ${missing})`, () => {});

describe.skipIf(programs === undefined)('postgres://…,…/db?target_session_attrs=read-write', () => {
  let primary: Cluster;
  let standby: ReturnType<typeof makeStandby>;
  const address = (...clusters: Cluster[]) => {
    const folders = clusters.map(({ folder }) => folder).join(',');
    return `postgres://comem@localhost/f?host=${encodeURIComponent(folders)}&target_session_attrs=read-write`;
  };
  beforeAll(() => {
    primary = makeCluster(undefined, "fsync = off\nsynchronous_standby_names = '*'\nsynchronous_commit = local\n");
    primary.sql('create database f');
    standby = makeStandby(primary);
    primary.sql("alter system set synchronous_commit = 'remote_apply'");
    primary.sql('select pg_reload_conf()');
  });
  afterAll(() => {
    dropCluster(standby);
    dropCluster(primary);
  });

  it('a standby alone, and words that libpq does not have, are refused', async () => {
    await expect(openStore({ database: address(standby) })).rejects.toThrow('none of its hosts takes writes');
    const other = address(primary).replace('read-write', 'writable');
    await expect(openStore({ database: other })).rejects.toThrow(
      'must be any, read-write, primary, read-only, standby',
    );
  });

  it('the new primary is found without a restart, and what was acknowledged is there', async () => {
    const database = address(standby, primary);
    const w = await world({}, { database });
    const server = await listen(w.store, { port: 0, now: () => now });
    const create = async (name: string) => {
      const answer = await fetch(`${server.url}/api/lists?companyId=${companies.fund}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
    };
    expect((await create('Before')).status).toBe(201);
    primary.stop('immediate');
    expect(await create('Down')).toEqual({ status: 503, retryAfter: '1' });
    expect(await create('Still down')).toEqual({ status: 503, retryAfter: '1' });
    standby.promote();
    const promoted = Date.now();
    while ((await create('After')).status !== 201 && Date.now() - promoted < 10_000) await sleep(100);
    expect(Date.now() - promoted).toBeLessThan(10_000);
    const names = standby.sql("select name from lists where name in ('Before', 'After')", 'f').trim().split('\n');
    expect(names.sort()).toEqual(['After', 'Before']);
    await server.close();
    await w.close();
  });
});
