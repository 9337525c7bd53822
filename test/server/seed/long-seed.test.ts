/** JSON seeds that are read while they are loaded give what seeds give that are read at once; both say where a mistake is. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoSeed } from '../../../src/server/demo/seed.ts';
import { dumpText } from '../../../src/server/seed/dump-text.ts';
import { loadSeed } from '../../../src/server/seed/load.ts';
import { loadFile } from '../../../src/server/seed/load-file.ts';
import type { Seed } from '../../../src/server/seed/seed.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';
import { freshDatabase } from '../../helpers/database.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
let store: Store;
beforeEach(async () => {
  store = await openStore(await freshDatabase());
});
afterEach(() => store.close());

/** The bytes in pieces of a length that falls between letters. */
const opened = (text: string, length = 1013) =>
  async function* () {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  };

const load = (text: string, name: string, into = store) => loadFile(into, { text: '', open: opened(text), name, now });

const textOf = (from: Store, format: 'json' | 'yaml') =>
  from.read(async (db) => {
    let text = '';
    for await (const piece of dumpText(db, format)) text += piece;
    return text;
  });

const company = 'companies:\n  - { slug: acme, name: Acme }\n';
const group = (n: number, metrics = `{ mrr: ${n}.10 }`) =>
  `  - { company: acme, period: ${1000 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}, metrics: ${metrics} }\n`;
const groups = (count: number) => Array.from({ length: count }, (_, n) => group(n)).join('');

/** A part of the demo: reading YAML takes long. */
function some(): Seed {
  const seed = demoSeed();
  const lists = seed.lists?.map((list) => ({ ...list, entries: list.entries?.slice(0, 20) ?? [] })) ?? [];
  return { ...seed, lists, points: seed.points?.slice(0, 150) ?? [] };
}

describe.each(['json', 'yaml'] as const)('a dump as %s', (format) => {
  test('is loaded completely, and a second time without a change', async () => {
    await loadSeed(store, { seed: some(), fail: (path, says) => new Error(`${path} ${says}`) as never }, now);
    const text = await textOf(store, format);
    const other = await openStore(await freshDatabase());
    try {
      const put = () =>
        format === 'json' ? load(text, 'seed.json', other) : loadFile(other, { text, name: 'seed.yaml', now });
      const { report } = await put();
      expect(report.points?.created).toBeGreaterThan(500);
      expect(report.entries?.created).toBeGreaterThan(50);
      expect(await textOf(other, format)).toBe(text);
      const again = (await put()).report;
      for (const { created, updated } of Object.values(again)) expect(created + updated).toBe(0);
    } finally {
      await other.close();
    }
  });
});

describe('a mistake has its line', () => {
  test.each<[string, string, RegExp]>([
    [
      'a repeated point',
      `${company}points:\n${groups(1800)}${group(5)}`,
      /line 1804, .*points\.1800\.metrics\.mrr is repeated/,
    ],
    [
      'a wrong period',
      `${company}points:\n${groups(1300)}  - { company: acme, period: soon, metrics: {} }\n`,
      /line 1304, column \d+: points\.1300\.period must be/,
    ],
    [
      'an unknown field',
      `${company}points:\n${groups(1200)}  - { company: acme, period: 2024-01, metric: {} }\n`,
      /line 1204, column \d+: points\.1200/,
    ],
    ['text that is not YAML', `${company}points:\n${groups(1200)}  - { company: acme\n`, /line 120[45], column/],
    ['a company that is not there', `points:\n${groups(10)}`, /line 2, .*points\.0\.company/],
    ['an unknown part', `${company}point:\n${groups(10)}`, /point is not/],
    ['a part twice', `${company}points:\n${groups(10)}views: []\npoints:\n${group(11)}`, /unique/],
  ])('%s', async (_, text, says) => {
    await expect(loadFile(store, { text, name: 'seed.yaml', now })).rejects.toThrow(says);
  });

  test.each<[string, string, RegExp]>([
    [
      'a wrong number',
      '{"companies":[{"slug":"acme","name":"Acme"}],\n"points":[\n{"company":"acme","period":"2024-01","metrics":{"mrr":"1"}}]}',
      /line 3, column \d+: points\.0\.metrics\.mrr/,
    ],
    [
      'broken JSON',
      '{"companies":[{"slug":"acme","name":"Acme"}],\n"points":[\n{"company":"acme",\n"period":}]}',
      /line 4, column 10/,
    ],
    ['JSON without its end', '{"companies":[],\n"points":[', /the text ends/],
    ['a part twice', '{"companies":[{"slug":"acme","name":"Acme"}],"companies":[]}', /"companies" more than once/],
    [
      'an entry of a list',
      '{"companies":[{"slug":"acme","name":"Acme"}],\n"lists":[{"company":"acme","name":"A","entries":[\n{"title":"x"},\n{"title":1}]}]}',
      /line 4, column \d+: lists\.0\.entries\.1\.title/,
    ],
  ])('%s', async (_, text, says) => {
    await expect(load(text, 'seed.json')).rejects.toThrow(says);
  });
});
