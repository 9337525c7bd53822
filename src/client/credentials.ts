/** The credential of a request, and the failure when there is none. */
import type { Credential } from '../contract/operation.ts';
import { Failure } from '../core/errors.ts';
import type { Headers } from '../core/wire.ts';

export interface HeldCredential {
  /** The value, or a function that reads it when it is first needed (keyring, key command). */
  secret: string | (() => Promise<string>);
  /** The origin that it was saved for; absent when it was given with this call, which goes where the base URL points. */
  origin?: string | undefined;
  /** The origin, for messages: `COMEM_API_KEY`, `profile "prod"`. */
  from?: string | undefined;
}

/** The API key (or OAuth access token) and the complete Cookie header of the session, each if it is known. */
export interface Credentials {
  key?: HeldCredential | undefined;
  session?: HeldCredential | undefined;
  /** The variables that are set but not used, because a profile named by `-p` overrides the environment. */
  overridden?: Partial<Record<Credential, string>> | undefined;
}

interface CredentialUse {
  /** `GET /api/lists`. */
  endpoint: string;
  kind: Credential;
  /** Origin of the base URL. */
  origin: string;
  profile: string | undefined;
}

const names: Record<Credential, string> = { key: 'an API key', session: 'a session cookie' };
const variables: Record<Credential, string> = { key: 'COMEM_API_KEY', session: 'COMEM_SESSION_COOKIE' };

/** The header that carries the credential, or the `credential` failure; nothing is sent before it. */
export async function credentialHeaders(credentials: Credentials, use: CredentialUse): Promise<Headers> {
  const credential = credentials[use.kind];
  if (!credential) throw missingCredential(credentials, use);
  if (credential.origin !== undefined && credential.origin !== use.origin) throw otherOrigin(credential.origin, use);
  const secret = typeof credential.secret === 'string' ? credential.secret : await credential.secret();
  const value = use.kind === 'key' ? cleanKey(secret) : cleanCookie(secret);
  if (value === '') throw missingCredential(credentials, use);
  if (!isHeaderSafe(value)) {
    throw new Failure(
      'credential',
      `the ${use.kind === 'key' ? 'API key' : 'session cookie'} is not one line of text`,
      {
        hint: credential.from?.startsWith('COMEM_')
          ? `it came from ${credential.from}: set that to one line`
          : `set it again with \`${loginCommand(use)}\``,
      },
    );
  }
  return use.kind === 'key' ? { authorization: `Bearer ${value}` } : { cookie: value };
}

/** The same header without the secret. */
export function redactedCredential(kind: Credential): Headers {
  return kind === 'key' ? { authorization: 'Bearer [redacted]' } : { cookie: '[redacted]' };
}

export function missingCredential(credentials: Credentials, use: CredentialUse): Failure {
  const other: Credential = use.kind === 'key' ? 'session' : 'key';
  const otherCredential = credentials[other];
  const where = use.profile === undefined ? 'none is set' : `profile "${use.profile}" has none`;
  const present = otherCredential
    ? `; ${names[other]} is set${otherCredential.from ? ` (${otherCredential.from})` : ''}, but this endpoint does not accept it`
    : '';
  return new Failure('credential', `${use.endpoint} needs ${names[use.kind]}, but ${where}${present}`, {
    code: 'credential_missing',
    details: { kind: use.kind },
    hint: `set it with \`${loginCommand(use)}\`${environmentHint(credentials, use)}`,
  });
}

/** The variable to set. A profile that `-p` names ignores the environment. */
function environmentHint({ overridden }: Credentials, { kind, profile }: CredentialUse): string {
  if (overridden === undefined) return `, or give ${variables[kind]} in the environment`;
  const variable = overridden[kind];
  if (variable === undefined) return '';
  return `, or name the profile with COMEM_PROFILE=${profile} instead of -p, which overrides ${variable}`;
}

function otherOrigin(saved: string, use: CredentialUse): Failure {
  return new Failure(
    'credential',
    `${use.endpoint} needs ${names[use.kind]} for ${use.origin}, but the one of this profile was saved for ${saved}`,
    {
      code: 'credential_other_origin',
      hint: `give ${variables[use.kind]} in the environment, or make a profile for ${use.origin} with \`comem auth login\``,
    },
  );
}

function loginCommand({ kind, profile }: CredentialUse): string {
  return `comem auth login${profile === undefined ? '' : ` -p ${profile}`} --stdin ${kind}`;
}

