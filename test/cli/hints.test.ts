/** Every command and flag that help pages, man pages and documents name is one that the program takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { globalsBeside, longName } from '../../src/cli/define.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';
import { documents } from '../helpers/examples.ts';
import { brokenHints, filesIn, problemOf } from '../helpers/hints.ts';
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

/** Files of the reader, which a page names once. */
const ofReader =
  /^(?:comem\.checks|[\w-]*(?:rates|team|points|plan|key|copied|deals?|constituents|grant|fixtures|us-employment|march|april))\b/;

it.each(documents)('%s reads only files that it makes or shows', async (page) => {
  const text = readFileSync(new URL(page, root), 'utf8').replaceAll('\\\n', ' ');
  const commands = text.match(/^(?:\$ )?comem .*$/gm) ?? [];
  const made = new Set(commands.flatMap((command) => filesIn(command).made));
  const read = commands.flatMap((command) => filesIn(command.replace(/ # .*/, '')).read);
  expect(read.filter((name) => !made.has(name) && !ofReader.test(name) && text.split(name).length < 3)).toEqual([]);
});

it('a command, a flag or a file of a hint that does not exist is noticed', async () => {
  const hintsOf = (hint: string) => brokenHints(['check'], `comem: failed\n  hint: ${hint}`, '/');
  expect(await hintsOf('run `comem check init LIST --out a.yaml`, then `comem check a.yaml`')).toEqual([]);
  expect(await hintsOf('read b.yaml')).toEqual(['no file b.yaml:   hint: read b.yaml']);
  expect(await hintsOf('run `comem entires list`')).toHaveLength(1);
  expect(await hintsOf('add --lst 3')).toHaveLength(1);
});
