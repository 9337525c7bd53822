/** What computed, converted and added metrics say of themselves: reasons, directions, constant rates, companies left out. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { afterFile } from '../../helpers/after-file.ts';
import { run } from '../../helpers/run.ts';

const demo = (...argv: string[]) => run(['-p', 'demo', ...argv]);
const rows = async (...argv: string[]) =>
  JSON.parse((await demo(...argv, '-o', 'json')).stdout) as Record<string, unknown>[];
const months = ['2025-10', '2025-11', '2025-12', '2026-01', '2026-02'];
const folder = mkdtempSync(join(tmpdir(), 'comem-reasons-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));
const rates = join(folder, 'rates.csv');
writeFileSync(rates, `date,USD\n${months.map((month, at) => `${month}-28,${1 + at / 10}`).join('\n')}\n`);
const portfolio = ['-c', '@portfolio', 'metrics'];
const inUsd = ['--in', 'USD', '--rates', rates];

it('keeps the row of a computed metric without any value, and says why', async () => {
  const table = await rows('metrics', 'table', '-m', 'mrr,x', '--calc', 'x = mrr/0', '--last', '2');
  expect(table.map(({ metricId, note }) => [metricId, note])).toEqual([
    ['mrr', undefined],
    ['x', 'it divides by zero'],
  ]);
  const { stderr } = await demo('metrics', 'growth', '-m', 'x', '--calc', 'x = mrr/0', '--last', '2');
  expect(stderr).toContain('x has no value: it divides by zero');
});

it('keeps a requested metric without values in the table, and names it where it has no row', async () => {
  const request = ['-m', 'mrr,mrr_growth', '--last', '2'];
  const table = await rows('metrics', 'table', ...request);
  expect(table.map(({ metricId, note }) => [metricId, note])).toEqual([
    ['mrr', undefined],
    ['mrr_growth', 'no value in the range'],
  ]);
  for (const verb of ['growth', 'variance']) {
    const { stderr } = await demo('metrics', verb, ...request);
    expect(stderr).toContain('mrr_growth has no value in the range');
  }
  expect((await demo('metrics', 'gaps', ...request)).stderr).not.toContain('no value in the range');
});

it('judges a computed metric by its direction', async () => {
  const line = ['-c', 'lumen', 'metrics', 'variance', '--period', '2025-12', '-m', 'x'];
  const verdict = async (direction: string) =>
    (await rows(...line, '--calc', `x = burn / headcount ${direction}`))[0]?.verdict;
  expect(await verdict('')).toBe('unknown');
  expect([await verdict('[lower]'), await verdict('[higher]')].sort()).toEqual(['bad', 'good']);
  const { code, stderr } = await demo(...line, '--calc', 'x = burn / headcount [down]');
  expect([code, stderr]).toEqual([2, expect.stringContaining('[higher] or [lower]')]);
});

it('converts every period at the rate of one', async () => {
  const line = ['-c', 'tessera', 'metrics', 'series', '-m', 'mrr', '--from', '2025-10', '--to', '2026-02'];
  const values = async (...flags: string[]) =>
    (await rows(...line, ...flags)).map(({ metrics }) => Number((metrics as { mrr: number }).mrr));
  const euros = await values();
  const constant = await values(...inUsd, '--rate-at', '2025-12');
  expect(constant).toHaveLength(5);
  for (const [at, value] of constant.entries()) expect(value).toBeCloseTo((euros[at] ?? 0) * 1.2, 6);
  expect((await demo(...line, '--rate-at', '2025-12')).code).toBe(2);
});

it('reads several metrics at once, and those that -m names of the live ones', async () => {
  const values = await rows('-c', 'lumen', 'metrics', 'get', 'mrr_growth,headcount');
  expect(values.map(({ metricId }) => metricId)).toEqual(['mrr_growth', 'headcount']);
  expect((await demo('-c', 'lumen', 'metrics', 'get', 'headcount')).stdout).toMatch(/^\d+\n$/);
  const live = await demo('metrics', 'live', '-m', 'mrr,arr', '-o', 'csv', '--fields', 'metricId');
  expect(live.stdout).toBe('metric\nmrr\narr\n');
});

it.each([
  ['variance', ['variance', '--period', '2026-01']],
  ['table', ['table', '--from', '2025-12', '--to', '2026-01']],
  ['board', ['board', '--period-type', 'month', '--from', '2026-01', '--to', '2026-01']],
  ['chart', ['chart', '--from', '2025-12', '--to', '2026-01']],
  ['get', ['get', 'mrr', '--period', '2026-01']],
])('names the company that the total of %s leaves out, in files too', async (_, argv) => {
  const metric = argv[0] === 'get' ? [] : ['-m', 'mrr'];
  const { stdout } = await demo(...portfolio, ...argv, ...metric, ...inUsd, '--total', '-o', 'csv');
  const total = stdout.split('\n').filter((line) => line.startsWith('total'));
  expect(total.length).toBeGreaterThan(0);
  expect(total.some((line) => line.includes('without quill (no'))).toBe(true);
});

it('keeps the other companies where one alone has a metric', async () => {
  const calc = ['-m', 'mrr,y', '--calc', 'y = payment_volume / mrr'];
  const table = await rows(...portfolio, 'table', ...calc, '--last', '3', ...inUsd, '--total');
  expect(new Set(table.map(({ company }) => company))).toEqual(
    new Set(['lumen', 'harbor', 'tessera', 'fieldwork', 'quill', 'total']),
  );
  expect(table.filter(({ metricId }) => metricId === 'y').map(({ company }) => company)).toEqual(['tessera']);
});

it('gives the change of a percentage in points', async () => {
  const range = ['-m', 'mrr_growth', '--from', '2026-01', '--to', '2026-02'];
  const [table] = await rows('-c', 'lumen', 'metrics', 'table', ...range);
  const growth = await rows('-c', 'lumen', 'metrics', 'growth', ...range);
  const rates = growth.at(-1)?.rates as { mom: number } | undefined;
  const values = table?.values as Record<string, number>;
  const points = Number(((values['2026-02'] ?? 0) - (values['2026-01'] ?? 0)).toFixed(2));
  expect([table?.change, rates?.mom]).toEqual([points, points]);
  const { stdout } = await run(['-p', 'demo', '-c', 'lumen', 'metrics', 'table', ...range], {
    tty: true,
    columns: 100,
  });
  expect(stdout).toContain(`+${points} pp`);
});

it('names the newest period with values where the range has none', async () => {
  for (const verb of ['growth', 'variance', 'table', 'chart']) {
    const { stderr } = await demo('-c', 'lumen', 'metrics', verb, '-m', 'mrr', '--from', '1990-01', '--to', '1990-06');
    expect(stderr).toContain('The newest values are of 2026-02: try --to 2026-02.');
  }
  const { stderr } = await demo('-c', 'lumen', 'metrics', 'growth', '-m', 'mrr', '--last', '2');
  expect(stderr).not.toContain('The newest values');
});
