/** Units of a catalog that says them with `unit` alone, or with `unitLabel` alone, in every command that computes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { run } from '../../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-units-'));
afterAll(() => rmSync(home, { recursive: true }));
const companyId = '00000000-0000-4000-8000-000000000001';
writeFileSync(join(home, 'rates.csv'), 'date,currency,rate\n2026-01-31,USD,1.5\n2025-12-31,USD,1.5\n');

const words = {
  unit: { balance: 'currency', rate: 'percent', runway: 'months', berlin: 'EUR', heads: 'count' },
  unitLabel: { balance: 'USD', rate: '%', runway: 'Months', berlin: '€', heads: 'count' },
};
const metrics = { balance: 2000, rate: 2.5, runway: 7, berlin: 300, heads: 40 };

const api =
  (field: keyof typeof words): Transport =>
  async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const definitions = Object.entries(words[field]).map(([metricId, word]) => ({
      ...{ metricId, label: metricId, aggregation: 'last', custom: false, archived: false, [field]: word },
    }));
    const scope = { companyId, currency: 'USD', sourceBoundary: 'company_internal' };
    const [from = '', to = '9'] = [searchParams.get('fromPeriod') ?? '', searchParams.get('toPeriod') ?? '9'];
    const versions = searchParams.getAll('versions').join(',').split(',');
    const ids = searchParams.get('metricIds')?.split(',') ?? Object.keys(metrics);
    const values = Object.fromEntries(Object.entries(metrics).filter(([id]) => ids.includes(id)));
    const items = ['2025-12', '2026-01']
      .filter((key) => key >= from && key <= to)
      .flatMap((periodKey) =>
        (['actual', 'budget'] as const)
          .filter((version) => versions.join('') === '' || versions.includes(version))
          .map((version) => ({
            periodKey,
            periodType: 'month',
            version,
            metrics: values,
            source: null,
            updatedAt: null,
          })),
      );
    const body = pathname.endsWith('catalog')
      ? { ...scope, definitions }
      : pathname.endsWith('series')
        ? { ...scope, items, observations: [], truncated: false, nextCursor: null }
        : { metrics, source: 'company_metrics_actual', mode: 'live_actual', currency: 'USD', periodKey: '2026-01' };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
  };

const env = { COMEM_COMPANY_ID: companyId, COMEM_API_KEY: 'cmk_0123456789', COMEM_BASE_URL: 'https://a.example' };
const call = (field: keyof typeof words, argv: readonly string[]) =>
  run(argv, { env, transport: api(field), home, cwd: home, now: '2026-02-15T00:00:00Z' });

const verbs: Record<string, readonly string[]> = {
  series: ['series', '-m', 'x', '--last', '1'],
  get: ['get', 'x', '--period', '2026-01'],
  'get live': ['get', 'x'],
  live: ['live'],
  growth: ['growth', '-m', 'x', '--last', '1'],
  variance: ['variance', '-m', 'x', '--last', '1'],
  table: ['table', '-m', 'x', '--last', '1'],
  board: ['board', '-m', 'x', '--last', '1'],
  gaps: ['gaps', '-m', 'x', '--last', '1'],
};

describe.each(['unit', 'unitLabel'] as const)('a catalog with %s alone', (field) => {
  describe.each(Object.entries(verbs))('metrics %s', (_, argv) => {
    it.each([
      ['rate * balance', 'a percentage is multiplied'],
      ['balance * prev(rate)', 'a percentage is multiplied'],
      ['heads * rate', 'a percentage is multiplied'],
      ['balance / rate', 'divided by a percentage'],
      ['balance + rate', 'USD and percent cannot be added'],
      ['balance - runway', 'USD and months cannot be added'],
      ['balance + berlin', 'USD and EUR cannot be added'],
      ['max(runway, rate)', 'months and percent cannot be added'],
    ])('refuses %s', async (expression, says) => {
      const { code, stdout, stderr } = await call(field, ['metrics', ...argv, '--calc', `x = ${expression}`]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(says);
    });
  });

  it.each([
    ['rate / 100 * balance', 50, 'USD'],
    ['balance / heads', 50, 'USD'],
    ['balance * runway / runway', 2000, 'USD'],
    ['balance + 1', 2001, 'USD'],
    ['2 * rate + rate', 7.5, '%'],
    ['berlin / balance', 0.15, 'EUR / USD'],
    ['heads + heads', 80, undefined],
  ])('computes %s', async (expression, value, unit) => {
    const argv = ['metrics', 'get', 'x', '--period', '2026-01', '-o', 'json', '--calc', `x = ${expression}`];
    const { stdout, stderr } = await call(field, argv);
    expect(stderr).toBe('');
    const found = JSON.parse(stdout);
    expect([found.value, found.unit]).toEqual([value, unit]);
  });

  it('converts each amount from its own currency', async () => {
    const argv = ['metrics', 'growth', '-m', 'balance,berlin,rate,x', '--last', '1', '--calc', 'x = balance + berlin'];
    const more = ['--in', 'USD', '--rates', 'rates.csv', '-o', 'csv', '--fields', 'metricId,value,unit'];
    const { stdout } = await call(field, [...argv, ...more]);
    expect(stdout).toBe('metricId,value,unit\nbalance,2000,USD\nberlin,450,USD\nrate,2.5,%\nx,2450,USD\n');
  });
});
