/** The whole command tree as plain data (`comem help --json`), for programs that want to know what comem can do. */

import { version } from '../../package.json';
import { globalFlags } from '../config/global-flags.ts';
import { type AnyCommand, type Argument, type Flags, longName, synopsis } from './define.ts';
import { exitCodeRows } from './topics.ts';
import { aliasPaths, commandsOf, type Tree } from './tree.ts';

export async function helpTree(tree: Tree) {
  const nouns = Object.entries(tree.nouns).map(async ([name, { summary }]) => ({
    name,
    summary,
    commands: (await commandsOf(tree, name)).map((command) => commandTree(command, tree)),
  }));
  return {
    name: 'comem',
    version,
    globalFlags: flagTrees(globalFlags),
    nouns: await Promise.all(nouns),
    exitCodes: Object.fromEntries(exitCodeRows),
  };
}

function commandTree(command: AnyCommand, tree: Tree) {
  const {
    path,
    summary,
    description,
    manual,
    file,
    operations,
    args,
    flags,
    examples,
    stdout,
    writes = false,
    confirms,
  } = command;
  return {
    path,
    aliases: aliasPaths(tree, command),
    usage: synopsis(command),
    summary,
    description,
    manual,
    file,
    operations,
    arguments: (args as readonly Argument[]).map(({ name, summary, optional = false, variadic = false }) => ({
      name: name.toUpperCase(),
      summary,
      required: !optional,
      repeats: variadic,
    })),
    flags: flagTrees(flags),
    examples,
    stdout,
    writes,
    confirms,
  };
}

function flagTrees(flags: Flags) {
  return Object.entries(flags).flatMap(([key, flag]) => {
    const { kind, value, summary, short, choices, minimum, maximum, pattern, required = false, hidden } = flag;
    if (hidden) return [];
    return [
      {
        name: longName(key),
        short: short && `-${short}`,
        kind,
        value,
        summary,
        choices,
        minimum,
        maximum,
        pattern: pattern?.source,
        required,
      },
    ];
  });
}
