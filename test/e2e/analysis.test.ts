/** Ten years of real months through the analysis commands of the built binary. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import { cli, temporaryFolder } from '../helpers/cli.ts';

const file = fileURLToPath(new URL('../data/us-employment.csv', import.meta.url));
const months: Record<string, string>[] = parse(readFileSync(file), { columns: true });
const folder = temporaryFolder();
const database = join(folder, 'employment');
const whole = ['--from', '2006', '--to', '2015'];
const cell = (month: string, metric: string) => months.find((row) => row.month === `${month}-01`)?.[metric];

beforeAll(async () => {
  const loaded = await cli(['server', 'load', file, '--data-dir', database]);
  if (loaded.code !== 0) throw new Error(loaded.stderr);
});

const metrics = (...words: string[]) => cli(['metrics', ...words, '--base-url', `embedded:${database}`]);

test('one value is that of the file, and a quarter that of its last month', async () => {
  expect((await metrics('get', 'nonfarm', '--period', '2010-07')).stdout).toBe(`${cell('2010-07', 'nonfarm')}\n`);
  const quarter = await metrics('get', 'utilities', '--period', '2010-Q3', '--agg', 'utilities=last');
  expect(quarter.stdout).toBe(`${cell('2010-09', 'utilities')}\n`);
  const sum = await metrics('get', 'nonfarm_change', '--period', '2009', '--agg', 'nonfarm_change=sum');
  const months2009 = months.filter(({ month = '' }) => month.startsWith('2009'));
  expect(sum.stdout).toBe(`${months2009.reduce((total, row) => total + Number(row.nonfarm_change), 0)}\n`);
  expect(await metrics('get', 'nonfarm', '--period', '2005-12')).toMatchObject({ code: 3, stdout: '' });
});

test('growth over the month is the change that the statisticians publish', async () => {
  const { stdout } = await metrics('growth', '-m', 'nonfarm', ...whole, '--rate', 'mom', '-o', 'csv');
  const rows: Record<string, string>[] = parse(stdout, { columns: true });
  expect(rows).toHaveLength(120);
  expect(rows[0]).toMatchObject({ periodKey: '2006-01', mom: '', note: 'mom: no complete base period' });
  for (const [index, row] of rows.entries()) {
    if (index === 0) continue;
    const before = Number(months[index - 1]?.nonfarm);
    expect((Number(row.mom) / 100) * before).toBeCloseTo(Number(months[index]?.nonfarm) - before, 6);
  }
  expect((Number(rows[1]?.mom) / 100) * Number(months[0]?.nonfarm)).toBeCloseTo(
    Number(cell('2006-02', 'nonfarm_change')),
    6,
  );
});

test('there is no gap in it', async () => {
  const flags = ['--repeated', '60', '--stale-after', '1000000', '--exit-code'];
  expect(await metrics('gaps', ...whole, ...flags)).toMatchObject({ code: 0 });
  const later = await metrics('gaps', '-m', 'nonfarm', '--from', '2015', '--to', '2016-03', ...flags, '-o', 'csv');
  expect(later).toMatchObject({ code: 1 });
  expect(later.stdout).toContain('nonfarm,actual,missing,2016-01,2016-03,3,no value');
});

test('a changed cell of an export is found again', async () => {
  const before = join(folder, 'before.csv');
  const after = join(folder, 'after.csv');
  await metrics('series', ...whole, '--order', 'asc', '--out', before);
  const text = readFileSync(before, 'utf8');
  const [old, changed] = [`,${cell('2010-07', 'nonfarm')},`, ',1,'];
  expect(text.split(old)).toHaveLength(2);
  writeFileSync(after, text.replace(old, changed));
  const { stdout, code } = await cli(['metrics', 'diff', before, after, '--exit-code', '-o', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      change: 'changed',
      what: 'nonfarm',
      where: '2010-07 actual',
      before: Number(cell('2010-07', 'nonfarm')),
      after: 1,
    },
  ]);
});

test('it is drawn on 60 columns, as a picture and as a page', async () => {
  const drawn = await cli(['metrics', 'chart', '-m', 'nonfarm', ...whole, '--base-url', `embedded:${database}`], {
    env: { COLUMNS: '60', LANG: 'C' },
  });
  const lines = drawn.stdout.trimEnd().split('\n');
  expect(lines.every((line) => line.length < 60)).toBe(true);
  expect(lines.at(-2)).toMatch(/^ +2007-01 +2010-01 +2013-01$/);
  for (const name of ['chart.svg', 'chart.html']) {
    const result = await metrics('chart', '-m', 'nonfarm,utilities', ...whole, '--out', join(folder, name));
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
  }
  expect(readFileSync(join(folder, 'chart.svg'), 'utf8')).toMatch(/^<svg .*<path .*<\/svg>\n$/s);
  const page = readFileSync(join(folder, 'chart.html'), 'utf8');
  expect(page.match(/<tr><th scope="row" data-value="20\d\d-\d\d"/g)).toHaveLength(120);
});
