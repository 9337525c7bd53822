import { expect, it } from 'vitest';
import type { MetricSeriesItem } from '../../../src/contract/metrics.ts';
import { type Period, parsePeriod } from '../../../src/core/periods.ts';
import { type FillRules, fillRows } from '../../../src/domain/series/fill.ts';

const read = (text: string): Period => {
  const period = parsePeriod(text);
  if (!period) throw new Error(`${text} is no period`);
  return period;
};
const row = (periodKey: string, version: string, metrics: MetricSeriesItem['metrics'] = {}) =>
  ({ periodKey, periodType: 'month', version, metrics, source: null, updatedAt: null }) as MetricSeriesItem;
const base: FillRules = {
  fill: 'null',
  ids: ['a'],
  versions: ['actual'],
  newest: read('2025-12'),
  derived: false,
};

/** Each row as its period, version and the value of `a`. */
function filled(rows: readonly MetricSeriesItem[], rules: Partial<FillRules> = {}) {
  return fillRows(rows, { ...base, ...rules }).map(
    ({ periodKey, version, metrics }) => `${periodKey} ${version} ${metrics.a}`,
  );
}

const gap = [row('2025-02', 'actual', { a: 5 }), row('2025-04', 'actual', { b: 1 })];

it.each([
  ['null', 'null', 'null'],
  ['zero', '0', '0'],
  ['prev', '5', '5'],
] as const)('%s fills a missing period, and a missing value of a row', (fill, third, fourth) => {
  expect(filled(gap, { fill })).toEqual([
    ...['2025-02 actual 5', `2025-03 actual ${third}`, `2025-04 actual ${fourth}`],
  ]);
});

it('goes to the bounds, each of them included', () => {
  const bounds = { from: read('2025-01'), to: read('2025-05') };
  const months = ['01', '02', '03', '04', '05'].map((month) => `2025-${month}`);
  const keys = (found: string[]) => found.map((line) => line.split(' ')[0]);
  expect(keys(filled(gap, bounds))).toEqual(months);
  expect(keys(filled([], bounds))).toEqual(months);
  expect(filled([])).toEqual([]);
});

it('prev looks back in time where the rows run backwards too', () => {
  expect(filled(gap.toReversed(), { fill: 'prev', from: read('2025-01') })).toEqual([
    ...['2025-01 actual null', '2025-02 actual 5', '2025-03 actual 5', '2025-04 actual 5'],
  ]);
});

it('a value that is null stays null, and is what prev finds', () => {
  const rows = [row('2025-01', 'actual', { a: null }), row('2025-03', 'actual', { a: 2 })];
  expect(filled(rows, { fill: 'prev' })).toEqual([
    ...['2025-01 actual null', '2025-02 actual null', '2025-03 actual 2'],
  ]);
  expect(filled(rows, { fill: 'zero' })[0]).toBe('2025-01 actual null');
});

it('actuals of the current period are missing, those of later ones are to come', () => {
  const rows = [row('2025-11', 'budget', { a: 1 })];
  const rules = { versions: ['actual', 'budget'] as const, to: read('2026-01') };
  expect(filled(rows, rules)).toEqual([
    ...['2025-11 actual null', '2025-11 budget 1', '2025-12 actual null', '2025-12 budget null', '2026-01 budget null'],
  ]);
});

it('keeps a version that nobody asked for, behind the others', () => {
  const rows = [row('2025-01', 'odd', { a: 1 }), row('2025-01', 'actual', { a: 2 })];
  expect(filled(rows)).toEqual(['2025-01 actual 2', '2025-01 odd 1']);
});

it('a filled row of a derived series has no month', () => {
  const quarters = { derived: true, newest: read('2025-Q4'), from: read('2025-Q1'), to: read('2025-Q1') };
  const quarter = { periodKey: '2025-Q1', periodType: 'quarter', derived: true, months: '0/3' };
  expect(fillRows([], { ...base, ...quarters })).toMatchObject([quarter]);
});

it('refuses a period that is not valid', () => {
  expect(() => filled([row('soon', 'actual')])).toThrow('not valid: "soon"');
});
