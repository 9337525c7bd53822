/** Completions of a command line: words, flags, values. The last word is the one being typed. */

import type { GlobalFlags } from '../../config/global-flags.ts';
import type { Environment } from '../../config/store.ts';
import { usefulGlobals } from '../applies.ts';
import { type AnyCommand, type Argument, type Flag, type Flags, globalsBeside, longName } from '../define.ts';
import { topics } from '../topics.ts';
import { aliasOf, type Tree, verbsOf } from '../tree.ts';
import type { KeptAttribute, Known, Offer } from './names.ts';

/** The parsed words before the last one. */
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
  const offers = await offersAt(line, typed, tree, env);
  return { ...offers, offers: offers.offers.filter(({ word }) => word.startsWith(typed)) };
}

async function offersAt(line: Line, typed: string, tree: Tree, env: Environment): Promise<Offers> {
  const { command, operands, open } = line;
  if (open) return flagValues(open.key, open.flag, typed, await placeOf(line, env));
  const attached = /^(--[^=]+)=(.*)$/s.exec(typed);
  if (attached) {
    const [, name = '', text = ''] = attached;
    const flag = flagNamed(name, flagsOf(command));
    if (!flag) return nothing;
    return prefixed(`${name}=`, flagValues(flag.key, flag.flag, text, await placeOf(line, env)));
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
  const flag = flagNamed(name, flagsOf(line.command));
  if (!flag) return;
  const before = line.given.get(flag.key) ?? [];
  if (value !== undefined) line.given.set(flag.key, [...before, value]);
  else if (flag.flag.kind === 'boolean') line.given.set(flag.key, before);
  else line.open = flag;
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
  const commandFlags: Flags = command?.flags ?? {};
  return { ...globalsBeside(commandFlags), ...commandFlags };
}

function flagNamed(name: string, flags: Flags): { key: string; flag: Flag } | undefined {
  const entry = Object.entries(flags).find(([key, { short }]) => longName(key) === name || `-${short}` === name);
  return entry && { key: entry[0], flag: entry[1] };
}

/** The flags that do something here and were not given; the command's own first. */
function flagOffers({ command, given, path }: Line): Offer[] {
  const flags: Flags = command ? { ...command.flags, ...usefulGlobals(command) } : globalsBeside({});
  const visible = Object.entries(flags).filter(
    ([key, { hidden, kind }]) => !hidden && (kind === 'list' || !given.has(key)),
  );
  const version = path.length === 0 ? [{ word: '--version', says: 'show the version' }] : [];
  const help = { word: '--help', says: 'show the help; --long: all of it' };
  return [...visible.map(([key, { summary }]) => ({ word: longName(key), says: summary })), ...version, help];
}

/** Nouns, or the verbs and groups of verbs of a noun. */
async function wordsBelow(path: readonly string[], tree: Tree): Promise<Offer[]> {
  const [noun, ...rest] = path;
  if (noun === undefined) {
    const nouns = Object.entries(tree.nouns).map(([word, { summary }]) => ({ word, says: summary }));
    return [...nouns, ...Object.entries(tree.shortcuts).map(([word, to]) => ({ word, says: `comem ${to.join(' ')}` }))];
  }
  const verbs = Object.entries(await verbsOf(tree, noun));
  const offers = new Map<string, Offer>();
  for (const [verb, load] of verbs) {
    const parts = verb.split(' ');
    const word = parts[rest.length];
    if (verb === '' || word === undefined || parts.slice(0, rest.length).join(' ') !== rest.join(' ')) continue;
    const isVerb = parts.length === rest.length + 1;
    if (!offers.has(word))
      offers.set(word, { word, says: isVerb ? (await load()).default.summary : `${path.join(' ')} ${word} …` });
  }
  return [...offers.values()];
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
  const { knownTo } = await import('./names.ts');
  return { list: operandOf('LIST'), attr: operandOf('ATTR'), known: knownTo(globals, env) };
}

function prefixed(start: string, { offers, prefix = '', ...rest }: Offers): Offers {
  return { ...rest, prefix: start + prefix, offers: offers.map(({ word, says }) => ({ word: start + word, says })) };
}

/** Completions of a value by its placeholder: words, files, names. */

export interface Offers {
  /** Each is the whole word. */
  offers: Offer[];
  /** Files follow instead, after `prefix`. */
  files?: 'any' | 'folders';
  prefix?: string;
  /** The word is complete only with what the user types next. */
  isOpen?: boolean;
}

const nothing: Offers = { offers: [] };

interface Place {
  /** LIST and ATTR as they were typed, where the command has them. */
  list: string | undefined;
  attr: string | undefined;
  known: Known;
}

const byPlaceholder: Readonly<Record<string, string>> = {
  'ID|ALIAS': 'company',
  COMPANY: 'company',
  'COMPANY|USER': 'company',
  'ID|NAME': 'company',
  PROFILE: 'profile',
  LIST: 'list',
  ATTR: 'attribute',
  SLUG: 'attribute',
  METRIC: 'metric',
  'ID[,ID]': 'metric',
};

interface Naming {
  names?: string | undefined;
  asks?: string | undefined;
  value?: string | undefined;
}

/** The kind of a value: the flag or argument names it, else its placeholder. */
function namedBy({ names, asks, value = '' }: Naming): string | undefined {
  return names ?? (asks === 'text' ? undefined : asks) ?? byPlaceholder[value];
}

function argumentValues(argument: Argument, text: string, context: Place): Offers {
  const { choices, name } = argument;
  if (choices) return words(choices);
  if (name === 'FILE' || name === 'DIR') return { offers: [], files: name === 'FILE' ? 'any' : 'folders' };
  const named = namedBy({ names: argument.names, asks: argument.asks, value: name });
  return named === undefined ? nothing : namesOf(named, text, context);
}

function flagValues(key: string, flag: Flag, text: string, context: Place): Offers {
  const { value = '', choices, kind } = flag;
  if (kind === 'boolean') return nothing;
  if (choices) return words(choices);
  if (value.includes('FORMAT[=FILE]')) return reports(flag, text);
  if (/FILE|DIR|^DB$/.test(value)) return filesOf(value, text);
  if (/^[a-z0-9]+(\|[a-z0-9]+)+$/.test(value)) return words(value.split('|'));
  if (value === 'VERSION[,VERSION]')
    return commaList(
      text,
      ['actual', 'budget', 'forecast'].map((word) => ({ word })),
    );
  if (value === 'METRIC=HOW') return pairs(text, context.known.names().metrics, () => aggregations);
  if (/^SLUG(=|\|)/.test(value) || value === 'EXPR') return attributeValues(value, text, context);
  if (/^(KEY\b|A,B$)/.test(value) && value !== 'KEY=VALUE') return commaList(text, columnsOf(context));
  if (/^(LABEL|OLD=NEW)/.test(value)) return optionValues(value, text, context);
  const named =
    key === 'profile'
      ? 'profile'
      : key === 'metric'
        ? 'metric'
        : namedBy({ names: flag.names, asks: flag.asks, value });
  if (named === undefined) return nothing;
  return value.includes('[,') ? commaList(text, namesOf(named, '', context).offers) : namesOf(named, text, context);
}

const aggregations = ['sum', 'average', 'last', 'first', 'min', 'max'].map((word) => ({ word }));

function words(all: readonly string[]): Offers {
  return { offers: all.map((word) => ({ word })) };
}

function namesOf(named: string, text: string, { list, attr, known }: Place): Offers {
  switch (named) {
    case 'file':
      return { offers: [], files: 'any' };
    case 'profile':
      return { offers: known.profiles };
    case 'company':
      return {
        offers: [...known.companies, ...known.groups.map(({ word, ...rest }) => ({ word: `@${word}`, ...rest }))],
      };
    case 'alias':
      return { offers: known.companies };
    case 'group':
      return { offers: known.groups };
    case 'list':
      return { offers: listOffers(text, known) };
    case 'attr':
    case 'attribute':
      return { offers: attributesOf(list, known) };
    case 'option':
      return { offers: attributesOf(list, known).find(({ word }) => word === attr)?.options ?? [] };
    case 'metric':
      return { offers: known.names().metrics };
    case 'grant':
      return { offers: known.names().grants };
    default:
      return nothing;
  }
}

/** Slugs; names for who begins one. */
function listOffers(text: string, known: Known): Offer[] {
  const lists = Object.values(known.names().lists);
  const slugs = lists.map(({ word, says }) => ({ word, says }));
  if (text === '' || slugs.some(({ word }) => word.startsWith(text))) return slugs;
  return lists.flatMap(({ name, word }) => (name === undefined ? [] : [{ word: name, says: word }]));
}

function attributesOf(list: string | undefined, known: Known): KeptAttribute[] {
  if (list === undefined) return [];
  const { lists } = known.names();
  const matched = lists[list] ?? Object.values(lists).find(({ word, name }) => word === list || name === list);
  return matched?.attributes ?? [];
}

/** The fixed columns of entries, and the attributes. */
function columnsOf({ list, known }: Place): Offer[] {
  const attributes = attributesOf(list, known);
  if (attributes.length === 0) return [];
  const fixed = ['id', 'title', 'position', 'archived', 'created_at', 'updated_at'];
  return [...attributes, ...fixed.map((word) => ({ word }))];
}

/** `SLUG=VALUE`, `SLUG|title|id`, or an expression that begins with a column. */
function attributeValues(value: string, text: string, { list, known }: Place): Offers {
  const attributes = attributesOf(list, known);
  if (value === 'EXPR') return /^[\w-]*$/.test(text) ? { offers: attributes, isOpen: true } : nothing;
  if (!value.includes('=')) return { offers: [...attributes, ...words(['title', 'id']).offers] };
  const offered = value === 'SLUG=OPTION' ? attributes.filter(({ options }) => options) : attributes;
  return pairs(text, offered, (slug) => attributes.find(({ word }) => word === slug)?.options ?? []);
}

function optionValues(value: string, text: string, context: Place): Offers {
  const { offers } = namesOf('option', text, context);
  if (!value.startsWith('OLD=')) return { offers };
  return text.includes('=') ? nothing : { offers: offers.map(({ word }) => ({ word: `${word}=` })), isOpen: true };
}

/** `KEY=`, and once there is one, `KEY=VALUE`. */
function pairs(text: string, keys: readonly Offer[], valuesOf: (key: string) => readonly Offer[]): Offers {
  const at = text.indexOf('=');
  if (at < 0) return { offers: keys.map(({ word, says }) => ({ word: `${word}=`, says })), isOpen: true };
  const key = text.slice(0, at);
  return { offers: valuesOf(key).map(({ word, says }) => ({ word: `${key}=${word}`, says })) };
}

/** `a,b,`: what follows the last comma, without what is there. */
function commaList(text: string, all: readonly Offer[]): Offers {
  const at = text.lastIndexOf(',') + 1;
  const parts = new Set(text.slice(0, at).split(','));
  const rest = all.filter(({ word }) => !parts.has(word));
  return { offers: rest.map(({ word, says }) => ({ word: text.slice(0, at) + word, says })) };
}

/** `FORMAT[=FILE]`: the formats that the summary lists, then a file. */
function reports({ summary }: Flag, text: string): Offers {
  const at = text.indexOf('=');
  if (at >= 0) return { offers: [], files: 'any', prefix: text.slice(0, at + 1) };
  const formats = summary.split(';')[0]?.split(/, | or /) ?? [];
  return words(formats);
}

/** `@FILE` begins with `@`; where a word is possible, too, it is offered. */
function filesOf(value: string, text: string): Offers {
  const files = value === 'DIR' || value === 'DB' ? 'folders' : 'any';
  if (value.includes('@FILE'))
    return text.startsWith('@')
      ? { offers: [], files, prefix: '@' }
      : { offers: [{ word: '@', says: 'a file' }], isOpen: true };
  const known = value.split('|').filter((word) => /^[a-z]+$/.test(word));
  const offers = known.filter((word) => word.startsWith(text) && text !== '').map((word) => ({ word }));
  return offers.length > 0 ? { offers } : { offers: [], files };
}
