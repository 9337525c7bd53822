import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
import { ids, metricsWorld, sent, type World } from '../../helpers/metrics-world.ts';

// The world: mrr counts the months since 2018-01; 2019-03 is missing, 2024-04 is 0, 2024-05 is 76.
let world: World;
beforeAll(async () => {
  world = await metricsWorld();
});
afterAll(() => world.close());

const metrics = (...words: string[]) => ['metrics', ...words];

describe('metrics get', () => {
  it('prints one bare number: the latest, of a month, of a plan, of a quarter made of its months', async () => {
    const get = async (...words: string[]) => (await world.run(metrics('get', ...words))).stdout;
    expect(await get('mrr')).toBe('76\n');
    expect(await get('mrr', '--period', '2024-03')).toBe('74\n');
    expect(await get('mrr', '--period', '2024-05', '--of', 'budget')).toBe('70\n');
    expect(await get('mrr', '--period', '2024-Q1', '--of', 'forecast')).toBe('205\n');
    expect(await get('mrr', '--period', '2024-Q1')).toBe('74\n');
    expect(await get('mrr', '--period', '2024-Q1', '--agg', 'mrr=average')).toBe('73\n');
  });

  it('keeps every digit', async () => {
    expect((await world.run(metrics('get', 'big'))).stdout).toBe('12345678901234567890\n');
  });

  it('is an object in JSON', async () => {
    expect(await world.json(metrics('get', 'mrr'))).toEqual({
      updatedAt: expect.any(String),
      metricId: 'mrr',
      value: 76,
      periodKey: '2024-05',
      version: 'actual',
      unit: 'USD',
    });
    expect(await world.json(metrics('get', 'mrr', '--period', '2024-Q2'))).toMatchObject({
      ...{ metricId: 'mrr', value: 76, periodKey: '2024-Q2', version: 'actual', incomplete: '2/3', unit: 'USD' },
    });
  });

  it('ends with 3 and an empty stdout without a value, and for a null', async () => {
    const cases = [
      [['mrr', '--period', '2019-03'], 'mrr has no actual in 2019-03'],
      [['big', '--period', '2024-04'], 'is null'],
      [['big', '--period', '2024-04', '-c', ids.company, '-c', ids.other], 'is null'],
      [['arr'], 'arr has no live value'],
      [['mmr'], 'did you mean mrr?'],
    ] as const;
    for (const [words, says] of cases) {
      const result = await world.run(metrics('get', ...words));
      expect(result).toMatchObject({ code: 3, stdout: '' });
      expect(result.stderr).toContain(says);
    }
  });

  it('asks for a period where there is no latest', async () => {
    const result = await world.run(metrics('get', 'mrr', '--of', 'budget'));
    expect(result).toMatchObject({ code: 2, stdout: '', requests: [] });
    expect(result.stderr).toContain('--period');
  });
});

describe('metrics variance', () => {
  const variance = (...words: string[]) => metrics('variance', '-m', 'mrr', ...words);

  it('compares a month, and a quarter made of its months', async () => {
    expect(await world.csv(variance('--period', '2024-05'))).toEqual([
      'metricId,periodKey,against,actual,budget,difference,percent,verdict,note,unit',
      'mrr,2024-05,budget,76,70,6,8.57142857142857,good,,USD',
    ]);
    const [row] = (await world.json(variance('--period', '2024-Q1'))) as object[];
    expect(row).toMatchObject({ actual: 74, budget: 210, difference: -136, verdict: 'bad' });
    const [other] = (await world.json(variance('--period', '2024-Q1', '--against', 'forecast'))) as object[];
    expect(other).toMatchObject({ against: 'forecast', forecast: 205, difference: -131 });
  });

  it('says why it cannot tell', async () => {
    const [april] = (await world.json(variance('--period', '2024-04'))) as object[];
    expect(april).toMatchObject({ actual: 0, difference: null, verdict: 'unknown', note: 'no budget' });
    expect(april).not.toHaveProperty('budget');
    const [year] = (await world.json(variance('--period', '2024'))) as object[];
    expect(year).toMatchObject({ budget: 900, verdict: 'unknown', note: 'actual of 5/12 months: not compared' });
  });

  it('fails a job beyond a threshold, after the rows', async () => {
    const fine = await world.run(variance('--period', '2024-05', '--fail-on', 'bad > 1%'));
    expect(fine.code).toBe(0);
    const broken = await world.run(variance('--period', '2024-Q1', '--fail-on', 'bad > 10%', '-o', 'csv'));
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('mrr,2024-Q1');
    expect(broken.stderr).toContain('1 of 1 are bad > 10%: mrr 2024-Q1');
    const nothing = await world.run(variance('--period', '2024-04', '--fail-on', 'bad > 10%'));
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toContain('nothing could be compared');
  });

  it('refuses what is not a threshold, and two ranges, before anything is sent', async () => {
    for (const words of [
      ['--fail-on', 'worse'],
      ['--period', '2024-05', '--last', '3'],
      ['--period', 'May'],
      ['--period', '2024-05', '--period-type', 'quarter'],
    ]) {
      expect(await world.run(variance(...words))).toMatchObject({ code: 2, requests: [], stdout: '' });
    }
  });
});

