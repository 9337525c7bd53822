/** `--in`, `--calc` and `--total` give the same numbers in every command that reads metrics. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedded } from '../../../src/server/embedded.ts';
import { freshApi, run } from '../../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-computing-'));
afterAll(() => rmSync(home, { recursive: true }));
const months = Array.from({ length: 20 }, (_, at) => new Date(Date.UTC(2024, 8 + at, 1)).toISOString().slice(0, 8));
const rates = months.flatMap((month, at) => [`${month}10,USD,1.${10 + at}`, `${month}20,USD,1.${35 - at}`]);
writeFileSync(join(home, 'two-ways.csv'), 'date,currency,rate\n2026-01-31,USD,1\n2026-01-31,EUR,0.92\n');
writeFileSync(join(home, 'rates.csv'), ['date,currency,rate', ...rates].join('\n'));
writeFileSync(join(home, 'old.csv'), 'date,currency,rate\n2001-01-31,USD,1.1\n');
let api: Embedded;
beforeAll(async () => {
  api = await freshApi();
});
const metrics = (...argv: string[]) =>
  run(['-p', 'demo', 'metrics', ...argv], { transport: api.transport, cwd: home, home });
const rowsOf = async (...argv: string[]): Promise<Record<string, string>[]> => {
  const { stdout, code, stderr } = await metrics(...argv, '-o', 'csv', '--quiet');
  expect([code, stderr.replace(/^comem: warning.*\n/gm, '')]).toEqual([0, '']);
  return parse(stdout, { columns: true });
};

const four = ['-c', 'lumen', '-c', 'harbor', '-c', 'tessera', '-c', 'fieldwork'];
const flags = ['--in', 'USD', '--rates', 'rates.csv', '--total', '--calc', 'net = arr - prev(arr)'];
const keyed = (rows: Record<string, string>[], value: (row: Record<string, string>) => string | undefined) =>
  Object.fromEntries(rows.map((row) => [`${row.company} ${row.periodKey}`, value(row)]));

describe('of several companies, converted and added up', () => {
  it('has totals of amounts and counts, and of what is computed from them only by sums', async () => {
    const calc = ['each = arr / headcount', 'net = arr - prev(arr)', 'twice = each * 2', 'half = headcount / 2'];
    const ids = 'headcount,runway,each,net,twice,half';
    const words = [
      '-m',
      ids,
      '--from',
      '2026-02',
      '--to',
      '2026-02',
      ...calc.flatMap((text) => ['--calc', text]),
      '--total',
    ];
    const rows = await rowsOf('table', '-c', 'lumen', '-c', 'harbor', ...words);
    const of = (company: string) =>
      Object.fromEntries(
        rows.filter((row) => row.company === company).map((row) => [row.metricId, Number(row['2026-02'])]),
      );
    const [lumen, harbor, total] = [of('lumen'), of('harbor'), of('total')];
    expect(Object.keys(lumen)).toEqual(ids.split(','));
    const notAdded = ['runway', 'each', 'twice'];
    for (const { metricId, company, note } of rows.filter(({ company }) => company === 'total')) {
      expect(note, `${company} ${metricId}`).toBe(
        notAdded.includes(`${metricId}`) ? 'does not add up over companies' : '',
      );
    }
    for (const id of notAdded) delete total[id];
    expect(Object.keys(total)).toEqual(['headcount', 'net', 'half']);
    for (const [id, value] of Object.entries(total)) expect(value).toBeCloseTo((lumen[id] ?? 0) + (harbor[id] ?? 0), 6);
    const bridge = await rowsOf(
      'bridge',
      '-c',
      'lumen',
      '-c',
      'harbor',
      '-m',
      'headcount',
      '--from',
      '2025-12',
      '--to',
      '2026-02',
    );
    expect(Number(bridge.at(-1)?.value)).toBe(total.headcount);
  });

  const range = ['--from', '2026-01', '--to', '2026-02'];
  const expected = async (id: string) =>
    keyed(
      (await rowsOf('growth', ...four, ...flags, ...range, '-m', id)).filter(({ metricId }) => metricId === id),
      ({ value }) => value,
    );

  it.each(['arr', 'burn', 'net'])('%s is the same in series of every shape, chart and get', async (id) => {
    const wanted = await expected(id);
    expect(Object.keys(wanted)).toHaveLength(10);
    const common = [...four, ...flags, '-m', id];
    expect(keyed(await rowsOf('series', ...common, ...range), (row) => row[id])).toEqual(wanted);
    const of = (rows: Record<string, string>[]) => rows.filter(({ metricId }) => metricId === id);
    const long = of(await rowsOf('series', ...common, ...range, '--shape', 'long'));
    expect(keyed(long, ({ value }) => value)).toEqual(wanted);
    expect(new Set(long.map(({ currency }) => currency))).toEqual(new Set(['USD']));
    const across = of(await rowsOf('table', ...common, ...range));
    expect(Object.fromEntries(across.map((row) => [`${row.company} 2026-02`, row['2026-02']]))).toEqual(
      Object.fromEntries(Object.entries(wanted).filter(([key]) => key.endsWith('2026-02'))),
    );
    expect(keyed(await rowsOf('chart', ...common, ...range), (row) => row[id])).toEqual(wanted);
    const get = await rowsOf('get', id, ...four, ...flags, '--period', '2026-02');
    for (const { company, value } of get) expect(value).toBe(wanted[`${company} 2026-02`]);
    expect(get).toHaveLength(5);
    // The newest live actuals of these companies are of February, too.
    expect(await rowsOf('get', id, ...four, ...flags)).toEqual(get);
    const live = (await rowsOf('live', ...four, ...flags)).filter(({ metric }) => metric === id);
    expect(keyed(live, ({ value }) => value)).toEqual(keyed(get, ({ value }) => value));
  });

  it('are objects in JSON, with the currency that they are in', async () => {
    const { stdout } = await metrics('live', ...four, ...flags, '-o', 'json', '--quiet');
    const found = JSON.parse(stdout) as { company: string; currency: string; metrics: { arr: number } }[];
    expect(found.map(({ company }) => company)).toEqual(['lumen', 'harbor', 'tessera', 'fieldwork', 'total']);
    expect(new Set(found.map(({ currency }) => currency))).toEqual(new Set(['USD']));
    const series = await metrics('series', ...four, ...flags, '-m', 'arr', ...range, '-o', 'json', '--quiet');
    const rows = JSON.parse(series.stdout) as { company: string; companyId?: string; periodKey: string }[];
    expect(rows.slice(-2)).toMatchObject([{ company: 'total' }, { company: 'total' }]);
    expect(rows.at(-1)).not.toHaveProperty('companyId');
    expect(rows.map(({ periodKey }) => periodKey)).toEqual(
      Array.from({ length: 5 }, () => ['2026-01', '2026-02']).flat(),
    );
  });

  it('have quarters derived first, from months of every version', async () => {
    const quarters = ['-c', 'lumen', '-c', 'harbor', '--last', '2q', '-m', 'burn,net', ...flags.slice(4)];
    const series = await rowsOf('series', ...quarters);
    const growth = await rowsOf('growth', ...quarters);
    expect(series).toHaveLength(6);
    for (const { company, periodKey, burn, net, months, derived } of series) {
      expect([derived, months]).toEqual(['true', '3/3']);
      const of = (id: string) =>
        growth.find((row) => row.company === company && row.periodKey === periodKey && row.metricId === id)?.value;
      expect([burn, net ?? '']).toEqual([of('burn'), of('net') ?? '']);
    }
    const plans = [...quarters, '--versions', 'budget', '--fields', 'company,periodKey,version,burn'];
    const stored = await rowsOf('series', '-c', 'lumen', '--last', '2q', '-m', 'burn', '--versions', 'budget');
    const own = (await rowsOf('series', ...plans)).filter(({ company }) => company === 'lumen');
    expect(own.map(({ burn }) => burn)).toEqual(stored.map(({ burn }) => burn));
  });
});

it('reads saved definitions by -m in series and get', async () => {
  writeFileSync(join(home, 'steps'), 'step = arr - prev(arr)\n');
  await run(['profiles', 'set', 'demo', 'calc=steps'], { home, cwd: home });
  const [row] = await rowsOf('series', '-c', 'lumen', '-m', 'step', '--last', '1');
  expect((await metrics('get', 'step', '-c', 'lumen')).stdout.trim()).toBe(row?.step);
  await run(['profiles', 'set', 'demo', 'calc='], { home, cwd: home });
});

describe.each([
  ['series', ['--last', '1', '-m', 'mrr']],
  ['get', ['mrr', '--period', '2026-02']],
  ['get', ['mrr']],
  ['live', []],
  ['growth', ['--last', '1', '-m', 'mrr']],
  ['variance', ['--last', '1', '-m', 'mrr']],
  ['table', ['--last', '1', '-m', 'mrr']],
  ['chart', ['--last', '1', '-m', 'mrr']],
  ['gaps', ['--last', '1', '-m', 'mrr']],
  ['board', ['--last', '1q', '-m', 'mrr']],
] as const)('metrics %s %j', (verb, own) => {
  it.each([
    [['--in', 'USD', '--rates', 'old.csv'], 'has no rate of USD in 20'],
    [['--in', 'USD', '--rates', 'two-ways.csv'], 'can be read in two ways'],
    [['--in', 'USD'], '--in needs the rates'],
    [['--rates', 'rates.csv'], 'add --in CURRENCY'],
    [['--calc', 'x = prv(mrr)'], 'did you mean prev?'],
    [['--calc', 'x = mrr + churn_rate'], 'cannot be added'],
    [['--calc', 'mrr = arr'], 'the catalog has a metric "mrr"'],
    [['--calc', 'x = mr * 2'], 'did you mean mrr?'],
  ])('%j is refused', async (wrong, says) => {
    const { code, stdout, stderr } = await metrics(verb, ...own, '-c', 'tessera', ...wrong);
    expect([code === 2 || says.startsWith('did you mean mrr'), stdout]).toEqual([true, '']);
    expect(stderr).toContain(says);
  });
});

it.each(['series', 'growth', 'board', 'live'])('%s refuses a currency without rates unread', async (verb) => {
  const flags = ['-m', 'mrr', '-c', 'tessera', '--in', 'GBP', '--rates', 'rates.csv'];
  const { code, stdout, stderr, requests } = await metrics(verb, ...(verb === 'live' ? flags.slice(2) : flags));
  expect([code, stdout, requests]).toEqual([2, '', []]);
  expect(stderr).toBe('comem: --rates rates.csv has no rates of GBP\n  hint: it has rates of USD\n');
});

it.each([
  [['--cursor', 'x'], '--cursor is in its middle'],
  [['--raw'], '--raw'],
])('a computed series refuses %j', async (more, says) => {
  const { code, stdout, stderr, requests } = await metrics(
    'series',
    '-m',
    'mrr',
    '-c',
    'lumen',
    '--calc',
    'a = arr',
    ...more,
  );
  expect([code, stdout, requests]).toEqual([2, '', []]);
  expect(stderr).toContain(says);
});
