/** A number without its unit is a wrong number: `--fields` may leave out the column that says it. */
import { expect, it } from 'vitest';
import { run } from '../../helpers/run.ts';

const lumen = ['-p', 'demo', '-c', 'lumen', 'metrics'];

it.each([
  ['live', 'metric,value'],
  ['table -m mrr,headcount --last 3', 'metric,2025-12'],
  ['variance -m mrr,headcount --last 2', 'metric,actual,plan'],
  ['growth -m mrr,headcount --last 2', 'metric,value,mom'],
  ['series -m mrr,headcount --last 2 --shape long', 'metricId,value'],
  ['series -m mrr,headcount --last 2 --shape long', 'metricId,value,unit'],
])('metrics %s --fields %s has the unit of each amount', async (line, fields) => {
  for (const options of [{ tty: true, columns: 100 }, {}]) {
    const { stdout } = await run([...lumen, ...line.split(' '), '--fields', fields, '-o', 'table'], options);
    const amounts = stdout.split('\n').filter((text) => /^mrr\b(?! growth)/i.test(text));
    expect(amounts.length).toBeGreaterThan(0);
    for (const amount of amounts) expect(amount).toMatch(/\d (?:\$[kM]|USD)\b/);
    const counts = stdout.split('\n').filter((text) => /^headcount\b/i.test(text));
    for (const count of counts) expect(count).not.toMatch(/\$|USD/);
  }
});

it('says a unit once where its column is shown', async () => {
  const { stdout } = await run([...lumen, 'live', '--fields', 'metric,value,unit'], { tty: true, columns: 100 });
  expect(stdout).toMatch(/^MRR +803 +USD k\nARR +9,634 +USD k$/m);
});
