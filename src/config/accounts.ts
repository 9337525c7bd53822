/** Changes stored profiles for login, logout and the `profiles` verbs. */
import { Failure, usage } from '../core/errors.ts';
import { propertyOf } from '../core/json.ts';
import { suggestAlias } from './companies.ts';
import {
  demoProfile,
  findProfile,
  kindName,
  namePattern,
  nameRule,
  type Profile,
  type ProfilesFile,
  profileNames,
  type SecretKind,
  type StoredSecret,
  updateProfiles,
} from './profile.ts';
import { deleteSecret, type Storage, saveSecret } from './secrets.ts';
import type { Paths } from './store.ts';

/** A secret itself, or the command that prints it. */
export type NewSecret = { value: string } | { command: string };

interface NewAccount {
  baseUrl: string;
  /** The origin that the secrets are bound to. */
  origin: string;
  company?: string | undefined;
  allowHttp?: boolean;
  key?: NewSecret | undefined;
  session?: NewSecret | undefined;
}

export const secretKinds: readonly SecretKind[] = ['key', 'session'];

/**
 * Saves an account under a profile's name: secrets first, then the profile that points to them, then the secrets that
 * they replace are deleted. Nothing is left over when one of the steps fails.
 * @returns where each secret went, and whether the profile became the one in use because there was none
 */
export async function saveAccount(
  paths: Paths,
  name: string,
  account: NewAccount,
  saving: { storage: Storage | undefined; say(text: string): void },
): Promise<{ saved: Partial<Record<SecretKind, StoredSecret>>; becameCurrent: boolean }> {
  checkName(name);
  const { baseUrl, origin, company, allowHttp } = account;
  const saved: Partial<Record<SecretKind, StoredSecret>> = {};
  try {
    for (const kind of secretKinds) {
      const secret = account[kind];
      if (!secret) continue;
      saved[kind] =
        'command' in secret
          ? { origin, storage: 'command', command: secret.command }
          : await saveSecret(secret.value, { ...saving, paths, kind, origin });
    }
    const { replaced, becameCurrent } = await updateProfiles(paths, (file) => {
      const old = propertyOf(file.profiles, name) ?? {};
      const replaced = secretKinds.flatMap((kind) => (saved[kind] ? (old[kind] ?? []) : []));
      const settings = { baseUrl, ...(company ? { company } : {}), ...(allowHttp ? { allowHttp } : {}) };
      file.profiles[name] = { ...old, ...settings, ...saved };
      const becameCurrent = file.current === undefined;
      file.current ??= name;
      return { replaced, becameCurrent };
    });
    for (const secret of replaced) await deleteSecret(secret, paths);
    return { saved, becameCurrent };
  } catch (error) {
    for (const secret of Object.values(saved)) await deleteSecret(secret, paths).catch(() => {});
    throw error;
  }
}

/** Changes one profile; `change` gets a copy, so that a failure changes nothing. */
export async function editProfile(
  paths: Paths,
  name: string,
  change: (profile: Profile, file: ProfilesFile) => void,
): Promise<Profile> {
  checkName(name);
  return updateProfiles(paths, (file) => {
    const profile = structuredClone(propertyOf(file.profiles, name) ?? {});
    change(profile, file);
    file.profiles[name] = profile;
    return profile;
  });
}

/** Removes secrets of a profile. `left` are messages about those that the keyring did not delete. */
export async function forgetSecrets(
  paths: Paths,
  name: string,
  kinds: readonly SecretKind[],
): Promise<{ removed: SecretKind[]; left: string[] }> {
  const gone: [SecretKind, StoredSecret][] = [];
  await updateProfiles(paths, (file) => {
    const profile = propertyOf(file.profiles, name) ?? {};
    for (const kind of kinds) {
      const stored = profile[kind];
      if (!stored) continue;
      delete profile[kind];
      gone.push([kind, stored]);
    }
  });
  return { removed: gone.map(([kind]) => kind), left: await forget(paths, gone) };
}

/** @returns secrets that the keyring did not delete */
export async function deleteProfile(paths: Paths, name: string): Promise<string[]> {
  refuseBuiltIn(name, 'deleted');
  const profile = await updateProfiles(paths, (file) => {
    const profile = requireStored(file, name);
    delete file.profiles[name];
    if (file.current === name) delete file.current;
    return profile;
  });
  const stored = secretKinds.flatMap((kind): [SecretKind, StoredSecret][] => {
    const secret = profile[kind];
    return secret ? [[kind, secret]] : [];
  });
  return forget(paths, stored);
}

export async function renameProfile(paths: Paths, from: string, to: string): Promise<void> {
  refuseBuiltIn(from, 'renamed');
  checkName(to);
  await updateProfiles(paths, (file) => {
    const profile = requireStored(file, from);
    if (from === to) return;
    if (findProfile(file, to)) {
      throw usage(`profile "${to}" already exists`, `delete it first with \`comem profiles delete ${to}\``);
    }
    delete file.profiles[from];
    file.profiles[to] = profile;
    if (file.current === from) file.current = to;
  });
}

/** `the profiles are demo, work`, for hints. */
export function profilesText(names: readonly string[]): string {
  return names.length === 1 ? `the only profile is ${names[0]}` : `the profiles are ${names.join(', ')}`;
}

/** The profile that a command names. @throws notFound listing the profiles */
export function requireNamed(file: ProfilesFile, name: string): Profile {
  const profile = findProfile(file, name);
  if (profile) return profile;
  throw new Failure('notFound', `unknown profile "${name}"`, {
    hint: `${suggestAlias(name, profileNames(file))}${profilesText(profileNames(file))}`,
  });
}

export function checkName(name: string): string {
  if (!namePattern.test(name)) throw usage(`the name of a profile must be ${nameRule}, got "${name}"`);
  return name;
}

function requireStored(file: ProfilesFile, name: string): Profile {
  return propertyOf(file.profiles, name) ?? requireNamed(file, name);
}

function refuseBuiltIn(name: string, change: string): void {
  if (name === demoProfile) throw usage(`the profile "${demoProfile}" is built in and cannot be ${change}`);
}

async function forget(paths: Paths, stored: readonly [SecretKind, StoredSecret][]): Promise<string[]> {
  const left: string[] = [];
  for (const [kind, secret] of stored) {
    const why = await deleteSecret(secret, paths);
    if (why !== undefined) left.push(`the ${kindName(kind)} could not be removed from the keyring: ${why}`);
  }
  return left;
}
