import { expect, it } from 'vitest';
import { wholeDivisions } from '../../../src/domain/sql/divisions.ts';

const divisions = (statement: string) => wholeDivisions(statement, (column) => ['a', 'b'].includes(column));

it.each([
  ['select a / b from t', ['a / b']],
  ['select t.a/t."b" from t', ['t.a/t."b"']],
  ['select 100 * count(*) / sum(a), x from t', ['100 * count(*) / sum(a)']],
  ['select sum(a) / max(b, 1) from t', ['sum(a) / max(b, 1)']],
  ['select 7 / 2', ['7 / 2']],
  ['select sum(a / b), round(max(a) / (2 * b)) from t', ['a / b', 'max(a) / (2 * b)']],
  ['select a / lag(a) over (partition by x order by b) - 1 from t', ['a / lag(a) over (partition by x order by b)']],
  ['select a / -2, -a / b from t', ['a / -2', 'a / b']],
  ['select (a + 2) / (select max(b) from t) from t', ['(a + 2) / (select max(b) from t)']],
  [
    'select sum(case when x > 1.5 then 1 else 0 end) / count(*) from t',
    ['sum(case when x > 1.5 then 1 else 0 end) / count(*)'],
  ],
  ['select count(*) filter (where x > 2.5) / count(*) from t', ['count(*) filter (where x > 2.5) / count(*)']],
  ['with c as (select sum(a) as s, count(*) n from t) select s / n from c', ['s / n']],
  ['select p / q from (select a as p, b q from t)', ['p / q']],
  ['select cast(x as integer) / 2 from t', ['cast(x as integer) / 2']],
  ["select 'a / b', a -- a / b\n / b /* 1 / 2 */ from t", ['a -- a / b\n / b']],
])('finds the divisions of whole numbers in %s', (statement, found) => {
  expect(divisions(statement)).toEqual(found);
});

it.each([
  'select 1.0 * a / b from t',
  'select a / 2.5 from t',
  'select a / 1e3 from t',
  'select cast(a as real) / b from t',
  'select a / x from t',
  'select avg(a) / b from t',
  'with c as (select 1.0 * a as s from t) select s / x from c',
  'select round(a, 1) / b, total(a) / b, (1.0 * a) / b from t',
  'select a / (b + 0.5), a / lag(x) over (order by a) from t',
  'select case when a > 1 then 1.5 else x end / b from t',
  'select a from t where x / b > 1',
  'select (a + x) / b from t',
  'select a / nullif(x, 0) from t',
  "select 'a' || '/' || 'b' from t",
  'select :p / b from t',
  'select count(*) filter (where a > 1) / x from t',
  'select /',
  'select a /',
  ') / (',
])('finds none in %s', (statement) => {
  expect(divisions(statement)).toEqual([]);
});

it.each([
  ['factors', 'a*'.repeat(60_000)],
  ['divisions', 'x/'.repeat(60_000)],
  ['open parentheses', '(a('.repeat(60_000)],
  ['parentheses', `${'('.repeat(2000)}a${')'.repeat(2000)}/b`],
  ['points', 'a.'.repeat(60_000)],
  ['quotes', '"'.repeat(60_001)],
  ['a long argument', `a(${'b, '.repeat(60_000)}`],
  ['blanks', ' '.repeat(60_000)],
])('reads a long statement of %s in a time that grows with its length', (_, text) => {
  expect(divisions(`select ${text}`).length).toBeLessThan(2);
});
