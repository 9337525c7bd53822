import { expect, test } from 'vitest';
import { type AnyCommand, type Flag, globalsBeside, longName } from '../../src/cli/define.ts';
import { helpTree } from '../../src/cli/help.ts';
import { commandsOf } from '../../src/cli/tree.ts';
import { tree } from '../../src/commands/index.ts';

const commands: AnyCommand[] = (
  await Promise.all(Object.keys(tree.nouns).map((noun) => commandsOf(tree, noun)))
).flat();

test('all of help lists at most 130 different flags', async () => {
  const { globalFlags, nouns } = await helpTree(tree);
  const listed = nouns.flatMap(({ commands }) => commands.flatMap(({ flags }) => flags));
  expect(new Set([...globalFlags, ...listed].map(({ name }) => name)).size).toBeLessThanOrEqual(130);
});

test.each(commands.map((command) => [command.path, command] as const))(
  '%s names no older flag, and has no example with one that help does not list',
  (_, command) => {
    const flags: Record<string, Flag> = { ...globalsBeside(command.flags), ...command.flags };
    const isOwn = (line: string) =>
      line.includes(`comem -p demo ${command.path} `) || line.includes(`comem ${command.path} `);
    const examples = command.examples.flatMap(({ run }: { run: string }) => run.split(/\n|&&|\|/).filter(isOwn));
    const { description = '', manual = '' } = command;
    const older = Object.values(flags).flatMap(({ also = {} }) => Object.keys(also).map((name) => `--${name}`));
    const hidden = Object.entries(flags).flatMap(([key, flag]) => (flag.hidden ? [longName(key)] : []));
    const wordsOf = (texts: string[]) => texts.join(' ').match(/(?<![\w-])--[a-z-]+/g) ?? [];
    expect(wordsOf(examples).filter((word) => [...older, ...hidden].includes(word))).toEqual([]);
    expect(wordsOf([description, manual]).filter((word) => older.includes(word))).toEqual([]);
  },
);

test('an older flag is no flag of its command, and of one flag only', () => {
  for (const command of commands) {
    const flags = Object.entries<Flag>({ ...globalsBeside(command.flags), ...command.flags });
    const older = flags.flatMap(([, { also = {} }]) => Object.keys(also).map((name) => `--${name}`));
    const all = [...older, ...flags.map(([key]) => longName(key))];
    expect(new Set(all).size, command.path).toBe(all.length);
  }
});