describe('a narrow terminal', () => {
  it('keeps the verdict of a variance, and the newest periods of a table', async () => {
    const narrow = { tty: true, columns: 60 };
    const compared = await world.run(metrics('variance', '-m', 'mrr', '--period', '2024-05'), narrow);
    expect(compared.stdout).toMatch(/Verdict/);
    const flags = ['-m', 'mrr', '--from', '2023-06', '--to', '2024-05', '--order', 'asc'];
    const turned = await world.run(metrics('table', ...flags), narrow);
    expect(turned.stdout).toMatch(/2024-05$/m);
    expect(turned.stderr).toContain('No room for 2023-06');
  });
});

describe('a plan by month', () => {
  it('is not one of the quarter, which the note says', async () => {
    const rows = (await world.json(
      metrics('variance', '-m', 'headcount', '--period', '2024-Q1', '--agg', 'headcount=max'),
    )) as { note: string }[];
    expect(rows.map(({ note }) => note)).toEqual(['actual of 1/3 months: not compared']);
    const whole = (await world.json(metrics('variance', '-m', 'mrr', '--period', '2023-Q4'))) as { note: string }[];
    expect(whole.map(({ note }) => note)).toEqual(['no budget by quarter']);
  });
});

describe('several thresholds', () => {
  it('are all said, each with what is beyond it', async () => {
    const flags = [
      '-m',
      'mrr',
      '--period',
      '2024-05',
      '--fail-on',
      'good > 5%',
      '--fail-on',
      ' any>1 ',
      '--fail-on',
      'bad',
    ];
    const result = await world.run(metrics('variance', ...flags));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('1 of 1 are good > 5%: mrr 2024-05; 1 of 1 are any>1: mrr 2024-05\n');
  });
});

describe('metrics growth', () => {
  it('looks back beyond the range', async () => {
    const rows = await world.csv(metrics('growth', '-m', 'mrr', '--last', '1', '--rate', 'mom,qoq,yoy'));
    // 76 against 0, against 2024-02 (73), against 2023-05 (64).
    expect(rows).toEqual([
      'metricId,periodKey,version,value,mom,qoq,yoy,note,unit',
      'mrr,2024-05,actual,76,,4.10958904109589,18.75,mom: the base is zero: no percentage,USD',
    ]);
  });

  it('compounds from a year on', async () => {
    const rows = (await world.json(
      metrics('growth', '-m', 'mrr', '--from', '2022-03', '--to', '2024-03', '--rate', 'cagr'),
    )) as { periodKey: string; rates: { cagr: number | null }; note: string }[];
    // 50 in 2022-03, 74 in 2024-03: two years.
    expect(rows.at(-1)?.rates.cagr).toBeCloseTo((Math.sqrt(74 / 50) - 1) * 100, 9);
    expect(rows.find(({ periodKey }) => periodKey === '2023-02')).toMatchObject({
      rates: { cagr: null },
      note: 'cagr: less than a year',
    });
  });

  it('compares no part of a quarter with a whole one', async () => {
    const rows = (await world.json(metrics('growth', '-m', 'mrr', '--last', '8q', '--include-current'))) as {
      rates: object;
      note: string;
    }[];
    expect(rows.at(-1)).toMatchObject({ rates: { qoq: null }, note: expect.stringContaining('of 2/3 months') });
    expect(rows.at(-2)).toMatchObject({
      periodKey: '2024-Q1',
      value: 74,
      rates: { qoq: expect.closeTo((3 / 71) * 100, 9) },
    });
  });

  it('refuses a rate that is not valid, and one finer than the grain', async () => {
    for (const words of [
      ['--rate', 'wow'],
      ['--rate', 'mom', '--period-type', 'quarter'],
    ]) {
      expect(await world.run(metrics('growth', ...words))).toMatchObject({ code: 2, requests: [] });
    }
  });
});

