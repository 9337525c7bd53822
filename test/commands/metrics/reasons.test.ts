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
  expect(table.filter(({ metricId }) => metricId === 'y').map(({ company }) => company)).toEqual(['tessera', 'total']);
});

it.each([
  ['get', ['get', 'mrr,runway', '--period', '2025-12']],
  ['live', ['live', '-m', 'mrr,runway']],
  ['table', ['table', '-m', 'mrr,runway', '--last', '3']],
  ['growth', ['growth', '-m', 'mrr,runway', '--period', '2025-12']],
  ['variance', ['variance', '-m', 'mrr,runway', '--period', '2025-12']],
  ['chart', ['chart', '-m', 'mrr,runway', '--period', '2025-12']],
  ['series', ['series', '-m', 'mrr,runway', '--last', '3']],
])('says in the row of the total of %s what does not add up', async (_, argv) => {
  const two = ['-c', 'lumen', '-c', 'harbor', 'metrics', ...argv, '--total'];
  const total = (await rows(...two)).filter(({ company }) => company === 'total');
  const notes = total.map(({ metricId, note }) => `${metricId ?? 'runway'} ${note}`);
  expect(notes.join('\n')).toMatch(/runway .*does not add up over companies/);
  expect(notes.join('\n')).not.toMatch(/mrr .*does not add up/);
  for (const row of total) {
    if (row.metricId === 'runway')
      expect(Object.values(row).filter((cell) => /^-?\d+\.?\d*$/.test(`${cell}`))).toEqual([]);
    else expect(row.runway ?? '').toBe('');
  }
});

it('says why a computed metric is blank, and counts the months of its inputs', async () => {
  const calc = ['-m', 'x', '--calc', 'x = burn / (arr - prev(arr))'];
  const harbor = ['-c', 'harbor', 'metrics'];
  const [table] = await rows(...harbor, 'table', ...calc, '--from', '2024-Q2', '--to', '2024-Q4');
  expect(table?.note).toBe('2024-Q3: arr is of 2/3 months; 2024-Q4: arr in 2024-Q3 is of 2/3 months');
  const { stdout } = await demo(...harbor, 'series', ...calc, '--to', '2024-Q4', '--last', '3q', '-o', 'csv');
  expect(stdout).toMatch(/2024-Q3,quarter,actual,,true,2\/3,.*x arr is of 2\/3 months/);
});

it.each([
  [
    'a part of a quarter',
    ['variance', '--period', '2026-Q1', '--where', 'verdict = bad'],
    /13 of 13 rows: actual of 2\/3/,
  ],
  [
    'a difference',
    ['variance', '--period', '2026-Q1', '--where', 'percent < 0'],
    /13 of 13 rows: actual of 2\/3 months/,
  ],
  [
    'a missing budget',
    ['variance', '--period', '2023-01', '--against', 'forecast', '--where', 'verdict = bad'],
    /rows: no forecast/,
  ],
  [
    'a missing base',
    ['growth', '-m', 'mrr', '--period', '2023-01', '--where', 'yoy > 0'],
    /1 of 1 row: yoy: no complete base/,
  ],
])('says that a condition could not test rows without %s', async (_, argv, reason) => {
  const { stdout, stderr, code } = await demo('-c', 'lumen', 'metrics', ...argv, '-o', 'csv');
  expect([stdout.trimEnd().split('\n').length, code]).toEqual([1, 0]);
  expect(stderr).toMatch(/--where could not test /);
  expect(stderr).toMatch(reason);
});

it('says nothing of rows that a condition tests', async () => {
  for (const where of ['verdict = bad', 'verdict = unknown or verdict = bad', 'verdict = bad and metricId = "mrr"']) {
    const range = where.includes('unknown') ? '2026-Q1' : '2026-02';
    const { stderr } = await demo(
      '-c',
      'lumen',
      'metrics',
      'variance',
      '-m',
      'mrr,burn',
      '--period',
      range,
      '--where',
      where,
    );
    expect(stderr).not.toContain('could not test');
  }
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

it('gives the change of growth that --calc computes in points', async () => {
  const range = ['-m', 'x', '--calc', 'x = yoy(mrr)', '--from', '2026-01', '--to', '2026-02'];
  const [table] = await rows('-c', 'lumen', 'metrics', 'table', ...range);
  const growth = await rows('-c', 'lumen', 'metrics', 'growth', '-m', 'mrr', ...range.slice(4));
  const [before, after] = growth.map(({ rates }) => (rates as { yoy: number }).yoy) as [number, number];
  const values = table?.values as Record<string, number>;
  expect([values['2026-01'], values['2026-02'], table?.unit]).toEqual([before, after, '%']);
  expect(table?.change).toBeCloseTo(after - before, 10);
  const refused = await demo('-c', 'lumen', 'metrics', 'table', '--calc', 'x = yoy(churn_rate)');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('a percentage changes in points')]);
});

