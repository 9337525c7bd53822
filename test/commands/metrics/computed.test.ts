/** Conversions, totals and computed metrics against fractions of whole numbers, on ten years of real months. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { run } from '../../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-computed-'));
afterAll(() => rmSync(home, { recursive: true }));

const file = fileURLToPath(new URL('../../data/us-employment.csv', import.meta.url));
const months: Record<string, string>[] = parse(readFileSync(file), { columns: true });
const us = '00000000-0000-4000-8000-000000000001';
const eu = '00000000-0000-4000-8000-000000000002';
const gb = '00000000-0000-4000-8000-000000000003';
const currencies: Record<string, string> = { [us]: 'USD', [eu]: 'EUR', [gb]: 'GBP' };
/** A balance, a flow and a percentage; the third company lacks the flow in 2015. */
const catalog = [
  { metricId: 'nonfarm', aggregation: 'last', unit: 'currency' },
  { metricId: 'wholesale_trade', aggregation: 'sum', unit: 'currency' },
  { metricId: 'utilities', aggregation: 'average', unit: 'percent', unitLabel: '%' },
];

const transport: Transport = async ({ url }) => {
  const { pathname, searchParams } = new URL(url);
  const companyId = searchParams.get('companyId') ?? us;
  const currency = currencies[companyId];
  const ids = searchParams.get('metricIds')?.split(',');
  const [from = '', to = '9'] = [searchParams.get('fromPeriod') ?? '', searchParams.get('toPeriod') ?? '9'];
  const items = months
    .map(({ month = '', ...cells }) => ({ periodKey: month.slice(0, 7), cells }))
    .filter(({ periodKey }) => periodKey >= from && periodKey <= to)
    .map(({ periodKey, cells }) => ({
      ...{ periodKey, periodType: 'month', version: 'actual', source: 'file', updatedAt: null },
      metrics: Object.fromEntries(
        catalog
          .filter(({ metricId }) => !ids || ids.includes(metricId))
          .filter(({ metricId }) => !(companyId === gb && periodKey >= '2015' && metricId === 'wholesale_trade'))
          .map(({ metricId }) => [metricId, Number(cells[metricId])]),
      ),
    }));
  const definitions = catalog.map((one) => ({ ...one, label: one.metricId, custom: false, archived: false }));
  const body = pathname.endsWith('catalog')
    ? { companyId, currency, sourceBoundary: 'company_internal', definitions }
    : { companyId, currency, items, observations: [], truncated: false };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
};

/** A fraction of whole numbers. */
type Fraction = readonly [bigint, bigint];
const fraction = (text: string): Fraction => {
  const [whole = '', digits = ''] = text.split('.');
  return [BigInt(whole + digits), 10n ** BigInt(digits.length)];
};
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
const reduced = ([a, b]: Fraction): Fraction => [a / gcd(a, b), b / gcd(a, b)];
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced([a * d + c * b, b * d]);
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d]);
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const over = (a: Fraction, [c, d]: Fraction): Fraction => times(a, c < 0n ? [-d, -c] : [d, c]);
const sumOf = (all: readonly Fraction[]) => all.reduce(plus, [0n, 1n]);
const mean = (all: readonly Fraction[]) => over(sumOf(all), [BigInt(all.length), 1n]);

/** Equal, or closer than a quotient of 15 digits can say. */
function same(shown: string | undefined, wanted: Fraction): boolean {
  const [n, d] = minus(fraction(shown ?? ''), wanted);
  const [size, unit] = wanted;
  return (n < 0n ? -n : n) * unit * 10n ** 13n <= (size < 0n ? -size : size) * d;
}

/** Business days of ten years, newest first as the bank writes them, with rates that a formula gives. */
const days = Array.from({ length: 3652 }, (_, day) => new Date(Date.UTC(2006, 0, 1 + day)).toISOString().slice(0, 10))
  .filter((day) => ![0, 6].includes(new Date(day).getUTCDay()))
  .map((day, at) => ({
    day,
    USD: (1.05 + ((at * 7919) % 4001) / 10_000).toFixed(4),
    GBP: (0.7 + ((at * 104_729) % 1999) / 10_000).toFixed(5),
  }));
