/** Groups, aggregates and sort orders against SQLite running the same over the same rows. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNumeric } from '../../../src/core/json.ts';
import { openDatabase } from '../../../src/core/sqlite.ts';
import type { Column, Scope } from '../../../src/domain/expression/typed.ts';
import { aggregates } from '../../../src/domain/query/aggregates.ts';
import { sortedRows, sortOrder } from '../../../src/domain/query/cells.ts';
import { groupKeys, summary } from '../../../src/domain/query/groups.ts';

interface Row {
  id: number;
  amount: number | null;
  name: string | null;
  day: string | null;
  stage: string | null;
  hot: boolean | null;
}

const options = ['Open', 'Term sheet', 'Won'].map((label, index) => ({ id: `o${3 - index}`, label }));
const types = { id: 'number', amount: 'number', name: 'text', day: 'date', stage: 'option', hot: 'boolean' } as const;
const isColumn = (name: string): name is keyof Row => Object.hasOwn(types, name);
const scope: Scope<Row> = {
  names: Object.keys(types),
  now: () => new Date('2024-03-31T12:00:00Z'),
  column: (name): Column<Row> | undefined =>
    isColumn(name) ? { type: types[name], ...(name === 'stage' && { options }), get: (row) => row[name] } : undefined,
};

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const rows = fc
  .array(
    fc.record({
      amount: orNull(fc.integer({ min: -40, max: 40 }).map((n) => n / 4)),
      name: orNull(fc.constantFrom('alpha', 'beta', 'gamma', 'delta')),
      day: orNull(
        fc
          .integer({ min: 0, max: 900 })
          .map((n) => new Date(Date.UTC(2022, 9, 1) + n * 864e5).toISOString().slice(0, 10)),
      ),
      stage: orNull(fc.constantFrom('o1', 'o2', 'o3')),
      hot: orNull(fc.boolean()),
    }),
    { maxLength: 30 },
  )
  .map((all): Row[] => all.map((row, id) => ({ id, ...row })));

const database = await openDatabase(':memory:');
database.exec('create table t (id, amount, name, day, stage, hot)');
const insert = database.prepare('insert into t values (?, ?, ?, ?, ?, ?)');
function store(all: readonly Row[]): void {
  database.exec('delete from t');
  for (const { hot, ...row } of all) insert.run(...Object.values(row), hot === null ? null : Number(hot));
}
const select = (sql: string) => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all() as unknown[][];
};

/** A key in comem's words, and what SQLite orders and shows. */
const stageOrder = "case stage when 'o3' then 0 when 'o2' then 1 when 'o1' then 2 end";
const stageLabel = "case stage when 'o3' then 'Open' when 'o2' then 'Term sheet' when 'o1' then 'Won' end";
const keys = {
  stage: { order: stageOrder, shown: stageLabel },
  name: { order: 'name', shown: 'name' },
  hot: { order: 'hot', shown: 'hot' },
  amount: { order: 'amount', shown: 'amount' },
  'amount * 2 - id': { order: 'amount * 2 - id', shown: 'amount * 2 - id' },
  'day:year': { order: 'substr(day, 1, 4)', shown: 'substr(day, 1, 4)' },
  'day:month': { order: 'substr(day, 1, 7)', shown: 'substr(day, 1, 7)' },
  'day:quarter': {
    order: "substr(day, 1, 4) || '-Q' || ((substr(day, 6, 2) + 2) / 3)",
    shown: "substr(day, 1, 4) || '-Q' || ((substr(day, 6, 2) + 2) / 3)",
  },
  day: { order: 'day', shown: 'day' },
} as const;
type Key = keyof typeof keys;
const someKeys = fc.uniqueArray(fc.constantFrom(...(Object.keys(keys) as Key[])), { maxLength: 3 });

const folds: Record<string, string> = {
  count: 'count(*)',
  'count(amount)': 'count(amount)',
  'sum(amount)': 'sum(amount)',
  'avg(amount)': 'avg(amount)',
  'min(amount)': 'min(amount)',
  'max(day)': 'max(day)',
  'min(name)': 'min(name)',
  'distinct(name)': 'count(distinct name)',
  'distinct(stage)': 'count(distinct stage)',
};

const plain = (value: unknown) =>
  typeof value === 'boolean' ? Number(value) : isNumeric(value) ? Number(value) : value;
const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value);