it('names the company whose computed metric has no value, and the operand that is missing in the range', async () => {
  const calc = ['-m', 'mrr,x', '--calc', 'x = yoy(mrr)', '--last', '2'];
  const { stderr } = await demo('-c', '@portfolio', 'metrics', 'table', ...calc);
  expect(stderr).toContain('warning: quill: x has no value: mrr has none in the range\n');
  expect(stderr).not.toContain('mrr has no value');
});

it('leads to the history of a metric without a live value, and not of a computed one', async () => {
  const stored = await demo('metrics', 'get', 'nrr');
  expect([stored.code, stored.stderr]).toEqual([3, expect.stringContaining('metrics series -m nrr')]);
  const computed = await demo('metrics', 'get', 'x', '--calc', 'x = mrr/0');
  expect([computed.code, computed.stderr]).toEqual([3, expect.stringContaining('x has no value: it divides by zero')]);
  expect(computed.stderr).not.toContain('hint');
});

it('names the newest period with values where the range has none', async () => {
  for (const verb of ['growth', 'variance', 'table', 'chart']) {
    const { stderr } = await demo('-c', 'lumen', 'metrics', verb, '-m', 'mrr', '--from', '1990-01', '--to', '1990-06');
    expect(stderr).toContain('The newest values are of 2026-02.');
  }
  const { stderr } = await demo('-c', 'lumen', 'metrics', 'growth', '-m', 'mrr', '--last', '2');
  expect(stderr).not.toContain('The newest values');
});

it('says on a terminal of which period and unit a bare number is', async () => {
  const { stdout, stderr } = await demo('-c', 'lumen', 'metrics', 'get', 'mrr');
  expect(stderr).toBe('');
  const onScreen = await run(['-p', 'demo', '-c', 'lumen', 'metrics', 'get', 'mrr'], { tty: true });
  expect([onScreen.stdout, onScreen.stderr.trim()]).toEqual([stdout, 'mrr of 2026-02, in USD:']);
});

it.each([
  ['get', 'series -m runway'],
  ['chart -m', 'name another one with -c'],
])('leads from a metric without values in %s to those that have some', async (words, hint) => {
  const { stderr } = await demo('-c', 'northgate', 'metrics', ...words.split(' '), 'runway');
  expect(stderr).toContain(hint);
});

it('says that steps of a bridge include changes of exchange rates', async () => {
  const bridge = ['bridge', '-m', 'mrr', '--from', '2025-11', '--to', '2026-01', ...inUsd, '-o', 'csv'];
  expect((await demo(...portfolio, ...bridge)).stdout).toContain('steps include changes of exchange rates');
  for (const words of [
    [...portfolio, ...bridge, '--rate-at', '2025-12'],
    ['-c', 'lumen', 'metrics', ...bridge],
  ]) {
    const { stdout, stderr, code } = await demo(...words);
    expect(`${stdout}${stderr}`).not.toContain('exchange rates');
    expect(code).toBe(0);
  }
});

it('has no trend and no change in a table of one period, and money for months of money', async () => {
  const table = ['-p', 'demo', '-c', 'lumen', 'metrics', 'table', '-m', 'burn,cash', '--calc', 'cash = runway * burn'];
  const one = await run([...table, '--period', '2026-02'], { tty: true, columns: 120 });
  expect(one.stdout).not.toMatch(/Trend|Δ/);
  expect(one.stdout).toMatch(/cash +USD k/);
  expect((await run([...table, '--last', '2'], { tty: true, columns: 120 })).stdout).toMatch(/Trend.*Δ/);
});
