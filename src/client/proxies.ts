import { usage } from '../core/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy variables in either case; the small one counts first, as in curl, and `HTTP_PROXY` is no header here. */
const variables = {
  'http:': ['http_proxy', 'HTTP_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY'],
} as const;

/**
 * The proxy variables as they are used for an origin: a host and port alone is an http proxy, as everywhere.
 * @throws usage naming the variable that holds no address of a proxy
 */
export function proxyVariables(env: Environment, origin: string): Environment {
  const found: Record<string, string | undefined> = { no_proxy: env.no_proxy || env.NO_PROXY };
  for (const [protocol, names] of Object.entries(variables)) {
    const name = names.find((each) => env[each]);
    if (name === undefined) continue;
    const address = addressOf(env[name]?.trim() ?? '');
    if (address === undefined && origin.startsWith(protocol)) {
      throw usage(
        `${name} must be the address of a proxy, such as http://proxy.example:3128, but is "${withoutUser(env[name] ?? '')}"`,
        `unset ${name}, or name the host in NO_PROXY, to do without a proxy`,
      );
    }
    found[names[0]] = address;
  }
  return found;
}

function addressOf(text: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/\s/.test(address) || !URL.canParse(address)) return undefined;
  return /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}

function withoutUser(text: string): string {
  return text.replace(/(^|\/\/)[^/@]*@/, '$1[redacted]@');
}
