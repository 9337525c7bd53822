/** Checks of the Host header, and of the addresses from which the public keys of the demo are accepted. */
import type { FastifyRequest } from 'fastify';
import type { Headers } from '../core/wire.ts';
import { bearerToken, sessionToken } from './auth.ts';
import { demoCredentials } from './demo/credentials.ts';
import { ApiError, unauthorized } from './model/failure.ts';

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

const publicSecrets: ReadonlySet<string> = new Set(demoCredentials.map(({ secret }) => secret));

/** The refusal of a demo credential that does not come from loopback, undefined otherwise. */
export function publicKeyFromElsewhere(request: FastifyRequest, headers: Headers): ApiError | undefined {
  const sent = [bearerToken(headers), sessionToken(headers)];
  if (!sent.some((secret) => secret !== undefined && publicSecrets.has(secret)) || isFromHere(request)) {
    return undefined;
  }
  return unauthorized(
    'The keys of the demo are public and work only from a loopback address of the machine that serves it',
  );
}

/** A proxy on this machine says from where a request comes. */
function isFromHere({ raw: { socket }, headers }: FastifyRequest): boolean {
  const peer = plain(socket.remoteAddress);
  const forwarded = [headers['x-forwarded-for'], headers['x-real-ip'], headers.forwarded].flat().join(',');
  const others = forwarded.split(/[,;]/).map((part) => part.trim().replace(/^(for=)?"?\[?|\]?"?$/gi, ''));
  const isHere = peer === undefined || isLoopback(peer);
  return (
    isHere && others.every((part) => part === '' || /^(proto|host|by)=/i.test(part) || isLoopback(plain(part) ?? ''))
  );
}

/** An IPv4 address that is written as IPv6, as IPv4. */
function plain(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:/i, '');
}
