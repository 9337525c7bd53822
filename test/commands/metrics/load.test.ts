/** `comem metrics load`: the values of a CSV file into the database of the profile. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ownHome } from '../../helpers/own-home.ts';

const { path, comem } = ownHome();
beforeEach(async () => {
  writeFileSync(join(path(), 'm.csv'), 'month,mrr,own_metric\n2026-01,1.10,2\n2026-02,3,\n');
  await comem(['init', '--company', 'My Co']);
});
const stored = async () => (await comem(['metrics', 'series', '-o', 'csv', '--fields', 'periodKey,mrr'])).stdout;

test('shows the plan, writes with --yes, and changes nothing the second time', async () => {
  const plan =
    'Plan for the metrics of My Co from m.csv:\n  + add 1 metric to the catalog: own_metric\n  + add 3 values\n';
  const dry = await comem(['metrics', 'load', 'm.csv', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: plan });
  expect(await stored()).not.toContain('1.10');
  const refused = await comem(['metrics', 'load', 'm.csv']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await stored()).not.toContain('1.10');
  const loaded = await comem(['metrics', 'load', 'm.csv', '--yes', '-o', 'json']);
  expect({ code: loaded.code, rows: JSON.parse(loaded.stdout) }).toEqual({
    code: 0,
    rows: [
      { section: 'catalog', created: 1, updated: 0, unchanged: 0 },
      { section: 'points', created: 3, updated: 0, unchanged: 0 },
    ],
  });
  expect(await stored()).toContain('2026-01,1.10');
  const again = await comem(['metrics', 'load', 'm.csv']);
  expect(again).toMatchObject({
    code: 0,
    stderr: 'Plan for the metrics of My Co from m.csv:\n  = leave 3 values as they are\n',
  });
});

test('asks on a terminal, and reads stdin and other versions', async () => {
  const answers = [['Load m.csv into My Co?', 'y\r']] as const;
  expect((await comem(['metrics', 'load', 'm.csv'], { tty: true, answers })).code).toBe(0);
  const stdin = 'q,mrr\n2026-Q1,20\n';
  const plan = await comem(['metrics', 'load', '-', '--as-version', 'budget', '--yes'], { stdin });
  expect(plan).toMatchObject({ code: 0, stderr: expect.stringContaining('from stdin') });
});

test.each([
  [['-p', 'demo'], 'the demo keeps its own metrics', 'comem init'],
  [['--base-url', 'https://api.example'], 'https://api.example takes no metric values', 'comem server load FILE'],
])('an API that is not an own database is refused: %j', async (words, message, hint) => {
  const { code, stderr } = await comem(['metrics', 'load', 'm.csv', '--yes', ...words]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr).toContain(hint);
});

test('a mistake has its line, a read-only profile its sentence, and nothing is written', async () => {
  writeFileSync(join(path(), 'wrong.csv'), 'month,mrr\n2026-01,1\n2026-02,1,5\n');
  const wrong = await comem(['metrics', 'load', 'wrong.csv', '--yes']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('wrong.csv, line 3: has 3 cells') });
  await comem(['profiles', 'set', 'my-co', 'readonly=true']);
  const refused = await comem(['metrics', 'load', 'm.csv', '--yes']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is read-only') });
  expect(await stored()).not.toContain('2026');
});

test('a column is the metric of that id or label, in any case', async () => {
  await comem(['metrics', 'load', 'm.csv', '--yes']);
  writeFileSync(join(path(), 'labels.csv'), 'month,MRR,Customers,Own metric\n2026-03,5,6,7\n');
  const { code, stderr } = await comem(['metrics', 'load', 'labels.csv', '--yes']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('labels.csv:\n  + add 3 values\n') });
  const fields = 'periodKey,mrr,customer_count,own_metric';
  const { stdout } = await comem(['metrics', 'series', '-o', 'csv', '--from', '2026-03', '--fields', fields]);
  expect(stdout).toContain('\n2026-03,5,6,7\n');
  writeFileSync(join(path(), 'twice.csv'), 'month,mrr,MRR\n2026-03,5,6\n');
  const twice = await comem(['metrics', 'load', 'twice.csv', '--yes']);
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('the column mrr appears twice') });
});

test('a point before three digits in a file with semicolons is refused, unless another number decides', async () => {
  const load = (text: string) => {
    writeFileSync(join(path(), 'de.csv'), text);
    return comem(['metrics', 'load', 'de.csv', '--yes']);
  };
  const doubtful = await load('Monat;mrr\n2026-03;84.250\n');
  expect(doubtful).toMatchObject({ code: 2, stderr: expect.stringContaining('line 2: "84.250" is 84.25') });
  expect((await load('Monat;mrr;cash\n2026-03;84.250;1,5\n')).code).toBe(0);
  expect(await stored()).toContain('2026-03,84250');
  expect((await load('Monat;mrr;cash\n2026-03;84.250;1.5\n')).code).toBe(0);
  expect(await stored()).toMatch(/2026-03,84\.250?\b/);
});
