/** HTTP over the network: kept connections to one origin, decompression, and bounds on what a response may hold. */

import { once } from 'node:events';
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { urlOf } from '../core/addresses.ts';
import { TransportError, usage } from '../core/errors.ts';
import { scanJson } from '../core/json-scanner.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface NetworkOptions {
  /** The environment of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case. Default: none, so no proxy. */
  env?: Environment | undefined;
  /** Bytes of a response at the most, decoded. Default: `defaultMaxResponse`. */
  maxResponse?: number | undefined;
}

/** A response takes four times its size in memory until it is read. */
export const defaultMaxResponse = 64 * 1024 * 1024;

/** As many connections as a pager has requests in flight; idle ones are closed before most servers close them. */
const connections = { keepAlive: true, maxSockets: 8, timeout: 4000 };

export interface Connection {
  send: Transport;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
  /** The fixed clock of the database behind it, before any request; undefined where there is none. */
  clock?(): Promise<Date | undefined>;
  /** The companies of the database behind it; undefined where there is none. */
  companies?(): Promise<readonly NamedCompany[] | undefined>;
}

export interface NamedCompany {
  id: string;
  name: string;
}

/**
 * A connection to one origin (`https://host:port`). Node's client is loaded with the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  const { env = {}, maxResponse = defaultMaxResponse } = options;
  const proxy = proxyFor(origin, env);
  let agent: Promise<Agent> | undefined;
  let isClosed = false;
  return {
    async send(request) {
      agent ??= openAgent(origin, proxy);
      const exchange = { origin, agent: await agent, isSent: false };
      try {
        if (isClosed || request.signal?.aborted) throw request.signal?.reason ?? new Error('aborted');
        const response = await read(await respond(request, exchange), maxResponse);
        // The agent marks the connection as free one turn later; a request before that would open another one.
        await setImmediate();
        return response;
      } catch (error) {
        if (error instanceof TransportError) throw error;
        // A command that has ended closes the connection under its requests: they make no second attempt.
        const reason = isClosed || request.signal?.aborted ? 'aborted' : 'network';
        throw new TransportError(describeFailure(error, origin), exchange.isSent, reason, { cause: error });
      }
    },
    async close() {
      isClosed = true;
      (await agent)?.destroy();
    },
  };
}

async function openAgent(origin: string, proxy: URL | undefined): Promise<Agent> {
  const isSecure = origin.startsWith('https:');
  if (proxy) {
    const { HttpTunnels, HttpsTunnels } = await import('./tunnels.ts');
    return new (isSecure ? HttpsTunnels : HttpTunnels)(proxy, connections);
  }
  const { Agent } = await (isSecure ? import('node:https') : import('node:http'));
  return new Agent(connections);
}

interface ExchangeState {
  origin: string;
  agent: Agent;
  /** Whether the request may have reached the server. */
  isSent: boolean;
}

/** Sends a request; the body of its response is still to be read. */
async function respond(wire: WireRequest, exchange: ExchangeState): Promise<IncomingMessage> {
  const { origin, agent } = exchange;
  const { method, url, headers, body, signal } = wire;
  const isSecure = origin.startsWith('https:');
  const { request } = await (isSecure ? import('node:https') : import('node:http'));
  const outgoing = request(origin, {
    method,
    path: url.slice(origin.length) || '/',
    headers: { 'accept-encoding': 'gzip, br', ...headers, ...(body !== undefined && lengthOf(body)) },
    agent,
    ...(signal && { signal }),
  });
  outgoing.on('socket', (socket) => {
    const sent = () => {
      exchange.isSent = true;
    };
    if (outgoing.reusedSocket || (!isSecure && !socket.connecting)) sent();
    else socket.once(isSecure ? 'secureConnect' : 'connect', sent);
  });
  const response = once(outgoing, 'response');
  // The first error is that of `response`; the body reports any later one.
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [message] = await response;
  return message;
}

/** Node adds the length only to the methods that usually have a body. */
function lengthOf(body: string) {
  return { 'content-length': String(Buffer.byteLength(body)) };
}

