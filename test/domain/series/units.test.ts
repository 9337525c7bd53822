import { expect, test } from 'vitest';
import { isMoney, measureOf } from '../../../src/domain/series/units.ts';

test.each(['kUSD', 'k$', 'TEUR', '€m', 'USD m', 'USD millions', 'USD in thousands', 'mio CHF'])(
  'an amount in %s is no amount of the currency',
  (unitLabel) => {
    const measure = measureOf({ unit: 'currency', unitLabel, currency: 'USD' });
    expect([measure, isMoney(measure, 'USD')]).toEqual([unitLabel, false]);
  },
);

test.each([
  [{ unit: 'currency', unitLabel: 'MMK', currency: 'USD' }, 'MMK'],
  [{ unit: 'currency', unitLabel: 'KES', currency: 'USD' }, 'KES'],
  [{ unit: 'months', unitLabel: 'm', currency: 'USD' }, 'months'],
  [{ unit: 'kUnits', unitLabel: null, currency: 'USD' }, 'kUnits'],
  [{ unit: 'currency', unitLabel: 'TOK', currency: 'TOK' }, 'TOK'],
])('%j is %s', (words, measure) => {
  expect(measureOf(words)).toBe(measure);
});
