import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/core/json.ts';
import { linesOf, whole } from '../../../src/domain/analysis/points.ts';
import { NotASeries, savedSeries } from '../../../src/domain/analysis/saved.ts';
import { sparkline } from '../../../src/domain/analysis/sparkline.ts';
import type { SeriesItem } from '../../../src/domain/series/shapes.ts';

const item = (periodKey: string, metrics: SeriesItem['metrics'], rest: Partial<SeriesItem> = {}): SeriesItem => ({
  ...{ periodKey, periodType: 'month', version: 'actual', metrics },
  ...rest,
});

describe('lines', () => {
  const items = [
    item('2024-02', { a: 2, b: null }),
    item('2024-01', { a: 1 }),
    item('2024-02', { a: 9 }, { version: 'budget' }),
  ];

  it('are oldest first, one for each metric and version, in the order asked for', () => {
    const lines = linesOf(items, ['b', 'a', 'c']);
    expect(lines.map(({ metricId, version, points }) => [metricId, version, points.map(({ value }) => value)])).toEqual(
      [
        ['b', 'actual', [null]],
        ['a', 'actual', [1, 2]],
        ['a', 'budget', [9]],
      ],
    );
    expect(linesOf(items).map(({ metricId }) => metricId)).toEqual(['a', 'a', 'b']);
  });

  it('tell null from no row', () => {
    const [b] = linesOf(items, ['b']);
    expect(b?.points.map(({ index, value }) => [index, value])).toEqual([[2024 * 12 + 1, null]]);
  });

  it('know which points are of whole periods', () => {
    const [a] = linesOf([item('2024-Q1', { a: 1 }), item('2024-Q2', { a: 2 }, { incomplete: { a: '2/3' } })]);
    expect(whole(a?.points ?? []).map(({ value }) => value)).toEqual([1]);
  });
});

describe('sparkline', () => {
  it('has a level for each value and a blank for none', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([-8, null, undefined, 8])).toBe('▁  █');
    expect(sparkline([5, 5])).toBe('▅▅');
    expect(sparkline([])).toBe('');
    expect(sparkline([new ExactNumber('1.10'), 3], { ascii: true })).toBe('_#');
  });
});

describe('saved exports', () => {
  it('are read by their header', () => {
    const wide = savedSeries({
      header: ['companyId', 'periodKey', 'version', 'mrr', 'metrics.source', 'source'],
      rows: [['x', '2024-01', 'actual', '1.10', '7', 'erp']],
    });
    expect(wide.tellsNull).toBe(false);
    expect(wide.values.map(({ metricId, value }) => [metricId, String(value)])).toEqual([
      ['mrr', '1.10'],
      ['source', '7'],
    ]);
    expect(wide.values[0]).toMatchObject({ companyId: 'x', periodType: 'month' });
  });

  it('keep a null that is in a long row', () => {
    const { values: found, tellsNull } = savedSeries({
      header: ['periodKey', 'version', 'metricId', 'value'],
      rows: [['2024', 'budget', 'mrr', '']],
    });
    expect([found, tellsNull]).toEqual([
      [{ periodKey: '2024', periodType: 'year', version: 'budget', metricId: 'mrr', value: null }],
      true,
    ]);
  });

  it('are refused when they are not valid', () => {
    for (const wrong of [{}, 5, { header: ['a'], rows: [] }, [{ periodKey: '2024-13' }], [{ periodKey: '2024' }]]) {
      expect(() => savedSeries(wrong)).toThrow(NotASeries);
    }
  });
});
