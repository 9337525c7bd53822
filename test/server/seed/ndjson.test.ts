/** Seeds as NDJSON: each line is a part, loaded while the file is read. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dumpText } from '../../../src/server/seed/dump.ts';
import { loadFile } from '../../../src/server/seed/file.ts';
import { loadSeed } from '../../../src/server/seed/load.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { demoSeed } from '../../helpers/demo-seed.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
let store: Store;
beforeEach(async () => {
  store = await openStore(await freshDatabase());
});
afterEach(() => store.close());

/** The bytes in pieces of a length that falls between letters. */
const load = (text: string, into = store) =>
  loadFile(into, {
    name: 'seed.ndjson',
    now,
    async *open() {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 1013) yield bytes.subarray(at, at + 1013);
    },
  });
const textOf = (from: Store) =>
  from.read(async (db) => {
    let text = '';
    for await (const piece of dumpText(db, 'ndjson')) text += piece;
    return text;
  });
const lines = (...parts: unknown[]) => parts.map((part) => `${JSON.stringify(part)}\n`).join('');

test('a dump of the demo loads back the same, and a second time without a change', async () => {
  const seed = demoSeed();
  await loadSeed(store, () => [{ seed, fail: (path, message) => new Error(`${path} ${message}`) as never }]);
  const text = await textOf(store);
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(200_000);
  const copy = await openStore(await freshDatabase());
  try {
    const { report } = await load(text, copy);
    expect(report.entries?.created).toBe(629);
    expect(report.lists).toEqual({ created: 5, updated: 0, unchanged: 4 });
    expect(await textOf(copy)).toBe(text);
    for (const { created, updated } of Object.values((await load(text, copy)).report))
      expect(created + updated).toBe(0);
  } finally {
    await copy.close();
  }
});

test('a list continues on later lines: its position and attributes stay, equal titles are several entries', async () => {
  const list = { company: 'a', name: 'Deals', attributes: [{ name: 'Note', attribute_type: 'text' }] };
  const more = (title: string) => ({
    lists: [{ company: 'a', name: 'Deals', entries: [{ title, values: { note: 'x' } }] }],
  });
  const text = lines(
    { companies: [{ slug: 'a', name: 'A' }], lists: [{ company: 'a', name: 'First' }, list] },
    more('One'),
    more('One'),
    more('Two'),
  );
  const { report } = await load(text);
  expect(report.lists).toEqual({ created: 2, updated: 0, unchanged: 3 });
  expect(report.entries).toEqual({ created: 3, updated: 0, unchanged: 0 });
  const { lists } = await loaded();
  expect(lists).toMatchObject([
    { name: 'First', position: 0 },
    { name: 'Deals', position: 1, entries: [{ position: 0 }, { position: 1 }, { position: 2 }] },
  ]);
  expect((await load(text)).report.entries).toEqual({ created: 0, updated: 0, unchanged: 3 });
});

async function loaded() {
  let text = '';
  await store.read(async (db) => {
    for await (const piece of dumpText(db, 'json')) text += piece;
  });
  return JSON.parse(text);
}

describe('a mistake has its line', () => {
  const company = { companies: [{ slug: 'acme', name: 'Acme' }] };
  const point = (metrics: object, period = '2024-01') => ({ points: [{ company: 'acme', period, metrics }] });
  test.each<[string, string, RegExp]>([
    ['a point of an earlier line', lines(company, point({ mrr: 1 }), point({ mrr: 2 })), /line 3, .*mrr is repeated/],
    ['a wrong number', lines(company, point({ mrr: '1' })), /line 2, column \d+: points\.0\.metrics\.mrr/],
    ['a wrong period', lines(company, point({ mrr: 1 }, 'soon')), /line 2, column \d+: points\.0\.period must be/],
    ['broken JSON', `${lines(company)}\n{"points":}\n`, /line 3, column 11/],
    ['an unknown part', lines(company, { point: [] }), /line 2, .*point is not/],
    ['another company', lines(point({ mrr: 1 })), /line 1, .*points\.0\.company/],
    ['a line that is no object', lines(company, 1), /line 2, column 1: the file must be an object/],
  ])('%s', async (_, text, message) => {
    await expect(load(text)).rejects.toThrow(message);
    expect(await loaded()).toEqual({});
  });
});
