/** The command tree: which nouns there are, their verbs, and the commands behind them, each loaded when asked for. */
import type { AnyCommand, Noun, Verbs } from './define.ts';

export interface Tree {
  nouns: Readonly<Record<string, Noun>>;
  /** A first word that stands for noun and verb (`serve`). */
  shortcuts: Readonly<Record<string, readonly string[]>>;
}

/** Last words that every noun understands. */
export const standardAliases: Readonly<Record<string, string>> = { ls: 'list', rm: 'delete', show: 'get' };

/** The verbs of a noun, none of them loaded. */
export async function verbsOf(tree: Tree, noun: string): Promise<Verbs> {
  const found = tree.nouns[noun];
  return found ? (await found.load()).verbs : {};
}

/** All commands of a noun, in the noun's own order. */
export async function commandsOf(tree: Tree, noun: string): Promise<AnyCommand[]> {
  const verbs = Object.values(await verbsOf(tree, noun));
  return Promise.all(verbs.map(async (load) => (await load()).default));
}

/** Every command of the tree. */
export async function allCommands(tree: Tree): Promise<AnyCommand[]> {
  const nouns = await Promise.all(Object.keys(tree.nouns).map((noun) => commandsOf(tree, noun)));
  return nouns.flat();
}

/** The words after the noun: `list`, `keys create`; empty for a noun that has no verbs. */
export function verbOf(command: AnyCommand): string {
  return command.path.split(' ').slice(1).join(' ');
}

/** The other spellings of a command's path: standard and own aliases of its last word, and shortcuts. */
export function aliasPaths(tree: Tree, command: AnyCommand): string[] {
  const words = command.path.split(' ');
  const last = words.at(-1);
  const others = Object.keys(standardAliases).filter((alias) => standardAliases[alias] === last);
  const head = words.length === 1 ? [] : words.slice(0, -1);
  const aliases = words.length === 1 ? [] : [...new Set([...others, ...(command.aliases ?? [])])];
  const shortcuts = Object.keys(tree.shortcuts).filter((word) => tree.shortcuts[word]?.join(' ') === command.path);
  return [...aliases.map((alias) => [...head, alias].join(' ')), ...shortcuts];
}
