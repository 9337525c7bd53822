/** Profiles with their company aliases: their shape, and the settings file that keeps them. */

import { join } from 'node:path';
import { array, boolean, type Infer, number, object, oneOf, record, type Schema, string } from '../contract/schema.ts';
import { issues, isUuid } from '../contract/validate.ts';
import { demo } from '../core/demo.ts';
import { Failure, usage } from '../core/errors.ts';
import { propertyOf } from '../core/json.ts';
import type { Paths } from './store.ts';
import { readJson, type StoredFile, updateStore } from './store.ts';

export type SecretKind = 'key' | 'session';

export function kindName(kind: SecretKind): string {
  return kind === 'key' ? 'API key' : 'session cookie';
}

/** The storage of a secret; never the secret itself. */
export type StoredSecret = {
  /** The one origin that it is sent to. */
  origin: string;
} & ({ storage: 'keyring' | 'file'; id: string } | { storage: 'command'; command: string });

const Secret: Schema<StoredSecret> = {
  type: 'object',
  anyOf: [
    object(
      { origin: string(), storage: oneOf(['keyring', 'file']), id: string() },
      { required: ['origin', 'storage', 'id'] },
    ),
    object(
      { origin: string(), storage: oneOf(['command']), command: string() },
      { required: ['origin', 'storage', 'command'] },
    ),
  ],
};

/** A number of a settings file, which is read with plain doubles. */
const double = number as (rules?: Parameters<typeof number>[0]) => Schema<number>;

const ProfileSchema = object({
  baseUrl: string(),
  company: string({ description: 'uuid of the default company' }),
  output: string({ description: 'format on a terminal' }),
  mirror: string({ description: 'folder of a mirror' }),
  pager: string({ description: 'command for long output on a terminal' }),
  readonly: boolean({ description: 'no writes are sent' }),
  protected: boolean({ description: "writes ask for the company's name" }),
  allowHttp: boolean(),
  timeout: double({ description: 'seconds for one request' }),
  retries: double(),
  maxResponse: double({ description: 'mebibytes of a response at the most' }),
  concurrency: double({ description: 'requests in flight at once when many are written' }),
  keepUndo: boolean({ description: 'writes read what they replace' }),
  companies: record(string(), { description: 'uuid by alias' }),
  groups: record(array(string()), { description: 'uuids of companies by the name of their group' }),
  fiscalYearStart: record(double(), {
    description: 'by uuid of the company, the month in which its fiscal years begin',
  }),
  calcFile: string({ description: 'file with definitions of computed metrics' }),
  calc: record(string(), { description: 'definition of a computed metric by its name, as 0.1.0 kept them' }),
  key: Secret,
  session: Secret,
});

/** The settings file. Unknown keys stay in it. */
const FileSchema = object(
  {
    version: { const: 1 } as Schema<1>,
    current: string({ description: 'the profile of commands that name none' }),
    profiles: record(ProfileSchema),
  },
  { required: ['version', 'profiles'] },
);

export type Profile = Infer<typeof ProfileSchema>;
export type ProfilesFile = Infer<typeof FileSchema>;

/** The file as conf keeps it. */
const stored: StoredFile = {
  name: 'config',
  schema: FileSchema,
  empty: emptyProfiles(),
};

/** The built-in profile: the embedded API with demo data. */
export const demoProfile = 'demo';

export const defaultProfile = 'default';

export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const nameRule = 'letters, digits, dots, hyphens and underscores, a letter or digit first, at most 64';

function emptyProfiles(): ProfilesFile {
  return { version: 1, profiles: {} };
}

/** A profile by its own name (never an inherited property), the built-in one included; undefined when there is none. */
export function findProfile(file: ProfilesFile, name: string): Profile | undefined {
  const profile = propertyOf(file.profiles, name);
  if (name !== demoProfile) return profile;
  return { ...profile, baseUrl: 'embedded:', companies: companiesOf(profile, name), groups: groupsOf(profile, name) };
}

/** The company aliases of a profile; those of the demo's companies are built in. */
export function companiesOf(profile: Profile | undefined, name: string): Record<string, string> {
  return { ...(name === demoProfile ? demo.companies : {}), ...profile?.companies };
}

/** The groups of companies of a profile; those of the demo are built in. */
export function groupsOf(profile: Profile | undefined, name: string): Record<string, string[]> {
  return { ...(name === demoProfile ? { portfolio: [...demo.groups.portfolio] } : {}), ...profile?.groups };
}

/** Every profile's name, sorted, `demo` among them. */
export function profileNames(file: ProfilesFile): string[] {
  return [...new Set([...Object.keys(file.profiles), demoProfile])].sort();
}

/** @throws usage naming the file and the place */
function checkProfiles(value: unknown, file: string): ProfilesFile {
  const [issue] = issues(FileSchema, value);
  if (!issue) return value as ProfilesFile;
  const problem = issue.path === '' ? issue.message : `"${issue.path}" ${issue.message}`;
  throw new Failure('usage', `the settings file ${file} is not valid: ${problem}`, {
    hint: 'fix it, or move it away and run `comem auth login` again',
    code: 'settings_file',
  });
}

export function profilesPath(paths: Paths): string {
  return join(paths.config, `${stored.name}.json`);
}

/**
 * All profiles; empty when nothing was ever saved.
 * @throws usage naming the file when it cannot be read or is not comem's
 */
export function loadProfiles(paths: Paths): ProfilesFile {
  const file = profilesPath(paths);
  const content = readJson(file);
  return content === undefined ? emptyProfiles() : checkProfiles(content, file);
}

/** All profiles, or none if the file is broken. */
export function readableProfiles(paths: Paths): ProfilesFile {
  try {
    return loadProfiles(paths);
  } catch (error) {
    if (error instanceof Failure) return emptyProfiles();
    throw error;
  }
}

/**
 * Reads, changes and writes the settings file while no other process does. `change` may throw: then nothing is written.
 * @returns what `change` gives
 */
export async function updateProfiles<T>(paths: Paths, change: (file: ProfilesFile) => T | Promise<T>): Promise<T> {
  return updateStore(paths.config, stored, async (content) => {
    const file = content === undefined ? emptyProfiles() : checkProfiles(content, profilesPath(paths));
    const result = await change(file);
    return { value: file, result };
  });
}

/** @throws usage when the text cannot be an alias */
export function checkAlias(alias: string): string {
  if (isUuid(alias)) throw usage(`an alias cannot be a uuid: "${alias}"`);
  if (!namePattern.test(alias)) throw usage(`the alias must be ${nameRule}, got "${alias}"`);
  return alias;
}
