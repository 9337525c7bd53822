/** What every command says of the arguments and flags that it lacks, where nobody can be asked; and what can be asked. */
import { expect, it } from 'vitest';
import type { AnyCommand, Argument, Flag } from '../../src/cli/define.ts';
import { longName } from '../../src/cli/define.ts';
import { allCommands } from '../../src/cli/tree.ts';
import { pickers } from '../../src/commands/pickers.ts';
import { tree } from '../../src/main.ts';
import { type RunOptions, run } from '../helpers/run.ts';

const commands = await allCommands(tree);
const args = ({ args: all }: AnyCommand) => all as readonly Argument[];

/** What a command line without anything lacks: required flags are named first. */
function firstMissing(command: AnyCommand): string | undefined {
  const required = Object.entries<Flag>(command.flags).find(([, flag]) => flag.required);
  return required
    ? longName(required[0])
    : args(command)
        .find(({ optional }) => !optional)
        ?.name.toUpperCase();
}

const lacking = commands.flatMap((command): [string, string][] => {
  const missing = firstMissing(command);
  return missing === undefined ? [] : [[command.path, missing]];
});

it.each<[string, RunOptions, string[]]>([
  ['in a pipe', {}, []],
  ['with stdin from a pipe', { tty: true, stdin: '' }, []],
  ['with --no-input', { tty: true }, ['--no-input']],
  ['with COMEM_NO_INPUT', { tty: true, env: { COMEM_NO_INPUT: '1' } }, []],
  ['with CI', { tty: true, env: { CI: 'true' } }, []],
])('every command names what it lacks %s, and sends nothing', async (_, options, more) => {
  expect(lacking.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const [path, missing] of lacking) {
    const { code, stdout, stderr, requests } = await run([...path.split(' '), ...more], options);
    if (code !== 2 || stdout !== '' || requests.length > 0 || !stderr.startsWith(`comem: ${missing} is `)) {
      wrong.push(`${path}: ${code} ${stderr}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('every list, attribute, entry, grant, metric and company is offered for choice', () => {
  const nouns = new Set(['LIST', 'ATTR', 'ENTRY', 'METRIC', 'COMPANY', 'ALIAS', 'TEMPLATE']);
  const silent = commands.flatMap((command) =>
    args(command)
      .filter(({ name, optional, picker: asks }) => nouns.has(name) && !optional && asks === undefined)
      .map(({ name }) => `${command.path} ${name}`),
  );
  expect(silent).toEqual([]);
});

it('every picker that a command names exists', () => {
  const named = commands.flatMap((command) => [
    ...args(command).map(({ picker: asks }) => asks),
    ...Object.values<Flag>(command.flags).map(({ picker: asks }) => asks),
  ]);
  const unknown = named.filter((asks) => asks !== undefined && asks !== 'text' && !(asks in pickers));
  expect(unknown).toEqual([]);
});
