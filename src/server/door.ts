/** Checks of the Host header. */
import { ApiError } from './model/failure.ts';

/** Whether an address or name means this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/**
 * The refusal of a request that names another host, undefined otherwise. A page on the web can point its own name at
 * this machine, and then a browser sends its requests here.
 * @param names further names that are answered
 */
export function strangeHost(host: string | undefined, names: readonly string[]): ApiError | undefined {
  // Only HTTP/1.0, which no browser speaks, has none.
  if (host === undefined) return undefined;
  const name = nameOf(host);
  if (isLoopback(name) || name.endsWith('.localhost') || names.some((allowed) => nameOf(allowed) === name))
    return undefined;
  return new ApiError(421, `This server answers to localhost, not to ${name}; --allow-host adds a name`);
}

/** Without port, brackets and the dot at the end of a complete name. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim()) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}
