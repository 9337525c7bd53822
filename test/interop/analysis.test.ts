/**
 * What the analyses compute, held against fractions of Python over plain exports of the demo and of ten years of real
 * months: differences, sums and balances to the last digit, quotients to 1e-12.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { freshApi, run } from '../helpers/run.ts';
import { testWith } from '../helpers/tools.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-python-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const python = fileURLToPath(new URL('../helpers/analysis.py', import.meta.url));
const data = fileURLToPath(new URL('../data/us-employment.csv', import.meta.url));

/** A rate for each day of twenty years, from a formula. */
const days = Array.from({ length: 7600 }, (_, day) => new Date(Date.UTC(2006, 0, 1 + day)).toISOString().slice(0, 10));
const rates = days.map((day, at) => `${day},USD,${(1.02 + ((at * 7919) % 1601) / 10_000).toFixed(4)}`);

let transport: Transport;
beforeAll(async () => {
  writeFileSync(join(cwd, 'rates.csv'), ['date,currency,rate', ...rates].join('\n'));
  transport = (await freshApi()).transport;
});

/** Writes what a command prints as CSV into a file. */
async function save(file: string, argv: readonly string[], send: Transport = transport): Promise<void> {
  const env = {
    COMEM_BASE_URL: 'https://comem.test',
    COMEM_API_KEY: 'cmk_x',
    COMEM_COMPANY_ID: '00000000-0000-4000-8000-000000000001',
  };
  const own = send === transport ? {} : { env };
  const result = await run([...argv, '-o', 'csv', '--out', file, '--quiet'], { cwd, transport: send, ...own });
  expect([result.code, result.stderr.replace(/^comem: warning: .*\n/gm, '')]).toEqual([0, '']);
}

/** How many numbers Python compared; it ends with 1 at the first that differs. */
function compared(...argv: string[]): number {
  const { status, stdout, stderr } = spawnSync('python3', [python, ...argv], { cwd, encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
  return Number(stdout);
}

const demo = ['-p', 'demo', '-c', '@portfolio', 'metrics'];
const range = ['--from', '2024-06', '--to', '2025-12'];

testWith('python3')('growth, variance, totals and calculations of the demo', async () => {
  await save('points.csv', [...demo, 'series', '--shape', 'long', '--versions', 'actual,budget', '--from', '2022']);
  const metrics = ['-m', 'mrr,arr,burn,churn_rate,headcount'];
  await save('growth.csv', [...demo, 'growth', ...metrics, ...range, '--rate', 'mom,yoy']);
  await save('variance.csv', [...demo, 'variance', ...metrics, ...range]);
  const total = ['--in', 'EUR', '--rates', 'rates.csv', '--total'];
  await save('total.csv', [...demo, 'series', '-m', 'arr,burn,headcount', ...range, ...total, '--shape', 'long']);
  await save('quarters.csv', [...demo, 'growth', '-m', 'arr,burn', '--last', '4q', '--rate', 'qoq', ...total]);
  const calc = ['--calc', 'net = arr - prev(arr)', '--calc', 'multiple = burn / net'];
  await save('calc.csv', [...demo, 'series', '-m', 'net,multiple', ...range, ...calc]);
  expect(compared('demo')).toBeGreaterThan(2500);
});

testWith('python3')('answers of the README and the gallery, from exports of the rows behind them', async () => {
  const linesOf = (file: string) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    return [text, [...text.matchAll(/^\$ comem (-p demo [^\n]+) -o table$/gm)].map(([, line = '']) => line)] as const;
  };
  const [text, own] = linesOf('README.md');
  expect(own).toHaveLength(4);
  const [top = '', stages = '', variance = '', total = ''] = own;
  const compares = /metrics table -m net_new_arr|metrics board/;
  const gallery = linesOf('docs/gallery.md')[1].filter((line) => compares.test(line));
  expect(gallery).toHaveLength(2);
  const [calculated = '', board = ''] = gallery;
  const sectors =
    "-p demo entries summarize deal-pipeline --where 'stage != Passed' --by sector --agg 'count, sum(valuation)' --sort 'sum(valuation):desc' --limit 5 --total";
  const changed = '-p demo entries list deal-pipeline --changed-since 1d --fields title,stage,updated_at';
  const lines = [top, stages, sectors, changed, variance, calculated, total, board];
  writeFileSync(join(cwd, 'rates.csv'), /```csv\n([\s\S]*?)```/.exec(text)?.[1] ?? '');
  for (const [at, line] of lines.entries()) {
    const words = [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, inner]) => inner ?? word);
    await save(`answer${at}.csv`, words);
  }
  await save('deals.csv', ['-p', 'demo', 'entries', 'list', 'deal-pipeline']);
  await save('points.csv', [...demo, 'series', '--shape', 'long', '--versions', 'actual,budget', '--from', '2024']);
  const quarters = ['series', '--period-type', 'quarter', '--shape', 'long', '--versions', 'budget', '--from', '2024'];
  await save('budgets.csv', ['-p', 'demo', '-c', 'lumen', '-c', 'harbor', 'metrics', ...quarters]);
  expect(compared('readme')).toBeGreaterThan(60);
});

testWith('python3')('growth, averages and conversions of real months', async () => {
  const months: Record<string, string>[] = parse(readFileSync(data), { columns: true });
  const ids = ['nonfarm', 'utilities', 'wholesale_trade'];
  writeFileSync(join(cwd, 'rates.csv'), ['date,currency,rate', ...rates].join('\n'));
  const about = { label: 'x', unit: 'currency', custom: false, archived: false };
  const definitions = ids.map((metricId, at) => ({ ...about, metricId, aggregation: at === 0 ? 'last' : 'sum' }));
  const send: Transport = async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const [from, to] = [searchParams.get('fromPeriod') ?? '', searchParams.get('toPeriod') ?? '9'];
    const items = months
      .map(({ month = '', ...cells }) => ({ periodKey: month.slice(0, 7), cells }))
      .filter(({ periodKey }) => periodKey >= from && periodKey <= to)
      .map(({ periodKey, cells }) => ({
        ...{ periodKey, periodType: 'month', version: 'actual', source: 'file', updatedAt: null },
        metrics: Object.fromEntries(ids.map((id) => [id, Number(cells[id])])),
      }));
    const company = { companyId: '00000000-0000-4000-8000-000000000001', currency: 'EUR' };
    const kept = { ...company, sourceBoundary: 'company_internal' };
    const body = pathname.endsWith('catalog')
      ? { ...kept, definitions }
      : { ...kept, items, observations: [], truncated: false };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
  };
  const all = ['metrics', 'growth', '-m', ids.join(','), '--from', '2006-01', '--to', '2015-12'];
  await save('growth.csv', [...all, '--rate', 'mom,yoy'], send);
  const averages = ids.flatMap((id) => ['--calc', `average_${id} = avg(${id}, 12)`]);
  const named = ids.map((id) => `average_${id}`).join(',');
  const span = ['--from', '2006-01', '--to', '2015-12', '--shape', 'long'];
  await save('averages.csv', ['metrics', 'series', '-m', named, ...averages, ...span], send);
  const usd = ['--in', 'USD', '--rates', 'rates.csv'];
  await save('converted.csv', [...all, '--rate', 'mom', ...usd], send);
  expect(compared('employment', data)).toBeGreaterThan(1700);
});
