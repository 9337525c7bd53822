/** Totals of companies with gaps, held against fractions of Python over plain exports of the same companies. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { Transport } from '../../src/core/wire.ts';
import { run } from '../helpers/run.ts';
import { testWith } from '../helpers/tools.ts';

const cwd = mkdtempSync(join(tmpdir(), 'comem-totals-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const python = fileURLToPath(new URL('../helpers/totals.py', import.meta.url));

/** A generator of numbers from 0 to 1 that a seed repeats (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const months = Array.from(
  { length: 18 },
  (_, at) => `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`,
);
const quarters = Array.from({ length: 6 }, (_, at) => `${2024 + Math.floor(at / 4)}-Q${(at % 4) + 1}`);
const [first = '', last = ''] = [months[0], months.at(-1)];

interface Definition {
  metricId: string;
  unit: string;
  aggregation: string;
}

interface Company {
  id: string;
  name: string;
  currency: string;
  definitions: Definition[];
  /** JSON numbers by metric, version and period. */
  values: Map<string, string>;
}

/** Whole, with cents, huge, tiny or negative; now and then null. */
function randomValue(next: () => number): string {
  if (next() < 0.05) return 'null';
  const size = next();
  const number = (next() - 0.3) * (size < 0.1 ? 1e15 : size < 0.2 ? 1e-3 : 1e5);
  return number.toFixed(size < 0.2 && size >= 0.1 ? 9 : Math.floor(next() * 3));
}

interface World {
  companies: Company[];
  metricIds: string[];
  /** Amounts in three currencies, converted into this one. */
  target: string;
}

const currencies = ['EUR', 'USD', 'JPY'];

/** @param count the number of metrics, each a case of its own */
function worldOf(seed: number, count: number): World {
  const next = random(seed);
  const target = seed % 3 === 0 ? (currencies[Math.floor(next() * 3)] ?? 'USD') : '';
  const metrics = Array.from({ length: count }, (_, at): Definition => {
    const kind = next();
    const unit = kind < 0.45 ? 'currency' : kind < 0.9 ? 'count' : 'percent';
    return {
      metricId: `m${at}`,
      unit,
      aggregation: unit !== 'percent' && next() < 0.5 ? 'sum' : 'last',
    };
  });
  const gaps = metrics.map(() => next() ** 2 * 0.6);
  const companies = Array.from({ length: 2 + Math.floor(next() * 5) }, (_, at): Company => {
    const definitions = metrics.filter(() => next() < 0.92);
    const values = new Map<string, string>();
    for (const [metric, { metricId }] of metrics.entries()) {
      if (!definitions.some((definition) => definition.metricId === metricId)) continue;
      for (const period of [...months, ...quarters]) {
        for (const version of ['actual', 'budget']) {
          if (version === 'actual' && period.includes('Q')) continue;
          if (next() >= (gaps[metric] ?? 0)) values.set(`${metricId} ${version} ${period}`, randomValue(next));
        }
      }
    }
    const digits = String(at).padStart(7, '0');
    return {
      id: `c${digits}-0000-4000-8000-000000000001`,
      name: `c${digits}`,
      currency: target === '' ? 'EUR' : (currencies[Math.floor(next() * 3)] ?? 'EUR'),
      definitions,
      values,
    };
  });
  return {
    companies,
    metricIds: metrics.map(({ metricId }) => metricId),
    target,
  };
}

/** Answers as the API does, from the values of the world. */
function serverOf({ companies }: World): Transport {
  return async ({ url }) => {
    const { pathname, searchParams: query } = new URL(url);
    const company = companies.find(({ id }) => id === query.get('companyId'));
    const reply = (status: number, body: string) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });
    if (!company || pathname.includes('published')) return reply(404, '{"error":"not found"}');
    const head = `"companyId":"${company.id}","currency":"${company.currency}","sourceBoundary":"company_internal"`;
    if (pathname.endsWith('catalog')) {
      const about = {
        label: 'x',
        custom: false,
        archived: false,
        direction: 'up',
      };
      const definitions = company.definitions.map((definition) => ({
        ...about,
        ...definition,
      }));
      return reply(200, `{${head},"definitions":${JSON.stringify(definitions)}}`);
    }
    const grain = query.get('periodType') ?? 'month';
    const ids = query.get('metricIds')?.split(',') ?? company.definitions.map(({ metricId }) => metricId);
    const items = (grain === 'month' ? months : quarters)
      .filter((period) => period >= (query.get('fromPeriod') ?? '') && period <= (query.get('toPeriod') ?? '9'))
      .flatMap((period) =>
        (query.get('versions') ?? 'actual').split(',').flatMap((version) => {
          const values = ids.flatMap((id) => {
            const value = company.values.get(`${id} ${version} ${period}`);
            return value === undefined ? [] : [{ id, value }];
          });
          if (values.length === 0) return [];
          const row = `"periodKey":"${period}","periodType":"${grain}","version":"${version}","source":"x","updatedAt":null`;
          const item = `{${row},"metrics":{${values.map(({ id, value }) => `"${id}":${value}`)}}}`;
          return [
            { item, observations: values.map(({ id, value }) => `{${row},"metricId":"${id}","value":${value}}`) },
          ];
        }),
      );
    if (query.get('order') !== 'asc') items.reverse();
    const [rows, values] = [items.map(({ item }) => item), items.flatMap(({ observations }) => observations)];
    return reply(200, `{${head},"items":[${rows}],"observations":[${values}],"truncated":false}`);
  };
}

