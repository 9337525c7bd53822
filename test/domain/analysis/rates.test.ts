/** Files of exchange rates that would give a wrong rate are refused with their line. */
import { expect, it } from 'vitest';
import { readRates } from '../../../src/domain/analysis/rates.ts';

const header = ['date', 'currency', 'rate'];
const read = (...lines: string[][]) => readRates([header, ...lines], 'r.csv');

it.each([
  ['a decimal comma without quotes', [['2026-02-28', 'USD', '1', '25']], 'line 2: the row has 4 cells'],
  [
    'two rates of one day',
    [
      ['2026-02-28', 'USD', '1.25'],
      ['2026-02-28', 'USD', '1.35'],
    ],
    'line 3: USD has two rates on 2026-02-28: 1.25 and 1.35',
  ],
  ['a decimal comma', [['2026-02-28', 'USD', '1,25']], 'line 2: the rate of USD must be a number above 0'],
  ['a rate below zero', [['2026-02-28', 'USD', '-1']], 'line 2: the rate of USD must be a number above 0'],
])('%s', (_, lines, says) => {
  expect(() => read(...lines)).toThrow(says);
});

it('takes a rate that is given twice, and a comma at the end of a line', () => {
  const twice = read(['2026-02-28', 'USD', '1.25'], ['2026-02-28', 'USD', '1.250'], ['2026-02-28', 'GBP', '0.9', '']);
  expect([...twice.quotes.keys()]).toEqual(['USD', 'GBP']);
  const history = readRates(
    [
      ['Date', 'USD', 'GBP', ''],
      ['2026-02-27', '1.2', 'N/A', ''],
    ],
    'ecb.csv',
  );
  expect([...history.quotes.keys()]).toEqual(['USD']);
});
