/** Long series, whose rows do not fit into memory, give what their parts give. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { run } from '../../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-kept-'));
afterAll(() => rmSync(home, { recursive: true }));

const companies = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const currencies = ['USD', 'EUR'];
const metrics = ['cash', 'sales', 'staff'];
const [first, last] = [1900, 1924];
const step = 5;

/** The same number for the same words, so that a part of a series has the values of all of it. */
function chance(...words: (string | number)[]): number {
  let hash = 2166136261;
  for (const letter of words.join(' ')) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/** Holes, nulls, zeros, and digits that a double does not have. */
function textOf(company: number, metric: string, version: string, month: string): string | undefined {
  const luck = chance(company, metric, version, month);
  if (luck < 0.05) return undefined;
  if (luck < 0.1) return luck < 0.07 ? 'null' : '0';
  return `${Math.floor(luck * 1e6)}.${Math.floor(chance(month, metric) * 1e6)}0000000001`;
}

const transport: Transport = async ({ url }) => {
  const { pathname, searchParams } = new URL(url);
  const at = Math.max(0, companies.indexOf(searchParams.get('companyId') ?? ''));
  const about = {
    companyId: searchParams.get('companyId') ?? companies[at],
    currency: currencies[at],
    sourceBoundary: 'company_internal',
  };
  const headers = { 'content-type': 'application/json' };
  if (pathname.endsWith('catalog')) {
    const definitions = metrics.map((metricId) => ({
      ...{ metricId, label: metricId, custom: false, archived: false, direction: 'up' },
      ...{ unit: metricId === 'staff' ? 'count' : 'currency', aggregation: metricId === 'sales' ? 'sum' : 'last' },
    }));
    return { status: 200, headers, body: Buffer.from(JSON.stringify({ ...about, definitions })) };
  }
  const [from, to] = [searchParams.get('fromPeriod') ?? '', searchParams.get('toPeriod') ?? ''];
  const items: string[] = [];
  const index = (key: string) => Number(key.slice(0, 4)) * 12 + Number(key.slice(5)) - 1;
  for (let month = index(from); month <= index(to); month += 1) {
    const key = `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
    if (chance(at, key) < 0.03) continue;
    for (const version of searchParams.get('versions')?.split(',') ?? ['actual']) {
      const pairs = metrics.flatMap((id) => {
        const value = textOf(at, id, version, key);
        return value === undefined ? [] : [`"${id}":${value}`];
      });
      items.push(`{"periodKey":"${key}","periodType":"month","version":"${version}","metrics":{${pairs}}}`);
    }
  }
  if (searchParams.get('order') !== 'asc') items.reverse();
  const body = `${JSON.stringify({ ...about, truncated: false }).slice(0, -1)},"items":[${items}]}`;
  return { status: 200, headers, body: Buffer.from(body) };
};

const rates = join(home, 'rates.csv');
writeFileSync(
  rates,
  [
    'date,currency,rate',
    ...Array.from({ length: (last - first + 1) * 12 }, (_, month) => {
      const year = first + Math.floor(month / 12);
      const day = `${year}-${String((month % 12) + 1).padStart(2, '0')}-28`;
      return `${day},EUR,0.${Math.floor(8000 + chance(month) * 1999)}`;
    }),
  ].join('\n'),
);

async function lines(from: number, to: number, ...words: string[]): Promise<string[]> {
  const flags = ['--from', String(from), '--to', String(to), '--quiet', '-o', 'ndjson'];
  const env = { HOME: home, COMEM_BASE_URL: 'http://localhost', COMEM_API_KEY: 'cmk_x', COMEM_NOW: '2026-01-15' };
  const { stdout, stderr, code } = await run(['metrics', ...words, ...flags], { transport, env });
  expect([stderr, code]).toEqual(['', 0]);
  return stdout.split('\n').filter((line) => line !== '');
}

const both = companies.flatMap((id) => ['-c', id]);
const convert = ['--in', 'USD', '--rates', rates];

describe('metrics of many years are those of a few years each', () => {
  it.each([
    [
      'computed',
      ['series', '--order', 'desc', ...both, '--calc', 'gap = cash - prev(cash, 2)', '--calc', 'far = sum(gap, 7)'],
    ],
    [
      'upwards, of several versions',
      ['series', '--calc', 'share = yoy(sales)', '--versions', 'actual,budget', '--order', 'asc'],
    ],
    ['converted', ['series', '--order', 'desc', ...both, ...convert, '--shape', 'long']],
    ['added up', ['series', '--order', 'desc', ...both, ...convert, '--total', '--versions', 'actual,forecast']],
    ['growing', ['growth', ...both, '--versions', 'budget,actual']],
    ['compared', ['variance', ...both, ...convert, '--total', '--calc', 'each = sales / staff']],
    ['drawn', ['chart', ...both, '--calc', 'each = sales / staff', '--versions', 'actual,budget,forecast']],
  ])('%s', async (_, words) => {
    const whole = await lines(first, last, ...words);
    const parts: string[] = [];
    for (let from = first; from <= last; from += step) parts.push(...(await lines(from, from + step - 1, ...words)));
    expect(whole.length).toBeGreaterThan(500);
    expect(whole.toSorted()).toEqual(parts.toSorted());
    // Oldest or newest first, company by company.
    const keys = whole
      .map((line) => JSON.parse(line))
      .map((row) => [
        `${row.companyId} ${words[0] === 'series' ? '' : `${row.metricId} ${row.version}`}`,
        row.periodKey,
      ]);
    const groups = new Map<string, string[]>();
    for (const [group = '', key = ''] of keys) {
      groups.set(group, [...(groups.get(group) ?? []), key]);
    }
    const isDown = words[0] === 'series' && !words.includes('asc');
    for (const found of groups.values()) {
      expect(found).toEqual(isDown ? found.toSorted().reverse() : found.toSorted());
    }
  });

  it('in a table of periods', async () => {
    const cells = async (from: number, to: number) =>
      (await lines(from, to, 'table', ...both, '--versions', 'actual,budget')).flatMap((line) => {
        const { companyId, metricId, version, values } = JSON.parse(line);
        return Object.entries(values).map(([key, value]) => `${companyId} ${metricId} ${version} ${key} ${value}`);
      });
    const parts = await Promise.all([0, 5, 10, 15, 20].map((years) => cells(first + years, first + years + step - 1)));
    expect((await cells(first, last)).toSorted()).toEqual(parts.flat().toSorted());
  });
});
