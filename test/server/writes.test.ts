/** Writes that wait together are one commit, and each is answered as if it had been the only one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { totalCountHeader } from '../../src/contract/operation.ts';
import { ApiError } from '../../src/server/model/failure.ts';
import type { Engine } from '../../src/server/store/engine.ts';
import type { Db } from '../../src/server/store/schema.ts';
import { openStore, readMeta, type Store, writeMeta } from '../../src/server/store/store.ts';
import { groupedWrites } from '../../src/server/store/writes.ts';
import { freshDatabase } from '../helpers/database.ts';
import { companies, world } from './world.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function opened(): Promise<Store> {
  const store = await openStore(await freshDatabase());
  closers.push(() => store.close());
  return store;
}

/** Writes `key`, and then fails when it is asked to. */
const writing = (key: string, seen: Db[], failure?: Error) => async (db: Db) => {
  seen.push(db);
  await writeMeta(db, key, 'written');
  if (failure) throw failure;
  return key;
};

const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`);

async function written(store: Store): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if ((await readMeta(store.db, key)) !== undefined) found.push(key);
  return found;
}

describe('writes that wait together', () => {
  it('share a transaction, and each has its own answer', async () => {
    const store = await opened();
    const seen: Db[] = [];
    const answers = await Promise.all(keys.map((key) => store.write(writing(key, seen), 'one list')));
    expect(answers).toEqual(keys);
    expect(await written(store)).toEqual(keys);
    expect(new Set(seen).size).toBeLessThan(3);
  });

  it('fail separately when one is refused before it wrote', async () => {
    const store = await opened();
    const refused = new ApiError(404, 'not here');
    const settled = await Promise.allSettled(
      keys.map((key, n) => store.write(n % 3 === 1 ? () => Promise.reject(refused) : writing(key, []), 'one list')),
    );
    const others = keys.filter((_, n) => n % 3 !== 1);
    expect(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual(others);
    expect(settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual(
      Array.from({ length: keys.length - others.length }, () => refused),
    );
    expect(await written(store)).toEqual(others);
  });

  it.each([
    ['is refused after it wrote', new ApiError(409, 'too late')],
    ['breaks', new TypeError('a fault of ours')],
  ])('lose nothing when one of them %s', async (_, failure) => {
    const store = await opened();
    const settled = await Promise.allSettled(
      keys.map((key, n) => store.write(writing(key, [], n === 7 ? failure : undefined), 'one list')),
    );
    expect(settled.flatMap((one, n) => (one.status === 'rejected' ? [[n, one.reason]] : []))).toEqual([[7, failure]]);
    expect(await written(store)).toEqual(keys.filter((_key, n) => n !== 7));
  });

  it('lose nothing when the database refuses a statement of one of them', async () => {
    const store = await opened();
    const twice = async (db: Db) => {
      for (const _ of [1, 2]) await db.insertInto('meta').values({ key: 'twice', value: '' }).execute();
    };
    const settled = await Promise.allSettled(
      keys.map((key, n) => (n === 3 ? store.write(twice, 'one list') : store.write(writing(key, []), 'one list'))),
    );
    expect(settled.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(await written(store)).toEqual(keys.filter((_key, n) => n !== 3));
    expect(await readMeta(store.db, 'twice')).toBeUndefined();
  });

  it('are there for every other process once they are answered', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'comem-groups-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const [store, other] = [await openStore({ dataDir: folder }), await openStore({ dataDir: folder })];
    closers.push(
      () => store.close(),
      () => other.close(),
    );
    await Promise.all(
      keys.map(async (key) => {
        await store.write(writing(key, []), 'one list');
        expect(await readMeta(other.db, key)).toBe('written');
      }),
    );
  });
});

describe('entries of one list, created and refused at once', () => {
  it('are in the order of their answers, each once', async () => {
    const w = await world();
    closers.push(() => w.close());
    const query = { companyId: companies.fund };
    const listId = (await w.call('createList', { query, body: { name: 'Together' } })).body.id;
    const body = { name: 'N', attribute_type: 'number' };
    await w.call('createAttribute', { params: { listId }, body });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        w.call('createEntry', {
          params: { listId },
          body: { title: `E${n}`, values: { n: n % 5 === 4 ? 'many' : n } },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 60 }, (_, n) => (n % 5 === 4 ? 400 : 201)),
    );
    const taken = answers.filter(({ status }) => status === 201).map((answer) => answer.body);
    const listed = await w.call('listEntries', { params: { listId }, query: { limit: '500', withTotal: 'true' } });
    expect(listed.body).toEqual(taken);
    expect(listed.headers[totalCountHeader]).toBe(String(taken.length));
    expect(new Set(taken.map(({ position }) => position)).size).toBe(taken.length);
  });
});

describe('a transaction that ends badly', () => {
  const engine = { oneWriter: true, isConflict: () => false, lockWrites: () => Promise.resolve() } as unknown as Engine;
  const broken = (execute: (work: (tx: unknown) => Promise<unknown>) => Promise<unknown>) =>
    ({ transaction: () => ({ execute }) }) as unknown as Db;

  it('is not done again when nobody knows whether the commit was taken', async () => {
    const lost = new Error('the connection is gone');
    let ran = 0;
    const { write } = groupedWrites(
      broken(async (work) => {
        await work({});
        throw lost;
      }),
      engine,
    );
    const work = async () => {
      ran += 1;
    };
    const settled = await Promise.allSettled([write(work), write(work), write(work)]);
    expect(settled.map((one) => one.status === 'rejected' && one.reason)).toEqual([lost, lost, lost]);
    expect(ran).toBe(3);
  });

  it('fails all of them when it could not begin', async () => {
    const busy = new Error('busy');
    let begun = 0;
    const { write } = groupedWrites(
      broken(async () => {
        begun += 1;
        throw busy;
      }),
      { ...engine, isConflict: () => true },
    );
    const settled = await Promise.allSettled([write(() => Promise.resolve(1)), write(() => Promise.resolve(2))]);
    expect(settled.map((one) => one.status === 'rejected' && one.reason)).toEqual([busy, busy]);
    expect(begun).toBe(6);
  });
});
