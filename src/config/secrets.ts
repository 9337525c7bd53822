/** Where secrets are kept: the OS keyring, a file of mode 0600, or a command that prints them. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import { secretFromCommand } from './key-command.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import type { Environment, Paths } from './paths.ts';
import type { SecretKind, StoredSecret } from './profile.ts';
import { readJson } from './read-json.ts';

const name = 'credentials';

export type Storage = 'keyring' | 'file';

/** What saving needs to know. */
export interface SaveOptions {
  paths: Paths;
  kind: SecretKind;
  /** The one origin that the secret may be sent to. */
  origin: string;
  /** Undefined: the keyring where one works, else the file. */
  storage: Storage | undefined;
  /** Told, before the file is written, why it is not the keyring. */
  say(text: string): void;
}

export function secretsPath(paths: Paths): string {
  return join(paths.config, `${name}.json`);
}

/** @throws credential when the storage asked for does not work */
export async function saveSecret(secret: string, options: SaveOptions): Promise<StoredSecret> {
  const { paths, kind, origin, storage } = options;
  const id = `${kind}/${randomUUID()}`;
  if (storage !== 'file') {
    const refused = await tryKeyring((keyring) => keyring.set(id, secret));
    if (refused === undefined) return { origin, storage: 'keyring', id };
    if (storage === 'keyring') {
      throw new Failure('credential', `the keyring of this system does not work: ${refused}`, {
        hint: 'Save in a file with --storage file, or give a command with --key-command',
        code: 'keyring',
      });
    }
    options.say(
      `the keyring of this system does not work (${refused}); the ${kindName(kind)} goes into ${secretsPath(paths)}, ` +
        'which only your user can read',
    );
  }
  await changeFile(paths, (secrets) => {
    secrets[id] = secret;
  });
  return { origin, storage: 'file', id };
}

/** @throws credential when it is no longer there, or its command fails */
export async function readSecret(
  stored: StoredSecret,
  context: { paths: Paths; env: Environment; profile: string; kind: SecretKind; signal?: AbortSignal },
): Promise<string> {
  if (stored.storage === 'command') return secretFromCommand(stored.command, context.env, context.signal);
  let secret: string | undefined;
  if (stored.storage === 'file') secret = readFile(context.paths)[stored.id];
  else {
    const refused = await tryKeyring((keyring) => {
      secret = keyring.get(stored.id);
    });
    if (refused !== undefined) {
      throw lost(context, `the keyring of this system cannot be read: ${refused}`);
    }
  }
  if (secret !== undefined) return secret;
  throw lost(context, `it is no longer in ${stored.storage === 'file' ? secretsPath(context.paths) : 'the keyring'}`);
}

/** Forgets a secret. Gives the reason when the keyring would not, so that the caller can say that one is left there. */
export async function deleteSecret(stored: StoredSecret, paths: Paths): Promise<string | undefined> {
  if (stored.storage === 'command') return undefined;
  if (stored.storage === 'keyring') return tryKeyring((keyring) => keyring.delete(stored.id));
  await changeFile(paths, (secrets) => {
    delete secrets[stored.id];
  });
  return undefined;
}

export function kindName(kind: SecretKind): string {
  return kind === 'key' ? 'API key' : 'session cookie';
}

/** The flag of `auth login` that sets a kind without a terminal. */
export function loginFlag(kind: SecretKind): string {
  return kind === 'key' ? '--api-key-stdin' : '--session-stdin';
}

function lost(context: { profile: string; kind: SecretKind }, why: string): Failure {
  const { profile, kind } = context;
  return new Failure('credential', `the ${kindName(kind)} of profile "${profile}" is not to be had: ${why}`, {
    hint: `Set it again with \`comem auth login -p ${profile} ${loginFlag(kind)}\``,
    code: 'credential_lost',
  });
}

/** Undefined when it worked, else why not. */
async function tryKeyring(use: (keyring: Keyring) => void): Promise<string | undefined> {
  try {
    use(await openKeyring());
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? 'unknown reason';
  }
}

async function changeFile(paths: Paths, change: (secrets: Record<string, string>) => void): Promise<void> {
  const { updateStore } = await import('./store.ts');
  await updateStore(paths.config, name, async (found) => {
    const secrets = found === undefined ? {} : checkSecrets(found, secretsPath(paths));
    change(secrets);
    return { value: { version: 1, secrets }, result: undefined };
  });
}

function readFile(paths: Paths): Record<string, string> {
  const file = secretsPath(paths);
  const found = readJson(file);
  return found === undefined ? {} : checkSecrets(found, file);
}

function checkSecrets(found: unknown, file: string): Record<string, string> {
  const secrets = (found as { secrets?: unknown } | null)?.secrets;
  if (
    typeof secrets === 'object' &&
    secrets !== null &&
    Object.values(secrets).every((one) => typeof one === 'string')
  ) {
    return secrets as Record<string, string>;
  }
  throw new Failure('usage', `${file} is not a credentials file of comem`, {
    hint: 'Move it away and run `comem auth login` again',
    code: 'settings_file',
  });
}
