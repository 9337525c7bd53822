/** Base URLs: what is accepted, and which origin a credential is bound to. */
import { resolve } from 'node:path';
import { usage } from '../core/errors.ts';

const embedded = 'embedded:';

export function isEmbedded(baseUrl: string): boolean {
  return baseUrl.startsWith(embedded);
}

/** The folder after `embedded:`; undefined for the demo's own. */
export function embeddedFolder(baseUrl: string): string | undefined {
  return baseUrl.slice(embedded.length) || undefined;
}

/**
 * The base URL without a slash at its end. `from` names the flag, variable or profile in the message.
 * @throws usage when it is not an http, https or `embedded:` address, or carries a password, query or fragment
 */
export function parseBaseUrl(text: string, from: string): string {
  const given = text.trim();
  if (isEmbedded(given)) return given;
  if (!/^https?:\/\//i.test(given)) {
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(given) ? `Write it as https://${given}` : undefined;
    throw usage(`${from} must start with https://, http:// or embedded:, but is "${text}"`, hint);
  }
  if (!URL.canParse(given)) throw usage(`${from} is not a valid address: "${text}"`);
  const url = new URL(given);
  if (url.username || url.password) {
    throw usage(
      `${from} must not carry a user name or password`,
      'Credentials go into `comem auth login` or COMEM_API_KEY',
    );
  }
  if (url.search || url.hash) throw usage(`${from} must not have a query or fragment, but is "${text}"`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `embedded:DIR` with its folder absolute, as profiles keep it. */
export function fromFolder(baseUrl: string, cwd: string): string {
  const folder = isEmbedded(baseUrl) ? embeddedFolder(baseUrl) : undefined;
  return folder === undefined ? baseUrl : `embedded:${resolve(cwd, folder)}`;
}

/** What a stored credential is bound to: scheme, host and port, or the embedded address itself. */
export function originOf(baseUrl: string): string {
  return isEmbedded(baseUrl) ? baseUrl : new URL(baseUrl).origin;
}
