/** Web, e-mail and database addresses: one rule for input, imports, checks and the embedded API. */

/** RFC 5321: no longer address can be delivered to. */
const longestMail = 320;

/**
 * The parts of an address; undefined for other texts. `URL.canParse` does not do: after some thousand calls, Node 20 and 22
 * refuse every host with a letter such as ü.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** An http or https address with a host and without white space. */
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
  return text.length <= longestMail && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);
}

/** Whether the address names a PostgreSQL database, and not a folder. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}
