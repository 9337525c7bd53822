/** Headings are words of the glossary. One that a table prints is a name of its column: in --fields, --sort and --where. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { glossary } from '../helpers/glossary.ts';
import { run } from '../helpers/run.ts';

const home = mkdtempSync(join(tmpdir(), 'comem-headings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Names of attributes, stages, metrics and companies of the demo, periods and aggregates. */
const ofData =
  /^(?:Stage|Sector|Round|Raising|Valuation|Owner|Tags|Conviction|Team size|Warm intro|First contact|Next step due|Founder|Founder email|Website|Notes|Role|For|Skills|Score|Experience|Salary wish|Applied on|Remote|Email|Portfolio link|Referred by|To [A-Z].*|MRR|ARR|mrr|arr|runway|headcount|customer_count|churn_rate|mrr_growth|burn|nrr|cedar|harbor|lumen|[a-z]+\(.+\)|\d{4}-\d\d)$/;

/** Examples that need no file, no mirror of one's own and no other program. */
const isSimple = (line: string) =>
  line.startsWith('comem -p demo ') && !/[|$@<&]|mirror |--(?:out|rates|fields|jq|report)|csv|ndjson| -o /.test(line);

const examples = (await allCommands(tree)).flatMap(({ path, flags, stdout, writes, unlisted, examples }) => {
  const line = examples.map((example) => example.run).find(isSimple);
  const isResult = stdout === 'rows' || stdout === 'object';
  const isPrinted = isResult && !unlisted && !/^(?:api|sql|entries delete)$/.test(path);
  return isPrinted && line ? [[path, line, !writes && 'where' in flags] as const] : [];
});

const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, a, b]) => a ?? b ?? word);

it('are printed by many commands', () => expect(examples.length).toBeGreaterThan(50));

it.each(examples)('%s', async (_, line, hasConditions) => {
  const argv = wordsOf(line).slice(1);
  const runHere = (...flags: string[]) => run([...argv, ...flags], { home });
  const help = await runHere('--fields', 'help', '-o', 'json');
  expect(help.code, help.stderr).toBe(0);
  const columns: { heading: string; type: string }[] = JSON.parse(help.stdout);
  const words = columns.map(({ heading }) => heading);
  expect(words.filter((heading, at) => words.indexOf(heading) < at)).toEqual([]);
  expect(words.filter((heading) => !glossary.has(heading) && !ofData.test(heading))).toEqual([]);
  if (!hasConditions) return;
  const headings = words.map((heading) => heading.toUpperCase());
  const sorted = columns.flatMap(({ heading, type }) => (type === 'json' ? [] : [heading.toUpperCase()]));
  const { code, stderr } = await runHere('--fields', headings.join(), '--sort', sorted.join(), '-o', 'csv');
  expect([code, stderr.split('\n').filter((text) => /unknown|column/.test(text))]).toEqual([0, []]);
});
