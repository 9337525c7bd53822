/**
 * Which command an argv means. Flags may stand anywhere, also before the noun and between noun and verb, so the words
 * of the path are found by stepping over flags and their values; everything else of argv is left for the parser.
 */
import type { AnyCommand, Flags, Verbs } from './define.ts';
import { longName } from './define.ts';
import { globalFlags } from './global-flags.ts';
import { allCommands, commandsOf, standardAliases, type Tree, verbOf, verbsOf } from './tree.ts';

export type Route =
  /** No noun, or a first word that is none. */
  | { kind: 'root'; unknown?: string; rest: string[] }
  /** A noun without a verb, or with a word that is none of its verbs. `group`: `keys` of `server keys`. */
  | { kind: 'noun'; noun: string; group?: string; unknown?: string; rest: string[] }
  | { kind: 'command'; command: AnyCommand; rest: string[] };

export type WithoutCommand = Exclude<Route, { kind: 'command' }>;

type TakesValue = (token: string) => Promise<boolean>;

export async function route(argv: readonly string[], tree: Tree): Promise<Route> {
  const tokens = [...argv];
  const first = await nextWord(
    tokens,
    0,
    takesValue(() => allCommands(tree)),
  );
  if (first === undefined) return { kind: 'root', rest: tokens };
  const word = tokens.splice(first, 1)[0] ?? '';
  const shortcut = own(tree.shortcuts, word);
  if (shortcut) tokens.splice(first, 0, ...shortcut.slice(1));
  const noun = shortcut?.[0] ?? word;
  if (!Object.hasOwn(tree.nouns, noun)) return { kind: 'root', unknown: word, rest: tokens };
  return verbRoute(tokens, first, noun, tree);
}

async function verbRoute(tokens: string[], from: number, noun: string, tree: Tree): Promise<Route> {
  const verbs = await verbsOf(tree, noun);
  const alone = verbs[''];
  const itself = async (): Promise<Route | undefined> =>
    alone && { kind: 'command', command: (await alone()).default, rest: tokens };
  const onlyItself = Object.keys(verbs).length === 1 ? await itself() : undefined;
  if (onlyItself) return onlyItself;

  const known = takesValue(() => commandsOf(tree, noun));
  const first = await nextWord(tokens, 0, known, from);
  if (first === undefined) return (await itself()) ?? { kind: 'noun', noun, rest: tokens };
  const word = tokens[first] ?? '';
  const rest = tokens.toSpliced(first, 1);

  const group = Object.keys(verbs).some((verb) => verb.startsWith(`${word} `));
  if (group) {
    const second = await nextWord(rest, 0, known, first);
    const inner = second === undefined ? undefined : (rest[second] ?? '');
    const load = inner === undefined ? undefined : await find(tree, noun, verbs, word, inner);
    if (load && second !== undefined) {
      return { kind: 'command', command: (await load()).default, rest: rest.toSpliced(second, 1) };
    }
    if (!own(verbs, word)) return { kind: 'noun', noun, group: word, unknown: inner, rest };
  }
  const load = await find(tree, noun, verbs, '', word);
  if (!load) return (await itself()) ?? { kind: 'noun', noun, unknown: word, rest };
  return { kind: 'command', command: (await load()).default, rest };
}

/** A verb by its own word, by an alias that every noun understands, or by an alias that its command declares. */
async function find(tree: Tree, noun: string, verbs: Verbs, group: string, word: string) {
  const inGroup = (last: string) => (group ? `${group} ${last}` : last);
  const direct = own(verbs, inGroup(word)) ?? own(verbs, inGroup(own(standardAliases, word) ?? word));
  if (direct) return direct;
  const commands = await commandsOf(tree, noun);
  const alias = commands.find(
    (c) => c.aliases?.includes(word) && inGroup(verbOf(c).split(' ').at(-1) ?? '') === verbOf(c),
  );
  return alias && verbs[verbOf(alias)];
}

/** The index of the next token that is neither a flag nor a flag's value; words before `after` are not looked at. */
async function nextWord(tokens: readonly string[], from: number, takes: TakesValue, after = 0) {
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i] ?? '';
    if (token === '--') return undefined;
    if (!isFlag(token)) {
      if (i >= after) return i;
    } else if (await takes(token)) i++;
  }
  return undefined;
}

/** A property of the object itself: words of users may be `constructor`. */
function own<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isFlag(token: string): boolean {
  return token.length > 1 && token.startsWith('-');
}

/** Whether the token after a flag is its value. A flag that is not global is looked for in the commands, then loaded. */
function takesValue(commands: () => Promise<readonly AnyCommand[]>): TakesValue {
  return async (token) => {
    const known = takesNext(token, [globalFlags]);
    if (known !== undefined) return known;
    const all: Flags[] = (await commands()).map((command) => command.flags);
    return takesNext(token, [globalFlags, ...all]) ?? false;
  };
}

/** Whether `-h` or `--help` stands among a command's tokens, and not as the value of a flag. */
export function asksForHelp(tokens: readonly string[], flags: Flags): boolean {
  for (let i = 0; i < tokens.length && tokens[i] !== '--'; i++) {
    const token = tokens[i] ?? '';
    if (token === '-h' || token === '--help') return true;
    if (isFlag(token) && takesNext(token, [flags, globalFlags])) i++;
  }
  return false;
}

/** The first token that is a flag of none of the sets, without the value written to it. */
export function unknownFlag(tokens: readonly string[], sets: readonly Flags[]): string | undefined {
  for (let i = 0; i < tokens.length && tokens[i] !== '--'; i++) {
    const token = tokens[i] ?? '';
    if (!isFlag(token)) continue;
    const name = token.split('=', 1)[0] ?? '';
    const takes = takesNext(name, sets);
    if (takes === undefined) return name;
    if (takes && name === token) i++;
  }
  return undefined;
}

/** Undefined when no set of flags knows the token. */
function takesNext(token: string, sets: readonly Flags[]): boolean | undefined {
  if (['--help', '-h', '--version', '-V'].includes(token)) return false;
  const all = sets.flatMap((flags) => Object.entries(flags));
  if (token.startsWith('--')) {
    if (token.includes('=')) return false;
    const found = all.filter(([key]) => longName(key) === token);
    return found.length === 0 ? undefined : found.some(([, { kind }]) => kind !== 'boolean');
  }
  // A cluster (`-yo json`): the first letter that takes a value takes the rest of the token, or the next one.
  for (let i = 1; i < token.length; i++) {
    const found = all.filter(([, { short }]) => short === token[i]);
    if (found.length === 0) return undefined;
    if (found.some(([, { kind }]) => kind !== 'boolean')) return i === token.length - 1;
  }
  return false;
}
