/** A database that is empty, damaged, foreign, deleted, replaced, read-only or full: noticed, said, and nothing acknowledged is lost. */
import { cp, mkdir, mkdtemp, readFile, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/errors.ts';
import { openDatabase } from '../../src/core/sqlite.ts';
import { type Listening, listen } from '../../src/server/app.ts';
import { sql } from '../../src/server/store/kysely.ts';
import { openStore, type Store } from '../../src/server/store/store.ts';
import { companies, now, populate, sessions, tokens } from './world.ts';

let folder: string;
let file: string;
let store: Store;
let server: Listening | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-damage-'));
  file = join(folder, 'data', 'comem.db');
});
afterEach(async () => {
  await server?.close();
  await store?.close().catch(() => undefined);
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function serving(): Promise<void> {
  store = await openStore({ dataDir: join(folder, 'data'), busyMs: 200 });
  await populate(store);
  server = await listen(store, { port: 0, now: () => now });
  expect(await create('first')).toEqual([201, undefined]);
  expect(await ready()).toEqual([200, undefined]);
}

async function asked(path: string, init: RequestInit = {}): Promise<[number, string | undefined]> {
  const answer = await fetch(`${server?.url}${path}`, init);
  return [answer.status, ((await answer.json()) as { error?: string }).error];
}

const path = `/api/lists?companyId=${companies.fund}`;
const ready = () => asked('/readyz');
const read = () => asked(path, { headers: { cookie: `comem-auth-token=${sessions.ann}` } });
const create = (name: string) =>
  asked(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.ann}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, description: 'x'.repeat(15_000) }),
  });

/** The names of the lists that a new process finds. */
async function stored(dataDir = join(folder, 'data')): Promise<string[]> {
  const other = await openStore({ dataDir });
  const rows = await other.db.selectFrom('lists').select('name').orderBy('name').execute();
  await other.close();
  return rows.map(({ name }) => name);
}

const backups = expect.stringContaining('see "Backups" in docs/server.md');

describe('a database that cannot be opened', () => {
  const refused = async (): Promise<Failure> => {
    const failure = await openStore({ dataDir: join(folder, 'data') }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    return failure as Failure;
  };

  it('is empty, and stays as it is', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(file, '');
    expect(await refused()).toMatchObject({ message: expect.stringContaining('the file is empty'), hint: backups });
    expect((await readFile(file)).length).toBe(0);
  });

  it.each([
    ['text', 'not a database'],
    ['a header that is cut off', 'SQLite form'],
  ])('is %s', async (_, content) => {
    await mkdir(join(folder, 'data'));
    await writeFile(file, content);
    expect(await refused()).toMatchObject({ message: expect.stringContaining('damaged, or not a'), hint: backups });
    expect(await readFile(file, 'utf8')).toBe(content);
  });

  it('is cut off after its header', async () => {
    const whole = await openStore({ dataDir: join(folder, 'data') });
    await sql`pragma wal_checkpoint(truncate)`.execute(whole.db);
    await whole.close();
    await truncate(file, 5000);
    const { message, hint } = await refused();
    expect(`${message}; ${hint}`).toEqual(expect.stringMatching(/(malformed|damaged).*"Backups" in docs\/server.md/));
  });

  it.each(['notes', 'meta'])('belongs to another program, which has a table %s', async (table) => {
    await mkdir(join(folder, 'data'));
    const foreign = await openDatabase(file);
    foreign.exec(`create table ${table} (text)`);
    foreign.close();
    expect((await refused()).message).toBe(`the database belongs to another program: it has a table "${table}"`);
    const again = await openDatabase(file);
    expect(again.prepare('select name from sqlite_master').all()).toHaveLength(1);
    again.close();
  });

  it('is not one that others are creating at the same time', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ dataDir: join(folder, 'data') })));
    for (const one of stores) await one.close();
    expect(await stored()).toEqual([]);
  });
});

describe('under a server that runs', () => {
  const others: [string, () => Promise<unknown>][] = [
    ['deleted', () => unlink(file)],
    ['deleted with its folder', () => rm(join(folder, 'data'), { recursive: true })],
    ['moved away', () => rename(join(folder, 'data'), join(folder, 'elsewhere'))],
    [
      'replaced by a backup',
      () => cp(join(folder, 'backup', 'comem.db'), `${file}.new`).then(() => rename(`${file}.new`, file)),
    ],
    ['replaced by nothing', () => unlink(file).then(() => writeFile(file, ''))],
    ['deprived of its journal', () => unlink(`${file}-wal`)],
  ];

  it.each(others)('a database that is %s takes no more writes', async (_, happens) => {
    await serving();
    await (await openStore({ dataDir: join(folder, 'backup') })).close();
    await happens();
    const trouble = [503, backups];
    expect(await create('lost')).toEqual(trouble);
    expect(await read()).toEqual(trouble);
    expect(await ready()).toEqual(trouble);
    expect((await fetch(`${server?.url}/healthz`)).status).toBe(200);
  });

  it('a write that was on its way when the file went is not acknowledged', async () => {
    await serving();
    const writing = store.write(async (db) => {
      await db.updateTable('lists').set({ name: 'changed' }).execute();
      await rename(file, `${file}.old`);
    });
    await expect(writing).rejects.toThrow('deleted or replaced');
  });

  it('every acknowledged write is in the files that were moved', async () => {
    await serving();
    const acknowledged = ['first'];
    for (let n = 0; n < 40; n += 1) {
      if (n === 20) await rename(join(folder, 'data'), join(folder, 'elsewhere'));
      const [status] = await create(`list ${n}`);
      if (status === 201) acknowledged.push(`list ${n}`);
    }
    expect(acknowledged).toHaveLength(21);
    await server?.close();
    server = undefined;
    await store.close();
    expect(await stored(join(folder, 'elsewhere'))).toEqual(expect.arrayContaining(acknowledged));
  });

  it.each([
    ['full', 'pragma max_page_count = 1', 'pragma max_page_count = 1000000', /disk of the database is full/],
    ['read-only', 'pragma query_only = on', 'pragma query_only = off', /database is read-only/],
  ])('a database that is %s refuses writes and answers reads', async (_, begin, end, says) => {
    await serving();
    await sql.raw(begin).execute(store.db);
    expect(await create('refused'.padEnd(3000, '-'))).toEqual([503, expect.stringMatching(says)]);
    expect((await read())[0]).toBe(200);
    await sql.raw(end).execute(store.db);
    expect(await ready()).toEqual([200, undefined]);
    expect(await create('second')).toEqual([201, undefined]);
    expect(await stored()).toEqual(['first', 'second']);
  });
});
