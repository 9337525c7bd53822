/** Every page of help, found by walking the tree: one screen, and everything with `--long`. */
import { beforeAll, describe, expect, test } from 'vitest';
import { helpTree } from '../../src/cli/help.ts';
import { tree } from '../../src/main.ts';
import { run } from '../helpers/run.ts';

let help: Awaited<ReturnType<typeof helpTree>>;
/** Every noun, group of verbs and command. */
let paths: string[];

beforeAll(async () => {
  help = await helpTree(tree);
  const commands = help.nouns.flatMap((noun) => noun.commands.map(({ path }) => path.split(' ')));
  const starts = commands.flatMap((words) => words.map((_, at) => words.slice(0, at + 1).join(' ')));
  paths = [...new Set([...Object.keys(tree.nouns), ...starts])];
});

async function page(argv: readonly string[], columns = 80): Promise<string> {
  const { code, stdout, stderr } = await run([...argv], { columns });
  expect({ code, stderr }, argv.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('help', () => {
  test.each([80, 100, 120])('has no page over 40 lines on %i columns', async (columns) => {
    const pages = paths.map((path) => [...path.split(' '), '--help']);
    const long: string[] = [];
    for (const argv of pages) {
      const lines = (await page(argv, columns)).trimEnd().split('\n').length;
      if (lines > 40) long.push(`${argv.join(' ')}: ${lines}`);
    }
    expect(long).toEqual([]);
  });

  test('of the program is one screen of 24 lines, and names every noun', async () => {
    const text = await page(['--help']);
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const noun of Object.keys(tree.nouns)) expect(text).toMatch(new RegExp(` ${noun} +\\w`));
    expect(lines.filter((line) => /^[A-Z]+$/.test(line))).toEqual(['DATA', 'AUTOMATION', 'SETUP']);
  });

  test('shows at most twelve flags of a command, among them all that the page names; --long explains all', async () => {
    for (const { path, flags, examples } of help.nouns.flatMap((noun) => noun.commands)) {
      const short = (await page([...path.split(' '), '--help'], 100)).replace(/\s+/g, ' ');
      const long = (await page([...path.split(' '), '--help', '--long'])).replace(/( \\\n)?\s+/g, ' ');
      for (const { name, summary } of flags) expect(long, `${path} ${name}`).toContain(summary);
      const others = help.globalFlags.filter(({ name }) => flags.every((flag) => flag.name !== name));
      const listed = long.slice(long.indexOf('GLOBAL FLAGS')).split(/[\s/]+/);
      const all = [...flags, ...others.filter(({ name }) => listed.includes(name))];
      const explained = all.filter(({ summary }) => short.includes(` ${summary}`)).map(({ name }) => name);
      expect(explained.length, path).toBeLessThanOrEqual(12);
      const words = examples.slice(0, 3).flatMap(({ run: line }) => line.split(/[\s=]+/));
      const used = all.filter(({ name }) => words.includes(name)).map(({ name }) => name);
      expect(explained, path).toEqual(expect.arrayContaining(used));
      const names = flags.filter(({ name }) => new RegExp(`${name}(?![\\w-])`).test(short)).map(({ name }) => name);
      expect(explained, path).toEqual(expect.arrayContaining(names));
      for (const { run: line } of examples) expect(long, path).toContain(line.replace(/\s+/g, ' '));
      expect(long, path).not.toContain('--long`');
    }
  }, 30_000);

  test('of analyses names the total of companies and both flags of a rate', async () => {
    for (const verb of ['table', 'variance', 'growth', 'chart', 'board']) {
      const text = await page(['metrics', verb, '--help']);
      for (const name of ['--total', '--in', '--rates', '--rate-at']) {
        expect(text, verb).toMatch(new RegExp(`^ +${name} `, 'm'));
      }
    }
  });

  test('has at least three examples of every command', () => {
    const few = help.nouns.flatMap((noun) => noun.commands).filter(({ examples }) => examples.length < 3);
    expect(few.map(({ path }) => path)).toEqual([]);
  });

  test('says what the letters of global flags in its examples mean', async () => {
    const names = { '-p': '--profile', '-c': '--company', '-o': '--output' };
    const unexplained: string[] = [];
    for (const { path, examples } of help.nouns.flatMap((noun) => noun.commands)) {
      const text = await page([...path.split(' '), '--help']);
      const lines = examples.slice(0, 3).flatMap(({ run }) => run.split(/[|\n]|&&|\$\(/));
      const words = lines.filter((line) => line.includes(` ${path}`)).flatMap((line) => line.split(' '));
      for (const [letter, name] of Object.entries(names)) {
        if (words.includes(letter) && !text.includes(name)) unexplained.push(`${path}: ${letter}`);
      }
    }
    expect(unexplained).toEqual([]);
  });

  test('shows examples before flags, and flags in groups', async () => {
    const titles = (await page(['metrics', 'series', '--help'])).match(/^[A-Z][A-Z ]+$/gm);
    expect(titles).toEqual(['EXAMPLES', 'FLAGS', 'RANGE', 'SHAPE']);
    const groups = (await page(['entries', 'import', '--help', '--long'])).match(/^(MATCH|WRIT|READ)ING$|^FAILURES$/gm);
    expect(groups).toEqual(['MATCHING', 'FAILURES', 'WRITING', 'READING']);
  });

  test('says where a confirmation is needed, and what an import does with rows that fail, on every screen', async () => {
    const asking = help.nouns.flatMap((noun) => noun.commands.filter(({ confirms }) => confirms !== undefined));
    expect(asking.length).toBeGreaterThan(15);
    for (const columns of [60, 80, 120]) {
      for (const { path } of asking) {
        const text = (await page([...path.split(' '), '--help'], columns)).replace(/\s+/g, ' ');
        expect(text, path).toMatch(/ Asks before [^.]+; without a terminal it needs --yes\. /);
      }
      expect(await page(['entries', 'import', '--help'], columns)).toContain('--on-error WHAT');
    }
  });

  test('with --long is the same in both ways of asking', async () => {
    expect(await page(['help', 'check', '--long'])).toBe(await page(['check', '--help', '--long']));
    expect(await page(['--help', '--long', 'check'])).toBe(await page(['check', '--help', '--long']));
    expect(await page(['check', '--help', '--long'])).toContain('no_gaps');
    expect(await page(['help', 'flags', '--long'])).toContain('A workbook');
  });
});

describe('what people type first leads somewhere', () => {
  test.each([['lists list --json name,slug', '--json --fields name,slug?']])('%s', async (line, hint) => {
    const { code, stderr } = await run(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean ${hint}`);
  });

  test.each([
    ['list', '`comem lists`?'],
    ['metrics chart mrr', '-m mrr?'],
    ['grants revoke cedar -p demo --yes', '--recipient cedar?'],
    ['export', '`comem entries list LIST -o csv` or `comem metrics series -o csv`?'],
    ['entries export hiring', '`comem entries list hiring`?'],
    ['version', '`comem --version`?'],
    ['company', '`comem companies`?'],
    ['lists view x', '`comem lists get x`?'],
    ['config', '`comem profiles get` or `comem auth status`?'],
    ['status', '`comem auth status`?'],
    ['help export', '`comem help entries list` or `comem help metrics series`?'],
  ])('%s', async (line, hint) => {
    const { code, stdout, stderr } = await run(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`hint: did you mean ${hint}`);
  });
});
