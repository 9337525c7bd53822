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

it.each([[0], [3], [9000]])('gives %d rows back, in order, every digit kept', async (count) => {
  const rows = await openRowStore<unknown>();
  for (let n = 0; n < count; n += 1) rows.push(row(n));
  expect(rows).toHaveLength(count);
  let n = 0;
  for (const found of rows) {
    if (stringifyJson(found) !== stringifyJson(row(n))) expect(found).toEqual(row(n));
    n += 1;
  }
  expect(n).toBe(count);
  const [first] = mapRows(rows, (found, index) => [found, index]);
  expect(first).toEqual(count > 0 ? [row(0), 0] : undefined);
  expect(readdirSync(folder)).toEqual([]);
});

it('keeps every digit of a row that comes after plain ones', async () => {
  const rows = await openRowStore<unknown>();
  for (const value of [1, numeric('1.10'), 2]) rows.push({ value });
  expect(Array.from(rows, (row) => stringifyJson(row))).toEqual(['{"value":1}', '{"value":1.10}', '{"value":2}']);
});

it('reads rows within a reading of the same rows', async () => {
  const rows = await openRowStore<number>();
  for (const n of [1, 2, 3]) rows.push(n);
  const pairs: number[][] = [];
  for (const a of rows) for (const b of rows) pairs.push([a, b]);
  expect(pairs).toHaveLength(9);
});
