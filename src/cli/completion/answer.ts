/**
 * The answer to a Tab: `comem __complete SHELL -- WORD…`, which the scripts of completion call with the words of the
 * line. The first line is what the shell does (`words`, `open`, `files PREFIX`, `folders PREFIX`), each further line an
 * offer; for files in bash, the start of the path.
 */

import type { Environment } from '../../config/store.ts';
import { versions } from '../../contract/metrics.ts';
import { cleanLine } from '../../output/terminal-text.ts';
import { firstFlags, usefulGlobals } from '../applies.ts';
import { type AnyCommand, type Argument, type Flag, type Flags, globalsBeside, longName } from '../define.ts';
import { topics } from '../topics.ts';
import { aliasOf, type Tree, verbsOf } from '../tree.ts';
import type { Known, Offer } from './names.ts';

/** The most offers that a person reads. */
const most = 1000;

/** Never fails: a word that cannot be completed has no offers. */
export async function completionAnswer(argv: readonly string[], tree: Tree, env: Environment): Promise<string> {
  try {
    return `${(await answer(argv, tree, env)).join('\n')}\n`;
  } catch {
    return 'words\n';
  }
}

async function answer([shell, , ...words]: readonly string[], tree: Tree, env: Environment): Promise<string[]> {
  const current = words.pop() ?? '';
  // zsh removes quotes itself; PowerShell drops empty arguments, so that its script adds a sign.
  const typed = shell === 'zsh' ? current : shell === 'powershell' ? current.slice(1) : unquote(current);
  const before = shell === 'bash' ? words.map(unquote) : words;
  const { offers, files, prefix = '', isOpen } = await offersFor([...before, typed], tree, env);
  if (files) return [`${files} ${prefix}`, ...(shell === 'bash' ? [typed.slice(prefix.length)] : [])];
  // A name with a line break or an escape sequence cannot be typed.
  const typable = offers.filter(({ word }) => cleanLine(word) === word).slice(0, most);
  const lines = typable.map(({ word, says }) => {
    if (shell === 'bash') return bashWord(word, current);
    return `${shell === 'powershell' ? powershellWord(word) : word}\t${cleanLine(says ?? '')}`;
  });
  return [isOpen ? 'open' : 'words', ...lines];
}

