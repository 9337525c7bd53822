/** The actuals of a month that has not ended are marked wherever they are shown, and compared with no complete month. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsWorld, type World } from '../../helpers/metrics-world.ts';
import { readParquet } from '../../helpers/parquet.ts';
import { readWorkbook } from '../../helpers/workbook.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'comem-running-'));
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

// Actuals: 73 in 2024-02, 74 in 2024-03, 0 in 2024-04, 76 in 2024-05, of which 20 days are over; a budget of 2024-05 is 70.
const now = '2024-05-20T12:00:00Z';
const ok = async (argv: readonly string[]) => {
  const { stdout, stderr, code } = await world.run(argv, { now, columns: 160, cwd: folder });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
const csv = async (...argv: string[]) => (await ok([...argv, '-o', 'csv'])).trimEnd().split('\n');
const ranges = [
  ['--last', '3', '--include-current'],
  ['--from', '2024-03', '--to', '2024-05'],
  ['--from', '2024-03'],
];
const series = (...flags: string[]) => [
  'metrics',
  'series',
  '-m',
  'mrr',
  ...(flags.includes('--order') ? [] : ['--order', 'desc']),
  ...flags,
];
const shapes = [[], ['--shape', 'long'], ['--fill', 'null']];

describe.each(ranges)('the range %j %j %j %j', (...words) => {
  const range = words.filter((word) => word !== undefined);

  it.each(shapes)('is marked in tables and Markdown with %j %j', async (...shape) => {
    for (const format of ['table', 'md']) {
      const shown = await ok(series(...range, ...shape.filter(Boolean), '-o', format));
      expect(shown).toContain('2024-05 (running)');
      expect(shown).not.toContain('2024-04 (');
    }
  });

  it('is marked in the column months of files', async () => {
    const rowOf = (lines: string[]) => lines.find((line) => line.startsWith('2024-05'));
    expect(rowOf(await csv(...series(...range, '--fields', 'periodKey,months')))).toBe('2024-05,0/1');
    const long = series(...range, '--shape', 'long', '--fields', 'periodKey,value,months');
    expect(rowOf(await csv(...long))).toBe('2024-05,76,0/1');
    for (const shape of [[], ['--shape', 'long']]) {
      for (const [format, parse] of Object.entries({
        json: (text: string) => JSON.parse(text),
        ndjson: (text: string) =>
          text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
      })) {
        const rows: { periodKey: string; months?: string }[] = parse(
          await ok(series(...range, ...shape, '-o', format)),
        );
        expect(rows.filter(({ months }) => months !== undefined)).toMatchObject([
          { periodKey: '2024-05', months: '0/1' },
        ]);
      }
    }
    await ok(series(...range, '--out', 'running.xlsx'));
    const [header = [], ...rows] = readWorkbook(readFileSync(join(folder, 'running.xlsx'))).rows;
    const at = header.findIndex(({ text }) => text === 'months');
    expect(rows.find((row) => row[0]?.text === '2024-05')?.[at]?.text).toBe('0/1');
    await ok(series(...range, '--out', 'running.parquet'));
    const { rows: stored } = await readParquet(readFileSync(join(folder, 'running.parquet')));
    expect(stored.filter(({ months }) => months === '0/1')).toMatchObject([{ periodKey: '2024-05' }]);
  });

  it('is marked in pictures', async () => {
    expect(await ok(series(...range, '-o', 'spark'))).toMatch(/░/);
    const table = await ok(['metrics', 'table', '-m', 'mrr', ...range, '-o', 'table']);
    expect(table).toContain('2024-05 (running)');
    expect(table).toMatch(/░/);
    for (const [type, said] of [
      ['bar', /^2024-05 \(running\) /m],
      ['line', / to 2024-05 \(running\)\n[\s\S]* 2024-05 \(running\)\n/],
    ] as const) {
      const chart = ['metrics', 'chart', '-m', 'mrr', ...range, '--type', type];
      expect(await ok([...chart, '-o', 'table'])).toMatch(said);
      for (const file of ['running.svg', 'running.html']) {
        await ok([...chart, '--out', file]);
        expect(readFileSync(join(folder, file), 'utf8')).toContain('2024-05 (running)');
      }
    }
    expect(await csv('metrics', 'chart', '-m', 'mrr', ...range, '--fields', 'periodKey,months')).toContain(
      '2024-05,0/1',
    );
  });

  it('is compared only with --partial', async () => {
    const growth = ['metrics', 'growth', '-m', 'mrr', ...range, '--fields', 'periodKey,yoy,months,note'];
    expect((await csv(...growth)).at(-1)).toMatch(/^2024-05,,0\/1,not ended; .*yoy: incomplete period/);
    expect((await csv(...growth, '--partial')).at(-1)).toMatch(/^2024-05,18\.75,0\/1,/);
    const variance = ['metrics', 'variance', '-m', 'mrr', ...range, '--fields', 'periodKey,difference,months,note'];
    expect((await csv(...variance)).at(-1)).toBe('2024-05,,0/1,actual not ended: not compared');
    expect((await csv(...variance, '--partial')).at(-1)).toMatch(/^2024-05,6,0\/1/);
    const change = ['metrics', 'table', '-m', 'mrr', ...range, '--fields', 'change'];
    expect(await csv(...change)).not.toEqual(await csv(...change, '--partial'));
  });
});

it('counts for nothing in a quarter that is derived', async () => {
  const quarter = ['--from', '2024-Q2', '--to', '2024-Q2', '--derive', 'quarter', '--agg', 'mrr=sum'];
  expect(await csv(...series(...quarter, '--fields', 'periodKey,mrr,months'))).toEqual([
    'periodKey,mrr,months',
    '2024-Q2,76,1/3',
  ]);
});

it('does not mark a plan or a month that has ended', async () => {
  expect(await ok(series('--from', '2024-05', '--versions', 'budget', '-o', 'table'))).not.toContain('running');
  expect((await csv(...series('--last', '2')))[0]).not.toContain('months');
});

it('is said for one value', async () => {
  const { stdout, stderr } = await world.run(['metrics', 'get', 'mrr', '--period', '2024-05'], { now });
  expect([stdout, stderr]).toEqual(['76\n', expect.stringContaining('2024-05 has not ended: mrr covers part of it')]);
});

it.each(['csv', 'json', 'table'])('is the last row of %s, oldest first', async (format) => {
  const fields = ['--fields', 'periodKey,mrr', '-o', format];
  const { stdout } = await world.run(['metrics', 'series', '-m', 'mrr', '--from', '2024-03', ...fields], { now });
  expect(stdout.match(/2024-\d{2}|[A-Z][a-z]{2} 24/g)).toHaveLength(3);
  expect(stdout.search(/2024-05|May 24/)).toBeGreaterThan(stdout.search(/2024-03|Mar 24/));
  const newest = ['metrics', 'series', '-m', 'mrr', '--last', '2', '--fields', 'periodKey', '-o', 'csv'];
  expect((await world.run(newest, { now })).stdout).toBe('periodKey\n2024-03\n2024-04\n');
});

it('is named in a note where it comes after the page that decides the columns', async () => {
  const open = series('--from', '2010', '--order', 'asc', '--page-size', '10', '-o', 'csv');
  const { stdout, stderr } = await world.run(open, { now });
  expect(stderr).toContain('2024-05 has not ended: its actuals are of part of it.');
  expect(stdout.split('\n')[0]).not.toContain('months');
});

describe('two exports', () => {
  it.each([[], ['--shape', 'long']])('are not compared in a month that had not ended, with %j %j', async (...flags) => {
    const shape = flags.filter(Boolean);
    for (const format of ['csv', 'json']) {
      const range = series('--from', '2024-04', '--to', '2024-05', ...shape, '-o', format);
      const before = (await ok(range)).replace(/\b76\b/, '60');
      writeFileSync(join(folder, 'before'), before);
      const after = await world.run(range, { now: '2024-06-15T00:00:00Z' });
      writeFileSync(join(folder, 'after'), after.stdout);
      const diff = ['metrics', 'diff', 'before', 'after', '-o', 'csv', '--fields', 'where,difference'];
      const { stdout, stderr } = await world.run(diff, { cwd: folder });
      expect(stdout).toBe('where,difference\n');
      expect(stderr).toContain('Not compared: 1 value of periods');
    }
  });
});
