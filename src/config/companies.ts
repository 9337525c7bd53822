/** Resolves a word to companies: an id, an alias, a group, or a name from the API that an earlier command cached. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUuid } from '../contract/validate.ts';
import { Failure, usage } from '../core/errors.ts';
import { propertyOf } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { namePattern, type Profile } from './profile.ts';
import type { Paths } from './store.ts';

const unknownCompany = 'unknown_company';

/** Whether names from the API may resolve what failed. */
export function isUnknownCompany(error: unknown): boolean {
  return error instanceof Failure && error.code === unknownCompany;
}

/** The companies with this name, in any letter case. */
export function companiesNamed(text: string, names: CachedNames): string[] {
  const folded = text.trim().toLowerCase();
  return Object.keys(names)
    .filter((id) => names[id]?.name?.trim().toLowerCase() === folded)
    .sort();
}

/** The alias of a company; the first in the settings where it has several. */
export function firstAlias(aliases: Readonly<Record<string, string>>, id: string | undefined): string | undefined {
  return Object.keys(aliases).find((alias) => aliases[alias] === id);
}

/** The first alias of each company that has one. */
export function aliasesById(aliases: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  // A later entry of a map replaces an earlier one.
  return new Map(
    Object.entries(aliases)
      .map(([alias, id]): [string, string] => [id, alias])
      .reverse(),
  );
}

/** The companies that words may name. */
export interface KnownCompanies extends Pick<Profile, 'companies'> {
  groups?: Readonly<Record<string, readonly string[]>> | undefined;
  names?: () => CachedNames;
}

/**
 * The uuid of a company. A uuid is never looked up.
 * @throws notFound listing the aliases when the profile does not have it
 */
export function resolveCompany(
  text: string,
  aliases: Readonly<Record<string, string>>,
  from: string,
  profile: string,
  names: () => CachedNames = () => ({}),
): string {
  const word = text.trim();
  if (isUuid(word)) return word;
  if (word.startsWith('@'))
    throw usage(`${from} is one company, and "${word}" is a group`, 'give the name of a company');
  const aliased = propertyOf(aliases, word);
  if (aliased !== undefined) return aliased;
  const named = companiesNamed(word, names());
  if (named.length > 1) {
    const describe = (id: string, alias = firstAlias(aliases, id)) => (alias === undefined ? id : `${alias} (${id})`);
    const candidates = named.map((id) => describe(id)).join(', ');
    throw usage(
      `${from}: ${named.length} companies are named "${word}": ${candidates}`,
      'give the alias or the id of one',
    );
  }
  if (named[0] !== undefined) return named[0];
  const known = Object.keys(aliases).sort();
  const near = suggestAlias(word, [...known, ...Object.values(names()).flatMap(({ name }) => name ?? [])]);
  throw new Failure('notFound', `${from}: profile "${profile}" has no company "${text}"`, {
    code: unknownCompany,
    hint: word.includes(',')
      ? `repeat the flag: ${word
          .split(',')
          .map((name) => `-c ${name.trim()}`)
          .join(' ')}`
      : known.length
        ? `${near}its aliases are ${known.join(', ')}`
        : `give its uuid, or name it once with \`comem companies add ${namePattern.test(word) ? word : 'NAME'} UUID\``,
  });
}

/** The group of every company that the profile knows. */
export const everyCompany = '@all';

/**
 * The uuids that a word names: one company, those of `@GROUP`, or with `@all` every one that the profile knows.
 * @throws notFound listing what is known
 */
export function resolveCompanies(
  text: string,
  { companies = {}, groups = {}, names }: KnownCompanies,
  from: string,
  profile: string,
): readonly string[] {
  const word = text.trim();
  if (!word.startsWith('@')) return [resolveCompany(word, companies, from, profile, names)];
  if (word === everyCompany) {
    const all = [...new Set([...Object.values(companies), ...Object.values(groups).flat()])];
    if (all.length > 0) return all;
    throw new Failure('notFound', `${from}: profile "${profile}" knows no companies`, {
      hint: 'add them with `comem companies add ALIAS UUID`',
    });
  }
  const name = word.slice(1);
  const members = propertyOf(groups, name);
  if (members !== undefined) return members;
  const known = Object.keys(groups).sort();
  throw new Failure('notFound', `${from}: profile "${profile}" has no group "${name}" of companies`, {
    hint: known.length
      ? `${suggestAlias(name, known)}its groups are ${known.join(', ')}`
      : `add it with \`comem companies group add ${namePattern.test(name) ? name : 'NAME'} COMPANY…\``,
  });
}

/** `did you mean lumen? ` if a known word is near. */
export function suggestAlias(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? '' : `did you mean ${near}? `;
}

export interface CachedName {
  /** Null: the API does not tell. */
  name: string | null;
  /** The time of the request, ISO 8601. */
  at: string;
}

/** Names of companies by id. */
export type CachedNames = Readonly<Record<string, CachedName>>;

export const namesFile = ({ cache }: Pick<Paths, 'cache'>): string => join(cache, 'company-names.json');

/** The cached names of the companies of an address. */
export function cachedNames(paths: Pick<Paths, 'cache'>, baseUrl: string | undefined): CachedNames {
  return propertyOf(readCachedNames(paths), baseUrl ?? '') ?? {};
}

/** The name of one company, if it is known. */
export function cachedName(id: string, names: CachedNames): string | undefined {
  return propertyOf(names, id)?.name || undefined;
}

/** The cached names by address. */
export function readCachedNames(paths: Pick<Paths, 'cache'>): Record<string, CachedNames> {
  try {
    return JSON.parse(readFileSync(namesFile(paths), 'utf8')) ?? {};
  } catch {
    return {};
  }
}
