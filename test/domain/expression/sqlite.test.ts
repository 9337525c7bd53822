/** The evaluator against SQLite running the same condition over the same rows. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import { openDatabase } from '../../../src/core/sqlite.ts';
import { checkCondition } from '../../../src/domain/expression/check.ts';
import { holds } from '../../../src/domain/expression/evaluate.ts';
import type { Column, Scope } from '../../../src/domain/expression/typed.ts';

interface Row {
  id: number;
  amount: number | null;
  rate: number | null;
  name: string | null;
  day: string | null;
  seen: string | null;
  stage: string | null;
  hot: boolean | null;
}

const options = [
  { id: 'o1', label: 'Open' },
  { id: 'o2', label: 'Term sheet' },
  { id: 'o3', label: 'Won' },
];
const now = new Date('2024-03-31T12:00:00Z');
const types = {
  ...{ id: 'number', amount: 'number', rate: 'number', name: 'text', day: 'date', seen: 'time', stage: 'option' },
  hot: 'boolean',
} as const satisfies Record<keyof Row, Column<Row>['type']>;
const isColumn = (name: string): name is keyof Row => Object.hasOwn(types, name);
const scope: Scope<Row> = {
  names: Object.keys(types),
  now: () => now,
  column: (name) =>
    isColumn(name) ? { type: types[name], ...(name === 'stage' && { options }), get: (row) => row[name] } : undefined,
};

const quarter = fc.integer({ min: -40, max: 40 }).map((n) => n / 4);
const day = fc
  .integer({ min: 0, max: 900 })
  .map((n) => new Date(Date.UTC(2022, 9, 1) + n * 86_400_000).toISOString().slice(0, 10));
const instant = fc
  .integer({ min: 0, max: 900 * 24 })
  .map((n) => new Date(Date.UTC(2022, 9, 1) + n * 3_600_000).toISOString());
const word = fc.constantFrom('alpha', 'Beta', 'gamma ray', 'ALPHA', 'b%a');
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const rows = fc.array(
  fc.record({
    ...{ amount: orNull(quarter), rate: orNull(quarter), name: orNull(word), day: orNull(day) },
    ...{ seen: orNull(instant), stage: orNull(fc.constantFrom('o1', 'o2', 'o3')), hot: orNull(fc.boolean()) },
  }),
  { minLength: 1, maxLength: 12 },
);

/** A condition in comem's language and the same in SQL. */
interface Pair {
  text: string;
  sql: string;
}

const operator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=');
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** First and last day of what a date literal names. */
const timeLiteral = fc.oneof(
  day.map((text) => ({ text, first: text, last: text })),
  fc.constantFrom(
    { text: '2023-02', first: '2023-02-01', last: '2023-02-28' },
    { text: '2024-Q1', first: '2024-01-01', last: '2024-03-31' },
    { text: '2023', first: '2023-01-01', last: '2023-12-31' },
    { text: 'today', first: '2024-03-31', last: '2024-03-31' },
    { text: 'today - 30d', first: '2024-03-01', last: '2024-03-01' },
    { text: 'today - 1mo', first: '2024-02-29', last: '2024-02-29' },
    { text: 'month - 1', first: '2024-02-01', last: '2024-02-29' },
    { text: 'year - 1', first: '2023-01-01', last: '2023-12-31' },
    { text: 'quarter - 3mo', first: '2023-10-01', last: '2023-12-31' },
    { text: 'year - 1y', first: '2023-01-01', last: '2023-12-31' },
    { text: '2023-02 + 1mo', first: '2023-03-01', last: '2023-03-31' },
    { text: '2024-Q1 - 6mo', first: '2023-07-01', last: '2023-09-30' },
  ),
);

const timeTest: fc.Arbitrary<Pair> = fc
  .tuple(fc.constantFrom('day', 'seen'), operator, timeLiteral)
  .map(([column, sign, { text, first, last }]) => {
    const dayOf = `substr(${column}, 1, 10)`;
    const sql = {
      '=': `(${dayOf} >= '${first}' and ${dayOf} <= '${last}')`,
      '!=': `not (${dayOf} >= '${first}' and ${dayOf} <= '${last}')`,
      '<': `${dayOf} < '${first}'`,
      '<=': `${dayOf} <= '${last}'`,
      '>': `${dayOf} > '${last}'`,
      '>=': `${dayOf} >= '${first}'`,
    }[sign];
    return { text: `${column} ${sign} ${text}`, sql: sql ?? '' };
  });

const number: fc.Arbitrary<Pair> = fc.letrec<{ number: Pair }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom({ text: 'amount', sql: 'amount' }, { text: 'rate', sql: 'rate' }),
    quarter.map((n) => ({ text: n < 0 ? `(${n})` : String(n), sql: `(${n})` })),
    fc.constantFrom('name', 'lower(name)', 'trim(name)').map((of) => ({ text: `length(${of})`, sql: `length(${of})` })),
    tie('number').map(({ text, sql }) => ({ text: `abs(${text})`, sql: `abs(${sql})` })),
    tie('number').map(({ text, sql }) => ({ text: `(-${text})`, sql: `(-${sql})` })),
    fc.tuple(tie('number'), fc.constantFrom('+', '-', '*'), tie('number')).map(([left, sign, right]) => ({
      text: `(${left.text} ${sign} ${right.text})`,
      sql: `(${left.sql} ${sign} ${right.sql})`,
    })),
  ),
})).number;

