/** Failures of `domain`, which knows no flag and no command: their hints come with their codes. */
import { expect, it } from 'vitest';
import { hints } from '../../src/commands/index.ts';
import { run } from '../helpers/run.ts';
import { sqlEngine } from '../helpers/sql-engine.ts';

const where = (condition: string) => ['entries', 'list', 'deal-pipeline', '--where', condition];

it.each([
  ['order_in_condition', where('valuation > 1 order by valuation')],
  ['sort_in_condition', where('valuation > 1 sort valuation')],
  ['group_in_condition', where('stage = Won GROUP BY stage')],
  ['limit_in_condition', where('valuation > 1 limit 5')],
  ['unknown_metric', ['metrics', 'table', '--calc', 'x = something_else']],
  ['sql_table', ['sql', 'select * from sqlite_master']],
  ['sql_write', ['sql', 'delete from companies']],
])('%s', async (code, argv) => {
  const result = await run([...argv, '-o', 'json'], { sqlEngine: await sqlEngine() });
  const { error } = JSON.parse(result.stderr.trim().split('\n').at(-1) ?? '');
  expect(error).toMatchObject({ code, hint: hints[code] });
});
