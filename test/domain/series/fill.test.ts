import { expect, test } from 'vitest';
import type { MetricSeriesItem } from '../../../src/contract/metrics.ts';
import { type FillRules, fillRows } from '../../../src/domain/series/fill.ts';

const row = (periodKey: string, metrics: MetricSeriesItem['metrics']): MetricSeriesItem => ({
  ...{ periodKey, periodType: 'month', version: 'actual', metrics, source: null, updatedAt: null },
});
const stored = [row('2024-01', { a: 1 }), row('2024-02', { a: null }), row('2024-04', { a: 4 })];

test.each([
  ['null', [1, null, null, 4]],
  ['zero', [1, null, 0, 4]],
  ['prev', [1, null, null, 4]],
] as const)('--fill %s leaves a stored null, and takes it for the previous value', (fill, values) => {
  const rules: FillRules = {
    fill,
    ids: ['a'],
    versions: ['actual'],
    newest: { type: 'month', index: 1e6 },
    derived: false,
  };
  expect(fillRows(stored, rules).map(({ metrics }) => metrics.a)).toEqual(values);
});