describe('metrics gaps', () => {
  it('finds the hole, the null, and what was never reported', async () => {
    const gaps = async (...words: string[]) =>
      ((await world.json(metrics('gaps', ...words))) as { kind: string; from: string; to: string }[]).map(
        ({ kind, from, to }) => `${kind} ${from} ${to}`,
      );
    expect(await gaps('-m', 'mrr', '--stale-after', '4000')).toEqual(['missing 2019-03 2019-03']);
    expect(await gaps('-m', 'big', '--stale-after', '4000')).toEqual(['null 2024-04 2024-04']);
    expect(await gaps('-m', 'arr', '--last', '2')).toEqual(['none 2024-04 2024-05']);
    expect(await gaps('-m', 'mrr', '--from', '2024-05', '--to', '2024-06', '--stale-after', '4000')).toEqual([
      'missing 2024-06 2024-06',
    ]);
  });

  it('is an answer for a job', async () => {
    const found = await world.run(metrics('gaps', '-m', 'mrr', '--exit-code', '--stale-after', '4000'));
    expect(found.code).toBe(1);
    expect(found.stderr).toContain('there is 1 gap');
    const none = ['-m', 'mrr', '--from', '2020', '--to', '2021', '--exit-code', '--stale-after', '4000'];
    expect((await world.run(metrics('gaps', ...none))).code).toBe(0);
  });
});

describe('metrics table', () => {
  it('has metrics as rows and periods as columns, a gap as a gap', async () => {
    expect(await world.csv(metrics('table', '-m', 'mrr,big', '--from', '2024-02', '--order', 'asc'))).toEqual([
      'metricId,label,unit,version,trend,change,2024-02,2024-03,2024-04,2024-05',
      expect.stringMatching(/^mrr,\w+,USD,actual,██▁█,,73,74,0,76$/),
      'big,Big,,actual,   ▅,,,,,12345678901234567890',
    ]);
    const [row] = (await world.json(metrics('table', '-m', 'mrr', '--from', '2019-02', '--to', '2019-04'))) as object[];
    expect(row).toMatchObject({ values: { '2019-02': 13, '2019-04': 15 }, trend: '▁ █', change: null });
    expect((row as { values: object }).values).not.toHaveProperty('2019-03');
  });

  it.each(['table', 'md'])('runs from left to right in %s, and has its unit once', async (format) => {
    const argv = metrics('table', '-m', 'mrr', '--from', '2024-02', '-o', format);
    const { stdout } = await world.run(argv);
    const [heading] = stdout.split('\n');
    expect(heading?.match(/\d{4}-\d\d/g)).toEqual(['2024-02', '2024-03', '2024-04', '2024-05']);
    expect(stdout.match(/USD/g)).toHaveLength(1);
    const newest = (await world.run([...argv, '--order', 'desc'])).stdout.split('\n')[0];
    expect(newest?.match(/\d{4}-\d\d/g)?.[0]).toBe('2024-05');
  });

  it('draws with ASCII where the terminal has no more', async () => {
    const table = metrics('table', '-m', 'mrr', '--from', '2024-02', '-o', 'csv');
    for (const env of [{ TERM: 'dumb' }, { LANG: 'C' }, { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }]) {
      const { stdout } = await world.run(table, { env });
      expect(stdout).toContain(',##_#,');
    }
    expect((await world.run(table, { env: { LANG: 'en_US.UTF-8' } })).stdout).toContain('██▁█');
  });
});

