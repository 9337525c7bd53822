/** Several windows and companies at once, ranges in words, derived and filled rows, other shapes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/core/wire.ts';
import { ids, instead, metricsWorld, seriesOf, type World, withMetrics } from '../../helpers/metrics-world.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'comem-series-'));
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

const series = (...flags: string[]) => [
  'metrics',
  'series',
  ...(flags.includes('--order') ? [] : ['--order', 'desc']),
  ...flags,
];
const cells = (lines: readonly string[], count: number) =>
  lines.map((line) => line.split(',').slice(0, count).join(','));
const range = async (...flags: string[]) => {
  return seriesOf(await world.run(series('-m', 'mrr', ...flags))).map(
    ({ query }) => `${query.fromPeriod} ${query.toPeriod}`,
  );
};

describe('ranges in words', () => {
  it.each([
    [['--from', '2019-Q2', '--to', '2019'], '2019-04 2019-12'],
    [['--ytd'], '2024-01 2024-06'],
    [['--ytd', '--fy-start', '4'], '2024-04 2024-06'],
    [['--ytd', '--fy-start', '7'], '2023-07 2024-06'],
    [['--fy', '2023'], '2023-01 2023-12'],
    [['--fy', '2023', '--fy-start', '4'], '2022-04 2023-03'],
    [['--last', '2q'], '2023-10 2024-03'],
    [['--last', '2q', '--include-current'], '2024-01 2024-06'],
    [['--last', '2q', '--versions', 'actual,budget'], '2023-10 2024-03'],
    [['--last', '2q', '--versions', 'budget'], '2023-10 2024-03'],
    [['--last', '3'], '2024-03 2024-05'],
    [['--last', '3', '--include-current'], '2024-04 2024-06'],
    [['--last', '3', '--derive', 'quarter'], '2023-07 2024-03'],
    [['--last', '1y', '--derive', 'quarter'], '2023-04 2024-03'],
    [['--from', '2024-02', '--to', '2024-02', '--derive', 'quarter'], '2024-02 2024-02'],
    [['--fy', '2024', '--fy-start', '10', '--derive', 'quarter'], '2023-10 2024-09'],
  ])('%j is %s', async (flags, expected) => {
    expect(await range(...flags)).toEqual([expected]);
  });

  it('counts plans in their own grain', async () => {
    expect(await range('--fy', '2023', '--fy-start', '4', '--period-type', 'quarter')).toEqual(['2022-Q2 2023-Q1']);
    expect(await range('--ytd', '--period-type', 'quarter')).toEqual(['2024-Q1 2024-Q2']);
  });
});

describe('windows', () => {
  it('are read several at once, and come in order', async () => {
    let running = 0;
    let most = 0;
    const transport: Transport = async (request) => {
      running += 1;
      most = Math.max(most, running);
      // The earlier the window, the later its answer.
      const from = Number(new URL(request.url).searchParams.get('fromPeriod')?.slice(0, 4) ?? 0);
      await new Promise((resolve) => setTimeout(resolve, (2030 - from) / 4));
      running -= 1;
      return world.transport(request);
    };
    const argv = series('-m', 'mrr', '--from', '1960', '--to', '2024', '--order', 'asc', '-o', 'csv');
    const { stdout, requests, code } = await world.run(argv, { transport });
    expect([code, seriesOf({ requests }).length]).toEqual([0, 13]);
    expect(most).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(8);
    const keys = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.slice(0, 7));
    expect(keys).toHaveLength(76);
    expect(keys).toEqual([...keys].sort());
  });

  it('are read one by one where few rows are wanted', async () => {
    const { requests } = await world.run(series('-m', 'mrr', '--from', '1960', '--to', '2024-05', '--limit', '3'));
    expect(seriesOf({ requests })).toHaveLength(1);
  });

  it('of large answers are read fewer at once, so that memory stays small', async () => {
    const maxInFlight = async (metrics: number) => {
      let running = 0;
      let most = 0;
      const transport: Transport = async (request) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return withMetrics(world.transport, many)(request);
      };
      const many = Array.from({ length: metrics }, (_, index) => `none${index}`);
      await world.run(series('-m', many.join(','), '--from', '1960', '--to', '2024', '-o', 'ndjson'), { transport });
      return most;
    };
    expect(await maxInFlight(1)).toBeGreaterThan(3);
    expect(await maxInFlight(50)).toBe(3);
    expect(await maxInFlight(100)).toBe(2);
  });

  it('of many chunks never ask more than eight things at once', async () => {
    let running = 0;
    let most = 0;
    const transport: Transport = async (request) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
      return withMetrics(world.transport, many)(request);
    };
    const many = ['mrr', ...Array.from({ length: 1000 }, (_, index) => `none${index}`)];
    const argv = series('-m', many.join(','), '--from', '2018', '--to', '2024', '-o', 'ndjson');
    const { stdout, requests } = await world.run(argv, { transport });
    expect(seriesOf({ requests })).toHaveLength(42);
    expect(most).toBeLessThanOrEqual(8);
    expect(stdout.trimEnd().split('\n')).toHaveLength(76);
  });
});

describe('several companies', () => {
  const both = ['-m', 'mrr', '--last', '1'];
  it.each(['csv', 'json'])('are written in %s when one of them fails, and the exit code is 7', async (format) => {
    const argv = series(...both, '-c', ids.company, '-c', ids.silent, '-c', ids.other, '-o', format);
    const { stdout, stderr, code } = await world.run(argv);
    expect(code).toBe(7);
    expect(stderr).toContain('company Silent could not be read');
    expect(stderr).toContain('2 of 3 companies were read, 1 failed');
    if (format === 'json') {
      expect(JSON.parse(stdout)).toMatchObject([{ companyId: ids.company }, { companyId: ids.other }]);
    } else expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('are counted once when a catalog fails too, and leave a file', async () => {
    const out = join(folder, 'some.csv');
    const argv = series('--last', '2', '-c', ids.silent, '-c', ids.other, '-O', out);
    const { stderr, code } = await world.run(argv);
    expect(code).toBe(7);
    expect(stderr.match(/could not be read/g)).toHaveLength(1);
  });

  it('that all fail end with what they share, and write nothing', async () => {
    const { stdout, code } = await world.run(series(...both, '-c', ids.silent, '-c', ids.closed, '-o', 'json'));
    expect([code, stdout]).toEqual([4, '']);
  });

  it('say when one stops in its middle', async () => {
    const transport = instead(world.transport, (_, { searchParams }) =>
      searchParams.get('fromPeriod') === '2023-01' && searchParams.get('companyId') === ids.company
        ? { status: 400, body: { error: 'no', status: 400 } }
        : undefined,
    );
    const flags = ['-m', 'mrr', '--from', '2018', '--to', '2024-12', '--order', 'asc', '-o', 'csv'];
    const { stdout, stderr, code } = await world.run(series(...flags, '-c', ids.company, '-c', ids.other), {
      transport,
    });
    expect(code).toBe(7);
    expect(stderr).toContain('was not read to its end');
    expect(stderr).toContain('--from 2023-01');
    expect(stdout.trimEnd().split('\n').at(-1)).toContain(`${ids.other},2024-05`);
  });
});

describe('derived rows', () => {
  it('say that they are, and how many months they are made of', async () => {
    const lines = await world.csv(
      series('-m', 'mrr', '--from', '2019', '--to', '2019-Q2', '--derive', 'quarter', '--agg', 'mrr=sum'),
    );
    expect(cells(lines, 7)).toEqual([
      'periodKey,periodType,version,mrr,derived,months,incomplete',
      '2019-Q2,quarter,actual,48,true,3/3,',
      '2019-Q1,quarter,actual,25,true,2/3,',
    ]);
  });

  it('count the months of each metric', async () => {
    const argv = series(
      '-m',
      'mrr,headcount',
      '--from',
      '2023',
      '--to',
      '2023',
      '--derive',
      'year',
      '--agg',
      'headcount=average',
      '--agg',
      'mrr=last',
    );
    const [row] = (await world.json(argv)) as Record<string, unknown>[];
    expect(row).toMatchObject({
      periodKey: '2023',
      metrics: { mrr: 71, headcount: 70 },
      months: '12/12',
      derived: true,
    });
    expect(row?.incomplete).toEqual({ headcount: '1/12' });
    expect((await world.csv(argv))[1]).toContain('"{""headcount"":""1/12""}"');
    const long = await world.csv([...argv, '--shape', 'long']);
    expect(long.map((line) => line.split(',').slice(3, 9).join(','))).toEqual([
      'metricId,value,unit,currency,derived,months',
      'mrr,71,currency,USD,true,12/12',
      'headcount,70,count,,true,1/12',
    ]);
  });

  it('never sum a ratio', async () => {
    const result = await world.run(series('-m', 'churn_rate', '--last', '2q', '--agg', 'churn_rate=sum'));
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain('means nothing');
  });

  it('need a flag for what the catalog does not say', async () => {
    const transport = withMetrics(world.transport, ['made_up']);
    const result = await world.run(series('-m', 'made_up', '--last', '2q'), { transport });
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(result.stderr).toContain('--agg made_up=sum');
  });
});

describe('what is missing', () => {
  const around = ['-m', 'mrr,headcount', '--from', '2019-01', '--to', '2019-04', '-o', 'ndjson'];
  const metrics = async (...flags: string[]) => {
    const { stdout } = await world.run(['metrics', 'series', ...around, ...flags]);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return Object.fromEntries(rows.map((row) => [row.periodKey, row.metrics]));
  };

  it('leaves a row out, or fills it with null, 0 or the previous value', async () => {
    const given = { '2019-01': { mrr: 12, headcount: 22 }, '2019-02': { mrr: 13 }, '2019-04': { mrr: 15 } };
    expect(await metrics()).toEqual(given);
    expect(await metrics('--fill', 'none')).toEqual(given);
    const filled = (mrr: unknown, headcount: unknown) => ({
      '2019-01': { mrr: 12, headcount: 22 },
      '2019-02': { mrr: 13, headcount },
      '2019-03': { mrr, headcount },
      '2019-04': { mrr: 15, headcount },
    });
    expect(await metrics('--fill', 'null')).toEqual(filled(null, null));
    expect(await metrics('--fill', 'zero')).toEqual(filled(0, 0));
    expect(await metrics('--fill', 'prev')).toEqual(filled(13, 22));
    expect(await metrics('--fill', 'prev', '--order', 'desc')).toEqual(filled(13, 22));
  });

  it('is filled in quarters of a plan as they are stored', async () => {
    const argv = series('-m', 'mrr', '--period-type', 'quarter', '--versions', 'budget', '--fill', 'zero');
    expect(cells(await world.csv([...argv, '--from', '2023-Q4', '--to', '2024-Q1']), 4)).toEqual([
      'periodKey,periodType,version,mrr',
      '2024-Q1,quarter,budget,210',
      '2023-Q4,quarter,budget,0',
    ]);
  });

  it('keeps the order, and a null that was stored', async () => {
    const argv = series('-m', 'mrr,big', '--from', '2024-03', '--to', '2024-12', '--fill', 'zero');
    const rows = (await world.json(argv)) as { periodKey: string; metrics: unknown }[];
    expect(rows.map(({ periodKey, metrics: values }) => [periodKey, values])).toEqual([
      ['2024-06', { mrr: 0, big: 0 }],
      ['2024-05', { mrr: 76, big: 12345678901234567000 }],
      ['2024-04', { mrr: 0, big: null }],
      ['2024-03', { mrr: 74, big: 0 }],
    ]);
    expect(await world.csv(argv)).toContainEqual(expect.stringContaining(',76,12345678901234567890,'));
  });

  it('is filled between the first and the last row of an open range, and in derived rows', async () => {
    const open = await world.csv(series('-m', 'mrr', '--fill', 'null'));
    expect(open).toHaveLength(78);
    expect(open).toContain('2019-03,month,actual,,,');
    const derived = await world.csv(
      series('-m', 'mrr', '--from', '2017-Q3', '--to', '2018-Q1', '--derive', 'quarter', '--fill', 'null'),
    );
    expect(cells(derived.slice(1), 6)).toEqual([
      '2018-Q1,quarter,actual,2,true,3/3',
      '2017-Q4,quarter,actual,,true,0/3',
      '2017-Q3,quarter,actual,,true,0/3',
    ]);
  });
});

describe('--limit', () => {
  const latest = ['-m', 'mrr', '--to', '2024-05', '--from', '2023-06'];

  it('counts the rows that are written, not those that they are made from', async () => {
    const filled = await world.csv(series('-m', 'headcount', ...latest.slice(2), '--fill', 'prev', '--limit', '1'));
    expect(cells(filled, 4)).toEqual(['periodKey,periodType,version,headcount', '2024-05,month,actual,82']);
  });
});
