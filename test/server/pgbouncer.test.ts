/** PostgreSQL behind PgBouncer in transaction mode: no connection keeps anything from one transaction to the next. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../src/server/app.ts';
import { sql } from '../../src/server/store/kysely.ts';
import { openStore } from '../../src/server/store/store.ts';
import {
  type Bouncer,
  type Cluster,
  dropCluster,
  makeCluster,
  missing,
  pgbouncer,
  programs,
  startBouncer,
} from '../helpers/postgres.ts';
import { companies, now, tokens, world } from './world.ts';

const isInstalled = programs !== undefined && pgbouncer !== undefined;
if (!isInstalled) it.skip(`PgBouncer (needs ${missing} pgbouncer)`, () => {});

describe.skipIf(!isInstalled).each([
  ['that refuses settings of a session', ''],
  [
    'that ignores settings of a session',
    'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
  ],
])('behind PgBouncer %s', (_, settings) => {
  let cluster: Cluster;
  let bouncer: Bouncer;
  let count = 0;
  const fresh = () => {
    count += 1;
    cluster.sql(`create database d${count}`);
    return bouncer.address(`d${count}`);
  };
  beforeAll(() => {
    cluster = makeCluster();
    bouncer = startBouncer(cluster, settings);
  });
  afterAll(() => dropCluster(cluster));

  it('a statement that hangs is cut, a read as well as a write, and leaves the next one its own time', async () => {
    const store = await openStore({ database: `${fresh()}&statement_timeout=300` });
    await expect(sql`select pg_sleep(20)`.execute(store.db)).rejects.toMatchObject({ code: '57014' });
    await expect(store.write((db) => sql`select pg_sleep(20)`.execute(db))).rejects.toMatchObject({ code: '57014' });
    await expect(store.read((db) => sql`select pg_sleep(20)`.execute(db))).rejects.toMatchObject({ code: '57014' });
    expect((await sql`select 1 as n`.execute(store.db)).rows).toEqual([{ n: 1 }]);
    await store.close();
  });

  it('a write waits for another one of the same scope only as long as the bound says', async () => {
    const address = fresh();
    const [first, second] = [
      await openStore({ database: address }),
      await openStore({ database: `${address}&lock_timeout=200` }),
    ];
    const list = companies.fund;
    await first.write(async () => {
      await expect(second.write(async () => {}, list)).rejects.toMatchObject({ code: '55P03' });
    });
    await second.write(async () => {}, list);
    await Promise.all([first.close(), second.close()]);
  });

  it('servers that start at once make one schema, and write the same list without a loss', async () => {
    const address = fresh();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ database: address })));
    const w = await world({}, { database: address });
    const servers = await Promise.all(stores.map((store) => listen(store, { port: 0, now: () => now })));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_each, index) =>
        fetch(`${servers[index % servers.length]?.url}/api/lists?companyId=${companies.fund}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `L${index}` }),
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { rows } = await sql<{ n: number }>`select count(distinct slug) as n from lists where name like 'L%'`.execute(
      w.store.db,
    );
    expect(rows).toEqual([{ n: 40 }]);
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all([w.close(), ...stores.map((store) => store.close())]);
  });
});
