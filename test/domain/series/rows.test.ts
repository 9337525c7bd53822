/** Rows that come in parts, in halves, side by side, and the bounds of fiscal years and of what is left to read. */
import { describe, expect, test } from 'vitest';
import type { MetricObservation, MetricSeriesItem } from '../../../src/contract/metrics.ts';
import { Failure } from '../../../src/core/errors.ts';
import { ExactNumber, type Numeric } from '../../../src/core/json.ts';
import { formatPeriod, type Period, type PeriodType, parsePeriod } from '../../../src/core/periods.ts';
import { type Conflict, joinItems, joinObservations } from '../../../src/domain/series/join.ts';
import { type RangeWords, rangeOfMonths, seriesRange } from '../../../src/domain/series/range.ts';
import { observations as longRows, markRunning, type SeriesItem } from '../../../src/domain/series/shapes.ts';

const place = { periodKey: '2026-01', periodType: 'month', version: 'actual' } as const;
const item = (metrics: MetricSeriesItem['metrics'], more: Partial<MetricSeriesItem> = {}): MetricSeriesItem => ({
  ...place,
  metrics,
  ...more,
});
const observation = (value: Numeric | null, updatedAt?: string): MetricObservation => ({
  ...{ ...place, metricId: 'mrr', value, sourceBoundary: 'company_internal' },
  ...(updatedAt !== undefined && { updatedAt }),
});
const period = (text: string): Period => parsePeriod(text) as Period;
const early = '2026-01-01T00:00:00Z';
const late = '2026-02-01T00:00:00Z';

describe('the parts of a row', () => {
  const joined = (...parts: MetricSeriesItem[]) => {
    const conflicts: Conflict[] = [];
    return { row: joinItems(parts, (conflict) => conflicts.push(conflict)), conflicts };
  };

  test('are one row of all metrics, sources, and the newest time', () => {
    expect(
      joined(
        item({ mrr: 1 }, { source: 'ledger', updatedAt: late }),
        item({ arr: 12 }, { source: 'crm', updatedAt: early }),
        item({ heads: 3 }, { source: 'crm' }),
      ),
    ).toEqual({
      row: { ...place, metrics: { mrr: 1, arr: 12, heads: 3 }, source: 'ledger, crm', updatedAt: late },
      conflicts: [],
    });
    expect(joined(item({ mrr: 1 }), item({ arr: 2 })).row).toEqual({ ...place, metrics: { mrr: 1, arr: 2 } });
    expect(joined(item({ mrr: 1 }, { source: null, updatedAt: null }), item({ arr: 2 })).row).toMatchObject({
      source: null,
      updatedAt: null,
    });
  });

  test.each([
    ['the one that was written later', [1, early], [2, late], 2],
    ['the one that was written later, wherever it stands', [1, late], [2, early], 1],
    ['the first of one time', [1, early], [2, early], 1],
    ['the first without a time', [1, undefined], [2, undefined], 1],
    ['the one with a time', [1, undefined], [2, early], 2],
    ['a value rather than none', [null, early], [2, early], 2],
    ['none, when it is newer', [1, early], [null, late], null],
    ['the one of the later day', [1, '2026-01-01'], [2, '2026-01-02'], 2],
  ] as const)('hold two values of a metric: %s is kept', (_, [a, at], [b, then], kept) => {
    const parts = [
      item({ mrr: a }, at === undefined ? {} : { updatedAt: at }),
      item({ mrr: b }, then === undefined ? {} : { updatedAt: then }),
    ];
    const found = joined(...parts);
    expect(found.row.metrics.mrr).toBe(kept);
    expect(found.conflicts).toEqual([{ periodKey: '2026-01', version: 'actual', metricId: 'mrr' }]);
    const seen: unknown[] = [];
    const one = joinObservations([observation(a, at), observation(b, then)], (conflict) =>
      seen.push(conflict.metricId),
    );
    expect([one.value, seen]).toEqual([kept, ['mrr']]);
  });

  test('that are equal do not conflict, however they are written', () => {
    expect(joined(item({ mrr: 1.1 }), item({ mrr: new ExactNumber('1.10') })).conflicts).toEqual([]);
    expect(joined(item({ mrr: null }), item({ mrr: null })).conflicts).toEqual([]);
    const never = () => expect.unreachable();
    expect(joinObservations([observation(1), observation(new ExactNumber('1.0'))], never).value).toBe(1);
    expect(joinObservations([observation(7)], never).value).toBe(7);
  });
});