const ecb = ['Date,USD,CYP,GBP,', ...days.toReversed().map(({ day, USD, GBP }) => `${day},${USD},N/A,${GBP},`)];
const long = ['date,currency,rate', ...days.flatMap(({ day, USD, GBP }) => [`${day},USD,${USD}`, `${day},GBP,${GBP}`])];

const rates = new Map<string, Fraction>();
type OfDay = (day: (typeof days)[number]) => Fraction;
const rateOf = (company: string, key: string, kind: 'flow' | 'balance', of: OfDay): Fraction => {
  const place = `${company} ${key} ${kind}`;
  const found = rates.get(place) ?? rate(key, kind, of);
  rates.set(place, found);
  return found;
};
const rate = (key: string, kind: 'flow' | 'balance', of: OfDay): Fraction => {
  const within = days.filter(({ day }) => day.startsWith(key)).map(of);
  return kind === 'flow' ? mean(within) : (within.at(-1) ?? [1n, 1n]);
};

const env = { COMEM_COMPANY_ID: us, COMEM_API_KEY: 'cmk_0123456789', COMEM_BASE_URL: 'https://a.example' };
const options = { env, transport, home, cwd: home, now: '2016-01-15T00:00:00Z' };
const all = ['--from', '2006', '--to', '2015'];
async function table(argv: readonly string[]) {
  const { stdout, stderr, code } = await run([...argv, '-o', 'csv'], options);
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  const rows: Record<string, string>[] = parse(stdout, { columns: true });
  return { rows, stderr };
}
const cellOf = (key: string, metric: string) =>
  fraction(months.find(({ month = '' }) => month.startsWith(key))?.[metric] ?? '');

beforeAll(async () => {
  writeFileSync(join(home, 'ecb.csv'), `${ecb.join('\n')}\n`);
  writeFileSync(join(home, 'long.csv'), `${long.join('\n')}\n`);
  for (const [alias, id] of Object.entries({ us, eu, gb })) await run(['companies', 'add', alias, id], options);
});

describe('--in with --rates', () => {
  const rates = 'ecb.csv';
  const converted = [
    'metrics',
    'growth',
    '--from',
    '2011',
    '--to',
    '2015',
    '--in',
    'USD',
    '--rates',
    rates,
    '--fields',
  ];
  const fields = 'company,metricId,periodKey,value,unit';

  it('takes the average for a flow, the end for a balance, and leaves percentages', async () => {
    const { rows } = await table([...converted, fields, '-c', 'us', '-c', 'eu', '-c', 'gb']);
    expect(rows).toHaveLength(60 * 9 - 12);
    for (const { company, metricId = '', periodKey = '', value, unit } of rows) {
      const kind = metricId === 'wholesale_trade' ? 'flow' : 'balance';
      const own = cellOf(periodKey, metricId);
      const factor: Fraction =
        company === 'us' || metricId === 'utilities'
          ? [1n, 1n]
          : rateOf(`${company}`, periodKey, kind, ({ USD, GBP }) =>
              company === 'eu' ? fraction(USD) : over(fraction(USD), fraction(GBP)),
            );
      expect(same(value, times(own, factor)), `${company} ${metricId} ${periodKey}: ${value}`).toBe(true);
      expect(unit).toBe(metricId === 'utilities' ? '%' : 'USD');
    }
  });

  it('reads the long form as the history of the bank', async () => {
    const years = converted.map((word) => (word === '2011' ? '2015' : word));
    const argv = [...years, fields, '-c', 'eu', '-c', 'gb'];
    const long = argv.map((word) => (word === rates ? 'long.csv' : word));
    expect((await table(long)).rows).toEqual((await table(argv)).rows);
  });

  it('adds a total of what adds up, and says whom it lacks', async () => {
    const companies = ['-c', 'us', '-c', 'eu', '-c', 'gb'];
    const { rows } = await table([...converted, `${fields},note`, ...companies, '--total']);
    const all = rows.filter(({ company }) => company === 'total');
    const ratios = all.filter(({ metricId }) => metricId === 'utilities');
    expect(new Set(ratios.map(({ value, note }) => `${value} ${note}`))).toEqual(
      new Set([' does not add up over companies']),
    );
    const totals = all.filter(({ metricId }) => metricId !== 'utilities');
    expect(new Set(totals.map(({ metricId }) => metricId))).toEqual(new Set(['nonfarm', 'wholesale_trade']));
    for (const { metricId, periodKey, value } of totals) {
      const parts = rows.filter(
        (row) => row.company !== 'total' && row.metricId === metricId && row.periodKey === periodKey,
      );
      const sum = sumOf(parts.map((part) => fraction(part.value ?? '')));
      expect(same(value, sum), `${metricId} ${periodKey}`).toBe(true);
    }
    for (const { metricId, periodKey, note } of totals) {
      const lacks = metricId === 'wholesale_trade' && periodKey?.startsWith('2015');
      expect(note?.split('; ').includes(`without gb (no value in ${periodKey})`), `${metricId} ${periodKey}`).toBe(
        lacks,
      );
    }
  });
});