/** Only the key, from a paste that may carry `Authorization:` or `Bearer` before it. */
export function cleanKey(text: string): string {
  return text
    .trim()
    .replace(/^authorization\s*:\s*/i, '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

/** The value of a pasted Cookie header, with all of its cookies and without `Cookie:`. */
export function cleanCookie(text: string): string {
  return text
    .trim()
    .replace(/^cookie\s*:\s*/i, '')
    .replace(/;\s*$/, '')
    .trim();
}

/**
 * Which kind of credential a pasted text looks like; undefined when it looks like neither. A cookie is `name=value`,
 * several joined with `;`. A key is one word; `=` may end it (base64), but not appear inside it.
 */
export function credentialKind(text: string): Credential | undefined {
  const trimmed = text.trim();
  if (/^cookie\s*:/i.test(trimmed)) return 'session';
  if (/^(authorization\s*:|bearer\s)/i.test(trimmed)) return 'key';
  if (/^[\w!#$%&'*+.^`|~-]+=[^=;\s][^;]*(;|$)/.test(trimmed)) return 'session';
  if (/^[^\s;=,]+=*$/.test(trimmed)) return 'key';
  return undefined;
}

/** Whether the text can be in a header: one line of printable characters. */
export function isHeaderSafe(text: string): boolean {
  return /^[\x20-\x7e\x80-\xff]+$/.test(text);
}

/** Cookies by name, chunked siblings (`name.0`, `name.1`, …) joined in the order of their numbers under `name`. */
export function readCookies(header: string): Map<string, string> {
  const whole = new Map<string, string>();
  const chunks = new Map<string, { index: number; value: string }[]>();
  for (const pair of cleanCookie(header).split(';')) {
    const at = pair.indexOf('=');
    if (at < 1) continue;
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    const chunk = /^(.+)\.(\d+)$/.exec(name);
    if (!chunk?.[1]) {
      whole.set(name, value);
      continue;
    }
    chunks.set(chunk[1], [...(chunks.get(chunk[1]) ?? []), { index: Number(chunk[2]), value }]);
  }
  for (const [name, parts] of chunks) {
    if (whole.has(name)) continue;
    const sorted = parts.sort((a, b) => a.index - b.index);
    whole.set(name, sorted.map((part) => part.value).join(''));
  }
  return whole;
}

/**
 * When the session of a Cookie header ends, where its token says so: a JWT's `exp`, or a JSON session
 * (`base64-…` or plain) with `expires_at` or an `access_token`. Undefined when nothing readable says it.
 */
export function sessionExpiry(header: string): Date | undefined {
  const cookies = [...readCookies(header)].flatMap(([name, value]) => {
    const seconds = expirySeconds(unescapeValue(value));
    return seconds === undefined ? [] : [{ seconds, isSession: /auth|session|token/i.test(name) }];
  });
  const sessions = cookies.filter((cookie) => cookie.isSession);
  const seconds = (sessions.length > 0 ? sessions : cookies).map((cookie) => cookie.seconds);
  return seconds.length === 0 ? undefined : new Date(Math.min(...seconds) * 1000);
}

/** The expiry of a bearer token that is a JWT with `exp` (OAuth access tokens; an API key has none). */
export function keyExpiry(key: string): Date | undefined {
  const seconds = jwtExpiry(cleanKey(key));
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

function unescapeValue(value: string): string {
  const unquoted = value.replace(/^"(.*)"$/s, '$1');
  try {
    return decodeURIComponent(unquoted);
  } catch {
    return unquoted;
  }
}

function expirySeconds(value: string): number | undefined {
  const direct = jwtExpiry(value);
  if (direct !== undefined) return direct;
  const text = value.startsWith('base64-') ? decodeBase64(value.slice('base64-'.length)) : value;
  const session = parseObject(text);
  if (Array.isArray(session)) return typeof session[0] === 'string' ? jwtExpiry(session[0]) : undefined;
  const { expires_at: at, access_token: token } = (session ?? {}) as Record<string, unknown>;
  if (typeof at === 'number') return at;
  return typeof token === 'string' ? jwtExpiry(token) : undefined;
}

function jwtExpiry(token: string): number | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts[1]) return undefined;
  const { exp } = (parseObject(decodeBase64(parts[1])) ?? {}) as Record<string, unknown>;
  return typeof exp === 'number' ? exp : undefined;
}

function decodeBase64(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

function parseObject(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const redacted = '[redacted]';

/** The headers with credential values left out; cookie names stay, because they say which cookie was sent. */
export function redactHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactValue(name, value)]));
}

function redactValue(name: string, value: string): string {
  switch (name.toLowerCase()) {
    case 'authorization':
    case 'proxy-authorization':
      return value.replace(/^(\S+)\s+.*$/s, `$1 ${redacted}`).replace(/^\S+$/, redacted);
    case 'cookie':
      return value
        .split(';')
        .map((pair) => (pair.includes('=') ? `${pair.slice(0, pair.indexOf('='))}=${redacted}` : redacted))
        .join(';');
    case 'set-cookie':
    case 'x-api-key':
      return redacted;
    default:
      return value;
  }
}

/** The URL without a user name and password. */
export function redactUrl(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}
