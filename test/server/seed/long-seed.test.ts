/** Seeds that are read while they are loaded give what seeds give that are read at once, and the same places of mistakes. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/core/json.ts';
import { readYaml } from '../../../src/core/yaml.ts';
import { YamlItems } from '../../../src/core/yaml-stream.ts';
import { writeYaml } from '../../../src/core/yaml-text.ts';
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
      const { report } = await load(text, `seed.${format}`, other);
      expect(report.points?.created).toBeGreaterThan(500);
      expect(report.entries?.created).toBeGreaterThan(50);
      expect(await textOf(other, format)).toBe(text);
      const again = (await load(text, `seed.${format}`, other)).report;
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
    await expect(load(text, 'seed.yaml')).rejects.toThrow(says);
    await expect(loadFile(store, { text, name: 'seed.yaml', now })).rejects.toThrow();
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

test('YAML of more than a mebibyte that is not written item by item is refused', async () => {
  const points = Array.from({ length: 20_000 }, (_, n) => `{company: acme, period: 2024-01, metrics: {m${n}: 1}}`);
  const text = `${company}points: [${points.join(', ')}]\n`;
  await expect(load(text, 'seed.yaml')).rejects.toMatchObject({
    message: expect.stringContaining('more than 1 MiB that is not written item by item'),
    hint: 'save it as JSON, or its points as CSV',
  });
});

test('YamlItems gives the items of named lists as a reader of the whole does, however the text is cut', async () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('- a\n- b', 'points:\n  - x', '# no', 'a: b', '', 'yes', '1e3', '|', 'x\n\n'),
  );
  const item = fc.record({
    name: word,
    more: fc.array(word, { maxLength: 3 }),
    entries: fc.array(fc.record({ title: word }), { maxLength: 3 }),
  });
  const seed = fc.record({
    a: word,
    lists: fc.array(item, { maxLength: 3 }),
    points: fc.array(fc.dictionary(fc.constantFrom('x', 'y z', '-'), word), { maxLength: 4 }),
    z: word,
  });
  await fc.assert(
    fc.asyncProperty(seed, fc.integer({ min: 1, max: 60 }), async (value, length) => {
      const found: Record<string, unknown[]> = { lists: [], points: [], 'lists.entries': [] };
      const pieces: [string, string][] = [];
      const items = new YamlItems((text, path) => pieces.push([path, text]), Object.keys(found));
      const text = writeYaml(value);
      for (let at = 0; at < text.length; at += length) items.write(text.slice(at, at + length));
      const left = items.left();
      for (const [path, one] of pieces) found[path]?.push(...((await readYaml(one, 'item')).value as unknown[]));
      expect((await readYaml(left, 'rest')).value).toEqual({ ...value, lists: [], points: [] });
      expect(stringifyJson(found.points)).toBe(stringifyJson(value.points));
      expect(found['lists.entries']).toEqual(value.lists.flatMap(({ entries }) => entries));
      expect(found.lists).toEqual(value.lists.map((list) => ({ ...list, entries: [] })));
    }),
    { numRuns: 200 },
  );
});
