/** Keeping and forgetting secrets. Apart from `secrets.ts`, which every command loads. */
import { randomUUID } from 'node:crypto';
import { Failure } from '../core/errors.ts';
import type { Paths } from './paths.ts';
import type { SecretKind, StoredSecret } from './profile.ts';
import { checkSecrets, kindName, secretsFile, secretsPath, tryKeyring } from './secrets.ts';

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

/** Forgets a secret. Gives the reason when the keyring would not, so that the caller can say that one is left there. */
export async function deleteSecret(stored: StoredSecret, paths: Paths): Promise<string | undefined> {
  if (stored.storage === 'command') return undefined;
  if (stored.storage === 'keyring') return tryKeyring((keyring) => keyring.delete(stored.id));
  await changeFile(paths, (secrets) => {
    delete secrets[stored.id];
  });
  return undefined;
}

async function changeFile(paths: Paths, change: (secrets: Record<string, string>) => void): Promise<void> {
  const { updateStore } = await import('./store.ts');
  await updateStore(paths.config, secretsFile, async (found) => {
    const secrets = found === undefined ? {} : checkSecrets(found, secretsPath(paths));
    change(secrets);
    return { value: { version: 1, secrets }, result: undefined };
  });
}
