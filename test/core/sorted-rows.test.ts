/** More rows than are sorted at once go to a file, which leaves nothing behind. */
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { numeric } from '../../src/core/json.ts';
import { type Order, sortedRows } from '../../src/core/sorted-rows.ts';
import { openSpill } from '../../src/core/spill.ts';

interface Row {
  id: number;
  key: number;
  exact: unknown;
}

const order: Order<Row, number> = { key: ({ key }) => key, compare: (a, b) => a - b };
const folder = mkdtempSync(join(tmpdir(), 'comem-sorted-'));
vi.stubEnv('TMPDIR', folder);
afterAll(() => {
  vi.unstubAllEnvs();
  // It is empty.
  rmdirSync(folder);
});
const folders = () => readdirSync(folder);
const count = 25_000;
const given = (id: number): Row => ({ id, key: (id * 7919) % 1009, exact: numeric('1.10') });

async function* source(): AsyncGenerator<Row[]> {
  for (let id = 0; id < count; id += 500) yield Array.from({ length: 500 }, (_, n) => given(id + n));
}

it('merges runs in order, equal rows as they came, every digit kept', async () => {
  const expected = Array.from({ length: count }, (_, id) => given(id)).sort((a, b) => a.key - b.key);
  const found: Row[] = [];
  let during: string[] = [];
  for await (const row of sortedRows(source(), order, { most: Number.POSITIVE_INFINITY, spill: openSpill<Row> })) {
    if (found.length === 0) during = folders();
    found.push(row);
  }
  expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  expect(String(found[0]?.exact)).toBe('1.10');
  // Where an open file keeps its name until it is closed, it is closed by now.
  if (process.platform !== 'win32') expect(during).toEqual([]);
  expect(folders()).toEqual([]);
});

it('gives the first of many, and takes no more', async () => {
  const found: number[] = [];
  for await (const { id } of sortedRows(source(), order, { most: 15_000, spill: openSpill<Row> })) {
    found.push(id);
    if (found.length === 12_000) break;
  }
  const expected = Array.from({ length: count }, (_, id) => given(id)).sort((a, b) => a.key - b.key);
  expect(found).toEqual(expected.slice(0, 12_000).map(({ id }) => id));
});
