/** Which credential goes out with a request, and the failure when it cannot. */
import type { Credential } from '../contract/operation.ts';
import { Failure, usage } from '../core/errors.ts';
import type { Headers } from '../core/wire.ts';
import { cleanCookie, cleanKey, isHeaderSafe } from './cookies.ts';

export interface HeldCredential {
  /** The value, or how to get it when it is first needed (keyring, key command). */
  secret: string | (() => Promise<string>);
  /** The origin that it was saved for; absent when it was given with this call, which goes where the base URL points. */
  origin?: string;
  /** Where it came from, for messages: `COMEM_API_KEY`, `profile "prod"`. */
  from?: string;
}

/** The API key (or OAuth access token) and the session's whole Cookie header, each as far as it is there. */
export interface Credentials {
  key?: HeldCredential;
  session?: HeldCredential;
}

export interface CredentialUse {
  /** `GET /api/lists`. */
  endpoint: string;
  kind: Credential;
  /** Origin of the base URL. */
  origin: string;
  profile: string | undefined;
}

const names: Record<Credential, string> = { key: 'an API key', session: 'a session cookie' };
const variables: Record<Credential, string> = { key: 'COMEM_API_KEY', session: 'COMEM_SESSION_COOKIE' };
const switches: Record<Credential, string> = { key: '--api-key-stdin', session: '--session-stdin' };

/** The header that carries the credential, or the `credential` failure; nothing is sent before it. */
export async function credentialHeaders(held: Credentials, use: CredentialUse): Promise<Headers> {
  const own = held[use.kind];
  if (!own) throw missing(held, use);
  if (own.origin !== undefined && own.origin !== use.origin) throw elsewhere(own.origin, use);
  const secret = typeof own.secret === 'string' ? own.secret : await own.secret();
  const value = use.kind === 'key' ? cleanKey(secret) : cleanCookie(secret);
  if (value === '') throw missing(held, use);
  if (!isHeaderSafe(value)) {
    throw new Failure(
      'credential',
      `the ${use.kind === 'key' ? 'API key' : 'session cookie'} is not one line of text`,
      {
        hint: `set it again with \`${login(use)}\`${own.from ? ` (it came from ${own.from})` : ''}`,
      },
    );
  }
  return use.kind === 'key' ? { authorization: `Bearer ${value}` } : { cookie: value };
}

/** The same header as it may be shown. */
export function redactedCredential(kind: Credential): Headers {
  return kind === 'key' ? { authorization: 'Bearer [redacted]' } : { cookie: '[redacted]' };
}

function missing(held: Credentials, use: CredentialUse): Failure {
  const other: Credential = use.kind === 'key' ? 'session' : 'key';
  const there = held[other];
  const where = use.profile === undefined ? 'there is none' : `profile "${use.profile}" has none`;
  const present = there ? `; ${names[other]} is there${there.from ? ` (${there.from})` : ''}, but it does not fit` : '';
  return new Failure('credential', `${use.endpoint} needs ${names[use.kind]}, and ${where}${present}`, {
    code: 'credential_missing',
    hint: `set it with \`${login(use)}\`, or give ${variables[use.kind]} in the environment`,
  });
}

function elsewhere(saved: string, use: CredentialUse): Failure {
  return new Failure(
    'credential',
    `${use.endpoint} needs ${names[use.kind]} for ${use.origin}, but the one of this profile was saved for ${saved}`,
    {
      code: 'credential_other_origin',
      hint: `give ${variables[use.kind]} in the environment, or make a profile for ${use.origin} with \`comem auth login\``,
    },
  );
}

function login({ kind, profile }: CredentialUse): string {
  return `comem auth login${profile === undefined ? '' : ` -p ${profile}`} ${switches[kind]}`;
}

const loopback = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\]|[\w.-]+\.localhost)$/i;

/**
 * Holds a base URL against what may be talked to: http or https, no user name or password in it, and plain http only to
 * loopback unless `allowHttp`. Gives its origin and the path before `/api`.
 */
export function checkBaseUrl(baseUrl: string, allowHttp = false): { origin: string; prefix: string } {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usage(
      `the base URL must start with https:// (or be embedded:), got ${JSON.stringify(baseUrl)}`,
      'set it with --base-url, COMEM_BASE_URL, or `comem profiles set NAME base-url=URL`',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usage('the base URL must not hold a user name or password', 'keep credentials with `comem auth login`');
  }
  if (url.search !== '' || url.hash !== '') {
    throw usage(`the base URL must end with its path, got ${JSON.stringify(baseUrl)}`);
  }
  if (url.protocol === 'http:' && !allowHttp && !loopback.test(url.hostname)) {
    throw usage(
      `credentials are not sent over plain http to ${url.host}`,
      'use https, or --allow-http when the network between is your own',
    );
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}
