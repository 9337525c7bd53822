/** Every command and flag that help pages, man pages and documents name is one that the program takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { globalsBeside, longName } from '../../src/cli/define.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { documents } from '../helpers/examples.ts';
import { problemOf } from '../helpers/hints.ts';
import { run } from '../helpers/run.ts';

const root = new URL('../../', import.meta.url);
const commands = await allCommands(tree);
const flagsOf = (flags: object) => Object.keys({ ...flags, ...globalsBeside(flags as never) }).map(longName);
const known = new Set(['--help', '--long', '--version', ...commands.flatMap(({ flags }) => flagsOf(flags))]);

/** Words that look like a flag. */
function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w'"=/.-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
}

async function problemsOf(text: string, flags: ReadonlySet<string> = known): Promise<string[]> {
  const problems: string[] = [];
  for (const [, command = ''] of text.matchAll(/`(comem [^`\n]+)`/g)) {
    const problem = await problemOf(command.split(' | ')[0] ?? '');
    if (problem) problems.push(`${problem}: ${command}`);
  }
  const bare = text.replace(/`comem [^`]+`/g, '');
  return [...problems, ...flagsIn(bare).filter((flag) => !flags.has(flag))];
}

it.each(commands.map(({ path, flags }) => [path, flags] as const))('comem %s --help', async (path) => {
  const { stdout, code } = await run([...path.split(' '), '--help', '--long']);
  expect(code).toBe(0);
  expect(await problemsOf(stdout)).toEqual([]);
});

const pages = readdirSync(new URL('man/', root)).filter((name) => name.endsWith('.1') || name.endsWith('.7'));

it.each(pages)('man/%s', async (page) => {
  const text = readFileSync(new URL(`man/${page}`, root), 'utf8')
    .replace(/\\f[A-Z]|\\&/g, '')
    .replaceAll('\\-', '-');
  expect(await problemsOf(text)).toEqual([]);
});

/** Lines about other programs. */
const foreign = /\b(?:npm|mlr|git|node|openssl|docker|podman|curl|duckdb|pg_restore|psql|systemd)\b/;

it.each(documents)('%s', async (page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  const prose = text.replace(/^```.*?^```/gms, '').split('\n');
  expect(await problemsOf(prose.filter((line) => !foreign.test(line)).join('\n'))).toEqual([]);
  const blocks = [...text.matchAll(/^```(.*?)^```/gms)].map(([, block = '']) => block.replaceAll('\\\n', ' '));
  for (const line of blocks.join('\n').match(/^(?:\$ )?comem .*$/gm) ?? []) {
    const [command = ''] = line.replace(/^\$ /, '').split(/ [|>&;#]/);
    expect(await problemOf(command), line).toBeUndefined();
  }
});
