import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids, instead, metricsWorld, sent, seriesOf, type World, withMetrics } from '../../helpers/metrics-world.ts';

let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const series = (...flags: string[]) => [
  'metrics',
  'series',
  ...(flags.includes('--order') ? [] : ['--order', 'desc']),
  ...flags,
];

describe('wide rows', () => {
  it('has a column for each metric in the order asked for, and never a zero for what is missing', async () => {
    expect(await world.csv(series('-m', 'big,mrr', '-m', 'churn_rate', '--last', '2', '--order', 'asc'))).toEqual([
      'periodKey,periodType,version,big,mrr,churn_rate,source,updatedAt',
      expect.stringMatching(/^2024-04,month,actual,,0,1\.10,erp,\S+Z$/),
      expect.stringMatching(/^2024-05,month,actual,12345678901234567890,76,,,\S+Z$/),
    ]);
  });

  it('tells null, 0 and absent apart in JSON, digit by digit', async () => {
    const { stdout } = await world.run(
      series('-m', 'big,mrr,churn_rate', '--last', '2', '--order', 'asc', '-o', 'ndjson'),
    );
    const [april, may] = stdout.split('\n');
    expect(april).toContain('"mrr":0');
    expect(april).toContain('"big":null');
    expect(april).toContain('"churn_rate":1.10');
    expect(may).toContain('"big":12345678901234567890');
    expect(may).not.toContain('churn_rate');
  });

  it('has the catalog’s columns when none are named, archived ones too', async () => {
    const [header] = await world.csv(series('--last', '1'));
    const catalog = (await world.json(['metrics', 'catalog', '--archived'])) as { metricId: string }[];
    const columns = catalog.map(({ metricId }) => metricId);
    expect(columns).toContain('old');
    expect(header).toBe(['periodKey', 'periodType', 'version', ...columns, 'source', 'updatedAt'].join(','));
  });

  it('has a column for a metric that the catalog does not list; at a later one it ends, naming the way out', async () => {
    const transport = instead(world.transport, (_, { pathname }) =>
      pathname === '/api/metrics/catalog'
        ? {
            status: 200,
            body: { companyId: ids.company, currency: 'USD', definitions: [{ metricId: 'mrr', label: 'M' }] },
          }
        : undefined,
    );
    const whole = await world.run(series('--last', '3', '-o', 'csv'), { transport });
    expect([whole.code, whole.stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('version,mrr,big')]);
    const later = series('--from', '2023-12', '--to', '2024-04', '--order', 'asc', '--page-size', '1');
    const json = await world.run([...later, '-o', 'json'], { transport });
    expect([json.code, json.stdout]).toEqual([0, expect.stringContaining('"churn_rate":1.10')]);
    const result = await world.run([...later, '-o', 'csv'], { transport });
    expect(result.code).toBe(6);
    expect(result.stderr).toContain('has no column');
    expect(result.stderr).toContain('--shape long');
  });
});

describe('long rows', () => {
  it('has one observation each', async () => {
    const lines = await world.csv(series('--shape', 'long', '--last', '3', '--order', 'asc'));
    expect(lines[0]).toBe('periodKey,periodType,version,metricId,value,unit,currency,source,updatedAt');
    const cells = lines.slice(1).map((line) => line.split(',').slice(0, 5).join(','));
    expect(cells).toContain('2024-04,month,actual,mrr,0');
    expect(cells).toContain('2024-04,month,actual,churn_rate,1.10');
    expect(cells).toContain('2024-05,month,actual,big,12345678901234567890');
    expect(cells.filter((line) => line.includes('headcount'))).toEqual([]);
  });
});