describe('metrics chart', () => {
  it('draws nothing if all values are null, and says so', async () => {
    const argv = metrics('chart', '-m', 'big', '--from', '2024-04', '--to', '2024-04');
    const result = await world.run(argv, { tty: true });
    expect([result.code, result.stdout]).toEqual([0, '']);
    expect(result.stderr).toContain('No values in the range');
  });

  it('begins at the first value, or where it was asked to', async () => {
    const first = async (...words: string[]) =>
      (await world.run(metrics('chart', '-m', 'big', '--type', 'bar', ...words))).stdout.split('\n')[1]?.slice(0, 7);
    expect(await first()).toBe('2024-04');
    expect(await first('--from', '2024-01')).toBe('2024-01');
  });

  it('has units beside the values of sparklines', async () => {
    const { stdout } = await world.run(metrics('series', '-m', 'mrr,headcount', '--last', '6', '-o', 'spark'));
    expect(stdout).toMatch(/^mrr .* 76 USD$/m);
  });
});

describe('metrics diff', () => {
  const folder = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const diff = (...words: string[]) => world.run(metrics('diff', ...words));

  it('finds nothing between the same series in every shape and format', async () => {
    const series = metrics('series', '--from', '2024', '--order', 'asc');
    const saved: string[] = [];
    for (const [format, shape] of [
      ['csv', 'wide'],
      ['tsv', 'wide'],
      ['csv', 'long'],
      ['json', 'wide'],
      ['ndjson', 'wide'],
      ['json', 'long'],
      ['ndjson', 'long'],
      ['yaml', 'wide'],
    ] as const) {
      const { stdout } = await world.run([...series, '-o', format, '--shape', shape, '--versions', 'actual']);
      saved.push(file(`${shape}.${format}`, stdout));
    }
    const [first = ''] = saved;
    for (const other of saved) {
      const result = await diff(first, other, '--exit-code', '-o', 'json');
      expect([other, result.code, result.stdout, sent(result)]).toEqual([other, 0, '[]\n', []]);
    }
  });

  it('says what was restated, added and removed', async () => {
    const before = file('a.csv', 'periodKey,version,mrr,arr\n2024-01,actual,1.10,5\n2024-02,actual,100,\n');
    const after = file('b.csv', 'periodKey,version,mrr,arr\n2024-01,actual,1.1,\n2024-02,actual,90,7\n');
    const result = await diff(before, after, '--exit-code', '-o', 'csv');
    expect(result.stdout.trimEnd().split('\n')).toEqual([
      'change,kind,what,where,field,before,after,difference,percent,when,notBefore,seen,company,companyId,id,unit,note',
      'removed,value,arr,2024-01 actual,value,5,,,,,,,,,arr,,',
      'changed,value,mrr,2024-02 actual,value,100,90,-10,-10,,,,,,mrr,,',
      'added,value,arr,2024-02 actual,value,,7,,,,,,,,arr,,',
    ]);
    expect(result.code).toBe(1);
    expect((await diff(before, after)).code).toBe(0);
  });

  it('gives the change of a percentage in points, where the exports have units', async () => {
    const export_ = (name: string, value: number) =>
      file(name, `periodKey,version,metricId,value,unit\n2024-01,actual,churn_rate,${value},percent\n`);
    const result = await diff(export_('u1.csv', 2.6), export_('u2.csv', 3.52), '-o', 'json');
    expect(JSON.parse(result.stdout)).toMatchObject([{ what: 'churn_rate', percent: 0.92, unit: '%' }]);
  });

  it('says the company where the exports have several', async () => {
    const row = (company: string, value: number) => `${company},2024-01,actual,${value}`;
    const export_ = (name: string, value: number) =>
      file(name, ['company,periodKey,version,mrr', row('acme', 1), row('birch', value), ''].join('\n'));
    const table = await diff(export_('a1.csv', 2), export_('b1.csv', 3), '-o', 'md');
    expect(table.stdout).toMatch(/^\| Change .*\| Company \|\n.*\n\| changed \| value \| mrr .*\| birch \|/);
    const chosen = await diff(export_('a1.csv', 2), export_('b1.csv', 3), '--where', 'company = "acme"', '-o', 'json');
    expect(JSON.parse(chosen.stdout)).toEqual([]);
  });

  it('tells null from absent where both files do', async () => {
    const row = (metrics: object) => JSON.stringify([{ periodKey: '2024-01', version: 'actual', metrics }]);
    const result = await diff(file('n.json', row({ mrr: null })), file('m.json', row({})), '-o', 'json');
    expect(JSON.parse(result.stdout)).toMatchObject([{ change: 'removed', what: 'mrr', before: null }]);
  });

  it('says which file is not a series, and where', async () => {
    const good = file('good.csv', 'periodKey,version,mrr\n2024-01,actual,1\n');
    const cases: [string, string][] = [
      [file('x.csv', 'a,b\n1,2\n'), 'column periodKey is missing'],
      [
        file('y.csv', 'periodKey,version,mrr\n2024-01,actual,many\n'),
        'row 1: the value of mrr is not a number: "many"',
      ],
      [file('z.csv', 'periodKey,version,mrr\nMay,actual,1\n'), 'row 1: periodKey must be a period'],
      [file('e.csv', ''), 'is empty'],
      [file('b.json', '[{]'), 'is not valid JSON'],
      [file('s.json', '[1]'), 'row 1: it is not an object'],
      [join(folder, 'none.csv'), 'none.csv: not found'],
    ];
    for (const [wrong, says] of cases) {
      const result = await diff(good, wrong);
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(says);
    }
  });
});