it('groups and aggregates as SQLite does', async () => {
  await fc.assert(
    fc.asyncProperty(rows, someKeys, fc.boolean(), async (all, by, totals) => {
      store(all);
      const names = Object.keys(folds);
      const asked = {
        keys: by.length === 0 ? [] : groupKeys(by.join(','), scope, '--by'),
        aggregates: aggregates(names.join(', '), scope, '--agg'),
        totals,
      };
      const found = (await summary([all], asked)).rows.map((row) =>
        row.map(({ value: shown }) => rounded(plain(shown))),
      );
      const shown = by.map((key) => keys[key].shown);
      const orders = by.map((key) => `${keys[key].order} nulls last`);
      const tail = by.length === 0 ? '' : ` group by ${shown.map((_, index) => index + 1)} order by ${orders}`;
      const expected = select(`select ${[...shown, ...Object.values(folds)]} from t${tail}`);
      const last = totals ? select(`select ${Object.values(folds)} from t`) : [];
      const heads = by.map((_, index) => (index === 0 ? 'Total' : null));
      expect(found).toEqual([...expected, ...last.map((row) => [...heads, ...row])].map((row) => row.map(rounded)));
    }),
    { numRuns: 150 },
  );
});

it('takes the median of each group', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (all) => {
      const asked = {
        keys: groupKeys('stage', scope, '--by'),
        aggregates: aggregates('median(amount)', scope, '--agg'),
      };
      for (const [stage, median] of (await summary([all], asked)).rows) {
        const values = all
          .filter((row) => (options.find(({ id }) => id === row.stage)?.label ?? null) === stage?.value)
          .flatMap(({ amount }) => amount ?? [])
          .sort((a, b) => a - b);
        const [low, high] = [values[Math.ceil(values.length / 2) - 1], values[Math.floor(values.length / 2)]];
        const expected = low === undefined || high === undefined ? null : (low + high) / 2;
        expect(plain(median?.value)).toBe(expected);
      }
    }),
    { numRuns: 60 },
  );
});

const sortable = fc
  .uniqueArray(fc.constantFrom('stage', 'name', 'hot', 'amount', 'day', 'amount * 2 - id'), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name as Key), fc.boolean()))));

it('sorts as SQLite does, also the first few', async () => {
  await fc.assert(
    fc.asyncProperty(rows, sortable, fc.nat(12), async (all, sort, most) => {
      store(all);
      const order = sortOrder([sort.map(([name, down]) => `${name}${down ? ':desc' : ''}`).join(',')], scope, '--sort');
      const by = sort.map(([name, down]) => `${keys[name].order}${down ? ' desc' : ''} nulls last`);
      const expected = select(`select id from t order by ${[...by, 'id']}`).flat();
      const ids = async (limit: number) => {
        const sorted = await sortedRows([all.slice(0, 3), all.slice(3)], order, limit);
        return sorted.map(({ id }) => id);
      };
      expect(await ids(Number.POSITIVE_INFINITY)).toEqual(expected);
      expect(await ids(most)).toEqual(expected.slice(0, most));
    }),
    { numRuns: 120 },
  );
});

it('sorts text as people do: numbers within it by value, letters of any case together', async () => {
  const names = ['Item 10', 'item 9', 'Äpfel', 'Zebra', 'apfel', null, 'Item 2'];
  const all = names.map((name, id) => ({ id, amount: null, name, day: null, stage: null, hot: null }));
  const sorted = await sortedRows([all], sortOrder(['name'], scope, '--sort'), 100);
  expect(sorted.map(({ name }) => name)).toEqual(['apfel', 'Äpfel', 'Item 2', 'item 9', 'Item 10', 'Zebra', null]);
});

it.each([
  ['sum(name)', 'name is text, and sum takes a number'],
  ['avg', 'avg needs a column'],
  ['sum(amuont)', 'did you mean amount?'],
  ['summe(amount)', 'unknown aggregate "summe"'],
  ['sum(amount), sum(amount)', 'sum(amount) is given twice'],
  ['min(hot)', 'hot is true or false, which has no min'],
  ['count,', 'a name is missing'],
])('refuses --agg %s', (written, says) => {
  expect(() => aggregates(written, scope, '--agg')).toThrow(
    expect.objectContaining({
      kind: 'usage',
      ...(says.startsWith('did') ? { hint: says } : { message: expect.stringContaining(says) }),
    }),
  );
});

it.each([
  ['stge', 'unknown name stge'],
  ['name:month', 'name is text, and :month is for dates'],
  ['day:fortnight', '"fortnight" is not a period'],
  ['3', '3 is not a column'],
])('refuses --by %s', (written, says) => {
  expect(() => groupKeys(written, scope, '--by')).toThrow(says);
});
