/** Rows in temporary databases that leave nothing behind. */
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { numeric, stringifyJson } from '../../src/core/json.ts';
import { mapRows, openRowStore } from '../../src/core/row-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'comem-rows-'));
vi.stubEnv('TMPDIR', folder);
afterAll(() => {
  vi.unstubAllEnvs();
  rmdirSync(folder);
});

const row = (n: number) => ({ n, text: n % 700 === 0 ? 'ä'.repeat(90_000) : `ü${n}\n`, exact: numeric(`${n}.10`) });

it.each([[0], [3], [9000]])('gives %d rows back, in order and at any place, every digit kept', async (count) => {
  const rows = await openRowStore<unknown>();
  for (let n = 0; n < count; n += 1) {
    rows.push(row(n));
    if (n % 1500 === 0) expect(rows.at(n)).toEqual(row(n));
  }
  expect([rows.length, rows.at(-1), rows.at(count)]).toEqual([count, undefined, undefined]);
  let n = 0;
  for (const found of rows) {
    if (stringifyJson(found) !== stringifyJson(row(n))) expect(found).toEqual(row(n));
    n += 1;
  }
  expect(n).toBe(count);
  if (count > 2) expect(mapRows(rows, (found, index) => [found, index]).at(2)).toEqual([row(2), 2]);
  expect(readdirSync(folder)).toEqual([]);
});

it('reads rows within a reading of the same rows', async () => {
  const rows = await openRowStore<number>();
  for (const n of [1, 2, 3]) rows.push(n);
  const pairs: number[][] = [];
  for (const a of rows) for (const b of rows) pairs.push([a, b]);
  expect(pairs).toHaveLength(9);
});
