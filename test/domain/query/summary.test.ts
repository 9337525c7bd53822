import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { ExactNumber } from '../../../src/core/json.ts';
import type { Column, Scope } from '../../../src/domain/expression/typed.ts';
import { aggregates } from '../../../src/domain/query/aggregates.ts';
import { groupKeys, summary } from '../../../src/domain/query/groups.ts';

interface Row {
  stage: string | null;
  tags: readonly string[] | null;
  day: string | null;
  amount: number | ExactNumber | null;
  name: string | null;
}

const stages = ['Open', 'Won', 'Lost'].map((label, index) => ({ id: `s${index}`, label }));
const tags = ['AI', 'SaaS'].map((label, index) => ({ id: `t${index}`, label }));
const columns: Record<string, Column<Row>> = {
  stage: { type: 'option', options: stages, get: (row) => row.stage },
  tags: { type: 'options', options: tags, get: (row) => row.tags },
  day: { type: 'date', get: (row) => row.day },
  amount: { type: 'number', get: (row) => row.amount },
  name: { type: 'text', get: (row) => row.name },
};
const scope: Scope<Row> = {
  names: Object.keys(columns),
  now: () => new Date('2026-03-31T12:00:00Z'),
  column: (name) => (Object.hasOwn(columns, name) ? columns[name] : undefined),
};

const row = (given: Partial<Row>): Row => ({ stage: null, tags: null, day: null, amount: null, name: null, ...given });
const rows = [
  row({ stage: 's1', day: '2026-01-05', amount: 10, tags: ['t0', 't1'], name: 'b' }),
  row({ stage: 's0', day: '2026-01-11', amount: 2.5, tags: ['t1'], name: 'a' }),
  row({ stage: 's1', day: '2026-01-12', amount: new ExactNumber('0.10') }),
  row({ stage: 's1', day: '2025-12-31', name: 'b' }),
  row({ amount: 4, tags: [] }),
];

interface Asked {
  by?: string;
  agg?: string;
  pivot?: string;
  sort?: string[];
  totals?: boolean;
  allKnown?: boolean;
}

async function* pagesOf(all: readonly Row[]) {
  yield all.slice(0, 2);
  yield all.slice(2);
}

async function table({ by = '', agg = 'count', ...asked }: Asked, all: readonly Row[] = rows) {
  const keys = by === '' ? [] : groupKeys(by, scope, '--by');
  const found = await summary(pagesOf(all), { keys, aggregates: aggregates(agg, scope, '--agg'), ...asked });
  const shown = found.rows.map((cells) => cells.map((cell) => (cell.value === null ? null : String(cell.value))));
  return { heads: found.columns.map(({ label }) => label), rows: shown, totals: found.totalRows };
}

async function refusal(asked: Asked): Promise<string> {
  const failure = await table(asked).catch((error: unknown) => error);
  if (failure instanceof Failure && failure.kind === 'usage') return `${failure.message} (${failure.hint ?? ''})`;
  throw failure;
}

describe('groups', () => {
  test('of options are in their order, what is empty last', async () => {
    expect(await table({ by: 'stage' })).toEqual({
      heads: ['stage', 'count'],
      rows: [
        ['Open', '1'],
        ['Won', '3'],
        [null, '1'],
      ],
      totals: 0,
    });
  });

  test('of a single key may be all options; of two only what rows have', async () => {
    expect((await table({ by: 'stage', allKnown: true })).rows.map(([stage]) => stage)).toEqual([
      ...['Open', 'Won', 'Lost'],
      null,
    ]);
    expect((await table({ by: 'stage,name', allKnown: true })).rows).toHaveLength(4);
    expect((await table({ by: 'stage' }, [])).rows).toEqual([]);
    expect((await table({ by: 'stage', allKnown: true }, [])).rows).toEqual([
      ['Open', '0'],
      ['Won', '0'],
      ['Lost', '0'],
    ]);
  });

  test('hold a row with two tags twice; no tags are empty', async () => {
    expect((await table({ by: 'tags', agg: 'count, sum(amount)' })).rows).toEqual([
      ['AI', '1', '10'],
      ['SaaS', '2', '12.5'],
      [null, '3', '4.1'],
    ]);
    expect((await table({ by: 'stage, tags' })).rows).toContainEqual(['Won', 'AI', '1']);
  });

  test.each([
    ['day', ['2025-12-31', '2026-01-05', '2026-01-11', '2026-01-12', null]],
    ['week', ['2025-12-29', '2026-01-05', '2026-01-12', null]],
    ['month', ['2025-12', '2026-01', null]],
    ['quarter', ['2025-Q4', '2026-Q1', null]],
    ['year', ['2025', '2026', null]],
  ])('by %s', async (grain, keys) => {
    const found = await table({ by: `day:${grain}` });
    expect(found.heads).toEqual([`day:${grain}`, 'count']);
    expect(found.rows.map(([key]) => key)).toEqual(keys);
    expect((await table({ by: `day : ${grain}` })).rows).toEqual(found.rows);
  });

  test('without a key are one row, of nothing too', async () => {
    expect(await table({ agg: 'count, sum(amount), min(day)' })).toEqual({
      heads: ['count', 'sum(amount)', 'min(day)'],
      rows: [['5', '16.6', '2025-12-31']],
      totals: 0,
    });
    expect((await table({ agg: 'count, sum(amount), min(day), median(amount)' }, [])).rows).toEqual([
      ['0', null, null, null],
    ]);
  });
});