describe('published diff', () => {
  const diff = (...words: string[]) =>
    world.run(['published', 'diff', ids.company, ...words], { env: { COMEM_COMPANY_ID: ids.investor } });

  it('holds published values against the series now', async () => {
    const { stdout, code } = await diff(
      '--exit-code',
      '-o',
      'csv',
      '--fields',
      'metricId,periodKey,sentAt,published,now,difference,outcome',
    );
    expect(stdout.trimEnd().split('\n').slice(1).sort()).toEqual([
      'headcount,2024-05,2024-06-10T08:00:00.000Z,9,,,removed',
      'mrr,2024-01,2024-02-10T08:00:00.000Z,100,72,-28,different',
      'mrr,2024-02,2024-03-10T08:00:00.000Z,101,73,-28,different',
      'mrr,2024-03,2024-04-10T08:00:00.000Z,102,74,-28,different',
      'mrr,2024-04,2024-05-10T08:00:00.000Z,103,0,-103,different',
      'mrr,2024-05,2024-06-10T08:00:00.000Z,104,76,-28,different',
    ]);
    expect(code).toBe(1);
  });

  it('calls restated only what was written after it was sent', async () => {
    const later: World['transport'] = async (request) => {
      const answer = await world.transport(request);
      if (!request.url.includes('/series')) return answer;
      const body = Buffer.from(answer.body)
        .toString()
        .replaceAll(/"updatedAt":"[^"]*"/g, '"updatedAt":"2024-03-11T00:00:00Z"');
      return { ...answer, body: Buffer.from(body) };
    };
    const { stdout } = await world.run(
      ['published', 'diff', ids.company, '-m', 'mrr', '-o', 'csv', '--fields', 'periodKey,outcome,note'],
      { env: { COMEM_COMPANY_ID: ids.investor }, transport: later },
    );
    expect(stdout.trimEnd().split('\n').slice(1).sort()).toEqual([
      '2024-01,restated,last written 2024-03-11',
      '2024-02,restated,last written 2024-03-11',
      '2024-03,different,"written 2024-03-11, before it was sent"',
      '2024-04,different,"written 2024-03-11, before it was sent"',
      '2024-05,different,"written 2024-03-11, before it was sent"',
    ]);
  });

  it('reads the series of the publishing company', async () => {
    const { requests } = await diff('-m', 'mrr', '--period', '2024-05');
    const series = requests.filter(({ path }) => path === '/api/metrics/series');
    expect(series.map(({ query }) => [query.companyId, query.metricIds, query.fromPeriod, query.toPeriod])).toEqual([
      [ids.company, 'mrr', '2024-05', '2024-05'],
    ]);
  });
});
