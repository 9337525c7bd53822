import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { formatPeriod, type Period, parsePeriod } from '../../../src/core/periods.ts';
import { joinedRows, joinItems } from '../../../src/domain/series/join.ts';
import { joinChunks, planSeries, remainder, type Window } from '../../../src/domain/series/plan.ts';
import { lastUnit, seriesRange } from '../../../src/domain/series/range.ts';

const read = (text: string): Period => {
  const period = parsePeriod(text);
  if (!period) throw new Error(`${text} is no period`);
  return period;
};
const bounds = ({ from, to }: Pick<Window, 'from' | 'to'>) => [from && formatPeriod(from), to && formatPeriod(to)];

describe('planSeries', () => {
  it('is one request where one is enough', () => {
    const request = { periodType: 'month', from: read('2006-01'), to: read('2010-12'), order: 'desc' } as const;
    expect(planSeries(request).map((window) => [...bounds(window), window.chunks])).toEqual([
      ['2006-01', '2010-12', [undefined]],
    ]);
  });

  it('cuts the 61st period off, in the order asked for', () => {
    const request = { periodType: 'month', from: read('2006-01'), to: read('2011-01') } as const;
    expect(planSeries({ ...request, order: 'asc' }).map(bounds)).toEqual([
      ['2006-01', '2010-12'],
      ['2011-01', '2011-01'],
    ]);
    expect(planSeries({ ...request, order: 'desc' }).map(bounds)).toEqual([
      ['2011-01', '2011-01'],
      ['2006-01', '2010-12'],
    ]);
  });

  it('cuts the 51st metric off, each metric once', () => {
    const ids = Array.from({ length: 51 }, (_, index) => `m${index}`);
    const [window] = planSeries({ periodType: 'month', metricIds: [...ids, 'm0', 'm50'], order: 'asc' });
    expect(window?.chunks.map((chunk) => chunk?.length)).toEqual([50, 1]);
    expect(window?.chunks.flat()).toEqual(ids);
  });

  it('leaves an open range to the cursor', () => {
    expect(planSeries({ periodType: 'year', from: read('1900'), order: 'asc' }).map(bounds)).toEqual([
      ['1900', undefined],
    ]);
  });

  it('covers every period once, within the limits', () => {
    const request = fc.record({
      first: fc.integer({ min: 0, max: 3000 }),
      count: fc.integer({ min: 1, max: 500 }),
      ids: fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 130 }),
      order: fc.constantFrom('asc' as const, 'desc' as const),
    });
    fc.assert(
      fc.property(request, ({ first, count, ids, order }) => {
        const from = { type: 'month' as const, index: first };
        const to = { type: 'month' as const, index: first + count - 1 };
        const windows = planSeries({ periodType: 'month', from, to, metricIds: ids, order });
        const covered = windows.flatMap(({ from: a, to: b }) => {
          const size = (b?.index ?? 0) - (a?.index ?? 0) + 1;
          expect(size).toBeLessThanOrEqual(60);
          const run = Array.from({ length: size }, (_, index) => (a?.index ?? 0) + index);
          return order === 'asc' ? run : run.reverse();
        });
        const expected = Array.from({ length: count }, (_, index) => first + index);
        expect(covered).toEqual(order === 'asc' ? expected : expected.reverse());
        for (const { chunks } of windows) {
          expect(chunks.flat()).toEqual(ids);
          for (const chunk of chunks) expect(chunk?.length).toBeLessThanOrEqual(50);
        }
      }),
    );
  });
});

describe('remainder', () => {
  it('is the unfinished window and all that comes after it', () => {
    const request = { periodType: 'month', from: read('2006-01'), to: read('2020-12') } as const;
    const asc = planSeries({ ...request, order: 'asc' });
    const desc = planSeries({ ...request, order: 'desc' });
    const second = (windows: ReturnType<typeof planSeries>) => windows[1] ?? { chunks: [] };
    expect(remainder(second(asc), { ...request, order: 'asc' })).toEqual({ from: '2011-01', to: '2020-12' });
    expect(remainder(second(desc), { ...request, order: 'desc' })).toEqual({ from: '2006-01', to: '2015-12' });
  });
});

interface Row {
  periodKey: string;
  version: string;
  metrics: Record<string, number | null>;
  source?: string | null;
  updatedAt?: string | null;
}

const row = (periodKey: string, version: string, metrics: Row['metrics'] = {}, rest: Partial<Row> = {}): Row => ({
  periodKey,
  version,
  metrics,
  ...rest,
});

