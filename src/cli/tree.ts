/** The command tree: nouns, their verbs, and the commands behind them, each loaded on first use. */
import type { Context } from './context.ts';
import type { AnyCommand, Example, Verbs } from './define.ts';
import type { ChoiceSearch } from './prompts.ts';

/** A noun: what help says of it, and its verbs. */
export interface Noun {
  /** One line without a full stop. */
  summary: string;
  /** Its group in the program's help; default `SETUP`. */
  group?: 'DATA' | 'AUTOMATION' | 'SETUP';
  /** A few words for that list; default: the summary. */
  brief?: string;
  /** Nouns that the man page refers to. */
  related?: readonly string[];
  /** Its commands go by no profile. */
  withoutProfile?: boolean;
  /** Each is loaded when it is used. */
  verbs: Verbs;
}

/** The program's own help and man page. */
export interface About {
  /** One line without a full stop. */
  summary: string;
  description: string;
  examples: readonly Example[];
}

/** Other programs' names for commands, verbs and flags of comem, most likely first. */
export interface OtherNames {
  commands: Readonly<Record<string, readonly string[]>>;
  verbs: Readonly<Record<string, readonly string[]>>;
  flags: Readonly<Record<string, readonly string[]>>;
  /** Flags and verbs that comem had before, and what to write now. */
  removed: Readonly<Record<string, string>>;
}

export interface Tree {
  about: About;
  nouns: Readonly<Record<string, Noun>>;
  /** A first word that means noun and verb (`serve`). */
  shortcuts: Readonly<Record<string, readonly string[]>>;
  /** Other programs' names for commands, verbs and flags. */
  otherNames?: () => Promise<{ otherNames: OtherNames }>;
  /** Pickers for arguments and flags that ask. */
  pickers?: () => Promise<{ pickers: Readonly<Record<string, Picker>> }>;
}

/** @param args the arguments so far, such as the list of an entry */
export type Picker = (ctx: Context, args: Readonly<Record<string, unknown>>) => Promise<Picking>;

interface Picking extends ChoiceSearch<string> {
  /** The text of a chosen value in messages. Default: the value. */
  written?(value: string): Promise<string>;
}

/** Other last words, by the last word of a path. */
const aliases: Readonly<Record<string, string>> = { list: 'ls', delete: 'rm', remove: 'rm', get: 'show' };

/** `ls` for `list`; undefined for a verb without an alias. */
export function aliasOf(verb: string): string | undefined {
  return Object.hasOwn(aliases, verb) ? aliases[verb] : undefined;
}

/** `list` for `ls`; a word that is no alias as it is. */
export function resolveAlias(word: string): string {
  const verbs = Object.keys(aliases);
  return verbs.find((verb) => aliases[verb] === word) ?? word;
}

/** The verbs of a noun, none of them loaded. */
export function verbsOf({ nouns }: Tree, noun: string): Verbs {
  return nouns[noun]?.verbs ?? {};
}

/** The commands of a noun that help lists, in the noun's own order. */
export async function commandsOf(tree: Tree, noun: string): Promise<AnyCommand[]> {
  const verbs = Object.values(verbsOf(tree, noun));
  const commands = await Promise.all(verbs.map(async (load) => (await load()).default));
  return commands.filter(({ unlisted }) => !unlisted);
}

/** Every command of the tree. */
export async function allCommands(tree: Tree): Promise<AnyCommand[]> {
  const nouns = await Promise.all(Object.keys(tree.nouns).map((noun) => commandsOf(tree, noun)));
  return nouns.flat();
}

/** The other spellings of a command's path: the alias of its last word, and shortcuts. */
export function aliasPaths(tree: Tree, command: AnyCommand): string[] {
  const words = command.path.split(' ');
  const last = words.slice(1).at(-1);
  const alias = last === undefined ? undefined : aliasOf(last);
  const shortcuts = Object.keys(tree.shortcuts).filter((word) => tree.shortcuts[word]?.join(' ') === command.path);
  return [...(alias === undefined ? [] : [[...words.slice(0, -1), alias].join(' ')]), ...shortcuts];
}