/** A word of a line as the shell reads it. */
function unquote(word: string): string {
  return word.replace(/\\(.)|["']/gs, '$1');
}

/** The text before an open quote. */
const openQuote = /^((?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*)(["'])/s;

/** The text with which bash replaces the typed word, or the part of it after an open quote. */
export function bashWord(word: string, typed: string): string {
  const unclosed = typed.replace(/^(?:[^"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*$/s, '');
  const [, before = '', quote = ''] = openQuote.exec(unclosed) ?? [];
  const rest = word.slice(unquote(before).length);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  return quote === '"' ? rest.replace(/["\\$`]/g, '\\$&') : rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}

/** PowerShell needs quotes around blanks and characters of its syntax. */
export function powershellWord(word: string): string {
  return /^[\p{L}\p{N}_%+=:./\\-]+$/u.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}

interface Offers {
  /** Offers that are whole words. */
  offers: Offer[];
  /** Files follow instead, after `prefix`. */
  files?: 'files' | 'folders';
  prefix?: string;
  /** The word is complete only with what the user types next. */
  isOpen?: boolean;
}

/** The parsed words before the last one. */
interface Line {
  /** Words of the command's path. */
  path: readonly string[];
  command: AnyCommand | undefined;
  operands: string[];
  values: Map<string, string[]>;
  /** The flag whose value the last word is. */
  open: [key: string, flag: Flag] | undefined;
}

const nothing: Offers = { offers: [] };

async function offersFor(words: readonly string[], tree: Tree, env: Environment): Promise<Offers> {
  if (words.slice(0, -1).includes('--')) return nothing;
  const typed = words.at(-1) ?? '';
  const line: Line = { path: [], command: undefined, operands: [], values: new Map(), open: undefined };
  for (const word of words.slice(0, -1)) await readWord(line, word, tree);
  const offers = await offersAt(line, typed, tree, env);
  return { ...offers, offers: offers.offers.filter(({ word }) => word.startsWith(typed)) };
}

async function offersAt(line: Line, typed: string, tree: Tree, env: Environment): Promise<Offers> {
  const { command, operands, open, path } = line;
  if (open) return flagValues(...open, typed, await scopeOf(line, env));
  const [, name, text = ''] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (name !== undefined) {
    const flag = flagNamed(name, command);
    return flag ? addPrefix(`${name}=`, flagValues(...flag, text, await scopeOf(line, env))) : nothing;
  }
  if (typed.startsWith('-')) return { offers: flagOffers(line, /^--?$/.test(typed)) };
  if (path[0] === 'help') return { offers: await helpWords(operands, tree) };
  const verbs = operands.length === 0 ? await wordsBelow(path, tree) : [];
  const args: readonly Argument[] = command?.args ?? [];
  const argument = args[operands.length] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined);
  const values = argument ? argumentValues(argument, typed, await scopeOf(line, env)) : nothing;
  // Files are named by the shell, so verbs go before them.
  if (verbs.some(({ word }) => word.startsWith(typed))) return { offers: [...verbs, ...values.offers] };
  return values;
}

async function readWord(line: Line, word: string, tree: Tree): Promise<void> {
  const { open, values } = line;
  line.open = undefined;
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const flag = !open && /^-./.test(word) ? flagNamed(name, line.command) : undefined;
  const key = open?.[0] ?? flag?.[0];
  if (key !== undefined && (open || value !== undefined)) values.set(key, [...(values.get(key) ?? []), value ?? word]);
  else if (key !== undefined && flag?.[1].kind === 'boolean') values.set(key, []);
  else if (flag) line.open = flag;
  else if (!/^-./.test(word)) await readOperand(line, word, tree);
}

/** A word of the command's path while there are any, then its arguments. */
async function readOperand(line: Line, word: string, tree: Tree): Promise<void> {
  const path = (line.path.length === 0 && tree.shortcuts[word]) || [...line.path, word];
  const [noun = '', ...rest] = path;
  const verb = rest.join(' ');
  const verbs = line.operands.length === 0 && line.path[0] !== 'help' ? verbsOf(tree, noun) : {};
  const load = Object.entries(verbs).find(([name]) => name === verb || withAlias(name) === verb)?.[1];
  const isGroup = Object.keys(verbs).some((name) => name.startsWith(verb === '' ? '' : `${verb} `));
  if (load === undefined && !isGroup) {
    line.operands.push(word);
    return;
  }
  line.path = path;
  line.command = load && (await load()).default;
}

/** `keys ls` for `keys list`. */
function withAlias(verb: string): string {
  return verb.replace(/\S+$/, (last) => aliasOf(last) ?? last);
}

function flagNamed(name: string, command: AnyCommand | undefined): [string, Flag] | undefined {
  const flags: Flags = command?.flags ?? {};
  const all = Object.entries<Flag>({ ...globalsBeside(flags), ...flags });
  const isNamed = ([key, { short }]: [string, Flag]) => longName(key) === name || `-${short}` === name;
  const older = all.find(([, { also = {} }]) => Object.hasOwn(also, name.slice(2)));
  return all.find(isNamed) ?? older;
}

/** The flags that do something here and were not given; before a letter is typed those of the short page of help. */
function flagOffers({ command, values, path }: Line, isFirst: boolean): Offer[] {
  const all: Flags = command ? { ...command.flags, ...usefulGlobals(command) } : globalsBeside({});
  const flags = Object.entries(command && isFirst ? firstFlags(command) : all);
  const visible = flags.filter(([key, { hidden, kind }]) => !hidden && (kind === 'list' || !values.has(key)));
  const version = path.length === 0 ? [{ word: '--version', says: 'show the version' }] : [];
  const help = { word: '--help', says: 'show the help; --long: all of it' };
  return [...visible.map(([key, { summary }]) => ({ word: longName(key), says: summary })), ...version, help];
}

/** Nouns, or the verbs and groups of verbs of a noun. */
async function wordsBelow([noun, ...rest]: readonly string[], tree: Tree): Promise<Offer[]> {
  if (noun === undefined) {
    const nouns = Object.entries(tree.nouns).map(([word, { summary }]) => ({ word, says: summary }));
    return [...nouns, ...Object.entries(tree.shortcuts).map(([word, to]) => ({ word, says: `comem ${to.join(' ')}` }))];
  }
  const offers = new Map<string, Offer>();
  for (const [verb, load] of Object.entries(verbsOf(tree, noun))) {
    const parts = verb.split(' ');
    const word = parts[rest.length];
    if (!word || offers.has(word) || parts.slice(0, rest.length).join(' ') !== rest.join(' ')) continue;
    const isVerb = parts.length === rest.length + 1;
    offers.set(word, { word, says: isVerb ? (await load()).default.summary : `${[noun, ...rest, word].join(' ')} …` });
  }
  return [...offers.values()];
}

async function helpWords(operands: readonly string[], tree: Tree): Promise<Offer[]> {
  const words = await wordsBelow(operands, tree);
  if (operands.length > 0) return words;
  return [...words, ...Object.entries(topics).map(([word, { summary }]) => ({ word, says: summary }))];
}

/** The list, attribute and names that values on this line refer to. */
interface Scope {
  /** The typed LIST and ATTR, where the command has them. */
  list: string | undefined;
  attr: string | undefined;
  known: Known;
}

async function scopeOf({ command, operands, values }: Line, env: Environment): Promise<Scope> {
  const args: readonly Argument[] = command?.args ?? [];
  const operandOf = (name: string) => operands[args.findIndex((argument) => argument.name === name)];
  const { knownTo } = await import('./names.ts');
  const globals = {
    profile: values.get('profile')?.at(-1),
    company: values.get('company'),
    baseUrl: values.get('baseUrl')?.at(-1),
  };
  return { list: operandOf('LIST'), attr: operandOf('ATTR'), known: knownTo(globals, env) };
}

function addPrefix(start: string, { offers, prefix = '', ...rest }: Offers): Offers {
  return { ...rest, prefix: start + prefix, offers: offers.map(({ word, says }) => ({ word: start + word, says })) };
}

/** The kinds of values by the placeholders of flags and the names of arguments. */
const byPlaceholder: Readonly<Record<string, string>> = {
  'ID|ALIAS': 'company',
  COMPANY: 'company',
  'COMPANY|USER': 'company',
  'ID|NAME': 'company',
  PROFILE: 'profile',
  LIST: 'list',
  ATTR: 'attr',
  SLUG: 'attr',
  METRIC: 'metric',
  'ID[,ID]': 'metric',
  FILE: 'file',
  DIR: 'folder',
  DB: 'folder',
  LABEL: 'option',
  'LABEL[:TONE]': 'option',
};

function argumentValues({ choices, name, completionKind, picker }: Argument, text: string, scope: Scope): Offers {
  return choices ? words(choices) : namesOf(completionKind ?? byPlaceholder[name] ?? picker, text, scope);
}

function flagValues(
  key: string,
  { value = '', choices, completionKind, picker }: Flag,
  text: string,
  scope: Scope,
): Offers {
  if (choices) return words(choices);
  if (value.includes('@FILE')) return text.startsWith('@') ? { offers: [], files: 'files', prefix: '@' } : nothing;
  const fixed = value.split('|').filter((word) => /^[a-z0-9]+$/.test(word) && (text !== '' || !value.includes('FILE')));
  if (fixed.some((word) => word.startsWith(text))) return words(fixed);
  if (value.includes('FILE')) return namesOf('file', text, scope);
  if (value === 'VERSION[,VERSION]') return commaList(text, words(versions).offers);
  if (value === 'METRIC=HOW') return pairs(text, scope.known.names().metrics, () => aggregations);
  if (value === 'OLD=NEW') return pairs(text, namesOf('option', '', scope).offers, () => []);
  const attributes = scope.known.attributes(scope.list);
  if (value.startsWith('SLUG='))
    return pairs(text, attributes, (slug) => attributes.find(({ word }) => word === slug)?.options ?? []);
  if (value === 'EXPR') return /^[\w-]*$/.test(text) ? { offers: attributes, isOpen: true } : nothing;
  if (/^(KEY\b|A,B$)/.test(value)) {
    const fixed = ['id', 'title', 'position', 'created_at', 'updated_at'].map((word) => ({ word }));
    return commaList(text, attributes.length === 0 ? [] : [...attributes, ...fixed]);
  }
  const named = key === 'profile' || key === 'metric' ? key : (completionKind ?? byPlaceholder[value] ?? picker);
  return value.includes('[,') ? commaList(text, namesOf(named, '', scope).offers) : namesOf(named, text, scope);
}

const aggregations = ['sum', 'average', 'last', 'first', 'min', 'max'].map((word) => ({ word }));

function words(all: readonly string[]): Offers {
  return { offers: all.map((word) => ({ word })) };
}

function namesOf(named: string | undefined, text: string, scope: Scope): Offers {
  const { list, attr, known } = scope;
  switch (named) {
    case 'file':
      return { offers: [], files: 'files' };
    case 'folder':
      return { offers: [], files: 'folders' };
    case 'profile':
      return { offers: known.profiles };
    case 'company':
      return { offers: [...known.companies, ...known.groups.map(({ word, says }) => ({ word: `@${word}`, says }))] };
    case 'group':
      return { offers: known.groups };
    case 'list':
      return { offers: listOffers(text, known) };
    case 'attr':
      return { offers: known.attributes(list) };
    case 'option':
      return { offers: known.attributes(list).find(({ word }) => word === attr)?.options ?? [] };
    case 'metric':
      return { offers: known.names().metrics };
    case 'grant':
      return { offers: known.names().grants };
    default:
      return nothing;
  }
}

/** Slugs, or names if the text begins one. */
function listOffers(text: string, known: Known): Offer[] {
  const lists = Object.values(known.names().lists);
  const slugs = lists.map(({ word, says }) => ({ word, says }));
  if (slugs.some(({ word }) => word.startsWith(text))) return slugs;
  return lists.flatMap(({ name, word }) => (name === undefined ? [] : [{ word: name, says: word }]));
}

/** `KEY=`, and once there is one, `KEY=VALUE`. */
function pairs(text: string, keys: readonly Offer[], valuesOf: (key: string) => readonly Offer[]): Offers {
  const at = text.indexOf('=');
  if (at < 0) return { offers: keys.map(({ word, says }) => ({ word: `${word}=`, says })), isOpen: true };
  return addPrefix(text.slice(0, at + 1), { offers: [...valuesOf(text.slice(0, at))] });
}

/** Completes the last item of `a,b,`, without items that are there already. */
function commaList(text: string, all: readonly Offer[]): Offers {
  const start = text.slice(0, text.lastIndexOf(',') + 1);
  const parts = new Set(start.split(','));
  return addPrefix(start, { offers: all.filter(({ word }) => !parts.has(word)) });
}
