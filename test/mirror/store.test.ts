/** The store of a mirror: what a sync writes, and what is read of each moment afterwards. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { History } from '../../src/domain/history/versions.ts';
import { openExisting, writeMeta } from '../../src/mirror/database.ts';
import type { ReadEntry } from '../../src/mirror/entries.ts';
import { openHistory } from '../../src/mirror/history.ts';
import type { ReadPoint } from '../../src/mirror/points.ts';
import type { SyncWriter } from '../../src/mirror/writer.ts';
import { beginSync } from '../../src/mirror/writer.ts';
import { sql } from '../../src/server/store/kysely.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

async function fresh(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'comem-mirror-'));
  made.push(folder);
  return folder;
}

const api = 'https://memory.example';
const list = '22222222-2222-4222-8222-000000000001';
const company = '11111111-1111-4111-8111-111111111111';
const nothing = { read: 0, added: 0, changed: 0, deleted: 0 };

const entry = (n: number, values: Record<string, unknown> = {}, more: object = {}) =>
  ({
    id: `33333333-3333-4333-8333-${String(n).padStart(12, '0')}`,
    list_id: list,
    title: `Entry ${n}`,
    values,
    position: 100 - n,
    archived: false,
    ...more,
  }) as ReadEntry;

const point = (
  periodKey: string,
  metricId: string,
  value: string | null,
  more: Partial<ReadPoint> = {},
): ReadPoint => ({
  ...{ periodKey, metricId, version: 'actual', value, source: 'books', updatedAt: '2026-01-01T00:00:00.000Z' },
  ...more,
});

async function sync(folder: string, day: number, work: (writer: SyncWriter) => Promise<unknown>): Promise<string> {
  const now = new Date(`2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`);
  const writer = await beginSync(folder, api, now.toISOString());
  try {
    await writer.attempt(async () => work(writer));
    return (await writer.commit(now, {}, nothing)).seenAt;
  } catch (error) {
    throw await writer.abandon(error);
  }
}

async function reading<T>(folder: string, read: (history: History) => Promise<T>): Promise<T> {
  const history = await openHistory(folder);
  try {
    return await read(history);
  } finally {
    await history.close();
  }
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const entriesOf = (pages: ReadEntry[][]) => async (writer: SyncWriter) => {
  const entries = writer.entries(list);
  for (const page of pages) expect(await entries.page(page)).toBeUndefined();
  return entries.finish();
};

const scope = { companyId: company, periodType: 'month', versions: ['actual'] } as const;

test('entries are kept as they came, in the versions of each sync', async () => {
  const folder = await fresh();
  const odd = { ...entry(3, { amount: 1 }), position: undefined, extra: { deep: [1, null] } } as unknown as ReadEntry;
  const first = [entry(1, { stage: 'a', amount: 1.5 }), entry(2, { amount: 2 }), odd];
  await sync(folder, 1, entriesOf([first.slice(0, 2), first.slice(2)]));
  const renamed = entry(2, { amount: 3 }, { title: 'Other' });
  let changes: unknown;
  await sync(folder, 2, async (writer) => {
    changes = await entriesOf([[first[0] as ReadEntry, renamed, entry(4)]])(writer);
  });
  expect(changes).toEqual({ read: 3, added: 1, changed: 1, deleted: 1 });
  await reading(folder, async (history) => {
    expect(await history.syncs()).toEqual([
      { number: 1, seenAt: '2026-01-01T00:00:00.000Z' },
      { number: 2, seenAt: '2026-01-02T00:00:00.000Z' },
    ]);
    const at = async (number: number) => (await all(history.entries(list, { at: number }))).map(({ value }) => value);
    expect(await at(1)).toEqual([odd, first[1], first[0]]);
    expect(await at(2)).toEqual([entry(4), renamed, first[0]]);
    const [seenFrom, seenTo] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
    expect(await all(history.entries(list))).toEqual([
      { seenFrom, value: first[0] },
      { seenFrom, seenTo, value: first[1] },
      { seenFrom: seenTo, value: renamed },
      { seenFrom, seenTo, value: odd },
      { seenFrom: seenTo, value: entry(4) },
    ]);
    expect(await all(history.entries(list, { id: entry(2).id, changedSince: seenFrom }))).toHaveLength(2);
    expect(await all(history.entries(list, { changedSince: seenTo }))).toEqual([]);
  });
});

test('points are compared by period, and a narrow read leaves the others as they were', async () => {
  const folder = await fresh();
  const points =
    (given: readonly ReadPoint[], more: object = {}) =>
    async (writer: SyncWriter) => {
      const series = writer.points({ ...scope, ...more });
      for (const one of given) await series.page([one]);
      return series.finish();
    };
  const first = [point('2025-01', 'arr', '1.50'), point('2025-01', 'mrr', null), point('2025-02', 'arr', '2')];
  await sync(folder, 1, points(first));
  const seen: unknown[] = [];
  await sync(folder, 2, async (writer) => seen.push(await points(first)(writer)));
  await sync(folder, 3, async (writer) =>
    seen.push(await points([point('2025-01', 'arr', '1.5')], { metricIds: ['arr'] })(writer)),
  );
  await sync(folder, 4, async (writer) =>
    seen.push(await points([point('2025-03', 'arr', '3')], { from: 24302 })(writer)),
  );
  expect(seen).toEqual([
    { read: 3, added: 0, changed: 0, deleted: 0 },
    { read: 1, added: 0, changed: 1, deleted: 1 },
    { read: 1, added: 1, changed: 0, deleted: 0 },
  ]);
  await reading(folder, async (history) => {
    const at = async (number: number, metricIds?: string[]) =>
      (await all(history.points(company, { at: number, ...(metricIds && { metricIds }) }))).map(
        ({ value: { periodKey, metricId, value } }) => `${periodKey} ${metricId} ${value}`,
      );
    expect(await at(2)).toEqual(['2025-01 arr 1.50', '2025-01 mrr null', '2025-02 arr 2']);
    expect(await at(4)).toEqual(['2025-01 arr 1.5', '2025-01 mrr null', '2025-03 arr 3']);
    expect(await at(4, ['mrr', 'none'])).toEqual(['2025-01 mrr null']);
    expect(await all(history.points(list))).toEqual([]);
  });
});

test('resources of an owner that are missing have ended, unless they were not asked for', async () => {
  const folder = await fresh();
  const lists = (...ids: string[]) => ids.map((id) => ({ id, body: { id, name: id } }));
  await sync(folder, 1, (writer) => writer.resources('list', company, lists('a', 'b', 'c')));
  await sync(folder, 2, (writer) => writer.resources('list', company, lists('a'), (id) => id !== 'c'));
  await reading(folder, async (history) => {
    const ids = async (at: number) => (await all(history.resources('list', { at }))).map(({ value }) => value.id);
    expect(await ids(1)).toEqual(['a', 'b', 'c']);
    expect(await ids(2)).toEqual(['a', 'c']);
  });
});

test('what an attempt wrote is gone when it fails, and the sync continues', async () => {
  const folder = await fresh();
  await sync(folder, 1, async (writer) => {
    const broken = writer.attempt(async () => {
      await entriesOf([[entry(1, { odd: 1 })]])(writer);
      throw new Error('moved');
    });
    await expect(broken).rejects.toThrow('moved');
    await entriesOf([[entry(2, { even: 1 })]])(writer);
  });
  await reading(folder, async (history) => {
    expect((await all(history.entries(list))).map(({ value }) => value)).toEqual([entry(2, { even: 1 })]);
  });
});

test('an entry that came before is named', async () => {
  const folder = await fresh();
  await sync(folder, 1, async (writer) => {
    const entries = writer.entries(list);
    await entries.page([entry(1), entry(2)]);
    expect(await entries.page([entry(3), entry(2)])).toBe(entry(2).id);
  });
});

test('time goes forward folder the clock does not', async () => {
  const folder = await fresh();
  const seen = [
    await sync(folder, 2, async () => {}),
    await sync(folder, 2, async () => {}),
    await sync(folder, 1, async () => {}),
  ];
  expect(seen).toEqual(['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.001Z', '2026-01-02T00:00:00.002Z']);
});

test('a mirror of another API, and one without a sync, are refused', async () => {
  const folder = await fresh();
  await expect((async () => beginSync(folder, 'https://other.example', ''))().then((w) => w.abandon(0))).resolves.toBe(
    0,
  );
  await expect(openHistory(folder)).rejects.toMatchObject({ kind: 'notFound' });
  await sync(folder, 1, async () => {});
  await expect(beginSync(folder, 'https://other.example', '')).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(/was made from https:\/\/memory.example, not from https:\/\/other.example$/),
  });
});

test('a second sync is refused while the first one runs, and readers are not', async () => {
  const folder = await fresh();
  await sync(folder, 1, async () => {});
  const first = await beginSync(folder, api, '');
  await reading(folder, async (history) => expect(await history.syncs()).toHaveLength(1));
  await expect(beginSync(folder, api, '', 100)).rejects.toMatchObject({
    kind: 'tryLater',
    message: expect.stringMatching(/^another sync of the mirror .* is running$/),
  });
  await first.abandon(undefined);
  await sync(folder, 2, async () => {});
});

test('another schema and a damaged file are refused', async () => {
  const folder = await fresh();
  await sync(folder, 1, async () => {});
  const mirror = await openExisting(folder);
  for (const [version, says] of [
    ['1', 'an older comem (schema 1, known 2)'],
    ['99', 'a newer comem (schema 99, known 2)'],
  ] as const) {
    await writeMeta(mirror.db, 'schema_version', version);
    await sql`pragma wal_checkpoint(truncate)`.execute(mirror.db);
    for (const opening of [() => openHistory(folder), () => beginSync(folder, api, '')]) {
      await expect(opening()).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining(`was written by ${says}`),
      });
    }
  }
  await mirror.close();
  const file = join(folder, 'mirror.db');
  writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 100), Buffer.alloc(8000, 7)]));
  await expect(openHistory(folder)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('damaged'),
  });
});

test('only its owner can read the files', async () => {
  const folder = await fresh();
  await sync(folder, 1, async () => {});
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('a sync ended after every change that it read, but for those of a clock that is far ahead', async () => {
  const folder = await fresh();
  const now = new Date('2026-01-01T00:00:00.100Z');
  for (const [changedAt, seenAt] of [
    ['2026-01-01T00:00:00.180Z', '2026-01-01T00:00:00.180Z'],
    ['2030-01-01T00:00:00.000Z', '2026-01-01T00:00:00.181Z'],
  ]) {
    const writer = await beginSync(folder, api, now.toISOString());
    writer.changed(changedAt);
    expect((await writer.commit(now, {}, nothing)).seenAt).toBe(seenAt);
  }
});
