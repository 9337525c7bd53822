import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ExactNumber, type Numeric, plainDecimal } from '../../../src/core/json.ts';
import { type PointsCsvOptions, readPointsCsv } from '../../../src/server/seed/points-csv.ts';
import type { SeedPoints } from '../../../src/server/seed/seed.ts';

const data = (name: string) => readFileSync(new URL(`../../data/${name}`, import.meta.url), 'utf8');
const read = async (text: string, options: Partial<PointsCsvOptions> = {}) => {
  const open = async function* () {
    // In pieces that split lines and characters.
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  };
  const groups = new Map<string, SeedPoints>();
  for await (const { seed } of readPointsCsv(open, { name: 'f.csv', company: 'acme', ...options })) {
    for (const { metrics, ...group } of seed.points ?? []) {
      if (Object.keys(metrics).length === 0) continue;
      const key = JSON.stringify(group);
      groups.set(key, { ...group, metrics: { ...groups.get(key)?.metrics, ...metrics } });
    }
  }
  return [...groups.values()];
};

describe('wide files', () => {
  test('the employment file, whole', async () => {
    const points = await read(data('us-employment.csv'));
    expect(points).toHaveLength(120);
    expect(points[0]).toMatchObject({ company: 'acme', period: '2006-01', version: 'actual' });
    expect(Object.keys(points[0]?.metrics ?? {})).toHaveLength(23);
    expect(points[0]?.metrics).toMatchObject({ nonfarm: 135450, wholesale_trade: 5840.4, nonfarm_change: 282 });
    expect(points.at(-1)?.period).toBe('2015-12');
  });

  test.each([
    ['2006-01-01', '2006-01'],
    ['2006-01-31', '2006-01'],
    ['2006-01', '2006-01'],
    ['Jan 1 2006', '2006-01'],
    ['Dec 31 1999', '1999-12'],
    [' 2006-01 ', '2006-01'],
  ])('reads the date %j', async (date, period) => {
    expect(await read(`month,a\n${date},1\n`)).toMatchObject([{ period, metrics: { a: 1 } }]);
  });

  test.each([['2006-Q1'], ['2006']])('reads %s of a plan', async (period) => {
    expect(await read(`when,a\n${period},1\n`, { version: 'budget' })).toMatchObject([{ period, version: 'budget' }]);
  });

  test.each([
    '2006-13',
    '2006-1',
    '2006/01',
    '01/2006',
    '2006-q1',
    '2006-Q5',
    '2006-02-30',
    'January 1 2006',
    'Jan 32 2006',
    '06',
    'total',
  ])('refuses the date %s with its line', async (date) => {
    await expect(read(`when,a\n2006-01,1\n${date},1\n`, { version: 'budget' })).rejects.toMatchObject({
      kind: 'usage',
      message: `f.csv, line 3: "${date}" is not a date; dates are written 2006-01-01, 2006-01, 2006-Q1, 2006 or Jan 1 2006`,
    });
  });

  test.each([
    ['2006-Q1', 'quarter'],
    ['2006', 'year'],
  ])('refuses %s of actuals with its line', async (period, type) => {
    await expect(read(`when,a\n2006-01,1\n${period},1\n`)).rejects.toMatchObject({
      message: `f.csv, line 3: ${period} is a ${type}, and actuals exist only by month`,
    });
  });

  test('keeps every digit, and reads what people write as one number', async () => {
    const [row] = await read('p,a,b,c,d,e,f\n2006-01,1.10,12345678901234567890,+5,007,.5,-0.0\n');
    expect(row?.metrics).toEqual({
      a: new ExactNumber('1.10'),
      b: new ExactNumber('12345678901234567890'),
      c: 5,
      d: 7,
      e: 0.5,
      f: new ExactNumber('-0.0'),
    });
  });

  test.each(['$5', '5%', '5k', 'n/a', '-', 'NaN', 'Infinity', '0x10', '1_0'])(
    'refuses %s as a number with its line and column',
    async (text) => {
      await expect(read(`p;revenue\n2006-01;${text}\n`)).rejects.toMatchObject({
        message: `f.csv, line 2: "${text}" in the column revenue is not a number such as -1,234.5`,
      });
    },
  );

  test.each([
    ['a decimal comma', ['1.000,50', '1.234', '12,5', '-3', '(4,5)'], ['1000.50', '1234', '12.5', '-3', '-4.5']],
    ['a decimal point', ['1,000.50', '1,234', '12.5', '-3', '1 000'], ['1000.50', '1234', '12.5', '-3', '1000']],
    ['points between thousands', ['1.234', '1.234.567'], ['1234', '1234567']],
  ])('reads the numbers of a file with %s', async (_, texts, numbers) => {
    const rows = texts.map((text, at) => `2006-${String(at + 1).padStart(2, '0')};${text}\n`);
    const points = await read(`p;revenue\n${rows.join('')}`);
    expect(points.map(({ metrics }) => plainDecimal(metrics.revenue as Numeric))).toEqual(numbers);
  });

  test('refuses a number with another decimal mark than the first, and one that may have either', async () => {
    await expect(read('p;a\n2006-01;12,5\n2006-02;12.5\n')).rejects.toMatchObject({
      message: 'f.csv, line 3: "12.5" in the column a is not a number such as -1.234,5',
    });
    await expect(read('p;a\n2006-01;5\n2006-02;1,234\n')).rejects.toMatchObject({
      message: 'f.csv, line 3: "1,234" is 1234 with a decimal point and 1.234 with a decimal comma',
    });
    // A file with commas between its cells has decimal points.
    await expect(read('p;a\n2006-01;1.234\n2006-02;5\n')).rejects.toMatchObject({
      message: 'f.csv, line 2: "1.234" is 1.234 with a decimal point and 1234 with a decimal comma',
    });
    const [first] = await read('p,a\n2006-01,1.234\n2006-02,5\n');
    expect(first?.metrics.a).toBe(1.234);
  });

  test.each(['1e401', '-3.5E-402', '1e99999'])('refuses %s, whose exponent is out of range', async (text) => {
    await expect(read(`p;revenue\n2006-01;${text}\n`)).rejects.toMatchObject({
      message: `f.csv, line 2: the number ${text} is out of range: an exponent is from -400 to 400`,
    });
    const [points] = await read('p;a;b\n2006-01;1e400;0e399\n');
    expect(Object.values(points?.metrics ?? {}).map((value) => plainDecimal(value as Numeric).length)).toEqual([
      401, 1,
    ]);
  });

  test('a blank cell is not a point, and a row of blank cells is not a row', async () => {
    expect(await read('p,a,b\n2006-01,,2\n2006-02, ,\n,,\n')).toEqual([
      { company: 'acme', period: '2006-01', version: 'actual', metrics: { b: 2 } },
    ]);
  });

  test('reads what a spreadsheet saves: byte order mark, CRLF, semicolons', async () => {
    expect(await read('\uFEFFmonth;a\r\n2006-01;1.5\r\n')).toMatchObject([{ period: '2006-01', metrics: { a: 1.5 } }]);
  });

  test('reads back the wide export of metrics series', async () => {
    const text =
      'periodKey,periodType,version,mrr,source,updatedAt\n2026-01,month,actual,5,crm,2026-02-01T00:00:00.000Z\n' +
      '2026,year,budget,60,,\n';
    expect(await read(text)).toEqual([
      {
        company: 'acme',
        period: '2026-01',
        version: 'actual',
        metrics: { mrr: 5 },
        source: 'crm',
        updated_at: '2026-02-01T00:00:00.000Z',
      },
      { company: 'acme', period: '2026', version: 'budget', metrics: { mrr: 60 } },
    ]);
  });

  test.each([
    ['', 'f.csv is empty'],
    ['2006-01,1\n', 'f.csv, line 1: the first line must name the columns, but starts with 2006-01'],
    ['p,,b\n', 'f.csv, line 1: column 2 has no name'],
    ['p,a,a\n', 'f.csv, line 1: the column a appears twice'],
    ['p\n2006-01\n', 'f.csv, line 1: no column has values'],
    ['p,a\n2006-01,1,2\n', 'f.csv, line 2: has 3 cells where the header has 2'],
    ['p,a\n,1\n', 'f.csv, line 2: has no date'],
    ['p,"a,b"\n2006-01,1\n', 'f.csv, line 1: "a,b" is not a metric id: it contains a comma'],
  ])('refuses %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'usage', message });
  });
});