describe('planning', () => {
  it('reads a longer range in windows of sixty periods and puts them together', async () => {
    const argv = series('-m', 'mrr', '--from', '2018-01', '--to', '2024-05', '--order', 'asc');
    const result = await world.run([...argv, '-o', 'csv']);
    expect(seriesOf(result).map(({ query }) => `${query.fromPeriod} ${query.toPeriod}`)).toEqual([
      '2018-01 2022-12',
      '2023-01 2024-05',
    ]);
    const keys = result.stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.slice(0, 7));
    expect(keys).toHaveLength(76);
    expect(keys).toEqual([...new Set(keys)].sort());
    expect(keys).not.toContain('2019-03');
    const backwards = await world.csv(series('-m', 'mrr', '--from', '2018', '--to', '2024-05'));
    expect(backwards.slice(1).map((line) => line.slice(0, 7))).toEqual(keys.reverse());
  });

  it('reads more than fifty metrics in chunks, and joins their rows', async () => {
    const many = ['mrr', ...Array.from({ length: 60 }, (_, index) => `none${index}`), 'headcount'];
    const transport = withMetrics(world.transport, many);
    const result = await world.run(series('-m', many.join(','), '--last', '5', '-o', 'json'), { transport });
    expect(seriesOf(result).map(({ query }) => query.metricIds?.split(',').length)).toEqual([50, 12]);
    const rows = JSON.parse(result.stdout) as { periodKey: string; metrics: Record<string, number> }[];
    expect(rows.map(({ periodKey, metrics }) => [periodKey, metrics.mrr, metrics.headcount])).toEqual([
      ['2024-05', 76, undefined],
      ['2024-04', 0, undefined],
      ['2024-03', 74, undefined],
      ['2024-02', 73, undefined],
      ['2024-01', 72, 82],
    ]);
  });

  it('follows the cursor of an open range, as few or as many a page as told', async () => {
    const result = await world.run(series('-m', 'mrr', '--page-size', '30', '-o', 'csv'));
    expect(seriesOf(result).map(({ query }) => query.limit)).toEqual(['30', '30', '30']);
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(77);
  });

  it('stops at --limit', async () => {
    const result = await world.run(series('-m', 'mrr', '--limit', '3', '-o', 'csv'));
    // The fourth row says that the third is complete.
    expect(seriesOf(result).map(({ query }) => query.limit)).toEqual(['4']);
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(4);
    const long = await world.csv(series('--shape', 'long', '--limit', '3'));
    expect(long).toHaveLength(4);
  });

  it('continues from a cursor with the same bounds', async () => {
    const { stdout } = await world.run(series('-m', 'mrr', '--page-size', '2', '--raw'));
    const { nextCursor } = JSON.parse(stdout);
    const rest = await world.csv(series('-m', 'mrr', '--cursor', nextCursor));
    expect(rest).toHaveLength(75);
    expect(rest[1]).toMatch(/^2024-03,/);
  });

  it('says where to continue when a later window fails', async () => {
    const transport = instead(world.transport, (_, { searchParams }) =>
      searchParams.get('fromPeriod') === '2023-01' ? { status: 400, body: { error: 'no', status: 400 } } : undefined,
    );
    const argv = series('-m', 'mrr', '--from', '2018-01', '--to', '2024-05', '--order', 'asc', '-o', 'csv');
    const result = await world.run(argv, { transport });
    expect(result.code).toBe(6);
    expect(result.stderr).toContain('--from 2023-01 --to 2024-05');
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(60);
  });

  it('says where to continue when a later page fails', async () => {
    const transport = instead(world.transport, (_, { searchParams }) =>
      searchParams.has('cursor') ? { status: 400, body: { error: 'gone', status: 400 } } : undefined,
    );
    const result = await world.run(series('-m', 'mrr', '--page-size', '50', '-o', 'csv'), { transport });
    expect(result.code).toBe(6);
    expect(result.stderr).toMatch(/--cursor \S+/);
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(51);
  });

  it('ends --last at the newest period that has ended, or at --to', async () => {
    const last = await world.run(series('-m', 'mrr', '--last', '4'));
    expect(seriesOf(last)[0]?.query).toMatchObject({ periodType: 'month', fromPeriod: '2024-02', toPeriod: '2024-05' });
    const to = await world.run(series('-m', 'mrr', '--last', '2', '--to', '2020'));
    expect(seriesOf(to)[0]?.query).toMatchObject({ fromPeriod: '2020-11', toPeriod: '2020-12' });
  });
});

