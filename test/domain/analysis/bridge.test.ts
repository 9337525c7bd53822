import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../../../src/core/json.ts';
import { bridgeOf, changesBetween, flowBetween } from '../../../src/domain/analysis/difference.ts';

const text = (value: unknown) => (value === null ? null : String(value));
const ends = (from: number, to: number) => ({ from: { name: 'start', value: from }, to: { name: 'end', value: to } });

describe('a bridge', () => {
  const rows = (from: number, to: number, changes: [string, number][]) =>
    bridgeOf(
      ends(from, to),
      changes.map(([name, value]) => ({ name, value })),
    ).map(({ name, kind, value, running, percent }) => [name, kind, text(value), text(running), text(percent)]);

  test('leads from one value to the other', () => {
    expect(
      rows(100, 130, [
        ['new', 50],
        ['lost', -20],
      ]),
    ).toEqual([
      ['start', 'start', '100', '100', null],
      ['new', 'step', '50', '150', '50'],
      ['lost', 'step', '-20', '130', '-20'],
      ['end', 'end', '130', '130', '30'],
    ]);
  });

  test('says what its steps do not explain', () => {
    expect(rows(100, 130, [['new', 40]])).toEqual([
      ['start', 'start', '100', '100', null],
      ['new', 'step', '40', '140', '40'],
      ['other', 'rest', '-10', '130', '-10'],
      ['end', 'end', '130', '130', '30'],
    ]);
    expect(
      rows(0.3, 0.6, [
        ['a', 0.1],
        ['b', 0.2],
      ]).map(([name]) => name),
    ).toEqual(['start', 'a', 'b', 'end']);
    expect(rows(5, 5, [])).toHaveLength(2);
  });

  test('has percentages of the size of the start, and none of zero', () => {
    expect(rows(-50, -25, [['x', 25]]).map((row) => row[4])).toEqual([null, '50', '50']);
    expect(rows(0, 10, [['x', 10]]).map((row) => row[4])).toEqual([null, null, null]);
  });
});

const points = [
  { index: 1, value: 10 },
  { index: 2, value: new ExactNumber('12.50') },
  { index: 3, value: null },
  { index: 5, value: 9 },
  { index: 6, value: 11 },
];

describe('the changes of a series', () => {
  test('are against the value before, however far that is', () => {
    const found = changesBetween(points, 1, 6).map(({ since, index, value }) => [since, index, text(value)]);
    expect(found).toEqual([
      [1, 2, '2.5'],
      [2, 5, '-3.5'],
      [5, 6, '2'],
    ]);
  });

  test('begin and end within the bounds', () => {
    expect(changesBetween(points, 2, 5).map(({ index }) => index)).toEqual([5]);
    expect(changesBetween(points, 1, 1)).toEqual([]);
    expect(changesBetween([], 1, 6)).toEqual([]);
  });
});

describe('the flow between two periods', () => {
  test('is the sum after the first up to the last', () => {
    expect(text(flowBetween(points, 1, 2).value)).toBe('12.5');
    expect(text(flowBetween(points, 4, 6).value)).toBe('20');
    expect(text(flowBetween(points, 6, 6).value)).toBe('0');
  });

  test('says which period has no value', () => {
    expect(flowBetween(points, 1, 6)).toEqual({ missing: 3 });
    expect(flowBetween(points, 3, 6)).toEqual({ missing: 4 });
  });
});
