/** What can be read off a pasted credential without asking anyone. Pure. */
import type { Credential } from '../contract/operation.ts';

/** The key alone, from a paste that may carry `Authorization:` or `Bearer` before it. */
export function cleanKey(text: string): string {
  return text
    .trim()
    .replace(/^authorization\s*:\s*/i, '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

/** The value of the Cookie header, from a paste that may carry `Cookie:` before it; all siblings are kept. */
export function cleanCookie(text: string): string {
  return text
    .trim()
    .replace(/^cookie\s*:\s*/i, '')
    .replace(/;\s*$/, '')
    .trim();
}

/**
 * Which kind of credential a pasted text looks like; undefined when it looks like neither. A cookie is `name=value`,
 * several joined with `;`. A key is one word; `=` may end it (base64), but not stand inside it.
 */
export function credentialKind(text: string): Credential | undefined {
  const trimmed = text.trim();
  if (/^cookie\s*:/i.test(trimmed)) return 'session';
  if (/^(authorization\s*:|bearer\s)/i.test(trimmed)) return 'key';
  if (/^[\w!#$%&'*+.^`|~-]+=[^=;\s][^;]*(;|$)/.test(trimmed)) return 'session';
  if (/^[^\s;=,]+=*$/.test(trimmed)) return 'key';
  return undefined;
}

/** Whether the text can stand in a header: one line of printable characters. */
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
  const found = [...readCookies(header)].flatMap(([name, value]) => {
    const seconds = expirySeconds(unescaped(value));
    return seconds === undefined ? [] : [{ seconds, isSession: /auth|session|token/i.test(name) }];
  });
  const sessions = found.filter((cookie) => cookie.isSession);
  const seconds = (sessions.length > 0 ? sessions : found).map((cookie) => cookie.seconds);
  return seconds.length === 0 ? undefined : new Date(Math.min(...seconds) * 1000);
}

/** When a bearer token ends, where it is a JWT that says so (OAuth access tokens; an API key says nothing). */
export function keyExpiry(key: string): Date | undefined {
  const seconds = jwtExpiry(cleanKey(key));
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

function unescaped(value: string): string {
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
  const session = parse(text);
  if (Array.isArray(session)) return typeof session[0] === 'string' ? jwtExpiry(session[0]) : undefined;
  const { expires_at: at, access_token: token } = (session ?? {}) as Record<string, unknown>;
  if (typeof at === 'number') return at;
  return typeof token === 'string' ? jwtExpiry(token) : undefined;
}

function jwtExpiry(token: string): number | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts[1]) return undefined;
  const { exp } = (parse(decodeBase64(parts[1])) ?? {}) as Record<string, unknown>;
  return typeof exp === 'number' ? exp : undefined;
}

function decodeBase64(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