/** @throws TransportError for more than the limit */
async function read(message: IncomingMessage, limit: number): Promise<WireResponse> {
  const { statusCode: status = 0 } = message;
  const headers = joinHeaders(message.headers);
  if (Number(headers['content-length']) > limit) {
    message.destroy();
    throw tooLarge(limit);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await decoded(message, headers)) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  const body = concatenate(chunks);
  if (length > unweighed && scanJson(body).values > limit / bytesOfValue) throw tooManyValues(limit);
  return { status, headers, body };
}

/** Shorter responses hold few values, however small these are. */
const unweighed = 2 * 1024 * 1024;
/** Half of the bytes in memory of an empty object in an array, which counts twice: `[{},{},…]` takes twenty times its length. */
const bytesOfValue = 32;

/** The body without its encoding, and `headers` without what belongs to it. */
async function decoded(message: IncomingMessage, headers: Headers): Promise<Readable> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return message;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) {
    message.destroy();
    throw new TransportError(`content-encoding ${encoding} was not requested`, true, 'network');
  }
  delete headers['content-encoding'];
  delete headers['content-length'];
  return pipeline(message, encoding === 'br' ? createBrotliDecompress() : createUnzip(), () => {});
}

function joinHeaders(headers: IncomingHttpHeaders): Headers {
  const plain: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

function concatenate(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function tooLarge(limit: number): TransportError {
  return new TransportError(`the response is larger than ${limit / 1024 / 1024} MiB`, true, 'tooLarge');
}

function tooManyValues(limit: number): TransportError {
  return new TransportError(`the response has more than ${limit / bytesOfValue} values`, true, 'tooLarge');
}

const causes: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed',
};

/** The cause in one clause, with the code of Node or OpenSSL in brackets for searching. */
function describeFailure(error: unknown, origin: string): string {
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const code = (nested as { code?: unknown } | undefined)?.code;
  const cause = typeof code === 'string' ? (causes[code] ?? undecodable(code)) : undefined;
  const text = cause ?? messageOf(nested);
  return `${origin}${proxyIn(nested, origin)}: ${text}${typeof code === 'string' && !text.includes(code) ? ` (${code})` : ''}`;
}

/** The errors of Node's decoders. */
function undecodable(code: string): string | undefined {
  return /^(Z_|ERR__|ERR_BROTLI)/.test(code) ? 'the response cannot be decoded' : undefined;
}

/** The proxy that was not reached: the failure is of another host or port than the origin's. */
function proxyIn(error: unknown, origin: string): string {
  const { hostname, address, port } = (error ?? {}) as { hostname?: unknown; address?: unknown; port?: unknown };
  const { hostname: host, port: explicitPort, protocol } = new URL(origin);
  const originPort = explicitPort || (protocol === 'https:' ? '443' : '80');
  if (typeof hostname === 'string' && hostname !== host) return ` through the proxy ${hostname}`;
  return typeof port === 'number' && String(port) !== originPort ? ` through the proxy ${address}:${port}` : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error ?? 'no answer');
}

/** The proxy variables in either case; the lower case counts first, as in curl. */
const variables: Readonly<Record<string, readonly string[]>> = {
  'http:': ['http_proxy', 'HTTP_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY'],
};

/**
 * The proxy for an origin; undefined for a direct connection. A bare host and port is an http proxy.
 * @throws usage naming the variable that holds no address of a proxy
 */
export function proxyFor(origin: string, env: Environment): URL | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const name = variables[protocol]?.find((variable) => env[variable]);
  const text = (name === undefined ? undefined : env[name])?.trim();
  if (name === undefined || text === undefined) return undefined;
  const proxy = /\s/.test(text) ? undefined : urlOf(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!/^https?:$/.test(proxy?.protocol ?? '')) {
    throw usage(
      `${name} must be the address of a proxy, such as http://proxy.example:3128, got "${withoutUser(text)}"`,
      `unset ${name}, or name the host in NO_PROXY, to do without a proxy`,
    );
  }
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  return isExcluded(hostname, effectivePort, env.no_proxy || env.NO_PROXY || '') ? undefined : proxy;
}

function withoutUser(text: string): string {
  return text.replace(/(^|\/\/)[^/@]*@/, '$1[redacted]@');
}

/** Whether NO_PROXY names the host: `host`, `host:port`, `.domain` or `*.domain` for all names in it, `*` for all hosts. */
function isExcluded(host: string, port: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
    return /^[.*]/.test(name) ? host.endsWith(name.replace(/^\*/, '')) : host === name;
  });
}
