/** The API key and session of the settings, and the origin of each. */
import { readFileSync } from 'node:fs';
import { isEmbedded } from '../core/addresses.ts';
import { demo } from '../core/demo.ts';
import { Failure, usage } from '../core/errors.ts';
import { findProfile, kindName, type ProfilesFile, type SecretKind } from './profile.ts';
import { type Origin, originOf, type Settings } from './settings.ts';
import type { Environment, Paths } from './store.ts';

/** A credential that has not been read yet. It fits the client's HeldCredential. */
export interface ResolvedCredential {
  /** Reads the file or keyring or runs the command; once, then it is remembered. */
  secret: () => Promise<string>;
  /** The origin that it was saved for; absent: it goes where the base URL points. */
  origin?: string;
  /** `COMEM_API_KEY`, `profile "prod"`. */
  from: string;
  source: Origin;
  storage: 'environment' | 'keyring' | 'file' | 'command' | 'demo';
}

export type ResolvedCredentials = { [K in SecretKind]?: ResolvedCredential | undefined } & {
  /** The variables that are set but not used, because a profile named by `-p` overrides the environment. */
  overridden?: Partial<Record<SecretKind, string>> | undefined;
};

const variables: Record<SecretKind, string> = { key: 'COMEM_API_KEY', session: 'COMEM_SESSION_COOKIE' };

interface CredentialContext {
  env: Environment;
  paths: Paths;
  profiles: ProfilesFile;
  signal?: AbortSignal;
}

/**
 * Environment, then profile, then the demo's own for an embedded API. A profile named by `-p` outranks the environment;
 * but with another `--base-url`, where its stored credentials do not go, the environment's are the only ones there can be.
 */
export function resolveCredentials(settings: Settings, context: CredentialContext): ResolvedCredentials {
  const credentials = {
    key: resolveCredential('key', settings, context),
    session: resolveCredential('session', settings, context),
  };
  if (settings.profile.origin !== 'flag') return credentials;
  const unused = (kind: SecretKind) => {
    const from = credentials[kind]?.source === 'environment' ? undefined : fromEnvironment(kind, context.env)?.from;
    return from === undefined ? {} : { [kind]: from };
  };
  return { ...credentials, overridden: { ...unused('key'), ...unused('session') } };
}

function resolveCredential(
  kind: SecretKind,
  settings: Settings,
  context: CredentialContext,
): ResolvedCredential | undefined {
  const name = settings.profile.value;
  const profile = findProfile(context.profiles, name);
  const baseUrl = settings.baseUrl.value;
  const elsewhere = settings.baseUrl.origin === 'flag' && baseUrl !== undefined;
  const stored = profile?.[kind];
  const fits = stored !== undefined && baseUrl !== undefined && stored.origin === originOf(baseUrl);
  if (
    settings.profile.origin !== 'flag' ||
    (elsewhere && !fits && (profile?.baseUrl && originOf(profile.baseUrl)) !== originOf(baseUrl))
  ) {
    const credential = fromEnvironment(kind, context.env);
    if (credential) return credential;
  }
  if (stored) {
    return {
      secret: once(async () => {
        const { readSecret } = await import('./secrets.ts');
        return readSecret(stored, { ...context, profile: name, kind });
      }),
      origin: stored.origin,
      from: `profile "${name}"`,
      source: 'profile',
      storage: stored.storage,
    };
  }
  if (baseUrl === undefined || !isEmbedded(baseUrl)) return undefined;
  const secret = kind === 'key' ? demo.apiKey : demo.session;
  return { secret: async () => secret, from: 'the embedded API', source: 'default', storage: 'demo' };
}

/** @throws credential where neither kind is set. An empty secret of a CI system is named. */
export function requireCredential(credentials: ResolvedCredentials, env: Environment, purpose: string): void {
  if (credentials.key || credentials.session) return;
  const empty = Object.values(variables).filter((variable) => env[variable]?.trim() === '');
  const isEmpty = empty.length === 0 ? '' : ` (${empty.join(' and ')} ${empty.length === 1 ? 'is' : 'are'} empty)`;
  throw new Failure('credential', `${purpose} needs an API key or a session, and neither is set${isEmpty}`, {
    code: 'credential_missing',
    hint: 'give COMEM_API_KEY or COMEM_SESSION_COOKIE in the environment, or save one with `comem auth login`',
  });
}

/** The environment's credential; a variable without a value is not set. */
function fromEnvironment(kind: SecretKind, env: Environment): ResolvedCredential | undefined {
  const variable = variables[kind];
  const file = env[`${variable}_FILE`];
  const value = env[variable]?.trim();
  const source = value || file;
  if (!source) return undefined;
  const from = value ? variable : `${variable}_FILE`;
  const secret = async () => {
    if (value && file) {
      throw usage(
        `${variable} and ${variable}_FILE are both set`,
        `unset one of them; they may name different secrets`,
      );
    }
    return value ? source : readSecretFile(source, kind, from);
  };
  return { secret: once(secret), from, source: 'environment', storage: 'environment' };
}

function readSecretFile(file: string, kind: SecretKind, variable: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${code})`;
    throw new Failure('credential', `${variable} names ${file} for the ${kindName(kind)}, but ${why}`, {
      cause: error,
    });
  }
  if (text === '')
    throw new Failure('credential', `${variable} names ${file} for the ${kindName(kind)}, but it is empty`);
  return text;
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let first: Promise<T> | undefined;
  return () => {
    first ??= read();
    return first;
  };
}
