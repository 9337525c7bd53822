/** Reading secrets from where they are kept: the OS keyring, a file of mode 0600, or a command that prints them. */
import { join } from 'node:path';
import { Failure } from '../core/errors.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import type { Environment, Paths } from './paths.ts';
import type { SecretKind, StoredSecret } from './profile.ts';
import { readJson } from './read-json.ts';

export const secretsFile = 'credentials';

export function secretsPath(paths: Paths): string {
  return join(paths.config, `${secretsFile}.json`);
}

/** @throws credential when it is no longer there, or its command fails */
export async function readSecret(
  stored: StoredSecret,
  context: { paths: Paths; env: Environment; profile: string; kind: SecretKind; signal?: AbortSignal },
): Promise<string> {
  if (stored.storage === 'command') {
    const { secretFromCommand } = await import('./key-command.ts');
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
export async function tryKeyring(use: (keyring: Keyring) => void): Promise<string | undefined> {
  try {
    use(await openKeyring());
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? 'unknown reason';
  }
}

function readFile(paths: Paths): Record<string, string> {
  const file = secretsPath(paths);
  const found = readJson(file);
  return found === undefined ? {} : checkSecrets(found, file);
}

/** @throws usage when the file is not one of comem's */
export function checkSecrets(found: unknown, file: string): Record<string, string> {
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
