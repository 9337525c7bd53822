/**
 * Screens of the documented commands, and of a database with long and wide names: every word of a narrow screen is a
 * word of the widest one, or ends in the mark of a cut; no line is wider than the terminal; every number is one of the
 * exact result, rounded as it is shown; every heading is in the glossary, a name of the data, or a period. Each line
 * is read at one of four widths; `COMEM_FAULTS=whole` reads it at all of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { builtProgram, builtSqlEngine, temporaryFolder } from '../helpers/cli.ts';
import { wordsOf as argvOf, documents } from '../helpers/examples.ts';
import { glossary } from '../helpers/glossary.ts';
import { everyCompany, longMetric, names as longNames, longNamesWorld } from '../helpers/long-names-world.ts';
import { type RunOptions, run } from '../helpers/run.ts';

const reading = [
  'entries (?:list|get|count|summarize|funnel|history)|metrics (?!load|prefs set)|published|lists (?:list|get)|attrs list',
  'companies (?:list|group list)|changes|sql|grants (?:list|audit|matrix|expiring)|mirror status$|check entries',
].join('|');
const isReading = new RegExp(`^(?:-c \\S+ )*(?:${reading})`);
/** What writes files, another format than tables, one value, or an exit code instead of rows. */
const isOther = /--out|--report|--plan-out|-o (?!table)|--json|--jq|--raw|--preview|--dry-run|\$/;

