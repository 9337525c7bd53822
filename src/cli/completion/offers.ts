/** What may follow on a command line: words, flags, values. The last word is the one that is being typed. */
import type { GlobalFlags } from '../../config/global-flags.ts';
import type { Environment } from '../../config/store.ts';
import { type AnyCommand, type Argument, type Flag, type Flags, globalsBeside, longName } from '../define.ts';
import { topics } from '../topics.ts';
import { aliasOf, type Tree, verbsOf } from '../tree.ts';
import { usefulGlobals } from '../useful-flags.ts';
import type { Offer } from './names.ts';
import { argumentValues, flagValues, nothing, type Offers, type Place } from './values.ts';

/** What the words before the last one say. */
interface Line {
  /** Words of the command's path. */
  path: string[];
  command: AnyCommand | undefined;
  operands: string[];
  given: Map<string, string[]>;
  /** The flag whose value the last word is. */
  open: { key: string; flag: Flag } | undefined;
  /** After `--`. */
  isEnded: boolean;
}

export async function offersFor(words: readonly string[], tree: Tree, env: Environment): Promise<Offers> {
  const typed = words.at(-1) ?? '';
  const line = await lineOf(words.slice(0, -1), tree);
  if (line.isEnded) return nothing;
  const found = await offersAt(line, typed, tree, env);
  return { ...found, offers: found.offers.filter(({ word }) => word.startsWith(typed)) };
}

async function offersAt(line: Line, typed: string, tree: Tree, env: Environment): Promise<Offers> {
  const { command, operands, open } = line;
  if (open) return flagValues(open.key, open.flag, typed, await placeOf(line, env));
  const attached = /^(--[^=]+)=(.*)$/s.exec(typed);
  if (attached) {
    const [, name = '', text = ''] = attached;
    const found = flagNamed(name, flagsOf(command));
    if (!found) return nothing;
    return prefixed(`${name}=`, flagValues(found.key, found.flag, text, await placeOf(line, env)));
  }
  if (typed.startsWith('-')) return { offers: flagOffers(line) };
  if (line.path[0] === 'help') return { offers: await helpWords(operands, tree) };
  const verbs = operands.length === 0 ? await wordsBelow(line.path, tree) : [];
  if (!command) return { offers: verbs };
  const args = command.args as readonly Argument[];
  const argument = args[operands.length] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined);
  const values = argument ? argumentValues(argument, typed, await placeOf(line, env)) : nothing;
  return { ...values, offers: [...verbs, ...values.offers] };
}

async function lineOf(words: readonly string[], tree: Tree): Promise<Line> {
  const line: Line = { path: [], command: undefined, operands: [], given: new Map(), open: undefined, isEnded: false };
  for (const word of words) {
    const { open } = line;
    line.open = undefined;
    if (open) {
      line.given.set(open.key, [...(line.given.get(open.key) ?? []), word]);
      continue;
    }
    if (word === '--') return { ...line, isEnded: true };
    if (word.startsWith('-') && word !== '-') readFlag(line, word);
    else await readWord(line, word, tree);
  }
  return line;
}

function readFlag(line: Line, word: string): void {
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const found = flagNamed(name, flagsOf(line.command));
  if (!found) return;
  const before = line.given.get(found.key) ?? [];
  if (value !== undefined) line.given.set(found.key, [...before, value]);
  else if (found.flag.kind === 'boolean') line.given.set(found.key, before);
  else line.open = found;
}

