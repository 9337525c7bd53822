/** Web, e-mail and database addresses: one rule for input, imports, checks and the embedded API. */
import { usage } from './errors.ts';
import { withoutTrailing } from './json.ts';

/** RFC 5321: no longer address can be delivered to. */
const maxMailLength = 320;

/** The parts of an address; undefined for other texts. `URL.canParse` of Node 20 comes to refuse hosts with ü. */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]\S*$/i.test(text) && urlOf(text) !== undefined;
}

/** Any address that a server may take: with a scheme, such as `ftp:` and `mailto:`, or a host alone. */
export function isAddress(text: string): boolean {
  if (/\s/.test(text)) return false;
  if (/^[a-z][a-z0-9+.-]*:\S/i.test(text)) return urlOf(text) !== undefined;
  return /^[^/?#.]+(?:\.[^/?#.]+)+(?:[/?#]|$)/.test(text) && urlOf(`https://${text}`) !== undefined;
}

/** Whether a text has the form of an e-mail address: one `@`, a domain of two names or more, no white space. */
export function isMailAddress(text: string): boolean {
  return text.length <= maxMailLength && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);
}

export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

const scheme = 'embedded:';

export function isEmbedded(baseUrl: string): boolean {
  return baseUrl.startsWith(scheme);
}

/** The folder after `embedded:`; undefined for the demo's own. */
export function embeddedFolder(baseUrl: string): string | undefined {
  return baseUrl.slice(scheme.length) || undefined;
}

/** The base URL without a slash at its end. `from` names the flag, variable or profile. @throws usage */
export function parseBaseUrl(text: string, from: string): string {
  const trimmed = text.trim();
  if (isEmbedded(trimmed)) return trimmed;
  if (!/^https?:\/\//i.test(trimmed)) {
    const protocol = /^(localhost|127\.[\d.]+)(:|\/|$)/.test(trimmed) ? 'http' : 'https';
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(trimmed) ? `write it as ${protocol}://${trimmed}` : undefined;
    throw usage(`${from} must start with https://, http:// or embedded:, got "${text}"`, hint);
  }
  const url = urlOf(trimmed);
  if (!url) throw usage(`${from} is not a valid address: "${text}"`);
  if (url.username || url.password) {
    throw usage(
      `${from} must not contain a user name or password`,
      'save credentials with `comem auth login`, or set COMEM_API_KEY',
    );
  }
  if (url.search || url.hash) throw usage(`${from} must not have a query or fragment, got "${text}"`);
  return `${url.origin}${withoutTrailing(url.pathname, '/')}`;
}
