/** What may be the value of an argument or a flag, by its placeholder: words, files, names. */
import type { Argument, Flag } from '../define.ts';
import type { Known } from './account.ts';
import type { KeptAttribute, Offer } from './names.ts';

export interface Offers {
  /** Each is the whole word. */
  offers: Offer[];
  /** Files follow instead, after `prefix`. */
  files?: 'any' | 'folders';
  prefix?: string;
  /** The word is complete only with what the user types next. */
  isOpen?: boolean;
}

export const nothing: Offers = { offers: [] };

export interface Place {
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

/** What a value is about: the flag or argument says it, else its placeholder. */
function namedBy({ names, asks, value = '' }: Naming): string | undefined {
  return names ?? (asks === 'text' ? undefined : asks) ?? byPlaceholder[value];
}

export function argumentValues(argument: Argument, text: string, place: Place): Offers {
  const { choices, name } = argument;
  if (choices) return words(choices);
  if (name === 'FILE' || name === 'DIR') return { offers: [], files: name === 'FILE' ? 'any' : 'folders' };
  const named = namedBy({ names: argument.names, asks: argument.asks, value: name });
  return named === undefined ? nothing : namesOf(named, text, place);
}

export function flagValues(key: string, flag: Flag, text: string, place: Place): Offers {
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
  if (value === 'METRIC=HOW') return pairs(text, place.known.names().metrics, () => aggregations);
  if (/^SLUG(=|\|)/.test(value) || value === 'EXPR') return attributeValues(value, text, place);
  if (/^(KEY\b|A,B$)/.test(value) && value !== 'KEY=VALUE') return commaList(text, columnsOf(place));
  if (/^(LABEL|OLD=NEW)/.test(value)) return optionValues(value, text, place);
  const named =
    key === 'profile'
      ? 'profile'
      : key === 'metric'
        ? 'metric'
        : namedBy({ names: flag.names, asks: flag.asks, value });
  if (named === undefined) return nothing;
  return value.includes('[,') ? commaList(text, namesOf(named, '', place).offers) : namesOf(named, text, place);
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
    case 'calc':
      return { offers: known.calc };
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
  const found = lists[list] ?? Object.values(lists).find(({ word, name }) => word === list || name === list);
  return found?.attributes ?? [];
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

function optionValues(value: string, text: string, place: Place): Offers {
  const { offers } = namesOf('option', text, place);
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
  const given = new Set(text.slice(0, at).split(','));
  const rest = all.filter(({ word }) => !given.has(word));
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