async function readWord(line: Line, word: string, tree: Tree): Promise<void> {
  if (line.operands.length > 0 || line.path[0] === 'help') {
    line.operands.push(word);
    return;
  }
  const shortcut = line.path.length === 0 ? tree.shortcuts[word] : undefined;
  const path = shortcut ? [...shortcut] : [...line.path, word];
  const [noun = '', ...rest] = path;
  if (!Object.hasOwn(tree.nouns, noun)) {
    line.operands.push(word);
    return;
  }
  const verbs = await verbsOf(tree, noun);
  const last = rest.at(-1);
  const named = Object.keys(verbs).find((verb) => {
    const parts = verb.split(' ');
    const end = parts.at(-1) ?? '';
    return parts.slice(0, -1).join(' ') === rest.slice(0, -1).join(' ') && (end === last || aliasOf(end) === last);
  });
  const load = rest.length === 0 ? verbs[''] : named === undefined ? undefined : verbs[named];
  const isGroup = Object.keys(verbs).some((verb) => verb.startsWith(`${rest.join(' ')} `));
  if (load === undefined && rest.length > 0 && !isGroup) {
    line.operands.push(word);
    return;
  }
  line.path = path;
  line.command = load === undefined ? undefined : (await load()).default;
}

function flagsOf(command: AnyCommand | undefined): Flags {
  const own: Flags = command?.flags ?? {};
  return { ...globalsBeside(own), ...own };
}

function flagNamed(name: string, flags: Flags): { key: string; flag: Flag } | undefined {
  const found = Object.entries(flags).find(([key, { short }]) => longName(key) === name || `-${short}` === name);
  return found && { key: found[0], flag: found[1] };
}

/** The flags that do something here and were not given; the command's own first. */
function flagOffers({ command, given, path }: Line): Offer[] {
  const flags: Flags = command ? { ...command.flags, ...usefulGlobals(command) } : globalsBeside({});
  const shown = Object.entries(flags).filter(
    ([key, { hidden, kind }]) => !hidden && (kind === 'list' || !given.has(key)),
  );
  const version = path.length === 0 ? [{ word: '--version', says: 'show the version' }] : [];
  const help = { word: '--help', says: 'show the help; --long: all of it' };
  return [...shown.map(([key, { summary }]) => ({ word: longName(key), says: summary })), ...version, help];
}

/** Nouns, or the verbs and groups of verbs of a noun. */
async function wordsBelow(path: readonly string[], tree: Tree): Promise<Offer[]> {
  const [noun, ...rest] = path;
  if (noun === undefined) {
    const nouns = Object.entries(tree.nouns).map(([word, { summary }]) => ({ word, says: summary }));
    return [...nouns, ...Object.entries(tree.shortcuts).map(([word, to]) => ({ word, says: `comem ${to.join(' ')}` }))];
  }
  const verbs = Object.entries(await verbsOf(tree, noun));
  const found = new Map<string, Offer>();
  for (const [verb, load] of verbs) {
    const parts = verb.split(' ');
    const word = parts[rest.length];
    if (verb === '' || word === undefined || parts.slice(0, rest.length).join(' ') !== rest.join(' ')) continue;
    const isVerb = parts.length === rest.length + 1;
    if (!found.has(word))
      found.set(word, { word, says: isVerb ? (await load()).default.summary : `${path.join(' ')} ${word} …` });
  }
  return [...found.values()];
}

async function helpWords(operands: readonly string[], tree: Tree): Promise<Offer[]> {
  const words = await wordsBelow(operands, tree);
  if (operands.length > 0) return words;
  return [...words, ...Object.entries(topics).map(([word, { summary }]) => ({ word, says: summary }))];
}

async function placeOf({ command, operands, given }: Line, env: Environment): Promise<Place> {
  const args = (command?.args ?? []) as readonly Argument[];
  const operandOf = (name: string) => {
    const at = args.findIndex((argument) => argument.name === name);
    return at < 0 ? undefined : operands[at];
  };
  const globals: GlobalFlags = {
    ...(given.get('profile') && { profile: given.get('profile')?.at(-1) }),
    ...(given.get('company') && { company: given.get('company') }),
    ...(given.get('baseUrl') && { baseUrl: given.get('baseUrl')?.at(-1) }),
  };
  const { knownTo } = await import('./account.ts');
  return { list: operandOf('LIST'), attr: operandOf('ATTR'), known: knownTo(globals, env) };
}

function prefixed(start: string, { offers, prefix = '', ...rest }: Offers): Offers {
  return { ...rest, prefix: start + prefix, offers: offers.map(({ word, says }) => ({ word: start + word, says })) };
}