describe('ranges', () => {
  const range = (words: RangeWords, type: PeriodType = 'month', newest = '2026-02') => {
    const now = period(newest);
    const { from, to } = seriesRange(words, type, now);
    return `${from && formatPeriod(from)} ${to && formatPeriod(to)}`;
  };

  test.each([
    [{ last: 'fy2025' }, 'month', '2025-01 2025-12'],
    [{ last: 'fy2025', fyStart: 1 }, 'month', '2025-01 2025-12'],
    [{ last: 'fy2025', fyStart: 4 }, 'month', '2024-04 2025-03'],
    [{ last: 'fy2025', fyStart: 12 }, 'month', '2024-12 2025-11'],
    [{ last: 'fy2025', fyStart: 4 }, 'quarter', '2024-Q2 2025-Q1'],
    [{ last: 'fy2025' }, 'year', '2025 2025'],
    [{ last: 'ytd' }, 'month', '2026-01 2026-02'],
    // The running fiscal year began last April, or in February itself.
    [{ last: 'ytd', fyStart: 4 }, 'month', '2025-04 2026-02'],
    [{ last: 'ytd', fyStart: 2 }, 'month', '2026-02 2026-02'],
    [{ last: 'ytd', fyStart: 3 }, 'month', '2025-03 2026-02'],
    [{ from: ' 2026-01 ', to: '2026-01' }, 'month', '2026-01 2026-01'],
    [{ from: '2025', to: '2026-Q1' }, 'month', '2025-01 2026-03'],
    [{ last: ' 2 ' }, 'month', '2025-12 2026-01'],
    [{ last: '1', to: '2025-06' }, 'month', '2025-06 2025-06'],
    [{ last: '2', includeCurrent: true }, 'month', '2026-01 2026-02'],
  ] as const)('%j by %s', (words, type, expected) => {
    expect(range(words, type)).toBe(expected);
  });

  test.each([
    [{ from: '2026-02', to: '2026-01' }, 'month', 'to must not be before from (2026-02), got 2026-01 (undefined)'],
    [{ includeCurrent: true }, 'month', 'includeCurrent is for last without to (omit it)'],
    [{ last: '2', to: '2025', includeCurrent: true }, 'month', 'includeCurrent is for last without to (omit it)'],
    [{ last: '2', from: '2025' }, 'month', 'from and last both say where the series begins (give one of them)'],
    [{ last: '999999' }, 'month', 'last 999999 begins before the year 0000 (undefined)'],
    [{ fyStart: 4 }, 'month', 'fyStart needs last ytd or fy2026 (omit it, or add one of them)'],
    [
      { last: 'fy2025', from: '2024' },
      'month',
      'last fy2025 and from both say which periods to read (give one of them)',
    ],
    [{ last: 'ytd', to: '2026' }, 'month', 'last ytd and to both say which periods to read (give one of them)'],
    [
      { last: 'fy25' },
      'month',
      'last must be a number of periods such as 18, or 18m, 8q, 3y, ytd or fy2026, got "fy25" (undefined)',
    ],
    [
      { last: 'fy2025', fyStart: 2 },
      'quarter',
      'fyStart 2: fiscal years do not align with quarters, since no quarter begins in that month (read it by month)',
    ],
    [
      { last: 'fy2025', fyStart: 4 },
      'year',
      'fyStart 4: fiscal years do not align with years, since no year begins in that month (read it by month)',
    ],
  ] as const)('%j by %s are refused', (words, type, says) => {
    try {
      range(words, type);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      expect(`${error.message} (${error.hint})`).toBe(says);
    }
  });

  test('a count or a year is of what is derived, and bounds are as they are', () => {
    const now = new Date('2026-02-15T00:00:00Z');
    const read = (words: RangeWords, type: PeriodType) => {
      const { from, to } = rangeOfMonths(words, type, now);
      return `${from && formatPeriod(from)} ${to && formatPeriod(to)}`;
    };
    expect(read({ last: '2' }, 'quarter')).toBe('2025-07 2025-12');
    expect(read({ last: '2' }, 'month')).toBe('2025-12 2026-01');
    expect(read({ last: 'fy2025' }, 'quarter')).toBe('2025-01 2025-12');
    expect(read({ last: 'ytd' }, 'quarter')).toBe('2026-01 2026-03');
    expect(read({ from: '2025-02', to: '2025-05' }, 'quarter')).toBe('2025-02 2025-05');
    expect(read({}, 'year')).toBe('undefined undefined');
  });
});

test('actuals of a month that has not ended are marked, and nothing else', () => {
  const rows = [item({}), item({}, { periodKey: '2026-02' }), item({}, { periodKey: '2026-03', version: 'budget' })];
  expect(markRunning(rows, '2026-02')).toEqual([rows[0], { ...rows[1], months: '0/1' }, rows[2]]);
  expect(markRunning(rows, '2026-04')).toBe(rows);
});

describe('rows in other shapes', () => {
  const measured = new Map([
    ['mrr', { unit: 'currency', currency: 'EUR' }],
    ['churn', { unit: 'percent', currency: null }],
  ]);

  test('have one value each, in the order of the metrics', () => {
    const rows = [...longRows(item({ mrr: null, churn: 2 }, { source: 's' }), ['churn', 'mrr', 'heads'], measured)];
    expect(rows.map(({ metricId, value, unit, currency }) => [metricId, value, unit, currency])).toEqual([
      ['churn', 2, 'percent', null],
      ['mrr', null, 'currency', 'EUR'],
    ]);
    expect(rows[0]).toMatchObject({ ...place, sourceBoundary: 'company_internal', source: 's' });
    expect(rows[0]).not.toHaveProperty('months');
    expect(rows[0]).not.toHaveProperty('derived');
  });

  test('say how many months a value is derived from', () => {
    const quarter: SeriesItem = {
      ...{ periodKey: '2026-Q1', periodType: 'quarter', version: 'actual', metrics: { mrr: 1, churn: 2 } },
      ...{ derived: true, months: '3/3', incomplete: { churn: '2/3' } },
    };
    const months = (row: SeriesItem) =>
      [...longRows(row, ['mrr', 'churn'], measured)].map((one) => [one.derived, one.months]);
    expect(months(quarter)).toEqual([
      [true, '3/3'],
      [true, '2/3'],
    ]);
    expect(months({ ...quarter, months: '0/3' })).toEqual([
      [true, '0/3'],
      [true, '0/3'],
    ]);
    expect(months({ ...item({ mrr: 1 }), months: '0/1' })).toEqual([[undefined, '0/1']]);
  });
});