async function* pages(rows: Row[], size = 2): AsyncGenerator<Row[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

async function joined(chunks: Row[][], order: 'asc' | 'desc'): Promise<Row[]> {
  const found: Row[] = [];
  const whole = joinChunks(
    chunks.map((rows) => pages(rows)),
    order,
  );
  for await (const part of joinedRows(
    whole,
    ({ version }) => version,
    joinItems,
    () => {},
  ))
    found.push(...part);
  return found;
}

describe('joinChunks', () => {
  it('puts the parts of a row together, and keeps rows that only one chunk has', async () => {
    const a = [
      row('2006-01', 'actual', { mrr: 0 }, { source: 'erp', updatedAt: '2006-02-01T00:00:00Z' }),
      row('2006-01', 'budget', { mrr: 2 }),
      row('2006-03', 'actual', { mrr: null }),
    ];
    const b = [
      row('2006-01', 'actual', { arr: 5 }, { source: 'crm', updatedAt: '2006-02-01T01:00:00+02:00' }),
      row('2006-02', 'forecast', { arr: 6 }),
      row('2006-03', 'actual', { arr: 7 }),
    ];
    expect(await joined([a, b], 'asc')).toEqual([
      row('2006-01', 'actual', { mrr: 0, arr: 5 }, { source: 'erp, crm', updatedAt: '2006-02-01T00:00:00Z' }),
      row('2006-01', 'budget', { mrr: 2 }),
      row('2006-02', 'forecast', { arr: 6 }),
      row('2006-03', 'actual', { mrr: null, arr: 7 }),
    ]);
  });

  it('runs backwards, versions in their own order', async () => {
    const a = [row('2006-Q2', 'forecast', { x: 1 }), row('2006-Q1', 'budget', { x: 2 })];
    const b = [row('2006-Q2', 'budget', { y: 3 }), row('2006-Q1', 'odd', { y: 4 }), row('2006-Q1', 'budget', { y: 5 })];
    expect(await joined([a, b], 'desc')).toEqual([
      row('2006-Q2', 'budget', { y: 3 }),
      row('2006-Q2', 'forecast', { x: 1 }),
      row('2006-Q1', 'budget', { x: 2, y: 5 }),
      row('2006-Q1', 'odd', { y: 4 }),
    ]);
  });

  it('is the same as one answer with all metrics', async () => {
    const cell = fc.record({ month: fc.integer({ min: 0, max: 30 }), version: fc.constantFrom('actual', 'budget') });
    const chunk = fc.uniqueArray(cell, { selector: ({ month, version }) => `${month} ${version}`, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { minLength: 2, maxLength: 4 }), async (chunks) => {
        const key = (month: number) => formatPeriod({ type: 'month', index: month });
        const whole = new Map<string, Row>();
        const answers = chunks.map((cells, index) =>
          cells
            .sort((a, b) => a.month - b.month || a.version.localeCompare(b.version))
            .map(({ month, version }) => row(key(month), version, { [`m${index}`]: month })),
        );
        for (const part of answers.flat()) {
          const id = `${part.periodKey} ${part.version}`;
          const before = whole.get(id);
          whole.set(id, row(part.periodKey, part.version, { ...before?.metrics, ...part.metrics }));
        }
        const expected = [...whole.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
        expect(await joined(answers, 'asc')).toEqual(expected);
      }),
    );
  });

  it('refuses answers that are out of order', async () => {
    const wrong = [row('2006-02', 'actual'), row('2006-01', 'actual')];
    await expect(joined([wrong, []], 'asc')).rejects.toThrow('2006-01 came after 2006-02');
    await expect(joined([[row('soon', 'actual')], []], 'asc')).rejects.toBeInstanceOf(Failure);
  });
});

describe('joinedRows', () => {
  const parts = async (...given: Row[][]) => {
    const said: unknown[] = [];
    const found: Row[][] = [];
    const source = (async function* () {
      yield* given;
    })();
    for await (const rows of joinedRows(
      source,
      ({ version }) => version,
      joinItems,
      (conflict) => said.push(conflict),
    ))
      found.push(rows);
    return { rows: found.flat(), said };
  };

  it('leaves out what came before, over page ends', async () => {
    const [actual, budget] = [row('2006-01', 'actual'), row('2006-01', 'budget')];
    const { rows } = await parts([actual, budget], [budget, row('2006-02', 'budget')]);
    expect(rows).toEqual([actual, budget, row('2006-02', 'budget')]);
  });

  it('keeps the values of every part of a row, within a page and over page ends', async () => {
    const { rows, said } = await parts(
      [row('2006-01', 'actual', { a: 1 }), row('2006-01', 'actual', { b: 2 })],
      [row('2006-01', 'actual', { c: 3, a: 1 })],
      [row('2006-02', 'actual', { a: 4 })],
    );
    expect(rows).toEqual([row('2006-01', 'actual', { a: 1, b: 2, c: 3 }), row('2006-02', 'actual', { a: 4 })]);
    expect(said).toEqual([]);
  });

  it.each([
    ['2024-01-02T00:00:00Z', '2024-01-01T00:00:00Z', 1],
    ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', 2],
    [undefined, '2024-01-02T00:00:00Z', 2],
    [undefined, undefined, 1],
  ])('of different values keeps the one that was written later, and says so (%s, %s)', async (one, two, kept) => {
    const { rows, said } = await parts(
      [row('2006-01', 'actual', { a: 1 }, one === undefined ? {} : { updatedAt: one })],
      [row('2006-01', 'actual', { a: 2 }, two === undefined ? {} : { updatedAt: two })],
    );
    expect(rows.map(({ metrics }) => metrics)).toEqual([{ a: kept }]);
    expect(said).toEqual([{ periodKey: '2006-01', version: 'actual', metricId: 'a' }]);
  });

  it('gives what it holds before a failure', async () => {
    const failing = (async function* () {
      yield [row('2006-01', 'actual')];
      throw new Failure('tryLater', 'gone');
    })();
    const rows = joinedRows(
      failing,
      ({ version }) => version,
      joinItems,
      () => {},
    );
    expect((await rows.next()).value).toEqual([row('2006-01', 'actual')]);
    await expect(rows.next()).rejects.toThrow('gone');
  });
});

describe('seriesRange', () => {
  const newest = read('2024-06');
  const range = (words: Parameters<typeof seriesRange>[0], type: 'month' | 'quarter' | 'year' = 'month') =>
    bounds(seriesRange(words, type, type === 'month' ? newest : read(type === 'quarter' ? '2024-Q2' : '2024')));

  it.each([
    [{}, undefined, undefined],
    [{ from: '2019' }, '2019-01', undefined],
    [{ to: '2019' }, undefined, '2019-12'],
    [{ from: '2019-q2', to: '2019-Q3' }, '2019-04', '2019-09'],
    [{ last: '1' }, '2024-05', '2024-05'],
    [{ last: '1', includeCurrent: true }, '2024-06', '2024-06'],
    [{ last: '18' }, '2022-12', '2024-05'],
    [{ last: '8q' }, '2022-06', '2024-05'],
    [{ last: '1Y', to: '2020-03' }, '2019-04', '2020-03'],
  ])('%j', (words, from, to) => expect(range(words)).toEqual([from, to]));

  it('counts in the grain', () => {
    expect(range({ last: '8' }, 'quarter')).toEqual(['2022-Q2', '2024-Q1']);
    expect(range({ last: '2y', includeCurrent: true }, 'quarter')).toEqual(['2022-Q3', '2024-Q2']);
    expect(range({ from: '2020', to: '2021-Q2' }, 'quarter')).toEqual(['2020-Q1', '2021-Q2']);
  });

  it.each([
    [
      { from: '2019-13' },
      'month',
      'from must be a month such as 2006-01 (a quarter or year, 2006-Q1 or 2006, bounds it too), got "2019-13"',
    ],
    [{ to: '2019-01' }, 'year', 'to must be a year such as 2006, got the month 2019-01'],
    [{ from: '2020-02', to: '2020-01' }, 'month', 'to must not be before from (2020-02), got 2020-01'],
    [{ from: '2020', last: '3' }, 'month', 'from and last both'],
    [{ last: '0' }, 'month', 'got "0"'],
    [{ includeCurrent: true }, 'month', 'includeCurrent is for last without to'],
    [{ includeCurrent: true, last: '3', to: '2020' }, 'month', 'includeCurrent is for last without to'],
    [{ last: '-3' }, 'month', 'got "-3"'],
    [{ last: '3d' }, 'month', 'got "3d"'],
    [{ last: '18m' }, 'quarter', 'last 18m counts months'],
    [{ last: '999999' }, 'month', 'before the year 0000'],
  ] as const)('refuses %j by %s', (words, type, says) => {
    expect(() => range(words, type)).toThrow(says);
    expect(() => range(words, type)).toThrow(Failure);
  });

  it('names the fields as asked', () => {
    const name = (field: string) => `<${field}>`;
    expect(() => seriesRange({ from: 'x' }, 'month', newest, name)).toThrow('<from> must be a month');
    expect(() => seriesRange({ fyStart: 4 }, 'month', newest, name)).toThrow('<fyStart> needs <last> ytd or fy2026');
  });

  it('sees the unit', () => {
    expect([lastUnit('8q'), lastUnit('3Y'), lastUnit('18'), lastUnit(undefined)]).toEqual([
      'quarter',
      'year',
      undefined,
      undefined,
    ]);
  });
});
