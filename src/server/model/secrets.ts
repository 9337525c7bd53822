/** Keys and tokens: created here, stored only as hashes. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The fixed short prefix of an API key (docs/api.md, "Credentials" 1). */
export const keyPrefix = 'cmk_';

/** The cookie of a web session; a long one may come in pieces named `.0`, `.1`, … */
export const sessionCookie = 'comem-auth-token';

export const newApiKey = (): string => keyPrefix + randomBytes(24).toString('base64url');
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

/** Hex SHA-256. Tokens are random, so a slow hash would not protect more. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Enough of a token to recognise it, too little to use it. */
export function hintOf(token: string): string {
  const head = token.startsWith(keyPrefix) ? keyPrefix.length + 3 : 3;
  return token.length < 16 ? '…' : `${token.slice(0, head)}…${token.slice(-3)}`;
}

/**
 * The only comparison of secrets, in constant time. It compares hashes, so that lengths do not matter either.
 */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(a), digest(b));
}