const atom: fc.Arbitrary<Pair> = fc.oneof(
  timeTest,
  fc.tuple(number, operator, number).map(([left, sign, right]) => ({
    text: `${left.text} ${sign} ${right.text}`,
    sql: `${left.sql} ${sign} ${right.sql}`,
  })),
  fc.tuple(fc.constantFrom('amount', 'rate'), quarter, quarter).map(([column, from, to]) => ({
    text: `${column} between ${from} and ${to}`,
    sql: `${column} between ${from} and ${to}`,
  })),
  fc.tuple(fc.constantFrom('=', '!='), word).map(([sign, text]) => ({
    text: `name ${sign} ${JSON.stringify(text)}`,
    sql: `name ${sign} ${quoted(text)}`,
  })),
  fc.tuple(fc.constantFrom('lower', 'upper', 'trim'), fc.constantFrom('=', '!='), word).map(([call, sign, text]) => ({
    text: `${call}(name) ${sign} ${JSON.stringify(text)}`,
    sql: `${call}(name) ${sign} ${quoted(text)}`,
  })),
  fc.constantFrom('', 'A', 'a', 'b%').map((text) => ({
    text: `starts(lower(name), "${text}")`,
    sql: `substr(lower(name), 1, ${text.length}) = ${quoted(text)}`,
  })),
  fc.constantFrom('a', 'BETA', 'ray', '%').map((text) => ({
    text: `name contains "${text}"`,
    sql: `instr(lower(name), lower(${quoted(text)})) > 0`,
  })),
  fc
    .constantFrom('al%', '%a', '_eta')
    .map((text) => ({ text: `name like "${text}"`, sql: `name like ${quoted(text)}` })),
  fc.tuple(fc.constantFrom('=', '!='), fc.constantFrom(...options)).map(([sign, { id, label }]) => ({
    text: `stage ${sign} ${label.includes(' ') ? `"${label}"` : label}`,
    sql: `stage ${sign} '${id}'`,
  })),
  fc.constantFrom(
    { text: 'stage in (Open, "Term sheet")', sql: "stage in ('o1', 'o2')" },
    { text: 'stage not in (won)', sql: "stage not in ('o3')" },
    { text: 'stage >= "Term sheet"', sql: "stage in ('o2', 'o3')" },
    { text: 'hot', sql: 'hot' },
    { text: 'hot = false', sql: 'hot = 0' },
    { text: 'today - day > 1y', sql: "day < '2023-03-31'" },
    { text: 'today - day <= 1y', sql: "day >= '2023-03-31'" },
    { text: 'today - day between 2mo and 6mo', sql: "day between '2023-10-01' and '2024-01-31'" },
    { text: 'seen within 30d', sql: "(seen >= '2024-03-01T12:00:00.000Z' and seen <= '2024-03-31T12:00:00.000Z')" },
  ),
  fc.tuple(fc.constantFrom('amount', 'name', 'day', 'stage', 'hot'), fc.boolean()).map(([column, is]) => ({
    text: `${column} is ${is ? '' : 'not '}empty`,
    sql: `${column} is ${is ? '' : 'not '}null`,
  })),
);

const condition: fc.Arbitrary<Pair> = fc.letrec<{ condition: Pair }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    tie('condition').map(({ text, sql }) => ({ text: `not (${text})`, sql: `not (${sql})` })),
    fc.tuple(tie('condition'), fc.constantFrom('and', 'or'), tie('condition')).map(([left, word, right]) => ({
      text: `(${left.text}) ${word} (${right.text})`,
      sql: `(${left.sql}) ${word} (${right.sql})`,
    })),
  ),
})).condition;

it('selects the rows that SQLite selects', async () => {
  const database = await openDatabase(':memory:');
  let compared = 0;
  let refused = 0;
  fc.assert(
    fc.property(rows, condition, (given, { text, sql }) => {
      const all: Row[] = given.map((row, id) => ({ id, ...row }));
      database.exec('drop table if exists t');
      database.exec('create table t (id, amount, rate, name, day, seen, stage, hot)');
      const insert = database.prepare('insert into t values (?, ?, ?, ?, ?, ?, ?, ?)');
      for (const { hot, ...row } of all) insert.run(...Object.values(row), hot === null ? null : Number(hot));
      const ids = (where: string) => {
        const matching = database.prepare(`select id from t where ${where}`).all() as { id: number }[];
        return matching.map(({ id }) => id);
      };
      const found = (() => {
        try {
          return checkCondition(text, scope, '--where');
        } catch (error) {
          if (error instanceof Failure) return error;
          throw error;
        }
      })();
      if (found instanceof Failure) {
        refused += 1;
        expect(found.message).toMatch(/compared with itself|names no column/);
        return;
      }
      compared += 1;
      const selected = all.filter((row) => holds(found.root, row)).map(({ id }) => id);
      expect(selected, text).toEqual(ids(sql));
    }),
    { numRuns: 3000 },
  );
  expect(compared).toBeGreaterThan(2000);
  expect(refused).toBeGreaterThan(0);
});
