/** Every spelling that CHANGELOG.md lists as removed still works, or its refusal says what to write now. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Flag, globalsBeside, longName } from '../../src/cli/define.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { tree } from '../../src/main.ts';
import { run } from '../helpers/run.ts';

const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
const section = changelog.split('### Removed')[1]?.split('\n### ')[0] ?? '';
/** The code of each line of the list. */
const lines = section
  .split(/\n- /)
  .slice(1)
  .map((text) => [...text.replace(/\s+/g, ' ').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
const commands = await allCommands(tree);
/** Every noun and verb, also those that no help lists. */
const paths = new Set(
  Object.entries(tree.nouns).flatMap(([noun, { verbs }]) => Object.keys(verbs).map((verb) => `${noun} ${verb}`.trim())),
);
/** A noun without verbs takes words of its own. */
const hasVerbs = (noun: string) => [...paths].some((path) => path.startsWith(`${noun} `));

/** Those of curl and of every command, and one whose line says that it leads nowhere. */
const exceptions = new Set(['--cookie', '--help', '--skip-lines']);

/** The hint of a refused command line where it says more than how to look for help. */
async function hintOf(argv: readonly string[]): Promise<string | undefined> {
  const { code, stderr } = await run(argv);
  const hint = code === 2 ? stderr.split('hint: ')[1] : undefined;
  return hint === undefined || /^run `[^`]+ --help`|^use one of/.test(hint) ? undefined : hint;
}

/** The commands that the code of a line names, by noun and verb, by the verb alone or by a short name. */
function commandsOf(codes: readonly string[]): string[] {
  const words = codes.map((code) => code.replace(/^comem /, ''));
  const isNamed = (name: string) => words.some((text) => text === name || text.startsWith(`${name} `));
  const shortcuts = Object.entries(tree.shortcuts).map(([name, path]) => [name, path.join(' ')] as const);
  return [...paths]
    .filter((path) => isNamed(path) || isNamed(path.split(' ').at(-1) ?? path))
    .concat(shortcuts.flatMap(([name, path]) => (isNamed(name) ? [path] : [])));
}

test('flags', async () => {
  const listed = new Set<string>();
  const accepted = new Set<string>();
  for (const command of commands) {
    for (const [key, flag] of Object.entries<Flag>({ ...globalsBeside(command.flags), ...command.flags })) {
      (flag.hidden ? accepted : listed).add(longName(key));
      for (const name of Object.keys(flag.also ?? {})) accepted.add(`--${name}`);
    }
  }
  const hints = new Map<string, string | undefined>();
  for (const codes of lines) {
    const flags = codes.flatMap((code) => code.match(/--[a-z][\w-]*/g) ?? []);
    const removed = flags.filter((flag) => !listed.has(flag) && !accepted.has(flag) && !exceptions.has(flag));
    for (const flag of removed) {
      for (const path of [...commandsOf(codes), 'entries list']) {
        if (hints.get(flag) === undefined) hints.set(flag, await hintOf([...path.split(' '), flag]));
      }
    }
  }
  expect(hints.size).toBeGreaterThan(35);
  expect([...hints].filter(([, hint]) => hint === undefined)).toEqual([]);
});

test('verbs', async () => {
  const words = lines.flat().flatMap((code) => {
    const [noun = '', verb = ''] = code.replace(/^comem /, '').split(' ');
    return hasVerbs(noun) && /^[a-z]+$/.test(verb) ? [`${noun} ${verb}`] : [];
  });
  const listed = new Set(commands.map(({ path }) => path.split(' ').slice(0, 2).join(' ')));
  const removed = [...new Set(words)].filter((path) => !listed.has(path) && !paths.has(path));
  expect(removed.length).toBeGreaterThan(5);
  const hints = await Promise.all(removed.map((path) => hintOf(path.split(' '))));
  expect(removed.filter((_, at) => hints[at] === undefined)).toEqual([]);
});
