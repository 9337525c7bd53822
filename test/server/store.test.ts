import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/errors.ts';
import { freeSlug, slugOf } from '../../src/server/model/names.ts';
import { facetKey, facetTexts, searchedText } from '../../src/server/store/entries.ts';
import { sql } from '../../src/server/store/kysely.ts';
import { asFailure, openStore, readMeta, writeMeta } from '../../src/server/store/store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comem-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const refused = async (work: Promise<unknown>): Promise<Failure> => {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Failure);
  return failure as Failure;
};

describe('a store', () => {
  it('keeps what was written, with a cursor key of its own', async () => {
    const dataDir = join(folder, 'deep', 'er');
    const first = await openStore({ dataDir });
    await first.write((db) => writeMeta(db, 'x', '1'));
    await first.close();
    const second = await openStore({ dataDir });
    expect(await readMeta(second.db, 'x')).toBe('1');
    expect(second.cursorSecret).toBe(first.cursorSecret);
    await second.close();
    const other = await openStore({ memory: true });
    expect(other.cursorSecret).not.toBe(first.cursorSecret);
    await other.close();
  });

  it('reverts a write that failed on its way, and does work that lost a race again', async () => {
    const store = await openStore({ dataDir: folder });
    const broken = store.write(async (db) => {
      await writeMeta(db, 'x', '1');
      throw new Error('stop');
    });
    await expect(broken).rejects.toThrow('stop');
    expect(await readMeta(store.db, 'x')).toBeUndefined();
    let attempts = 0;
    await store.write(async (db) => {
      attempts += 1;
      const key = attempts < 3 ? 'schema_version' : 'y';
      await db.insertInto('meta').values({ key, value: '1' }).execute();
    });
    expect([attempts, await readMeta(store.db, 'y')]).toEqual([3, '1']);
    const never = store.write((db) => db.insertInto('meta').values({ key: 'y', value: '2' }).execute());
    await expect(never).rejects.toThrow(/UNIQUE/);
    await store.close();
  });

  it('refuses a database of a newer comem, a file that is not valid, and a folder that cannot be', async () => {
    const store = await openStore({ dataDir: folder });
    await writeMeta(store.db, 'schema_version', '999');
    await store.close();
    expect((await refused(openStore({ dataDir: folder }))).message).toContain('newer comem');
    const other = await mkdtemp(join(folder, 'x-'));
    await writeFile(join(other, 'comem.db'), 'this is no database, whatever its name says');
    expect((await refused(openStore({ dataDir: other }))).message).toContain(join(other, 'comem.db'));
    expect((await refused(openStore({ dataDir: join(other, 'comem.db', 'sub') }))).kind).toBe('usage');
    const address = await refused(openStore({ database: 'postgres://user:secret@host/db' }));
    expect(address.message).not.toContain('secret');
  });

  it('says what is wrong around it, to a command as well', async () => {
    const store = await openStore({ dataDir: folder });
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
    await sql`pragma max_page_count = ${sql.raw(String(rows[0]?.page_count))}`.execute(store.db);
    const full = store
      .write((db) => writeMeta(db, 'x', 'x'.repeat(100_000)))
      .catch((error: unknown) => {
        throw asFailure(store.engine, error);
      });
    expect(await refused(full)).toMatchObject({
      kind: 'tryLater',
      message: 'the disk of the database is full; nothing was written',
      hint: 'free some disk space, then run the same command again',
    });
    const bug = new Error('else');
    expect(asFailure(store.engine, bug)).toBe(bug);
    const known = new Failure('usage', 'known');
    expect(asFailure(store.engine, known)).toBe(known);
    const busy = Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
    expect(asFailure(store.engine, busy)).toMatchObject({
      message: 'the database is busy; nothing was written',
      hint: 'run the same command again',
    });
    await store.close();
  });
});

describe('facets', () => {
  it('have one key for each text', () => {
    const texts = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(texts, (all) => {
        expect(new Set(all.map(facetKey)).size).toBe(all.length);
        for (const key of all.map(facetKey)) expect(key.length).toBeLessThanOrEqual(200);
      }),
    );
    expect(facetKey(facetKey('x'.repeat(201)))).not.toBe(facetKey('x'.repeat(201)));
    expect(facetKey('\ud800')).not.toBe(facetKey('\ud801'));
  });

  it('find a number however it is spelled', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(5), (value, zeros) => {
        const [text] = facetTexts('number', value);
        expect(searchedText('number', String(value))).toBe(text);
        expect(searchedText('number', value.toExponential())).toBe(text);
        if (/^-?\d+\.\d+$/.test(String(value))) expect(searchedText('number', value + '0'.repeat(zeros))).toBe(text);
      }),
    );
    expect(searchedText('number', '1e999999999')).not.toBe(searchedText('number', '1e999999998'));
    expect(searchedText('text', '1.0')).toBe('1.0');
    expect(facetTexts('checkbox', false)).toEqual(['false']);
    expect(facetTexts('multi_select', [])).toEqual([]);
  });
});

describe('slugs', () => {
  it('are lower-case ASCII with single hyphens, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        expect(slugOf(name, 'list')).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slugOf(name, 'list').length).toBeLessThanOrEqual(80);
      }),
    );
    expect(slugOf('  Société Générale (2024) ', 'list')).toBe('societe-generale-2024');
    expect(freeSlug('a', new Set(['a', 'a-2', 'a-4']))).toBe('a-3');
  });
});