describe('--calc', () => {
  const key = (index: number) => months[index]?.month?.slice(0, 7) ?? '';
  const at = (index: number, metric = 'nonfarm') => cellOf(key(index), metric);
  const expected: Record<string, (index: number) => Fraction | undefined> = {
    'nonfarm - prev(nonfarm)': (i) => (i < 1 ? undefined : minus(at(i), at(i - 1))),
    'prev(nonfarm, 3) * 2': (i) => (i < 3 ? undefined : times(at(i - 3), [2n, 1n])),
    'yoy(nonfarm)': (i) => (i < 12 ? undefined : times(over(minus(at(i), at(i - 12)), at(i - 12)), [100n, 1n])),
    'sum(wholesale_trade, 12)': (i) =>
      i < 11 ? undefined : sumOf(Array.from({ length: 12 }, (_, back) => at(i - back, 'wholesale_trade'))),
    'avg(wholesale_trade, 3)': (i) =>
      i < 2 ? undefined : mean([0, 1, 2].map((back) => at(i - back, 'wholesale_trade'))),
    'wholesale_trade / nonfarm': (i) => over(at(i, 'wholesale_trade'), at(i)),
    'utilities / 100 * nonfarm': (i) => times(over(at(i, 'utilities'), [100n, 1n]), at(i)),
    'max(nonfarm, prev(nonfarm))': (i) =>
      i < 1 ? undefined : [at(i), at(i - 1)].reduce((a, b) => (minus(a, b)[0] > 0n ? a : b)),
    '-abs(prev(nonfarm) - nonfarm) + 1k': (i) => {
      if (i < 1) return undefined;
      const [n, d] = minus(at(i - 1), at(i));
      return minus([1000n, 1n], [n < 0n ? -n : n, d]);
    },
  };

  it.each(Object.entries(expected))('%s', async (expression, wanted) => {
    const calc = ['--calc', `made = ${expression}`, '-m', 'made'];
    const { rows } = await table(['metrics', 'growth', ...all, ...calc, '--fields', 'metricId,periodKey,value']);
    const values = new Map(rows.map(({ periodKey, value }) => [periodKey, value]));
    for (let index = 0; index < months.length; index += 1) {
      const value = wanted(index);
      if (value === undefined) expect(values.has(key(index))).toBe(false);
      else expect(same(values.get(key(index)), value), `${key(index)}: ${values.get(key(index))}`).toBe(true);
    }
    // What lies before the range is read, and not shown.
    const last = await table(['metrics', 'growth', '--last', '2', ...calc, '--fields', 'periodKey,value']);
    expect(last.rows).toEqual(rows.slice(-2).map(({ periodKey, value }) => ({ periodKey, value })));
  });

  it('has units', async () => {
    const unitOf = async (expression: string) => {
      const argv = ['metrics', 'growth', '--last', '1', '-m', 'made', '--calc', `made = ${expression}`];
      return (await table([...argv, '--fields', 'unit'])).rows[0]?.unit;
    };
    expect(await unitOf('nonfarm - 2 * wholesale_trade')).toBe('USD');
    // As a ratio or a count of the catalog.
    expect(await unitOf('nonfarm / wholesale_trade')).toBe('');
    expect(await unitOf('avg(utilities, 2)')).toBe('%');
    expect(await unitOf('nonfarm / (nonfarm / wholesale_trade)')).toBe('USD');
  });

  it('reads definitions from a file, also from the one that the profile names', async () => {
    writeFileSync(join(home, 'defs'), '# ours\nstep = nonfarm - prev(nonfarm)\n\ndouble_step = 2 * step\n');
    const shown = async (...metrics: string[]) => {
      const { rows } = await table(['metrics', 'growth', '--last', '1', '--calc', '@defs', ...metrics]);
      return new Set(rows.map(({ metricId }) => metricId));
    };
    // -m chooses among the computed metrics where it names any of them.
    expect(await shown('-m', 'double_step')).toEqual(new Set(['double_step']));
    expect(await shown('-m', 'nonfarm,double_step')).toEqual(new Set(['nonfarm', 'double_step']));
    expect(await shown('-m', 'nonfarm')).toEqual(new Set(['nonfarm', 'step', 'double_step']));
    writeFileSync(join(home, 'kept'), 'kept = nonfarm - prev(nonfarm, 2)\n');
    await run(['profiles', 'set', 'default', 'calc=kept'], options);
    const kept = await run(['metrics', 'growth', '--last', '1', '-m', 'kept,nonfarm', '-o', 'csv'], options);
    expect(kept.stdout).toMatch(/^kept,/m);
    // Complete months have no column of their months.
    expect(kept.stdout.split('\n')[0]).not.toContain('months');
    await run(['profiles', 'set', 'default', 'calc='], options);
    expect((await run(['metrics', 'growth', '-m', 'kept'], options)).code).toBe(3);
  });
});

