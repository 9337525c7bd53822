/** Secrets in the OS keyring, in a file of mode 0600, or printed by a command. */

import { type ExecException, exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Infer, integer, object, record, string } from '../contract/schema.ts';
import { issues } from '../contract/validate.ts';
import { Failure } from '../core/errors.ts';
import { kindName, type SecretKind, type StoredSecret } from './profile.ts';
import { type Environment, type Paths, readJson, type StoredFile, updateStore } from './store.ts';

const FileSchema = object({ version: integer(), secrets: record(string()) }, { required: ['secrets'] });

const stored: StoredFile = {
  name: 'credentials',
  schema: FileSchema,
  empty: { version: 1, secrets: {} },
};

export function secretsPath(paths: Paths): string {
  return join(paths.config, `${stored.name}.json`);
}

/** @throws credential when it is no longer there, or its command fails */
export async function readSecret(
  stored: StoredSecret,
  context: { paths: Paths; env: Environment; profile: string; kind: SecretKind; signal?: AbortSignal },
): Promise<string> {
  if (stored.storage === 'command') {
    return secretFromCommand(stored.command, context.env, context.signal);
  }
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

function lost(context: { profile: string; kind: SecretKind }, why: string): Failure {
  const { profile, kind } = context;
  return new Failure('credential', `the ${kindName(kind)} of profile "${profile}" cannot be read: ${why}`, {
    hint: `set it again with \`comem auth login -p ${profile} --stdin ${kind}\``,
    code: 'credential_lost',
  });
}

/** The mode of a file that only its owner should reach, and whether others can; Windows has no such modes. */
export function privacyOf(path: string): { mode: number | undefined; open: boolean } {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return { mode: undefined, open: false };
  const mode = stats.mode & 0o777;
  return { mode, open: platform() !== 'win32' && (mode & 0o077) !== 0 };
}

/** @returns the reason why the keyring does not work */
export async function tryKeyring(
  use: (keyring: Awaited<ReturnType<typeof openKeyring>>) => void,
): Promise<string | undefined> {
  try {
    use(await openKeyring());
    return undefined;
  } catch {
    // The library's messages are D-Bus texts, which do not help a user.
    return 'no keyring service answers';
  }
}

function readFile(paths: Paths): Record<string, string> {
  const file = secretsPath(paths);
  const content = readJson(file);
  const { open, mode = 0 } = privacyOf(file);
  if (open) {
    throw new Failure('credential', `other users can read ${file} (mode 0${mode.toString(8)}), so it is not used`, {
      hint: `run \`chmod 600 '${file}'\`, and change the credentials in it if others may have read them`,
      code: 'credentials_open',
    });
  }
  return content === undefined ? {} : checkSecrets(content, file).secrets;
}

/** @throws usage when the file is not one of comem's */
function checkSecrets(content: unknown, file: string): Infer<typeof FileSchema> {
  if (issues(FileSchema, content).length === 0) return content as Infer<typeof FileSchema>;
  throw new Failure('usage', `${file} is not a credentials file of comem`, {
    hint: 'move it away and run `comem auth login` again',
    code: 'settings_file',
  });
}

const service = 'comem';

/**
 * Loads the keyring; its methods throw if none works. On Linux only the Secret Service counts: the
 * kernel's own keyring forgets at logout, so a secret "saved" there would be lost silently.
 */
async function openKeyring() {
  const { Entry } = await import('@napi-rs/keyring');
  const options = platform() === 'linux' ? { linux: { store: 'secret-service' as const } } : undefined;
  const entry = (account: string) => new Entry(service, account, options);
  return {
    get: (account: string) => entry(account).getPassword() ?? undefined,
    set: (account: string, secret: string) => {
      entry(account).setPassword(secret);
      if (entry(account).getPassword() !== secret) throw new Error('it did not return the value that was saved');
    },
    delete: (account: string) => {
      entry(account).deletePassword();
    },
  };
}

export type Storage = 'keyring' | 'file';

/** Options of saving a secret. */
interface SaveOptions {
  paths: Paths;
  kind: SecretKind;
  /** The one origin that the secret may be sent to. */
  origin: string;
  /** Undefined: the keyring where one works, else the file. */
  storage: Storage | undefined;
  /** Called before the file is written, with the reason why it is not the keyring. */
  say(text: string): void;
}

/** @throws credential when the chosen storage does not work */
export async function saveSecret(secret: string, options: SaveOptions): Promise<StoredSecret> {
  const { paths, kind, origin, storage } = options;
  const id = `${kind}/${randomUUID()}`;
  if (storage !== 'file') {
    const refused = await tryKeyring((keyring) => keyring.set(id, secret));
    if (refused === undefined) return { origin, storage: 'keyring', id };
    if (storage === 'keyring') {
      throw new Failure('credential', `the keyring of this system does not work: ${refused}`, {
        hint: 'save it in a file with --storage file, or give a command with --key-command',
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

/** Deletes a secret. @returns the reason why one is left in the keyring */
export async function deleteSecret(stored: StoredSecret, paths: Paths): Promise<string | undefined> {
  if (stored.storage === 'command') return undefined;
  if (stored.storage === 'keyring') return tryKeyring((keyring) => keyring.delete(stored.id));
  await changeFile(paths, (secrets) => {
    delete secrets[stored.id];
  });
  return undefined;
}

async function changeFile(paths: Paths, change: (secrets: Record<string, string>) => void): Promise<void> {
  await updateStore(paths.config, stored, async (content) => {
    const value = content === undefined ? { version: 1, secrets: {} } : checkSecrets(content, secretsPath(paths));
    change(value.secrets);
    return { value: { version: 1, secrets: value.secrets }, result: undefined };
  });
}

/** Long enough for a person to unlock a vault. */
const limitMs = 120_000;
const enough = 64 * 1024;

/**
 * Runs the command in the shell and gives what it printed, trimmed.
 * @throws credential with the command's own stderr when it fails, prints nothing, or takes two minutes
 */
export async function secretFromCommand(command: string, env: Environment, signal?: AbortSignal): Promise<string> {
  const failed = (reason: string, hint?: string) =>
    new Failure('credential', `the key command \`${command}\` ${reason}`, { hint, code: 'key_command' });
  const complaint = (stderr: string) => (stderr.trim() === '' ? '' : `: ${stderr.trim()}`);
  const running = promisify(exec)(command, { env: { ...env }, timeout: limitMs, maxBuffer: enough, signal });
  running.child.stdin?.end();
  const { stdout, stderr } = await running.catch((error: ExecException) => {
    if (signal?.aborted) throw new Failure('interrupted', 'interrupted', { cause: error });
    if (error.killed) throw failed('took longer than two minutes');
    throw failed(
      `ended with ${error.code ?? error.signal}${complaint(error.stderr ?? '')}`,
      'run it yourself to see what it needs',
    );
  });
  const secret = stdout.trim();
  if (secret === '') throw failed(`printed nothing${complaint(stderr)}`);
  if (/[\r\n]/.test(secret)) throw failed('printed several lines; it must print only the key');
  return secret;
}