describe('grains and versions', () => {
  it('asks for plans where actuals cannot be', async () => {
    const result = await world.run(series('-m', 'mrr', '--period-type', 'quarter', '-o', 'csv'));
    expect(seriesOf(result)[0]?.query).toMatchObject({ periodType: 'quarter', versions: 'budget,forecast' });
    expect(
      result.stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(',').slice(0, 4).join(',')),
    ).toEqual(['2024-Q1,quarter,budget,210', '2024-Q1,quarter,forecast,205']);
    expect(await world.csv(series('-m', 'mrr', '--period-type', 'year', '--from', '2024'))).toHaveLength(2);
  });

  it('reads a lower-case q', async () => {
    const result = await world.run(
      series('-m', 'mrr', '--period-type', 'quarter', '--from', '2024-q1', '--to', '2024-q2'),
    );
    expect(seriesOf(result)[0]?.query).toMatchObject({ fromPeriod: '2024-Q1', toPeriod: '2024-Q2' });
  });
});

describe('several companies', () => {
  const both = series('-c', ids.company, '-c', ids.other, '-m', 'mrr', '--last', '1');

  it.each([[], ['--shape', 'long'], ['--fill', 'null']])(
    'with two currencies have the column currency, and a warning (%j)',
    async (...shape) => {
      const { stdout, stderr } = await world.run([...both, ...shape, '-o', 'csv', '--fields', 'currency']);
      expect([...new Set(stdout.trimEnd().split('\n').slice(1))].sort()).toEqual(['EUR', 'USD']);
      expect(stderr.match(/several currencies \(USD, EUR\)/g)).toHaveLength(1);
      for (const tty of [true, false]) {
        const table = await world.run([...both, ...shape, '-o', 'table'], { columns: 200, tty });
        const rows = table.stdout.split('\n').filter((line) => /\d/.test(line) && !line.startsWith('Company'));
        expect(rows).toHaveLength(2);
        // In one place of the row.
        for (const row of rows) expect(row.match(/USD|EUR|[$€]/g), table.stdout).toHaveLength(1);
      }
    },
  );

  it('with two currencies say which in json too', async () => {
    expect(await world.json(both)).toMatchObject([{ currency: 'USD' }, { currency: 'EUR' }]);
    const [header] = await world.csv(series('-c', ids.company, '-m', 'mrr', '--last', '1'));
    expect(header).not.toContain('currency');
  });

  it('names the company in each row', async () => {
    const argv = series('-c', ids.company, '-c', ids.other, '-m', 'mrr', '--last', '1');
    expect((await world.csv(argv)).map((line) => line.split(',').slice(0, 6).join(','))).toEqual([
      'company,companyId,periodKey,periodType,version,mrr',
      `00000000,${ids.company},2024-05,month,actual,76`,
      `00000000,${ids.other},2024-05,month,actual,5`,
    ]);
    expect(await world.json(argv)).toMatchObject([
      { companyId: ids.company },
      { companyId: ids.other, metrics: { mrr: 5 } },
    ]);
  });
});

describe('units', () => {
  const latest = ['metrics', 'series', '-m', 'mrr,headcount,churn_rate', '--from', '2024-04', '--to', '2024-04'];

  it('are in the rows of tables, each company’s own', async () => {
    const both = ['metrics', 'series', '-m', 'mrr', '-c', ids.company, '-c', ids.other, '--from', '2024-05'];
    const table = await world.run([...both, '-o', 'table', '--no-truncate']);
    expect(table.stdout).toMatch(/ 76 +USD/);
    expect(table.stdout).toMatch(/ 5 +EUR/);
  });

  it('need no catalog where metrics are named or values are rows', async () => {
    const transport = instead(world.transport, ({ url }) =>
      url.includes('/catalog') ? { status: 403, body: { error: 'no catalog', status: 403 } } : undefined,
    );
    for (const argv of [
      [...latest, '-o', 'csv'],
      [...latest, '-o', 'table'],
      ['metrics', 'series', '--last', '2', '--shape', 'long'],
    ]) {
      const { code, stderr } = await world.run(argv, { transport });
      expect([code, stderr]).toEqual([0, '']);
    }
    const all = await world.run(['metrics', 'series', '--last', '2', '-o', 'csv'], { transport });
    expect([all.code, all.stdout]).toEqual([4, '']);
  });
});

