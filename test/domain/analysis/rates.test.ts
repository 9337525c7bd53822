/** Exchange rates: what a file says, and the files that are refused because they would give a wrong amount. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { parsePeriod } from '../../../src/core/periods.ts';
import { convertValue, factorOf, readRates } from '../../../src/domain/analysis/rates.ts';

/** The rates of a text without quotes, for amounts in `to`. */
const read = (text: string, to: string) =>
  readRates(
    text.split(/[\n;] ?/).map((row, at) => ({ line: at + 1, cells: row.split(',') })),
    'r.csv',
    to,
  );
const ofDay = (rates: string) => `date,currency,rate;${rates.replace(/[A-Z]{3},/g, '2026-02-28,$&')}`;
const month = parsePeriod('2026-02') ?? { type: 'month' as const, index: 0 };
const ratesOf = (...[rates, conversion]: Parameters<typeof factorOf>) => {
  const factor = factorOf(rates, conversion);
  if ('missing' in factor) throw new Error(`no rate of ${factor.missing}`);
  return factor;
};
const amount = (text: string, from: string, to: string, value = 100) =>
  Number(convertValue(value, ratesOf(read(text, to), { from, to, kind: 'balance', period: month })));

describe('a line is refused', () => {
  it.each([
    ['a decimal comma without quotes', 'USD,1,25', 'line 2: the row has 4 cells'],
    ['two rates of one day', 'USD,1.25; USD,1.35', 'line 3: USD has two rates on 2026-02-28: 1.25 and 1.35'],
    [
      'two rates that one double holds',
      'USD,1.2500000000000000000; USD,1.2500000000000000001',
      'line 3: USD has two rates',
    ],
    ['a rate below zero', 'USD,-1', 'line 2: the rate of USD must be a number above 0'],
    ['zero', 'USD,0.00', 'line 2: the rate of USD must be a number above 0'],
    ['a rate of thousands of digits', `USD,1.${'1'.repeat(5000)}`, 'at most 20 digits before and after the point'],
  ])('%s', (_, lines, says) => {
    expect(() => read(ofDay(lines), 'USD')).toThrow(says);
  });

  it('a rate of a month beside one of its days', () => {
    expect(() => read('date,currency,rate;2026-02,USD,1.1;2026-02-28,USD,1.2', 'USD')).toThrow(
      'line 3: USD has a rate of the month 2026-02 and one of the day 2026-02-28',
    );
  });
});

it('takes a rate that is given twice, and a comma at the end of a line', () => {
  const twice = read(ofDay('USD,1.25; USD,1.250; GBP,0.9,'), 'USD');
  expect([...twice.quotes.keys()]).toEqual(['USD', 'GBP']);
  const history = read('Date,USD,GBP,;2026-02-27,1.2,N/A,', 'USD');
  expect([...history.quotes.keys()]).toEqual(['USD']);
});

describe('a file of a European spreadsheet', () => {
  const european = (rates: readonly string[]) =>
    readRates(
      [['date', 'currency', 'rate'], ...rates.map((row) => row.split(' '))].map((cells, at) => ({
        line: at + 1,
        cells,
      })),
      'r.csv',
      'USD',
    );

  it.each([
    ['27.02.2026 EUR 1,25', '2026-02-27', '1.25'],
    ['7.2.2026 EUR 1,0825', '2026-02-07', '1.0825'],
    ['27.02.2026 EUR 1,082', '2026-02-27', '1.082'],
    ['2026-02 EUR 1,5', '2026-02', '1.5'],
    ['27.02.2026 EUR 1.234,5', '2026-02-27', '1234.5'],
    ['27.02.2026 EUR 2', '2026-02-27', '2'],
  ])('%s', (row, date, rate) => {
    const [quote] = european([row]).quotes.get('EUR') ?? [];
    expect([quote?.date, String(quote?.rate)]).toEqual([date, rate]);
  });

  it.each([
    ['a number that has two readings', ['2026-02 EUR 1,082'], 'line 2: the rate of EUR must be a number'],
    ['points and commas for one thing', ['27.02.2026 EUR 1,25', '28.02.2026 EUR 1.26'], 'line 3: the rate of EUR must'],
    ['a month that is none', ['27.13.2026 EUR 1,25'], 'line 2: date must be a day such as 2006-01-31 or 31.1.2006'],
  ])('is refused with %s', (_, rows, says) => {
    expect(() => european(rows)).toThrow(says);
  });
});

