/** What the settings file holds, and the check that a file read back is one. */

import { join } from 'node:path';
import { isUuid } from '../contract/validate.ts';
import { demo } from '../core/demo.ts';
import { Failure, usage } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { Paths } from './paths.ts';
import { readJson, updateStore } from './store.ts';

export type SecretKind = 'key' | 'session';

/** Where a secret is kept; never the secret itself. */
export type StoredSecret = {
  /** The one origin that it is sent to. */
  origin: string;
} & ({ storage: 'keyring' | 'file'; id: string } | { storage: 'command'; command: string });

export interface Profile {
  baseUrl?: string;
  /** uuid of the default company. */
  company?: string;
  /** Format on a terminal. */
  output?: string;
  /** No writes are sent. */
  readonly?: boolean;
  /** Writes ask for the company's name. */
  protected?: boolean;
  allowHttp?: boolean;
  /** Seconds for one request. */
  timeout?: number;
  retries?: number;
  /** uuid by alias. */
  companies?: Record<string, string>;
  key?: StoredSecret;
  session?: StoredSecret;
}

export interface ProfilesFile {
  version: 1;
  /** The profile of commands without `-p`. */
  current?: string;
  profiles: Record<string, Profile>;
}

/** The built-in profile: the embedded API with demo data. */
export const demoProfile = 'demo';

/** The name when none is chosen. */
export const defaultProfile = 'default';

export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const nameRule = 'letters, digits, dots, hyphens and underscores, a letter or digit first, at most 64';

export function emptyProfiles(): ProfilesFile {
  return { version: 1, profiles: {} };
}

/** A profile by its own name (never an inherited property), the built-in one included; undefined when there is none. */
export function findProfile(file: ProfilesFile, name: string): Profile | undefined {
  const kept = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
  return name === demoProfile ? { ...kept, baseUrl: 'embedded:', companies: companiesOf(kept, name) } : kept;
}

/** The company aliases of a profile; those of the demo's companies are built in. */
export function companiesOf(profile: Profile | undefined, name: string): Record<string, string> {
  return { ...(name === demoProfile ? demo.companies : {}), ...profile?.companies };
}

/** Every profile's name, sorted, `demo` among them. */
export function profileNames(file: ProfilesFile): string[] {
  return [...new Set([...Object.keys(file.profiles), demoProfile])].sort();
}

const types: Record<keyof Profile, 'string' | 'boolean' | 'number' | 'object'> = {
  baseUrl: 'string',
  company: 'string',
  output: 'string',
  readonly: 'boolean',
  protected: 'boolean',
  allowHttp: 'boolean',
  timeout: 'number',
  retries: 'number',
  companies: 'object',
  key: 'object',
  session: 'object',
};

/**
 * The parsed settings file, held against its shape; fields of a later comem are kept.
 * @throws usage naming the file and the place
 */
export function checkProfiles(value: unknown, file: string): ProfilesFile {
  const broken = (what: string) =>
    new Failure('usage', `the settings file ${file} is not one of comem: ${what}`, {
      hint: 'Mend it, or move it away and run `comem auth login` again',
      code: 'settings_file',
    });
  if (!isObject(value)) throw broken('it must be a JSON object');
  if (value.version !== 1) throw broken(`"version" must be 1, but is ${JSON.stringify(value.version) ?? 'missing'}`);
  if (value.current !== undefined && typeof value.current !== 'string') throw broken('"current" must be a string');
  if (!isObject(value.profiles)) throw broken('"profiles" must be an object');
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isObject(profile)) throw broken(`"profiles.${name}" must be an object`);
    for (const [key, type] of Object.entries(types)) {
      const found = profile[key];
      if (found !== undefined && (type === 'object' ? !isObject(found) : typeof found !== type)) {
        throw broken(`"profiles.${name}.${key}" must be ${type === 'object' ? 'an' : 'a'} ${type}`);
      }
    }
    const companies = Object.values(isObject(profile.companies) ? profile.companies : {});
    if (!companies.every((id) => typeof id === 'string'))
      throw broken(`"profiles.${name}.companies" must hold strings`);
    for (const kind of ['key', 'session']) {
      if (profile[kind] !== undefined && !isStoredSecret(profile[kind])) {
        throw broken(`"profiles.${name}.${kind}" does not say where its secret is kept`);
      }
    }
  }
  return value as unknown as ProfilesFile;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStoredSecret(value: unknown): value is StoredSecret {
  if (!isObject(value) || typeof value.origin !== 'string') return false;
  if (value.storage === 'command') return typeof value.command === 'string';
  return (value.storage === 'keyring' || value.storage === 'file') && typeof value.id === 'string';
}

const name = 'config';

export function profilesPath(paths: Paths): string {
  return join(paths.config, `${name}.json`);
}

/**
 * All profiles; empty when nothing was ever saved.
 * @throws usage naming the file when it cannot be read or is not comem's
 */
export function loadProfiles(paths: Paths): ProfilesFile {
  const file = profilesPath(paths);
  const found = readJson(file);
  return found === undefined ? emptyProfiles() : checkProfiles(found, file);
}

/**
 * Reads, changes and writes the settings file while no other process does. `change` may throw: then nothing is written.
 * @returns what `change` gives
 */
export async function updateProfiles<T>(paths: Paths, change: (file: ProfilesFile) => T | Promise<T>): Promise<T> {
  return updateStore(paths.config, name, async (found) => {
    const file = found === undefined ? emptyProfiles() : checkProfiles(found, profilesPath(paths));
    const result = await change(file);
    return { value: file, result };
  });
}

/**
 * The uuid of a company. A uuid is never looked up.
 * @throws notFound listing the aliases when the profile has no such one
 */
export function resolveCompany(
  text: string,
  aliases: Readonly<Record<string, string>>,
  from: string,
  profile: string,
): string {
  const given = text.trim();
  if (isUuid(given)) return given;
  const kept = Object.hasOwn(aliases, given) ? aliases[given] : undefined;
  if (kept !== undefined) return kept;
  const known = Object.keys(aliases).sort();
  throw new Failure('notFound', `${from}: "${text}" is neither a uuid nor a company alias of profile "${profile}"`, {
    hint: known.length
      ? `${suggested(given, known)}Its aliases are ${known.join(', ')}`
      : `Keep one with \`comem companies add ${namePattern.test(given) ? given : 'ALIAS'} UUID\``,
  });
}

/** `Did you mean lumen? ` where one of the known words is near. */
export function suggested(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? '' : `Did you mean ${near}? `;
}

/** @throws usage when the text cannot be an alias */
export function checkAlias(alias: string): string {
  if (isUuid(alias)) throw usage(`an alias stands for a uuid and cannot be one itself: "${alias}"`);
  if (!namePattern.test(alias)) throw usage(`the alias must be ${nameRule}, but is "${alias}"`);
  return alias;
}

/** @throws usage when the text is no uuid */
export function checkCompanyId(text: string, from: string): string {
  if (!isUuid(text.trim())) throw usage(`${from} must be the uuid of a company, but is "${text}"`);
  return text.trim();
}