describe('aggregates', () => {
  test.each([
    ['count(amount)', '4'],
    ['COUNT', '5'],
    ['average(amount)', '4.15'],
    ['mean(amount)', '4.15'],
    ['avg( amount )', '4.15'],
    ['minimum(amount)', '0.10'],
    ['maximum(amount)', '10'],
    ['median(amount)', '3.25'],
    ['distinct(name)', '2'],
    ['distinct(tags)', '2'],
    ['min(stage)', 'Open'],
    ['max(stage)', 'Won'],
    ['min(name)', 'a'],
    ['max(day)', '2026-01-12'],
    ['sum(amount * 2)', '33.2'],
    ['count(stage = Won)', '3'],
    ['count(amount > 2 and stage is not empty)', '2'],
    ['count(stage = Won) / count', '0.6'],
    ['count(stage = Won) * 100 / count', '60'],
    ['sum(amount) / count(amount)', '4.15'],
    ['sum(amount) / (max(amount) - min(amount))', '1.67676767676768'],
    ['count / count(stage = Open and name = "b")', null],
    ['avg(today - day)', '83'],
    ['median(today - day)', '82'],
    ['max(today - day)', '90'],
  ])('%s is %s', async (agg, value) => {
    expect((await table({ agg })).rows).toEqual([[value]]);
  });

  test('of two groups are computed for each group', async () => {
    const found = await table({ by: 'tags', agg: 'count(stage = Won) / count as rate, sum(amount)/count' });
    expect(found.heads).toEqual(['tags', 'rate', 'sum(amount)/count']);
    expect(found.rows).toEqual([
      ['AI', '1', '10'],
      ['SaaS', '0.5', '6.25'],
      [null, '0.666666666666667', '1.36666666666667'],
    ]);
  });

  test('take the column before them, and a name of their own', async () => {
    const found = await table({ agg: 'sum(amount) as total, max, count, min as größte-1' });
    expect(found.heads).toEqual(['total', 'max(amount)', 'count', 'größte-1']);
    expect(found.rows).toEqual([['16.6', '10', '5', '0.10']]);
  });

  test('an odd number of values has one in the middle, whatever their digits', async () => {
    expect((await table({ agg: 'median(amount)' }, rows.slice(0, 3))).rows).toEqual([['2.5']]);
  });

  test('--sort takes a slug for a name, and a name for a slug', async () => {
    const { rows } = await table({ by: 'name', agg: 'count as all_rows', sort: ['All rows:desc', 'NAME'] });
    expect(rows).toEqual([
      ['b', '2'],
      [null, '2'],
      ['a', '1'],
    ]);
  });

  test('round takes digits, and SQL spellings of count are known', async () => {
    const agg =
      'round(100 * count(stage = Won) / count(*), 1) as percent, round(avg(amount)), count(*), count(distinct name)';
    expect(await table({ agg })).toEqual({
      heads: ['percent', 'round(avg(amount))', 'count', 'distinct(name)'],
      rows: [['60', '4', '5', '2']],
      totals: 0,
    });
  });

  test.each([
    ['sum', '--agg: sum needs a column (write sum(COLUMN))'],
    ['count, max', '--agg: max needs a column (write max(COLUMN))'],
    ['smu(amount)', '--agg: unknown aggregate "smu" (did you mean sum?)'],
    [
      'frobnicate(amount)',
      '--agg: unknown aggregate "frobnicate" (they are count, sum, avg, median, min, max, distinct)',
    ],
    ['sum(amount) / 2 + "x"', 'this is no aggregate at column 19'],
    ['min(day) - 1', '- takes numbers at column 10'],
    ['round(min(day))', 'round takes a number at column 7'],
    ['round(count, 0.5)', 'the digits of round are a whole number from 0 to 15 at column 14'],
    ['count(stage = Wonn) / count', 'unknown option "Wonn" of stage at column 15'],
    ['count, count', '--agg: count is given twice ()'],
    ['sum(amount) as n, count as n', '--agg: n is given twice ()'],
  ])('%s is refused', async (agg, says) => {
    expect(await refusal({ agg })).toContain(says);
  });

  test.each([
    ['sum(name)', 'name is text, and sum takes a number'],
    ['avg(stage)', 'stage is an option, and avg takes a number'],
    ['median(day)', 'and median takes a number'],
    ['min(tags)', 'which has no min'],
    ['max(empty(name))', 'which has no max'],
    ['distinct(today - day)', 'is a duration, which has no distinct'],
  ])('%s is refused, for its type', async (agg, says) => {
    expect(await refusal({ agg })).toContain(says);
  });
});