describe('forms', () => {
  it('is a table on a terminal', async () => {
    const { stdout, stderr, code } = await world.run(
      series('-m', 'mrr,headcount', '--from', '2024-01', '--to', '2024-02'),
      {
        tty: true,
      },
    );
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/Period +MRR USD +Headcount/);
    expect(stdout).toMatch(/2024-01.* 72 .*82/);
  });

  it('is TSV in a pipe', async () => {
    const { stdout } = await world.run(series('-m', 'mrr', '--last', '2'));
    expect(stdout.split('\n')[0]).toBe('periodKey\tperiodType\tversion\tmrr\tsource\tupdatedAt');
  });

  it('has no rows where the API has none', async () => {
    const empty = await world.run(series('-m', 'mrr', '--from', '1999-01', '--to', '1999-02', '-o', 'json'));
    expect([empty.stdout.trim(), empty.code]).toEqual(['[]', 0]);
    const failing = await world.run(series('-m', 'mrr', '--from', '1999-01', '--to', '1999-02', '--fail-empty'));
    expect(failing.code).toBe(1);
  });
});

describe('wrong use sends nothing', () => {
  it.each([
    [series('--period-type', 'quarter', '--versions', 'actual,budget'), '--period-type must be month'],
    [series('--period-type', 'year', '--versions', 'actual'), '--derive year derives years from the months'],
    [series('--versions', 'actuals'), '"actuals"'],
    [series('--from', '2006-13'), '--from must be a month'],
    [series('--from', '2006-01', '--to', '2005-12'), '--to must not be before --from'],
    [series('--last', '8q', '--raw'), '--derive makes quarters'],
    [series('--derive', 'quarter', '--period-type', 'year'), '--derive quarter derives quarters from months'],
    [series('--agg', 'mrr=sum'), '--derive quarter'],
    [series('--agg', 'mrr=total', '--derive', 'year'), '--agg must be METRIC='],
    [series('--ytd', '--last', '3'), '--ytd is an older name of --last'],
    [series('--fy-start', '4'), '--last ytd or fy2026'],
    [series('--fy', '2024', '--fy-start', '2', '--derive', 'quarter'), 'fiscal years do not align with quarters'],
    [series('--versions', 'actual,plan'), '--versions must be actual, budget, forecast, got "plan"'],
    [series('--fill', 'null', '--cursor', 'x'), '--cursor'],
    [series('--raw', '--fill', 'null'), '--raw'],
    [series('--last', 'ten'), '--last'],
    [series('-m', 'mrr,,arr'), '--metrics must not hold an empty id'],
    [series('--order', 'up'), 'asc'],
    [series('--page-size', '101'), '--page-size'],
    [series('--cursor', 'x'.repeat(501)), '--cursor'],
    [series('--raw', '--from', '2006-01', '--to', '2011-01'), 'at most 60 periods'],
    [series('--raw', '-m', Array.from({ length: 51 }, (_, index) => `m${index}`).join(',')), 'at most 50 metrics'],
    [series('--raw', '-c', ids.company, '-c', ids.other), '--raw sends one request'],
  ])('%j', async (argv, says) => {
    const result = await world.run(argv);
    expect(result.stderr).toContain(says);
    expect([result.code, result.stdout, sent(result)]).toEqual([2, '', []]);
  });

  it('needs the right credential', async () => {
    const none = await world.run(series('-m', 'mrr'), { env: { COMEM_API_KEY: undefined } });
    expect([none.code, sent(none)]).toEqual([4, []]);
    expect(none.stderr).toContain('GET /api/metrics/series');
    const foreign = await world.run(series('-m', 'mrr', '-c', ids.silent));
    expect([foreign.code, foreign.stdout]).toEqual([4, '']);
  });
});