/** Commands of documents and help that read the demo. */
async function documentedLines(): Promise<string[]> {
  const pages = documents.map((page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'));
  const text = pages.join('\n').replaceAll('\\\n', ' ');
  const printed = [...text.matchAll(/^(?:\$ )?(comem .*)$/gm)].map(([, line = '']) => line.replace(/\s+# .*/, ''));
  const examples = (await allCommands(tree)).flatMap((command) => command.examples.map(({ run }) => run));
  const lines = [...printed, ...examples]
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .replace(/ -o table$/, '')
        .trim(),
    )
    .filter((line) => line.startsWith('comem -p demo ') && argvOf(line) !== undefined)
    .map((line) => line.replace('comem -p demo ', ''))
    .filter((line) => isReading.test(line) && !isOther.test(line));
  return [...new Set(lines)].sort();
}

const folder = temporaryFolder();
writeFileSync(join(folder, 'rates.csv'), 'date,currency,rate\n2025-12-31,USD,1.1750\n');
const common = { cwd: folder, program: builtProgram(), sqlEngine: builtSqlEngine };
const demo: RunOptions = { ...common, network: false };
const own = { ...common, ...(await longNamesWorld()) };

const ownLines = [
  'lists list|lists get deals|attrs list deals|companies list|grants list|grants matrix|grants audit|metrics catalog',
  'entries list deals --limit 8|entries get deals x|entries count deals --by stage-of-the-negotiation',
  "entries summarize deals --by stage-of-the-negotiation --agg 'count, sum(valuation), avg(kingaku), median(share)' --total",
  "sql 'select title, valuation, kingaku, notes from deals limit 5'|sql 'select * from deals limit 3'|sql --schema deals",
  'metrics live|metrics table|metrics table --last 4q|metrics series --last 3|metrics growth --last 2|metrics gaps',
  `metrics variance --last 2|metrics board --last 2q|metrics chart -m ${longMetric},uriage|metrics chart -m x --type bar`,
  `metrics bridge -m ${longMetric} --from 2026-01 --to 2026-03`,
  ...['table --last 3', 'series --last 2', 'growth --last 2', 'variance --last 2', 'get --period 2026-01'].map(
    (words) => {
      const [verb, ...flags] = words.split(' ');
      return `${everyCompany} metrics ${verb} ${verb === 'get' ? longMetric : `-m ${longMetric}`} ${flags.join(' ')}`;
    },
  ),
  `${everyCompany} metrics live|${everyCompany} metrics gaps|${everyCompany} metrics chart -m ${longMetric} --last 12`,
].flatMap((line) => line.split('|'));

async function namesOfDemo(): Promise<string[]> {
  const columnOf = async (argv: string, field: string) => {
    const rules = ['-o', 'csv', '--no-header', '--fields', field];
    const { stdout } = await run(['-p', 'demo', ...argv.split(' '), ...rules], demo);
    return stdout.split('\n');
  };
  const lists = ['deal-pipeline', 'portfolio', 'hiring', 'investor-crm'];
  const attributes = await Promise.all(lists.map((list) => columnOf(`attrs list ${list}`, 'name')));
  const stages = await columnOf('entries count deal-pipeline --by stage', 'stage');
  const labels = await columnOf('metrics catalog', 'label');
  const aliases = await columnOf('companies list', 'alias');
  return [...attributes.flat(), ...stages, ...stages.map((stage) => `To ${stage}`), ...labels, ...aliases];
}

const unitWords = / (?:[A-Z]{3}(?: [kMB])?|[kMB]|%|x|pp|months|days)$/;
const isPeriodOrSum =
  /^(?:\d{4}(?:-\d{2}|-Q\d)?(?: \((?:\d\/\d+|running)\))?|[\w-]+\(.*\)?|[\w-]+:(?:month|quarter|year)|[0-9a-f]{8}…)$/;
const isScaled = /^[▲▼]?[+-]?[\d,]+(?:\.\d+)?[kMB]?%?$|^[kMB]$/;
/** Bars, dots of lines, sparklines and marks of series. */
const isDrawn = /^[\u2500-\u28ff│┤└┬╌○●■□▲△◆◇]+$/u;
/** A number of a screen. Parts of words, dates and ids are none. */
const number = /(?<![\p{L}\d.…_/:-])[+-]?\d[\d,]*(?:\.\d+)?(?![\p{L}\d_:/…-]|[.,]\d)/gu;
const withScale = /(?<![\p{L}\d.…_/:-])([+-]?\d[\d,]*(?:\.\d+)?)[kMB](?![\p{L}\d])/gu;

const wordsIn = (screen: string) => screen.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** @param units of the last digit: a difference is that of the numbers as they are shown beside it */
function isOfCsv(shown: string, exact: readonly number[], units: number): boolean {
  const plain = shown.replaceAll(',', '');
  const digits = plain.split('.')[1]?.length ?? 0;
  const unit = 1.000001 * units * 10 ** -digits;
  return exact.some((each) => [1, 1e3, 1e6, 1e9].some((scale) => Math.abs(each / scale - Number(plain)) <= unit));
}

/** The numbers of the rows: no ticks of an axis, and no distance of a date. */
function numbersIn(screen: string): string[] {
  const text = screen
    .replace(/^.*[┤┬].*$/gm, '')
    .replace(/^ +\d{4}-(?:\d\d|Q\d)(?: +\d{4}-(?:\d\d|Q\d))*$/gm, '')
    .replace(/Bars begin at \S+|(?:held|failed) in \S+ s/g, '')
    .replace(/\(\d+ days?(?: ago)?\)/g, '')
    .replace(/\S+…/g, '');
  return [...(text.match(number) ?? []), ...[...text.matchAll(withScale)].map(([, digits = '']) => digits)];
}

/** A line that the terminal breaks, although it could end before a word or a command in backticks. */
function isTooWide(line: string, columns: number): boolean {
  const parts = line.match(/`[^`]+`|\S+/g) ?? [];
  return stringWidth(line) > columns && parts.length > 1 && parts.every((part) => stringWidth(part) <= columns);
}

const widths = [60, 80, 120, 200];

/** The widths at which the line of this index is read. */
function widthsOf(index: number): number[] {
  return process.env.COMEM_FAULTS === 'whole' ? widths : widths.slice(index % 4, (index % 4) + 1);
}

interface Reading {
  line: string;
  widths: readonly number[];
  options: RunOptions;
  prefix: readonly string[];
  names: readonly string[];
}

async function problemsOf({ line, widths, options, prefix, names }: Reading): Promise<string[]> {
  const argv = [...prefix, ...(argvOf(line) ?? [])];
  const screenAt = (columns: number, more: readonly string[] = []) =>
    run([...argv, ...more], { ...options, tty: true, columns });
  const isPicture = / metrics (?:chart|bridge)/.test(` ${line}`);
  const isReport = line.startsWith('check');
  const units = /metrics (?:variance|board)|published/.test(line) ? 1 : 0.5;
  const widest = await screenAt(400, isPicture || isReport ? [] : ['--no-truncate']);
  const known = new Set(wordsIn(widest.stdout));
  const csv = await run([...argv, ...(isReport ? [] : ['-o', 'csv'])], { ...options, tty: false });
  const exact = (csv.stdout.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
  const problems: string[] = [0, 1, 7].includes(widest.code) ? [] : [widest.stderr];
  for (const columns of widths) {
    const { stdout, stderr, code } = await screenAt(columns);
    const say = (problem: string, found: readonly string[]) =>
      problems.push(...found.map((each) => `${columns} columns, ${problem}: ${each}`));
    if (code !== widest.code) say('exit code', [String(code)]);
    const lines = stdout.split('\n').slice(0, -1);
    const isKnown = (word: string) =>
      known.has(word) ||
      known.has(word.replace(/:$/, '')) ||
      word.endsWith('…') ||
      isScaled.test(word) ||
      isDrawn.test(word);
    // A narrow axis names other periods, and a narrow title counts its metrics.
    const isPeriod = (word: string) => isPicture && /^\d{4}-(?:\d\d|Q\d)$|^metrics$/.test(word);
    // A word of a script without blanks is broken anywhere.
    const isPart = (word: string) => /[\u3000-\uffff]/.test(word) && [...known].some((each) => each.includes(word));
    say(
      'broken word',
      wordsIn(stdout).filter((word) => !isKnown(word) && !isPeriod(word) && !isPart(word)),
    );
    say(
      'wide line',
      [...lines, ...stderr.split(/[\r\n]|\p{Cc}\[\d*[A-HJK]/u)].filter((each) => isTooWide(each, columns)),
    );
    say(
      'number',
      numbersIn(lines.slice(isPicture ? 0 : 1).join('\n')).filter((shown) => !isOfCsv(shown, exact, units)),
    );
    if (
      isPicture ||
      isReport ||
      line.startsWith('sql') ||
      / get | published report/.test(` ${line}`) ||
      lines.length < 3
    )
      continue;
    const headings = (lines[0] ?? '').split(/ {2,}/).map((heading) => heading.replace(unitWords, ''));
    const isName = (heading: string) =>
      heading.endsWith('…')
        ? [...glossary, ...names].some((name) => name.startsWith(heading.slice(0, -1).trimEnd()))
        : glossary.has(heading) || names.includes(heading) || line.includes(` as ${heading}`);
    say(
      'heading',
      headings.filter((each) => each !== '' && !isName(each) && !isPeriodOrSum.test(each)),
    );
  }
  return problems;
}

const lines = await documentedLines();
const names = await namesOfDemo();

it('the documents have such commands, and charts, SQL and several companies among them', () => {
  expect(lines.length).toBeGreaterThan(80);
  for (const words of ['metrics chart', 'metrics bridge', 'entries funnel', 'sql ', '-c @portfolio', 'check entries']) {
    expect(
      lines.some((line) => line.includes(words)),
      words,
    ).toBe(true);
  }
});

describe('a screen of the demo', () => {
  it.each(lines.map((line, index) => [line, widthsOf(index)] as const))(
    'comem -p demo %s at %j',
    async (line, widths) => {
      expect(await problemsOf({ line, widths, options: demo, prefix: ['-p', 'demo'], names })).toEqual([]);
    },
  );
});

describe('a screen of long and wide names', () => {
  it.each(ownLines.map((line, index) => [line, widthsOf(index)] as const))('comem %s at %j', async (line, widths) => {
    expect(await problemsOf({ line, widths, options: own, prefix: [], names: longNames })).toEqual([]);
  });
});

it('help pages fit into 60 columns', async () => {
  for (const { path } of await allCommands(tree)) {
    const { stdout } = await run([...path.split(' '), '--help'], { ...demo, tty: true, columns: 60 });
    expect([path, ...stdout.split('\n').filter((line) => isTooWide(line, 60))]).toEqual([path]);
  }
});
