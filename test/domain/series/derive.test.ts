import { describe, expect, it } from 'vitest';
import type { MetricSeriesItem } from '../../../src/contract/metrics.ts';
import { aggregationOf, derive } from '../../../src/domain/series/derive.ts';
import { type aggregations, parseAggregation } from '../../../src/domain/series/plan.ts';

const month = (periodKey: string, metrics: MetricSeriesItem['metrics'], version = 'actual'): MetricSeriesItem =>
  ({ periodKey, periodType: 'month', version, metrics, updatedAt: `${periodKey}-28T00:00:00Z` }) as MetricSeriesItem;

const rows = [
  month('2025-01', { a: 0.1, b: 5 }),
  month('2025-02', { a: 0.2, b: null }),
  month('2025-03', { a: 0.3, b: 1 }),
  month('2025-04', { a: 7 }),
  month('2025-04', { a: 70 }, 'budget'),
  month('2025-06', { a: 9, b: null }),
];

async function all(how: (typeof aggregations)[number], type: 'quarter' | 'year' = 'quarter', source = rows) {
  const found = [];
  for await (const row of derive(
    source,
    type,
    new Map([
      ['a', how],
      ['b', how],
    ]),
  ))
    found.push(row);
  return found;
}

describe('derive', () => {
  it.each([
    ['sum', [0.6, 16, 70]],
    ['average', [0.2, 8, 70]],
    ['last', [0.3, 9, 70]],
    ['first', [0.1, 7, 70]],
    ['min', [0.1, 7, 70]],
    ['max', [0.3, 9, 70]],
  ] as const)('%s', async (how, values) => {
    expect((await all(how)).map((row) => row.metrics.a)).toEqual(values);
  });

  it('tells what is incomplete, and leaves missing missing and null null', async () => {
    const [first, second, budget] = await all('sum');
    expect(first).toMatchObject({ periodKey: '2025-Q1', months: '3/3', incomplete: { b: '2/3' }, metrics: { b: 6 } });
    expect(second).toMatchObject({
      periodKey: '2025-Q2',
      months: '2/3',
      incomplete: { a: '2/3', b: '0/3' },
      metrics: { b: null },
    });
    expect(budget).toMatchObject({ version: 'budget', months: '1/3' });
    expect(budget?.metrics).not.toHaveProperty('b');
    expect(second?.updatedAt).toBe('2025-06-28T00:00:00Z');
  });

  it('joins the sources, takes the newest time, and has neither where the months have none', async () => {
    const [joined] = await all('sum', 'quarter', [
      { ...month('2025-01', { a: 1 }), source: 'x', updatedAt: '2025-09-01T00:00:00Z' },
      { ...month('2025-02', { a: 1 }), source: 'y', updatedAt: '2025-08-01T00:00:00Z' },
      { ...month('2025-03', { a: 1 }), source: 'x', updatedAt: null },
    ]);
    expect(joined).toMatchObject({ source: 'x, y', updatedAt: '2025-09-01T00:00:00Z', incomplete: {}, derived: true });
    const [bare] = await all('sum', 'quarter', [{ ...month('2025-01', { a: 1 }), source: null, updatedAt: null }]);
    expect(bare).toMatchObject({ source: null, updatedAt: null });
  });

  it('takes the first, the least and the most wherever they stand', async () => {
    const shuffled = [month('2025-03', { a: 5 }), month('2025-01', { a: 2 }), month('2025-02', { a: 1 })];
    const found = async (how: (typeof aggregations)[number]) => (await all(how, 'quarter', shuffled))[0]?.metrics.a;
    expect([await found('first'), await found('last'), await found('min'), await found('max')]).toEqual([2, 5, 1, 5]);
  });

  it.each(['2025-Q1', '2025', 'soon'])('refuses %s, which is not a month', async (key) => {
    await expect(all('sum', 'quarter', [month(key, { a: 1 })])).rejects.toThrow(`holds ${key}, which is not a month`);
  });

  it('gives nothing for nothing', async () => {
    expect(await all('sum', 'quarter', [])).toEqual([]);
  });

  it('does not care for the direction of the months', async () => {
    const up = await all('last');
    const down = await all('last', 'quarter', [...rows].reverse());
    expect(down.map((row) => [row.periodKey, row.version, row.metrics.a]).sort()).toEqual(
      up.map((row) => [row.periodKey, row.version, row.metrics.a]).sort(),
    );
    expect((await all('sum', 'year')).map((row) => [row.periodKey, row.months, row.metrics.a])).toEqual([
      ['2025', '5/12', 16.6],
      ['2025', '1/12', 70],
    ]);
  });
});

describe('aggregations', () => {
  const definitions = [
    { metricId: 'mrr', aggregation: 'last', unit: 'currency' },
    { metricId: 'nrr', aggregation: 'average', unit: 'percent' },
    { metricId: 'odd', aggregation: 'median' },
    { metricId: 'blank' },
  ];
  it('come from the catalog, or from the person', () => {
    expect([...aggregationOf(['mrr', 'odd'], definitions, new Map([['odd', 'max']]))]).toEqual([
      ['mrr', 'last'],
      ['odd', 'max'],
    ]);
  });
  it('are never guessed, and a ratio is never summed', () => {
    expect(() => aggregationOf(['odd', 'blank', 'new'], definitions, new Map())).toThrow(
      /odd \(the catalog says median\), blank, new/,
    );
    expect(() => aggregationOf(['nrr'], definitions, new Map([['nrr', 'sum']]))).toThrow(/percent.*means nothing/);
    expect([...aggregationOf(['nrr'], definitions, new Map())]).toEqual([['nrr', 'average']]);
    expect([...aggregationOf(['mrr'], definitions, new Map([['mrr', 'sum']]))]).toEqual([['mrr', 'sum']]);
    for (const words of [{ unitLabel: '%' }, { unit: 'currency', valueSemantics: 'Rate' }]) {
      expect(() => aggregationOf(['x'], [{ metricId: 'x', aggregation: 'sum', ...words }], new Map())).toThrow(
        /means nothing/,
      );
    }
    expect(['mrr', 'mrr=median', '=sum'].map(parseAggregation)).toEqual([undefined, undefined, undefined]);
    expect(parseAggregation('a=b=max')).toEqual(['a=b', 'max']);
    expect(parseAggregation(' mrr = sum ')).toEqual(['mrr', 'sum']);
    expect(parseAggregation(' =sum')).toBeUndefined();
  });
});
