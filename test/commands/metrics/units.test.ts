/** A number without its unit is a wrong number: `--fields` may leave out the column that says it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/cli.ts';
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

it('has no more digits of an amount than its currency, also of converted and derived values, and every digit in CSV', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'rates.csv'), 'date,currency,rate\n2025-12-31,USD,1.1751\n2025-12-31,JPY,172.37\n');
  const numbersOf = async (words: string, format: string) => {
    const { stdout } = await run([...lumen, ...words.split(' '), '-o', format], { cwd });
    return [...stdout.matchAll(/[\d,]+(?:\.(\d+))?(?= (?:JPY|USD)|$)/gm)].map(([, fraction = '']) => fraction.length);
  };
  const yen = 'series -m ltv,mrr --last 1q --in JPY --rates rates.csv --rate-at 2025-12 --fields ltv,mrr';
  expect(await numbersOf(yen, 'table')).toEqual([0, 0]);
  expect(Math.max(...(await numbersOf(yen, 'csv')))).toBeGreaterThan(2);
  for (const shape of ['wide --fields ltv', 'long --fields value']) {
    expect(await numbersOf(`series -m ltv --last 1q --shape ${shape}`, 'table')).toEqual([2]);
  }
});

it('has one scale in a column, and the digits of each metric', async () => {
  const words = 'series -m mrr,cac,nrr,headcount --last 1 --shape long';
  const { stdout } = await run([...lumen, ...words.split(' ')], { tty: true, columns: 100 });
  expect(stdout).toMatch(/ CAC +18\.5 +USD k$/m);
  expect(stdout).toMatch(/ Headcount +92$/m);
  expect(stdout).toMatch(/ MRR +803 +USD k$/m);
});

it('shows growth of percentages in points that are those of CSV, rounded, where the value before is not in the table', async () => {
  const line = ['-p', 'demo', '-c', '@portfolio', 'metrics', 'growth', '-m', 'nrr,churn_rate', '--period', '2025-Q4'];
  const { stdout } = await run([...line, '--fields', 'qoq,yoy', '-o', 'csv', '--no-header']);
  const exact = stdout
    .trim()
    .split('\n')
    .flatMap((row) => row.split(',').map((cell) => Number(cell).toFixed(2)));
  const screen = await run([...line, '--fields', 'value,qoq,yoy'], { tty: true, columns: 120 });
  const shown = [...screen.stdout.matchAll(/([+-]?\d+\.\d+) pp/g)].map(([, points]) => Number(points).toFixed(2));
  expect(shown.length).toBeGreaterThan(15);
  expect(shown).toEqual(exact);
});
