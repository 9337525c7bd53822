/** Credential values leave this program in requests alone: everything that is shown passes through here. */
import type { Headers } from '../core/wire.ts';

const hidden = '[redacted]';

/** The headers with credential values left out; cookie names stay, because they say which cookie was sent. */
export function redactHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactValue(name, value)]));
}

function redactValue(name: string, value: string): string {
  switch (name.toLowerCase()) {
    case 'authorization':
    case 'proxy-authorization':
      return value.replace(/^(\S+)\s+.*$/s, `$1 ${hidden}`).replace(/^\S+$/, hidden);
    case 'cookie':
      return value
        .split(';')
        .map((pair) => (pair.includes('=') ? `${pair.slice(0, pair.indexOf('='))}=${hidden}` : hidden))
        .join(';');
    case 'set-cookie':
    case 'x-api-key':
      return hidden;
    default:
      return value;
  }
}

/** The URL without a user name and password. */
export function redactUrl(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}
