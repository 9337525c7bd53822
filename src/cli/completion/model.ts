/** What a shell has to know of the command tree: for each path the words that can follow, and its flags. */
import { type AnyCommand, type Flag, type Flags, globalsBeside, longName } from '../define.ts';
import { topics } from '../topics.ts';
import { aliasPaths, allCommands, type Tree } from '../tree.ts';

interface Word {
  word: string;
  says: string;
}

export interface FlagWord {
  /** `--output`, and `-o` where it has a short form. */
  names: string[];
  says: string;
  takesValue: boolean;
  choices: readonly string[];
  /** Whether its value is a file. */
  file: boolean;
}

export interface Place {
  /** `''`, `lists`, `lists list`, `server keys`. */
  path: string;
  words: Word[];
  flags: FlagWord[];
}

export interface CompletionModel {
  places: Place[];
  /** Other spellings of a path: `lists ls` → `lists list`. */
  aliases: Map<string, string>;
  /** Every flag that takes a value, of any command. */
  valueFlags: string[];
}

export async function completionModel(tree: Tree): Promise<CompletionModel> {
  const commands = await allCommands(tree);
  const groups = new Map<string, Word[]>([['', rootWords(tree)]]);
  for (const command of commands) addWords(groups, command);
  const places = [...groups].map(([path, words]) => ({ path, words, flags: flagsOf({}) }));
  places.push(
    ...commands.map((command) => ({
      path: command.path,
      words: argumentWords(command, tree),
      flags: flagsOf(command.flags),
    })),
  );
  const aliases = new Map(
    commands.flatMap((command) => aliasPaths(tree, command).map((alias) => [alias, command.path])),
  );
  const valueFlags = places.flatMap(({ flags }) =>
    flags.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names),
  );
  return { places, aliases, valueFlags: [...new Set(valueFlags)] };
}

function rootWords(tree: Tree): Word[] {
  const nouns = Object.entries(tree.nouns).map(([word, { summary }]) => ({ word, says: summary }));
  const shortcuts = Object.entries(tree.shortcuts).map(([word, path]) => ({ word, says: `comem ${path.join(' ')}` }));
  return [...nouns, ...shortcuts];
}

/** The words of a path are listed under each of its beginnings: `keys` under `server`, `create` under `server keys`. */
function addWords(groups: Map<string, Word[]>, command: AnyCommand): void {
  const words = command.path.split(' ');
  for (const [count, word] of words.entries()) {
    if (count === 0) continue;
    const path = words.slice(0, count).join(' ');
    const known = groups.get(path) ?? [];
    groups.set(path, known);
    if (known.some((each) => each.word === word)) continue;
    const last = count === words.length - 1;
    known.push({ word, says: last ? command.summary : `${words.slice(0, count + 1).join(' ')} …` });
  }
}

function argumentWords(command: AnyCommand, tree: Tree): Word[] {
  if (command.path === 'help') {
    return [...rootWords(tree), ...Object.entries(topics).map(([word, { summary }]) => ({ word, says: summary }))];
  }
  const [first] = command.args as readonly { choices?: readonly string[] }[];
  return (first?.choices ?? []).map((word) => ({ word, says: '' }));
}

function flagsOf(own: Flags): FlagWord[] {
  const help: FlagWord = { names: ['--help', '-h'], says: 'help', takesValue: false, choices: [], file: false };
  return [...Object.entries({ ...own, ...globalsBeside(own) }).flatMap(([key, flag]) => flagWord(key, flag)), help];
}

function flagWord(key: string, flag: Flag): FlagWord[] {
  if (flag.hidden) return [];
  const names = [longName(key), ...(flag.short ? [`-${flag.short}`] : [])];
  const file = flag.value !== undefined && /FILE|DIR/.test(flag.value);
  return [{ names, says: flag.summary, takesValue: flag.kind !== 'boolean', choices: flag.choices ?? [], file }];
}