describe('keys that are refused', () => {
  test.each([
    ['day:week2', '"week2" is not a period'],
    ['stage:month', 'stage is an option, and :month is for dates'],
    ['today - day', 'is a duration, which makes no groups'],
    ['1', '1 is not a column'],
  ])('%s', async (by, says) => {
    expect(await refusal({ by })).toContain(says);
  });

  test('say which periods there are, and where the mistake is', async () => {
    expect(await refusal({ by: 'day:moon' })).toContain('periods are day, week, month, quarter, year');
  });
});

describe('totals', () => {
  test('are a last row, which stays last', async () => {
    expect(await table({ by: 'stage,name', agg: 'count, sum(amount)', totals: true, sort: ['count:desc'] })).toEqual({
      heads: ['stage', 'name', 'count', 'sum(amount)'],
      rows: [
        ['Won', 'b', '2', '10'],
        ['Open', 'a', '1', '2.5'],
        ['Won', null, '1', '0.1'],
        [null, null, '1', '4'],
        ['Total', null, '5', '16.6'],
      ],
      totals: 1,
    });
    expect(await table({ by: 'stage', totals: true }, [])).toMatchObject({ rows: [['Total', '0']], totals: 1 });
  });
});

describe('a pivot', () => {
  test('has a column for each value of a key, in the order of the key', async () => {
    expect(await table({ by: 'name,stage', pivot: 'stage' })).toEqual({
      heads: ['name', 'Open', 'Won', '(empty)'],
      rows: [
        ['a', '1', null, null],
        ['b', null, '2', null],
        [null, null, '1', '1'],
      ],
      totals: 0,
    });
  });

  test('names the aggregate where there are several, and has totals of each column', async () => {
    expect(await table({ by: 'stage,name', agg: 'count, sum(amount)', pivot: 'stage', totals: true })).toEqual({
      heads: [
        'name',
        'Open count',
        'Open sum(amount)',
        'Won count',
        'Won sum(amount)',
        '(empty) count',
        '(empty) sum(amount)',
      ],
      rows: [
        ['a', '1', '2.5', null, null, null, null],
        ['b', null, null, '2', '10', null, null],
        [null, null, null, '1', '0.1', '1', '4'],
        ['Total', '1', '2.5', '3', '10.1', '1', '4'],
      ],
      totals: 1,
    });
  });

  test('of the only key is one row', async () => {
    expect(await table({ by: 'stage', pivot: 'stage' })).toMatchObject({
      heads: ['Open', 'Won', '(empty)'],
      rows: [['1', '3', '1']],
    });
    expect(await table({ by: 'stage', pivot: 'stage', totals: true }, [])).toMatchObject({ heads: [], rows: [] });
  });

  test('is put in order by its columns', async () => {
    const sort = ['Won:desc', 'name'];
    expect((await table({ by: 'name,stage', pivot: 'stage', sort })).rows.map(([name]) => name)).toEqual([
      'b',
      null,
      'a',
    ]);
  });

  test('is not put in order by a column that it lacks', async () => {
    expect(await refusal({ by: 'name,stage', pivot: 'stage', sort: ['Wonn'] })).toBe(
      'sort: the result has no column "Wonn" (did you mean Won?)',
    );
  });
});

describe('the order', () => {
  test.each([
    [['sum(amount)'], ['Open', null, 'Won']],
    [['sum(amount):desc'], ['Won', null, 'Open']],
    [['sum(amount):DESC'], ['Won', null, 'Open']],
    [['count , stage:desc'], ['Open', null, 'Won']],
    // What is empty is last in both directions.
    [['stage:desc'], ['Won', 'Open', null]],
    [['stage:asc'], ['Open', 'Won', null]],
    [
      ['count', 'sum(amount):desc'],
      [null, 'Open', 'Won'],
    ],
  ])('%j', async (sort, keys) => {
    const found = await table({ by: 'stage', agg: 'count, sum(amount)', sort });
    expect(found.rows.map(([key]) => key)).toEqual(keys);
  });

  test('of a column that is not there is refused before a row is read', async () => {
    const asked = {
      keys: groupKeys('stage', scope, '--by'),
      aggregates: aggregates('count', scope, '--agg'),
      sort: ['cuont'],
    };
    let isRead = false;
    async function* pages(): AsyncGenerator<Row[]> {
      isRead = true;
      yield [];
    }
    await expect(summary(pages(), asked)).rejects.toMatchObject({
      message: 'sort: the result has no column "cuont"',
      hint: 'did you mean count?',
    });
    expect(isRead).toBe(false);
  });
});
