import { describe, expect, it } from 'vitest';
import { ExactNumber, numeric } from '../../../src/core/json.ts';
import {
  autoScale,
  digitsOf,
  fixed,
  groupsOf,
  isMaterial,
  parseMaterial,
  scaled,
  withSum,
} from '../../../src/domain/analysis/board.ts';
import type { AnalysisItem } from '../../../src/domain/analysis/points.ts';

describe('what has to be explained', () => {
  const material = (text: string, difference: string, plan: string) => {
    const limits = parseMaterial(text);
    if (!limits) throw new Error(text);
    return isMaterial(numeric(difference), numeric(plan), limits);
  };

  it.each([
    ['10%', '10', '100', true],
    ['10%', '9.999999999999999999', '100', false],
    ['10%', '-10', '-100', true],
    // 0.1 * 0.3 is not 0.03 in doubles.
    ['10%', '0.03', '0.3', true],
    ['33.3%', '333000000000000000001', '1000000000000000000000', true],
    ['33.3%', '332999999999999999999', '1000000000000000000000', false],
    ['10000', '10000', '1', true],
    ['10000', '-9999.99', '1', false],
    ['10% and 10000', '10000', '100000', true],
    ['10% and 10000', '10000', '100001', false],
    ['10% and 10000', '9999', '1', false],
    ['10% or 10000', '10000', '100001', true],
    ['10% or 10000', '9999', '1', true],
    ['10% or 10000', '9', '100', false],
    ['10%', '1', '0', true],
    ['0%', '0', '100', false],
    ['0', '0', '0', false],
  ])('%s of a difference of %s from %s: %s', (text, difference, plan, expected) => {
    expect(material(text, difference, plan)).toBe(expected);
  });

  it('is nothing that was not compared', () => {
    const limits = { limits: [{ amount: 0, relative: true }], joined: 'and' as const };
    expect(isMaterial(null, 5, limits)).toBe(false);
    expect(isMaterial(5, null, limits)).toBe(false);
  });

  it.each(['', '10 %  and', 'and 10', '10% and 5 or 3', '10%%', '-5', 'ten', '10% 5', '1e3'])(
    'does not read %j',
    (text) => {
      expect(parseMaterial(text)).toBeUndefined();
    },
  );
});

it('rounds exactly, half away from zero, to fixed digits', () => {
  expect(fixed(1.25, 1)).toBe('1.3');
  expect(fixed(-1.25, 1)).toBe('-1.3');
  expect(fixed(1.005, 2)).toBe('1.01');
  expect(fixed(2, 1)).toBe('2.0');
  expect(fixed(2.5, 0)).toBe('3');
  expect(fixed(-0.04, 1)).toBe('0.0');
  expect(fixed(new ExactNumber('12345678901234567890.15'), 1)).toBe('12345678901234567890.2');
});

it('scales exactly, all amounts alike', () => {
  expect(scaled(1234.5, 'k')).toBe(1.2345);
  expect(scaled(1234.5, 'none')).toBe(1234.5);
  expect(String(scaled(new ExactNumber('12345678901234567890'), 'M'))).toBe('12345678901234.56789');
  expect(autoScale([])).toBe('none');
  expect(autoScale([-99_999.99])).toBe('none');
  expect(autoScale([1, -100_000])).toBe('k');
  expect(autoScale([99_999_999])).toBe('k');
  expect(autoScale([5, 100_000_000])).toBe('M');
  expect([digitsOf([1.42, 2.5], 'none', undefined), digitsOf([1.6234], 'none', undefined)]).toEqual([2, 2]);
  expect([digitsOf([1, 2], 'none', 1), digitsOf([1, 2.5], 'none', 1), digitsOf([1000], 'k', 2)]).toEqual([0, 1, 2]);
});

describe('subtotals', () => {
  const flow = { aggregation: 'sum', semantics: 'flow', unit: 'USD' };

  it('join flows of one meaning, unit and direction only', () => {
    const metrics = [
      { id: 'sales', ...flow, direction: 'down' },
      { id: 'arr', aggregation: 'last', semantics: 'point_in_time', unit: 'USD', direction: 'up' },
      { id: 'hires', ...flow, unit: 'people', direction: 'down' },
      { id: 'revenue', ...flow, direction: 'up' },
      { id: 'research', ...flow, direction: 'down' },
      { id: 'mrr', aggregation: 'last', semantics: 'point_in_time', unit: 'USD', direction: 'up' },
    ];
    expect(groupsOf(metrics).map(({ name, metrics: own }) => [name, own.map(({ id }) => id)])).toEqual([
      ['flow, USD, down', ['sales', 'research']],
      [undefined, ['arr']],
      ['flow, people, down', ['hires']],
      ['flow, USD, up', ['revenue']],
      [undefined, ['mrr']],
    ]);
  });

  it('are exact, marked as partial, and missing where a part is', () => {
    const item = (metrics: Record<string, unknown>, incomplete?: Record<string, string>) =>
      ({
        ...{ periodKey: '2026-Q1', periodType: 'quarter', version: 'actual', source: null, updatedAt: null },
        metrics,
        ...(incomplete && { incomplete }),
      }) as AnalysisItem;
    const sums = withSum(
      [
        item({ a: 0.1, b: 0.2, c: 9 }),
        item({ a: 1, b: 2 }, { a: '2/3', b: '1/3' }),
        item({ a: 1, b: null }),
        item({ a: 1 }),
      ],
      ['a', 'b'],
      'sum',
    );
    expect(sums.map(({ metrics }) => metrics.sum)).toEqual([0.3, 3, undefined, undefined]);
    expect(sums.map(({ incomplete }) => incomplete?.sum)).toEqual([undefined, '1/3', undefined, undefined]);
  });
});
