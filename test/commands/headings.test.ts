/** A heading that a table prints is a name of its column: in --fields, --sort and --where, in any letter case. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { run } from '../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-headings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Examples that need no file, no mirror of one's own and no other program. */
const isSimple = (line: string) =>
  line.startsWith('comem -p demo ') && !/[|$@<]|mirror |--out|--rates|csv|ndjson/.test(line);

const examples = (await allCommands(tree)).flatMap(({ path, flags, stdout, writes, unlisted, examples }) => {
  const line = examples.map((example) => example.run).find(isSimple);
  const isTable = stdout === 'rows' && !writes && !unlisted && 'where' in flags;
  return isTable && line ? [[path, line] as const] : [];
});

const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, a, b]) => a ?? b ?? word);

it('are printed by many commands', () => expect(examples.length).toBeGreaterThan(20));

it.each(examples)('%s', async (_, line) => {
  const argv = wordsOf(line).slice(1);
  const runHere = (...flags: string[]) => run([...argv, ...flags], { home });
  const help = await runHere('--fields', 'help', '-o', 'json');
  expect(help.code, help.stderr).toBe(0);
  const columns: { heading: string; type: string }[] = JSON.parse(help.stdout);
  const headings = columns.map(({ heading }) => heading.toUpperCase());
  const sorted = columns.flatMap(({ heading, type }) => (type === 'json' ? [] : [heading.toUpperCase()]));
  const { code, stderr } = await runHere('--fields', headings.join(), '--sort', sorted.join(), '-o', 'csv');
  expect([code, stderr.split('\n').filter((text) => /unknown|column/.test(text))]).toEqual([0, []]);
});