describe('long files', () => {
  test('the shares file, its columns renamed', async () => {
    const rename = { date: 'period', symbol: 'metric', price: 'value' };
    const points = await read(data('stocks-monthly.csv'), { rename });
    expect(points).toHaveLength(123);
    expect(points[0]).toMatchObject({ period: '2000-01', metrics: { MSFT: 39.81, AMZN: 64.56 } });
    expect(points.reduce((sum, { metrics }) => sum + Object.keys(metrics).length, 0)).toBe(560);
  });

  test('every further column', async () => {
    const text =
      'company,version,period,period_type,metric,value,source\n' +
      'acme,budget,2026-01-01,quarter,mrr,1,plan\nbeta,actual,2026-01,,mrr,2,\nbeta,,2026-01,month,arr,3,\n';
    expect(await read(text)).toEqual([
      { company: 'acme', period: '2026-Q1', version: 'budget', metrics: { mrr: 1 }, source: 'plan' },
      { company: 'beta', period: '2026-01', version: 'actual', metrics: { mrr: 2, arr: 3 } },
    ]);
  });

  test('reads back the long export of metrics series', async () => {
    const text =
      'periodKey,periodType,version,metricId,value,unit,currency,source,updatedAt\n' +
      '2026-01,month,actual,mrr,5,currency,USD,,2026-02-01T00:00:00.000Z\n2026-01,month,actual,arr,,currency,USD,,\n';
    expect(await read(text)).toMatchObject([{ period: '2026-01', metrics: { mrr: 5 } }]);
  });

  test.each([
    ['period,metric,value,colour\n', /line 1: unknown column colour/],
    ['period,metric,value\n2026-01,,5\n', /line 2: has no metric/],
    [
      'period,metric,value,version\n2026-01,a,5,plan\n',
      /line 2: version must be one of actual, budget, forecast, got "plan"/,
    ],
    ['period,metric,value,period_type\n2026-01,a,5,week\n', /line 2: period_type must be month, quarter or year/],
    ['period,metric,value,period_type\n2026-01,a,5,year\n', /line 2: "2026-01" is not a year, as period_type says/],
    ['period,metric,value,updated_at\n2026-01,a,5,today\n', /line 2: updated_at must be an ISO 8601 timestamp/],
  ])('refuses %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });

  test('refuses a rename of a column that is not there', async () => {
    await expect(read('a,b\n', { rename: { c: 'period' } })).rejects.toMatchObject({
      message: '--map: f.csv has no column c; it has a, b',
    });
  });
});
