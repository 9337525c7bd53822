/** What SQLite says of a wrong statement, as a sentence that points at the place. */
import { expect, it } from 'vitest';
import type { Failure } from '../../../src/core/errors.ts';
import { openDatabase } from '../../../src/core/sqlite.ts';
import { mistakeOf, refusal } from '../../../src/domain/sql/mistake.ts';
import { readStatement } from '../../../src/domain/sql/statement.ts';

const tables = {
  deal_pipeline: ['id', 'title', 'stage', 'first_contact', 'order'],
  portfolio: ['id', 'title', 'stage'],
  metric_points: ['company_id', 'value'],
};

async function failureOf(written: string): Promise<Failure> {
  const database = await openDatabase(':memory:');
  const says = (text: string): string | undefined => {
    try {
      database.prepare(text);
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
    return undefined;
  };
  try {
    for (const [name, columns] of Object.entries(tables)) {
      database.exec(`create table ${name} (${columns.map((column) => `"${column}"`).join(', ')})`);
    }
    const statement = readStatement(written);
    const message = says(statement.text);
    if (message === undefined) throw new Error(`${written} was accepted`);
    const columns = Object.entries(tables).flatMap(([name, own]) => (written.includes(name) ? own : []));
    const names = { tables: Object.keys(tables), columns };
    return await refusal(statement, mistakeOf(message), names, async (text) => {
      const found = says(text);
      return found === undefined || mistakeOf(found).kind !== 'syntax';
    });
  } finally {
    database.close();
  }
}

it.each([
  ['select stge from deal_pipeline', 'unknown column "stge" at line 1, column 8', 'did you mean stage?'],
  ['select d.stge from deal_pipeline d', 'unknown column "d.stge" at line 1, column 10', 'did you mean stage?'],
  ['select firstContact from deal_pipeline', 'unknown column "firstContact"', 'did you mean first_contact?'],
  ['select first-contact from deal_pipeline', 'unknown column "first"', 'write - in names as _: first_contact'],
  ['select "Seed" from portfolio', 'unknown column "Seed"', `put text in single quotes: 'text'`],
  ['select * from deal-pipeline', 'syntax error near "-"', 'write - in names as _: deal_pipeline'],
  ['select * from "deal-pipeline"', 'unknown table "deal-pipeline"', 'did you mean deal_pipeline?'],
  ['select * from metricpoints', 'unknown table "metricpoints"', 'did you mean metric_points?'],
  ['select summ(1)', 'unknown function "summ" at line 1, column 8', 'did you mean sum?'],
  ['select 1 from portfolio where', 'the statement is not complete', ''],
  ['select * from portfolio\nwher stage = 1', 'syntax error near "stage" at line 2, column 6', 'did you mean where?'],

  [
    'select order from deal_pipeline',
    'syntax error near "order" at line 1, column 8',
    'write the name in quotes: "order"',
  ],
  ['select title from portfolio group title, title', 'syntax error near "title" at line 1, column 35', ''],
  ['select 1 + from portfolio, portfolio', 'syntax error near "from" at line 1, column 12', ''],
  ['select id from portfolio a join portfolio b on 1', 'several tables have a column "id"', 'such as t.id'],
  ['select # from portfolio', 'syntax error near "#" at line 1, column 8', ''],
  ['select x.nope from portfolio x', 'unknown column "x.nope"', 'the columns are id, title, stage'],
  ['select nope', 'unknown column "nope"', 'the statement has no table'],
  ["select title from portfolio where title in (select 'a', 'b')", 'SQLite refuses the statement', ''],
])('%j', async (statement, message, hint) => {
  const failure = await failureOf(statement);
  expect(failure.message).toContain(message);
  expect(failure.hint ?? '').toContain(hint);
  expect(failure.exitCode).toBe(2);
});
