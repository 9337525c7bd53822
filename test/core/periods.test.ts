import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addPeriods,
  comparePeriods,
  endMonth,
  firstWithin,
  formatPeriod,
  lastWithin,
  monthsIn,
  type Period,
  parsePeriod,
  periodAt,
  periodHolding,
  periodRange,
  periodTypes,
  startMonth,
  writtenPeriod,
} from '../../src/core/periods.ts';

const read = (text: string): Period => {
  const period = parsePeriod(text);
  if (!period) throw new Error(`${text} is no period`);
  return period;
};

const anyPeriod = fc
  .record({ type: fc.constantFrom(...periodTypes), month: fc.integer({ min: 0, max: 9999 * 12 + 11 }) })
  .map(({ type, month }): Period => ({ type, index: Math.floor(month / monthsIn[type]) }));

describe('parsePeriod', () => {
  it.each([
    ['2006-01', { type: 'month', index: 2006 * 12 }],
    ['2006-12', { type: 'month', index: 2006 * 12 + 11 }],
    ['2006-Q1', { type: 'quarter', index: 2006 * 4 }],
    ['2006-q4', { type: 'quarter', index: 2006 * 4 + 3 }],
    ['2006', { type: 'year', index: 2006 }],
    ['0000', { type: 'year', index: 0 }],
  ])('reads %s', (text, period) => expect(parsePeriod(text)).toEqual(period));

  it.each(['2006-13', '2006-00', '2006-1', '2006-Q5', '2006-Q0', '06', '2006-01-01', ' 2006', '', 'Q1', '2006Q1'])(
    'refuses "%s"',
    (text) => expect(parsePeriod(text)).toBeUndefined(),
  );

  it('reads back whatever formatPeriod writes', () => {
    fc.assert(
      fc.property(anyPeriod, (period) => {
        expect(parsePeriod(formatPeriod(period))).toEqual(period);
      }),
    );
  });
});

describe('writtenPeriod', () => {
  it.each([
    ['2025-Q4', ['2025-Q4 (2/3)', 'Q4-2025', '2025Q4', 'q4 2025', '2025 q4', '2025/Q4']],
    [
      '2025-03',
      [
        '2025-03 (running)',
        '2025-3',
        '3/2025',
        '03-2025',
        '2025/03',
        '2025M03',
        'Mar 2025',
        '2025-march',
        'March 2025',
      ],
    ],
  ])('writes %s as the API does', (period, texts) => {
    expect(texts.map(writtenPeriod)).toEqual(texts.map(() => period));
  });

  it.each([
    '2025',
    '202503',
    '20253',
    '2025-13',
    '2025-Q5',
    'ma 2025',
    'Q4',
    '2025-03-01',
    '',
    '3/25',
    'fy2026',
    '2025-q4',
  ])('leaves "%s"', (text) => expect(writtenPeriod(text)).toBe(text));
});

describe('formatPeriod', () => {
  it('writes the API’s own form', () => {
    expect(formatPeriod(read('2006-q3'))).toBe('2006-Q3');
    expect(formatPeriod({ type: 'month', index: 11 })).toBe('0000-12');
  });

  it('refuses years that have no text', () => {
    expect(() => formatPeriod({ type: 'month', index: -1 })).toThrow(RangeError);
    expect(() => formatPeriod({ type: 'year', index: 10000 })).toThrow(RangeError);
  });
});

describe('arithmetic', () => {
  it('crosses years', () => {
    expect(formatPeriod(addPeriods(read('2006-11'), 3))).toBe('2007-02');
    expect(formatPeriod(addPeriods(read('2006-Q1'), -1))).toBe('2005-Q4');
  });

  it('lists periods of one grain', () => {
    expect([...periodRange(read('2006-Q3'), read('2007-Q1'))].map(formatPeriod)).toEqual([
      '2006-Q3',
      '2006-Q4',
      '2007-Q1',
    ]);
    expect([...periodRange(read('2007'), read('2006'))]).toEqual([]);
  });

  it('does not mix grains', () => {
    expect(() => [...periodRange(read('2006'), read('2006-01'))]).toThrow('not the same grain');
  });

  it('orders by beginning, then by length', () => {
    const sorted = ['2007', '2006-Q2', '2006', '2006-04', '2006-Q1', '2006-01'].map(read).sort(comparePeriods);
    expect(sorted.map(formatPeriod)).toEqual(['2006-01', '2006-Q1', '2006', '2006-04', '2006-Q2', '2007']);
  });
});

describe('grains', () => {
  it('knows what lies in what', () => {
    const quarter = read('2006-Q2');
    expect(firstWithin(quarter, 'month')).toEqual(read('2006-04'));
    expect(lastWithin(quarter, 'month')).toEqual(read('2006-06'));
    expect(firstWithin(quarter, 'year')).toBeUndefined();
    expect(lastWithin(read('2019'), 'quarter')).toEqual(read('2019-Q4'));
    expect(periodHolding(read('2006-12'), 'quarter')).toEqual(read('2006-Q4'));
    expect(periodHolding(quarter, 'month')).toBeUndefined();
  });

  it('holds whatever lies within', () => {
    fc.assert(
      fc.property(anyPeriod, fc.constantFrom(...periodTypes), (period, type) => {
        const first = firstWithin(period, type);
        const last = lastWithin(period, type);
        if (!first || !last) {
          expect(monthsIn[type]).toBeGreaterThan(monthsIn[period.type]);
          return;
        }
        expect(startMonth(first)).toBe(startMonth(period));
        expect(endMonth(last)).toBe(endMonth(period));
        expect(periodHolding(first, period.type)).toEqual(period);
        expect(periodHolding(last, period.type)).toEqual(period);
      }),
    );
  });

  it('takes instants in UTC', () => {
    expect(periodAt(new Date('2024-12-31T23:30:00-05:00'), 'month')).toEqual(read('2025-01'));
    expect(periodAt(new Date('2024-12-31T23:59:59Z'), 'quarter')).toEqual(read('2024-Q4'));
    expect(periodAt(new Date('2024-06-01T00:00:00Z'), 'year')).toEqual(read('2024'));
  });
});
