import { describe, expect, test } from 'vitest';
import { type AnyCommand, type Flag, globalsBeside, longName } from '../../src/cli/define.ts';
import { helpTree } from '../../src/cli/help.ts';
import { Route } from '../../src/cli/route.ts';
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

describe('an older flag', () => {
  const flagsOf = async (line: string) => {
    const request = await new Route(line.split(' '), tree).find();
    return request.kind === 'command' ? request.parsed.flags : {};
  };

  test.each([
    ['metrics series --ytd', { last: 'ytd' }],
    ['--ytd metrics series', { last: 'ytd' }],
    ['metrics series --fy=2026', { last: 'fy2026' }],
    ['metrics series --fy 2026', { last: 'fy2026' }],
    ['grants create --recipient-company lumen --all-metrics', { recipient: 'lumen', all: true }],
    ['lists copy a --to-profile demo --with-entries', { toProfile: 'demo', all: true }],
    ['metrics prefs set --requested mrr --columns arr a', { set: ['columns=arr', 'requested=mrr'] }],
    ['serve --fault latency=1ms --fail GET=503@1/2', { fault: ['fail=GET=503@1/2', 'latency=1ms'] }],
    ['attrs update a b --rename-option x=y --remove-option z', { option: ['-z', '=x=y'] }],
  ])('%s', async (line, flags) => {
    expect(await flagsOf(line)).toMatchObject(flags);
  });

  test('goes with no other value of the flag that took its place', async () => {
    await expect(flagsOf('metrics series --ytd --last 3')).rejects.toThrow('--ytd is an older name of --last');
  });

  test('takes the choices of that flag', async () => {
    await expect(flagsOf('metrics get mrr --of plan')).rejects.toThrow('--of must be actual, budget or forecast');
  });
});
