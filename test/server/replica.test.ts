/** Reads from a standby: a user reads what they wrote, on every server, and a standby that fails costs no request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/server/store/store.ts';
import {
  type Bouncer,
  type Cluster,
  dropCluster,
  makeCluster,
  makeStandby,
  missing,
  pgbouncer,
  programs,
  startBouncer,
} from '../helpers/postgres.ts';
import { buildWriter, type Run, runWriter } from './process.ts';
import { companies, sessions, tokens, users, type World, world } from './world.ts';

if (programs === undefined) it.skip(`replicas (needs ${missing})`, () => {});

describe.skipIf(programs === undefined)('--read-database', () => {
  let folder: string;
  let program: string;
  let primary: Cluster;
  let standby: ReturnType<typeof makeStandby>;
  let pool: Bouncer | undefined;
  let database: string;
  let w: World;
  let servers: Run[] = [];
  let count = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'comem-replica-'));
    program = await buildWriter(folder);
    primary = makeCluster(undefined, 'fsync = off\nwal_keep_size = 256MB\n');
    standby = makeStandby(primary);
  });
  afterAll(() => {
    dropCluster(standby);
    dropCluster(primary);
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    count += 1;
    database = `r${count}`;
    primary.sql(`create database ${database}`);
    w = await world({}, { database: primary.address(database) });
    await w.store.db.insertInto('memberships').values({ user_id: users.ben, company_id: companies.fund }).execute();
    await vi.waitUntil(() => standby.sql(`select 1 from pg_database where datname = '${database}'`) !== '', 20_000);
  });
  afterEach(async () => {
    resume();
    for (const { child, done } of servers) {
      child.kill('SIGKILL');
      await done;
    }
    servers = [];
    await w.close();
  });

  const serve = (read = standby.address(database)) => {
    const run = runWriter(program, 'serve', primary.address(database), read);
    servers.push(run);
    return run.line(0);
  };
  const bouncer = () => {
    pool ??= startBouncer(standby);
    return pool;
  };
  const createList = async (url: string, name: string) => {
    const answer = await fetch(`${url}/api/lists?companyId=${companies.fund}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    expect(answer.status).toBe(201);
  };
  const readNames = async (url: string, session = sessions.ann): Promise<string[]> => {
    const headers = { cookie: `comem-auth-token=${session}` };
    const answer = await fetch(`${url}/api/lists?companyId=${companies.fund}`, { headers });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
  };
  const pause = async () => {
    standby.sql('select pg_wal_replay_pause()');
    // It pauses at the next record.
    primary.sql('select pg_switch_wal()');
    await vi.waitUntil(() => standby.sql('select pg_get_wal_replay_pause_state()').trim() === 'paused', 20_000);
  };
  const resume = () => standby.sql('select pg_wal_replay_resume() where pg_is_in_recovery()');
  /** Transactions of the database on the standby since it started. */
  const reads = () => Number(standby.sql(`select xact_commit from pg_stat_database where datname = '${database}'`));

  const addresses: Record<string, () => string> = {
    'one standby': () => standby.address(database),
    'several hosts': () => {
      const folders = encodeURIComponent(`${primary.folder},${standby.folder}`);
      return `postgres://comem@localhost/${database}?host=${folders}&target_session_attrs=standby`;
    },
    ...(pgbouncer !== undefined && { PgBouncer: () => bouncer().address(database) }),
  };

  it.each(Object.entries(addresses))('%s: users read their own writes, and others may read late', async (_, read) => {
    const [one, two] = [await serve(read()), await serve(read())];
    await createList(one, 'Before');
    await vi.waitUntil(async () => (await readNames(two, sessions.ben)).includes('Before'), 20_000);
    await pause();
    await createList(one, 'Late');
    expect(await readNames(one)).toEqual(['Before', 'Late']);
    expect(await readNames(two)).toEqual(['Before', 'Late']);
    // A standby that does not answer at once is passed over.
    await vi.waitUntil(async () => (await readNames(two, sessions.ben)).join() === 'Before', 4_000);
    resume();
    const before = reads();
    await vi.waitUntil(async () => (await readNames(one)).includes('Late') && reads() > before, 15_000);
  });

  it('nobody reads a state that is older than some seconds', async () => {
    const url = await serve();
    await pause();
    await createList(url, 'Late');
    await vi.waitUntil(async () => (await readNames(url, sessions.ben)).includes('Late'), 15_000);
  });

  it('a crash of the primary makes no server forget what a user wrote', async () => {
    const one = await serve();
    await pause();
    await createList(one, 'Late');
    primary.stop('immediate');
    primary.start();
    const two = await serve();
    expect(await readNames(two)).toEqual(['Late']);
    expect(await readNames(one)).toEqual(['Late']);
  });

  it('a revoked key reads nothing, however late the standby is', async () => {
    const one = await serve();
    await pause();
    primary.sql(`update sessions set revoked_at = '2026-01-01' where user_id = '${users.ben}'`, database);
    const headers = { cookie: `comem-auth-token=${sessions.ben}` };
    expect((await fetch(`${one}/api/lists?companyId=${companies.fund}`, { headers })).status).toBe(401);
  });

  it('a mistake in the address is a sentence, and a standby that is down is none', async () => {
    const other = makeCluster();
    other.sql('create database other');
    await (await openStore({ database: other.address('other') })).close();
    const open = (readDatabase: string) => openStore({ database: primary.address(database), readDatabase });
    await expect(open(other.address('other'))).rejects.toThrow(
      'holds another database, so it is no standby of this one',
    );
    await expect(open(standby.address('none'))).rejects.toThrow('database "none" does not exist');
    dropCluster(other);
    const store = await open(other.address('other'));
    const said: string[] = [];
    store.replica?.report((says) => said.push(says));
    expect(said).toEqual([expect.stringMatching(/^reads go to the primary: cannot open the database .*ENOENT/)]);
    await store.close();
  });
  it('a standby that stops, hangs, restarts and is promoted costs no request', async () => {
    const url = await serve();
    await createList(url, 'First');
    let isOver = false;
    let done = 0;
    const until = async (work: (n: number) => Promise<void>) => {
      for (let n = 0; !isOver; n += 1) await work(n);
    };
    const load = Promise.all([
      ...Array.from({ length: 6 }, () =>
        until(async () => {
          expect(await readNames(url)).toContain('First');
          done += 1;
        }),
      ),
      until(async (n) => {
        await createList(url, `L${n}`);
        expect(await readNames(url)).toContain(`L${n}`);
        primary.sql('vacuum lists', database);
      }),
    ]);
    const events = async () => {
      const goOn = async () => {
        const before = done;
        await vi.waitUntil(() => done > before + 100, 20_000);
      };
      const isRead = async () => {
        const before = reads();
        await vi.waitUntil(() => reads() > before + 50, 20_000);
      };
      await isRead();
      standby.stop('immediate');
      await goOn();
      standby.start();
      await isRead();
      standby.signal('SIGSTOP');
      await goOn();
      standby.signal('SIGCONT');
      await isRead();
      standby.promote();
      await goOn();
    };
    await Promise.race([load, events()]).finally(() => {
      isOver = true;
    });
    await load;
  });
});