/** A rate for each month. */
const rates = months.flatMap((month, at) => [
  `${month}-28,USD,${(1.02 + ((at * 7919) % 1601) / 10_000).toFixed(4)}`,
  `${month}-28,JPY,${(150 + ((at * 104_729) % 1000) / 37).toFixed(3)}`,
]);

/** How many numbers and notes of the totals of one world were compared. */
async function compared(seed: number, count: number): Promise<number> {
  const world = worldOf(seed, count);
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
  const transport = serverOf(world);
  const env = {
    COMEM_BASE_URL: 'https://comem.test',
    COMEM_API_KEY: 'cmk_x',
    COMEM_COMPANY_ID: undefined,
  };
  const companies = world.companies.flatMap(({ id }) => ['-c', id]);
  const save = async (file: string, argv: readonly string[]) => {
    const { code, stderr } = await run(['metrics', ...argv, ...companies, '-o', 'csv', '--out', file, '--quiet'], {
      ...{ cwd, transport, env, now: '2025-07-15T00:00:00Z' },
    });
    if (code !== 0) throw new Error(`seed ${seed}: comem metrics ${argv.join(' ')} is exit ${code}: ${stderr}`);
  };
  const write = (file: string, lines: readonly string[]) => writeFileSync(join(cwd, file), `${lines.join('\n')}\n`);
  write('rates.csv', ['date,currency,per EUR', ...rates]);
  write('companies.csv', ['company,currency', ...world.companies.map(({ name, currency }) => `${name},${currency}`)]);
  write('catalog.csv', [
    'company,metricId,unit,aggregation',
    ...world.companies.flatMap(({ name, definitions }) =>
      definitions.map(({ metricId, unit, aggregation }) => [name, metricId, unit, aggregation].join(',')),
    ),
  ]);
  const range = ['--from', first, '--to', last];
  const inQuarters = ['--from', quarters[0] ?? '', '--to', quarters.at(-1) ?? ''];
  const exported = ['series', '--shape', 'long'];
  await save('months.csv', [...exported, ...range, '--versions', 'actual,budget']);
  await save('quarters.csv', [...exported, ...inQuarters, '--period-type', 'quarter', '--versions', 'budget']);
  const converted = world.target === '' ? [] : ['--in', world.target, '--rates', 'rates.csv'];
  const total = [...range, '--total', ...converted];
  const ids = world.metricIds.filter((id) =>
    world.companies.some(({ definitions }) => definitions.some(({ metricId }) => metricId === id)),
  );
  const all = ['-m', ids.join(','), ...total];
  await save('table.csv', ['table', ...all]);
  await save('growth.csv', ['growth', '--type', 'mom,yoy', ...all]);
  await save('variance.csv', ['variance', ...all]);
  await save('board.csv', ['board', '-m', ids.join(','), ...inQuarters, '--total', ...converted]);
  const additive = ids.filter((id) =>
    world.companies.some(({ definitions }) =>
      definitions.some(({ metricId, unit }) => metricId === id && unit !== 'percent'),
    ),
  );
  await save('get.csv', ['get', additive.join(','), ...total]);
  await save('series.csv', ['series', '--shape', 'long', ...all]);
  await save('chart.csv', ['chart', ...all]);
  for (const id of additive) {
    await save(`bridge-${id}.csv`, ['bridge', '-m', id, ...range, ...converted]).catch((error: unknown) => {
      // Nobody has both ends.
      if (!/is exit (3|7)/.test(String(error))) throw error;
    });
  }
  const { status, stdout, stderr } = spawnSync('python3', [python, world.target], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`seed ${seed}: ${stderr}`);
  return Number(stdout);
}

/** Metrics of a world, each of which is a case: its companies and gaps are its own. */
const cases = 40;
/** With COMEM_SCALE=whole 10,000 cases. */
const worlds = process.env.COMEM_SCALE === 'whole' ? 250 : 2;

testWith('python3')(
  'totals of table, growth, variance, board, get, series, chart and bridge',
  async () => {
    let count = 0;
    for (let seed = 1; seed <= worlds; seed += 1) count += await compared(seed, cases);
    process.stdout.write(`totals: ${count} comparisons in ${worlds * cases} cases\n`);
    expect(count).toBeGreaterThan(worlds * cases * 100);
  },
  60 * 60_000,
);
