import { expect, it } from 'vitest';
import { wholeDivisions } from '../../../src/domain/sql/words.ts';

const divisions = (statement: string) => wholeDivisions(statement, (column) => ['a', 'b'].includes(column));

it.each([
  ['select a / b from t', ['a / b']],
  ['select t.a/t."b" from t', ['t.a/t."b"']],
  ['select 100 * count(*) / sum(a), x from t', ['100 * count(*) / sum(a)']],
  ['select sum(a) / max(b, 1) from t', ['sum(a) / max(b, 1)']],
  ['select 7 / 2', ['7 / 2']],
  ['select sum(a / b), round(max(a) / (2 * b)) from t', ['a / b']],
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