describe('a file has one reading', () => {
  it.each([
    ['units per EUR', 'USD,1.25; JPY,160', 'JPY', 'USD', 0.78125],
    ['the same, from EUR', 'USD,1.25; JPY,160', 'EUR', 'USD', 125],
    ['the same, to EUR', 'USD,1.25; JPY,160', 'JPY', 'EUR', 0.625],
    ['prices where EUR is listed', 'EUR,1.25; JPY,0.0078125', 'JPY', 'USD', 0.78125],
    ['prices, the target with 1', 'USD,1; EUR,1.25; JPY,0.0078125', 'JPY', 'USD', 0.78125],
    ['the target alone', 'EUR,1', 'EUR', 'EUR', 100],
  ])('%s', (_, lines, from, to, wanted) => {
    expect(amount(ofDay(lines), from, to)).toBe(wanted);
  });

  it.each([
    ['per USD', 'EUR,0.8; JPY,128', 'JPY', 'USD', 0.78125],
    ['per USD', 'USD,1; EUR,0.8; JPY,128', 'JPY', 'EUR', 0.625],
    ['in USD', 'EUR,1.25; JPY,0.0078125', 'JPY', 'EUR', 0.625],
    ['in_usd', 'USD,1; EUR,0.8', 'EUR', 'USD', 80],
    ['per EUR', 'EUR,1; USD,1.25', 'USD', 'EUR', 80],
    ['in GBP', 'USD,0.8; EUR,0.5', 'USD', 'EUR', 160],
  ])('%s states it: %s', (header, lines, from, to, wanted) => {
    expect(amount(ofDay(lines).replace('rate', header), from, to)).toBe(wanted);
  });

  it('crosses the rates of each day for a flow', () => {
    const days = 'date,currency,in GBP;2026-02-01,USD,1;2026-02-01,EUR,2;2026-02-02,USD,2;2026-02-02,EUR,1';
    const flow = ratesOf(read(days, 'USD'), { from: 'EUR', to: 'USD', kind: 'flow', period: month });
    expect(Number(convertValue(100, flow))).toBe(125);
  });
});

describe('both readings are in the hint of a file that contradicts itself', () => {
  it.each([
    [
      'USD,1; EUR,0.92; JPY,150',
      'USD',
      '1 JPY would be worth more than 1 EUR',
      ['`in USD` where 1 JPY is 150 USD', '`per USD` where 1 USD is 150 JPY'],
    ],
    [
      'USD,1; EUR,0.92; GBP,0.79',
      'USD',
      'USD is 1',
      ['`in USD` where 1 EUR is 0.92 USD', '`per USD` where 1 USD is 0.92 EUR'],
    ],
    [
      'USD,1.08; EUR,0.92',
      'USD',
      'USD is 1.08 on 2026-02-28',
      ['`in USD` where 1 EUR is 0.92 USD', '`per USD` where 1 USD is 0.92 EUR'],
    ],
    [
      'EUR,1; USD,1.08',
      'USD',
      'USD is 1.08 on 2026-02-28, and a rate would be the price of one unit of a currency in USD',
      ['`in EUR` where 1 USD is 1.08 EUR', '`per EUR` where 1 EUR is 1.08 USD'],
    ],
    [
      'EUR,1; JPY,160; USD,1.08',
      'EUR',
      '1 JPY would be worth more than 1 EUR',
      ['`in EUR` where 1 JPY is 160 EUR', '`per EUR` where 1 EUR is 160 JPY'],
    ],
    [
      'EUR,0.92; KRW,1400',
      'USD',
      '1 KRW would be worth more than 1 EUR',
      ['`in USD` where 1 KRW is 1400 USD', '`per USD` where 1 USD is 1400 KRW'],
    ],
    [
      'USD,1; GBP,1.27; JPY,0.0067',
      'USD',
      'USD is 1, and a rate would be units of a currency per EUR',
      ['`in USD` where 1 JPY is 0.0067 USD', '`per USD` where 1 USD is 0.0067 JPY'],
    ],
    [
      'USD,0.92; JPY,0.0061',
      'USD',
      '1 JPY would be worth more than 1 EUR',
      ['`in EUR` where 1 JPY is 0.0061 EUR', '`per EUR` where 1 EUR is 0.0061 JPY'],
    ],
    ['USD,1', 'USD', 'USD is 1', ['name the column rate `per EUR`']],
    [
      'EUR,0.0061',
      'JPY',
      '1 JPY would be worth more than 1 EUR',
      ['`in JPY` where 1 EUR is 0.0061 JPY', '`per JPY` where 1 JPY is 0.0061 EUR'],
    ],
  ])('%s in %s', (lines, to, says, hints) => {
    const failure = failureOf(ofDay(lines), to);
    expect([failure.kind, failure.message]).toEqual(['usage', expect.stringContaining(says)]);
    expect(failure.message).toContain('r.csv can be read in two ways');
    for (const hint of hints) expect(failure.hint).toContain(hint);
  });

  it('also of the form with a column for each currency', () => {
    const failure = failureOf('Date,USD,EUR,JPY;2026-02-28,1,0.92,150', 'USD');
    expect(failure.hint).toContain('write the columns date, currency and `in USD` where 1 JPY is 150 USD');
  });

  it('and with a stated currency that is not 1', () => {
    const failure = failureOf(ofDay('USD,1.1; EUR,1.2').replace('rate', 'in USD'), 'USD');
    expect(failure.message).toBe('r.csv: USD must be 1 in rates in USD, got 1.1 on 2026-02-28');
  });

  it('and with a second column of currencies', () => {
    const failure = failureOf('date,base,currency,rate;2026-02-28,USD,EUR,0.92;2026-02-28,USD,JPY,150', 'USD');
    expect(failure.message).toBe('r.csv has currencies in the column base, too');
    expect([...read('date,base,currency,rate;2026-02-28,EUR,USD,1.1', 'USD').quotes.keys()]).toEqual(['USD']);
  });
});

function failureOf(text: string, to: string): Failure {
  try {
    read(text, to);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`not refused: ${text}`);
}
