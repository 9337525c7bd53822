import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/core/json.ts';
import { gaps } from '../../../src/domain/analysis/gaps.ts';
import { cagr, changes, trailingAverages } from '../../../src/domain/analysis/growth.ts';
import { type Reading, restatements } from '../../../src/domain/analysis/restatements.ts';
import { fails, parseFailOn, variance } from '../../../src/domain/analysis/variance.ts';

describe('variance', () => {
  const of = (actual: number | null | undefined, plan: number | null | undefined, direction: string | null = 'up') =>
    variance('mrr', '2026-01', actual, plan, direction);

  it('is actual minus plan, exact, with its share of the plan', () => {
    expect(of(0.3, 0.1)).toMatchObject({ difference: 0.2, ratio: 2, verdict: 'good', note: '' });
    expect(of(90, 100)).toMatchObject({ difference: -10, ratio: -0.1, verdict: 'bad' });
    expect(of(90, 100, 'down')).toMatchObject({ verdict: 'good' });
    expect(of(-50, -100)).toMatchObject({ difference: 50, ratio: 0.5, verdict: 'good' });
    expect(of(100, 100)).toMatchObject({ difference: 0, verdict: 'even' });
  });

  it('explains what cannot be said', () => {
    expect(of(5, 0)).toMatchObject({
      difference: 5,
      ratio: null,
      verdict: 'good',
      note: 'the plan is zero: no percentage',
    });
    expect(of(undefined, 5)).toMatchObject({ difference: null, verdict: 'unknown', note: 'no actual' });
    expect(of(null, undefined)).toMatchObject({ note: 'actual is null, no plan' });
    expect(of(5, 4, null)).toMatchObject({
      difference: 1,
      verdict: 'unknown',
      note: expect.stringMatching(/no direction/),
    });
    expect(of(0, 5)).toMatchObject({ difference: -5, ratio: -1 });
  });

  it('reads and applies thresholds', () => {
    const rule = parseFailOn('bad > 10%');
    if (!rule) throw new Error('unreadable');
    expect(fails(of(89, 100), rule)).toBe(true);
    expect(fails(of(90, 100), rule)).toBe(false);
    expect(fails(of(150, 100), rule)).toBe(false);
    expect(fails(of(-1, 0), rule)).toBe(true);
    expect(fails(of(undefined, 100), rule)).toBe(false);
    expect(parseFailOn('any >= 5')).toEqual({ verdict: 'any', operator: '>=', amount: 5, relative: false });
    expect(parseFailOn('worse > 5')).toBeUndefined();
  });
});

describe('growth', () => {
  const points = [100, 110, null, 0, 50].map((value, index) => ({ index, value }));

  it('compares with the period before', () => {
    expect(changes(points, 1).map((change) => [change.difference, change.ratio, change.note])).toEqual([
      [null, null, 'no base period'],
      [10, 0.1, ''],
      [null, null, 'the value is null'],
      [null, null, 'the base is null'],
      [50, null, 'the base is zero: no percentage'],
    ]);
    expect(changes(points, 4)[4]).toMatchObject({ base: 100, difference: -50, ratio: -0.5 });
  });

  it('compounds over years', () => {
    const doubled = [
      { index: 0, value: 100 },
      { index: 24, value: 400 },
    ];
    expect(cagr(doubled, 12)).toEqual({ ratio: 1, years: 2, note: '' });
    expect(
      cagr(
        [
          { index: 0, value: 0 },
          { index: 12, value: 5 },
        ],
        12,
      ).ratio,
    ).toBeNull();
    expect(cagr([{ index: 0, value: 5 }], 12)).toMatchObject({ ratio: null });
  });

  it('averages only full windows', () => {
    const whole = [0.1, 0.2, 0.3, 0.6].map((value, index) => ({ index, value }));
    expect(trailingAverages(whole, 3).map((point) => point.value)).toEqual([null, null, 0.2, 0.366666666666667]);
    expect(trailingAverages(points, 2).map((point) => point.value)).toEqual([null, 105, null, null, 25]);
  });
});

describe('gaps', () => {
  const now = new Date('2026-03-31T00:00:00Z');

  it('finds holes, nulls, stale and repeated values', () => {
    const points = [
      { index: 1, value: 5 },
      { index: 2, value: null },
      { index: 5, value: 7 },
      { index: 6, value: 7 },
      { index: 7, value: 7, updatedAt: '2026-01-01T00:00:00Z' },
    ];
    expect(gaps(points, { from: 0, to: 8, now, staleAfterDays: 60, repeatedFrom: 3 })).toEqual([
      { kind: 'missing', from: 0, to: 0, detail: 'no row' },
      { kind: 'missing', from: 3, to: 4, detail: 'no row' },
      { kind: 'missing', from: 8, to: 8, detail: 'no row' },
      { kind: 'null', from: 2, to: 2, detail: 'the value is null' },
      { kind: 'stale', from: 7, to: 7, detail: 'last written 89 days ago, on 2026-01-01' },
      { kind: 'repeated', from: 5, to: 7, detail: '7 3 times in a row' },
    ]);
  });

  it('says none for a metric without values, and nothing for a full series or one that lies at zero', () => {
    expect(gaps([], { from: 0, to: 3, now })).toMatchObject([{ kind: 'none' }]);
    const zeros = [0, 1, 2, 3].map((index) => ({ index, value: 0 }));
    expect(gaps(zeros, { from: 0, to: 3, now, repeatedFrom: 2 })).toEqual([]);
  });
});

describe('restatements', () => {
  const reading = (periodKey: string, value: Reading['value']): Reading => ({
    periodKey,
    periodType: 'month',
    version: 'actual',
    metricId: 'mrr',
    value,
  });

  it('tells added, removed and changed apart, and 1.10 from 1.1 not at all', () => {
    const before = [reading('2026-01', 100), reading('2026-02', new ExactNumber('1.10')), reading('2026-03', null)];
    const after = [reading('2026-01', 99.9), reading('2026-02', 1.1), reading('2026-04', 7)];
    expect(restatements(before, after)).toMatchObject([
      { kind: 'changed', periodKey: '2026-01', before: 100, after: 99.9, difference: -0.1, ratio: -0.001 },
      { kind: 'removed', periodKey: '2026-03', before: null, after: undefined, difference: null },
      { kind: 'added', periodKey: '2026-04', before: undefined, after: 7, difference: null },
    ]);
  });
});