it.each([
  [['--in', 'USD'], 2, '--in needs the rates'],
  [['--rates', 'ecb.csv'], 2, 'add --in CURRENCY'],
  [['--in', 'us', '--rates', 'ecb.csv'], 2, 'must be a currency code'],
  [['--in', 'CHF', '--rates', 'ecb.csv'], 2, 'has no rates of CHF'],
  [['--in', 'EUR', '--rates', 'none.csv'], 2, 'none.csv: not found'],
  [['--total'], 2, '--total adds companies'],
  [['--total', '-c', us, '-c', eu], 2, 'cannot add amounts in USD and EUR'],
  [['--calc', 'nonfarm'], 2, 'must be NAME = EXPRESSION'],
  [['--calc', 'a = nonfarm +'], 2, '--calc'],
  [['--calc', 'a = nonfarm > 1'], 2, 'is made of numbers, metrics'],
  [['--calc', 'a = prv(nonfarm)'], 2, 'did you mean prev?'],
  [['--calc', 'a = prev(nonfarm, 0)'], 2, 'a whole number from 1 to 999'],
  [['--calc', 'a = prev(nonfarm, 1, 2)'], 2, 'prev takes 1 to 2 arguments'],
  [['--calc', 'a = nonfarm + utilities'], 2, 'USD and percent cannot be added'],
  [['--calc', 'a = nonfarm * utilities'], 2, 'a percentage is multiplied'],
  [['--calc', 'a = b', '--calc', 'b = a'], 2, 'in a circle'],
  [['--calc', 'a = nonfrm * 2'], 3, 'did you mean nonfarm?'],
])('%j ends with %i: %s', async (flags, code, says) => {
  const result = await run(['metrics', 'growth', '-m', 'nonfarm', '--last', '1', ...flags], options);
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toContain(says);
});

it('compares no partial period with a complete one', async () => {
  const running = { ...options, now: '2015-12-15T00:00:00Z' };
  const argv = ['metrics', 'growth', '--from', '2015-12', '--to', '2015-12', '-m', 'made,flat', '-o', 'csv'];
  const calc = [
    '--calc',
    'made = nonfarm - prev(nonfarm)',
    '--calc',
    'flat = nonfarm * 2',
    '--fields',
    'metricId,months',
  ];
  expect((await run([...argv, ...calc], running)).stdout).toBe('metricId,months\nflat,0/1\n');
  expect((await run([...argv, ...calc, '--partial'], running)).stdout).toBe('metricId,months\nmade,0/1\nflat,0/1\n');
});
