/** Every page of help, found by walking the tree: one screen, and everything with `--long`. */
import { beforeAll, describe, expect, test } from 'vitest';
import { helpTree } from '../../src/cli/help-tree.ts';
import { topics } from '../../src/cli/topics.ts';
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
    const pages = [
      ...paths.map((path) => [...path.split(' '), '--help']),
      ...Object.keys(topics).map((topic) => ['help', topic]),
    ];
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

  test('names every flag of a command, and explains all of them with --long', async () => {
    for (const { path, flags, examples } of help.nouns.flatMap((noun) => noun.commands)) {
      const short = await page([...path.split(' '), '--help']);
      const long = await page([...path.split(' '), '--help', '--long']);
      for (const { name, summary } of flags) {
        expect(short.split(/[\s,]/), path).toContain(name);
        expect(long.replace(/\s+/g, ' '), `${path} ${name}`).toContain(summary);
      }
      for (const { run: line } of examples) expect(long, path).toContain(`  ${line.split('\n')[0]}`);
      expect(long, path).not.toContain('--long`');
    }
  }, 30_000);

  test('shows examples before flags, and flags in groups', async () => {
    const titles = (await page(['metrics', 'series', '--help'])).match(/^[A-Z][A-Z ]+$/gm);
    expect(titles).toEqual(['EXAMPLES', 'FLAGS', 'RANGE', 'SHAPE', 'MORE FLAGS']);
  });

  test('with --long is the same in both ways of asking', async () => {
    expect(await page(['help', 'check', '--long'])).toBe(await page(['check', '--help', '--long']));
    expect(await page(['--help', '--long', 'check'])).toBe(await page(['check', '--help', '--long']));
    expect(await page(['check', '--help', '--long'])).toContain('no_gaps');
    expect(await page(['help', 'flags', '--long'])).toContain('A workbook');
  });
});
