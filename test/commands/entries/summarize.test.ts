/** `entries summarize`: headings, pivots and notes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listsWorld, type World } from '../../helpers/lists-world.ts';

let world: World;
beforeAll(async () => {
  world = await listsWorld();
});
afterAll(() => world.close());

const summarize = (...words: string[]) => world.run(['entries', 'summarize', 'deals', ...words]);

it('heads columns with options and aggregates as they are written', async () => {
  const { stdout } = await summarize('--by', 'hot', '--agg', 'count, sum(amount) as open_amount', '-o', 'table');
  expect(stdout.split('\n')[0]).toMatch(/^Hot +Count +open_amount/);
  const pivoted = await summarize('--by', 'tags,stage', '--pivot', 'tags', '-o', 'table');
  expect(pivoted.stdout.split('\n')[0]).toMatch(/^Stage +climate +space; deep tech/);
});

it('notes that entries with several values are in several groups', async () => {
  const note = 'An entry with several values is in several groups';
  expect((await summarize('--by', 'tags', '--total')).stderr).toContain(note);
  expect((await summarize('--by', 'stage', '--total')).stderr).not.toContain(note);
});

it('names --by for a pivot that it lacks, and refuses one that is no column', async () => {
  const lacking = await summarize('--by', 'stage', '--pivot', 'since:quarter');
  expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('write --by stage,since:quarter')]);
  expect((await summarize('--by', 'stage', '--pivot', 'since:decade')).stderr).toContain('"decade" is not a period');
});

it('takes a scale that is named, in a pipe as on a terminal', async () => {
  const { stdout } = await summarize('--by', 'stage', '--agg', 'sum(amount)', '-o', 'table', '--scale', 'k');
  expect(stdout).toContain('sum(amount) EUR k');
  expect(stdout).toContain('1,250.00');
});

it('has no next step after a table without rows', async () => {
  const argv = ['entries', 'list', 'deals', '--where', 'title = "nobody"'];
  const { stdout, stderr } = await world.run(argv, { tty: true, columns: 120 });
  expect(stdout + stderr).toContain('No entries.');
  expect(stdout + stderr).not.toMatch(/0 entries|for one/);
});

it('writes CSV for the Excel of a language', async () => {
  const argv = ['entries', 'list', 'deals', '--filter', 'hot=true', '--fields', 'title,amount,tags'];
  expect((await world.run([...argv, '--excel=de'])).stdout).toBe(
    '\uFEFFtitle;amount;tags\r\n"Acme, ""Rockets""";1250000,5;"climate; space; deep tech"\r\n',
  );
  const english = await world.run([...argv, '--excel']);
  expect(english.stdout).toContain('"Acme, ""Rockets""",1250000.5,climate; space; deep tech\r\n');
  expect((await world.run(['--excel=en', ...argv])).stdout).toBe(english.stdout);
});
