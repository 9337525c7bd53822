import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/core/json.ts';
import { cagr, changes, fails, parseFailOn, percent, variance } from '../../../src/domain/analysis/difference.ts';
import { gaps } from '../../../src/domain/analysis/gaps.ts';
import { sparkline } from '../../../src/domain/analysis/sparkline.ts';

describe('variance', () => {
  const of = (actual: number | null | undefined, plan: number | null | undefined, direction: string | null = 'up') =>
    variance({ actual, plan, planName: 'plan', direction });

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
    const atLeast = parseFailOn('bad >= 10%');
    const any = parseFailOn('any');
    if (!atLeast || !any) throw new Error('unreadable');
    expect([fails(of(90, 100), atLeast), fails(of(91, 100), atLeast)]).toEqual([true, false]);
    expect([fails(of(1, 100), any), fails(of(100, 100), any), fails(of(null, 1), any)]).toEqual([true, false, false]);
    expect([fails(of(5, 4, null), any), fails(of(1, 0), rule)]).toEqual([true, false]);
    expect(fails(of(100, 100), { ...any, operator: '>=' })).toBe(false);
    expect(parseFailOn('any >= 5')).toEqual({ verdict: 'any', operator: '>=', amount: 5, relative: false });
    expect(parseFailOn('worse > 5')).toBeUndefined();
  });
});

describe('growth', () => {
  const points = [100, 110, null, 0, 50].map((value, index) => ({ index, value }));

  it('compares with the previous period', () => {
    expect(changes(points, 1).map((change) => [change.difference, change.ratio, change.note])).toEqual([
      [null, null, 'no complete base period'],
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
    expect(cagr([], 12)).toMatchObject({ ratio: null, years: 0 });
    const unordered = [
      { index: 31, value: null },
      { index: 29, value: 400 },
      { index: 17, value: 1 },
      { index: 5, value: 100 },
    ];
    expect(cagr(unordered, 12)).toEqual({ ratio: 1, years: 2, note: '' });
    const from5 = (value: number) => cagr([doubled[0] ?? { index: 0, value: 1 }, { index: 12, value }], 12).ratio;
    expect([from5(0), from5(-1)]).toEqual([-1, null]);
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
      { kind: 'missing', from: 0, to: 0, detail: 'no value' },
      { kind: 'missing', from: 3, to: 4, detail: 'no value' },
      { kind: 'missing', from: 8, to: 8, detail: 'no value' },
      { kind: 'null', from: 2, to: 2, detail: 'the value is null' },
      { kind: 'stale', from: 7, to: 7, detail: 'last written 89 days ago, on 2026-01-01' },
      { kind: 'repeated', from: 5, to: 7, detail: '7 for 3 periods in a row' },
    ]);
  });

  it('looks only at the range, whatever order the points come in', () => {
    const points = [9, 3, 2, 1].map((index) => ({ index, value: 5 }));
    expect(gaps(points, { from: 2, to: 4, now, repeatedFrom: 2 })).toEqual([
      { kind: 'missing', from: 4, to: 4, detail: 'no value' },
      { kind: 'repeated', from: 2, to: 3, detail: '5 for 2 periods in a row' },
    ]);
    expect(gaps(points, { from: 4, to: 8, now })).toMatchObject([{ kind: 'none', from: 4, to: 8 }]);
  });

  it('is stale by its newest value, and only beyond the days', () => {
    const at = (index: number, updatedAt?: string) => ({ index, value: index, updatedAt });
    const found = (staleAfterDays: number, ...points: ReturnType<typeof at>[]) =>
      gaps(points, { from: 1, to: 2, now, staleAfterDays }).map(({ kind, from }) => `${kind} ${from}`);
    const [old, fresh] = ['2026-03-01T00:00:00Z', '2026-03-30T00:00:00Z'];
    expect([found(30, at(1, old), at(2, old)), found(29, at(1, old), at(2, old))]).toEqual([[], ['stale 2']]);
    expect([found(29, at(2, fresh), at(1, old)), found(29, at(2, old), at(1, fresh))]).toEqual([[], ['stale 2']]);
    expect(found(0, at(1, old), at(2))).toEqual([]);
  });

  it('a run ends at a hole, at another value and never is one of nulls', () => {
    const runsOf = (values: (number | null)[], indexes = values.map((_, index) => index)) =>
      gaps(
        values.map((value, n) => ({ index: indexes[n] ?? n, value })),
        { from: 0, to: 9, now, repeatedFrom: 2 },
      )
        .filter(({ kind }) => kind === 'repeated')
        .map(({ from, to }) => [from, to]);
    expect(runsOf([5, 5, 6, 6, 6])).toEqual([
      [0, 1],
      [2, 4],
    ]);
    expect(runsOf([5, 5], [0, 2])).toEqual([]);
    expect([runsOf([null, null]), runsOf([5, 6, 5])]).toEqual([[], []]);
  });

  it('says none for a metric without values, and nothing for a full series or one that lies at zero', () => {
    expect(gaps([], { from: 0, to: 3, now })).toMatchObject([{ kind: 'none' }]);
    const zeros = [0, 1, 2, 3].map((index) => ({ index, value: 0 }));
    expect(gaps(zeros, { from: 0, to: 3, now, repeatedFrom: 2 })).toEqual([]);
  });
});

it('percent keeps every digit', () => {
  expect([percent(0.07), percent(null)]).toEqual([7, null]);
});

it('a sparkline has blanks for what is not a number, and the middle for a flat line', () => {
  const beyond = new ExactNumber('1e399');
  expect(sparkline([1, undefined, null, beyond, 8], { ascii: true })).toBe('_   #');
  expect([sparkline([3, 3]), sparkline([]), sparkline([beyond])]).toEqual(['▅▅', '', ' ']);
});

it('a sparkline has the lowest level for the least value, however it is rounded', () => {
  const tenths = Array.from({ length: 30 }, (_, at) => (at + 1) / 10);
  const pairs = tenths.flatMap((least) => tenths.map((more) => [least, least + 1 + more]));
  expect(pairs.filter((pair) => sparkline(pair) !== '▁█')).toEqual([]);
});
