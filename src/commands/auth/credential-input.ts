/** A pasted credential: recognized, cleaned, or refused with a reason. */
import { cleanCookie, cleanKey, credentialKind, isHeaderSafe } from '../../client/credentials.ts';
import type { SecretKind } from '../../config/profile.ts';
import { usage } from '../../core/errors.ts';

/** What is wrong with a pasted credential, as a sentence; undefined when nothing is. */
export function problemOf(kind: SecretKind, text: string): string | undefined {
  const looksLike = credentialKind(text);
  if (text.trim() === '') return kind === 'key' ? 'the API key is empty' : 'the session cookie is empty';
  if (kind === 'key') {
    if (looksLike === 'session') return 'this looks like a session cookie (name=value), not an API key';
    return looksLike === 'key' && isHeaderSafe(cleanKey(text)) ? undefined : 'an API key is one word without spaces';
  }
  if (looksLike === 'key') return 'this looks like an API key, not a Cookie header (name=value; name=value)';
  if (/^curl\s/i.test(text.trim())) return 'this is a curl line: pipe it to --session-from-curl';
  if (looksLike === 'session' && isHeaderSafe(cleanCookie(text))) return undefined;
  return 'a session cookie is one line of name=value pairs joined with "; "';
}

/** Only the credential, without `Bearer` or `Cookie:` before it. @throws usage with the flag for the other kind */
export function readCredential(kind: SecretKind, text: string): string {
  const problem = problemOf(kind, text);
  if (problem === undefined) return kind === 'key' ? cleanKey(text) : cleanCookie(text);
  const swapped = credentialKind(text) === (kind === 'key' ? 'session' : 'key') && text.trim() !== '';
  const other = kind === 'key' ? '--session-stdin' : '--api-key-stdin';
  throw usage(problem, swapped ? `use ${other} if it is one` : undefined);
}
