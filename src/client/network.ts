/** HTTP over the network: Node's agents, proxy variables, decompression, and bounds on what a response may hold. */

import type { Agent, RequestOptions, request } from 'node:http';
import { promisify } from 'node:util';
import { urlOf } from '../core/addresses.ts';
import { TransportError, usage } from '../core/errors.ts';
import { propertyOf } from '../core/json.ts';
import { scanJson } from '../core/json-scanner.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface NetworkOptions {
  /** The environment of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case. Default: none, so no proxy. */
  env?: Environment | undefined;
  /** The most bytes of a decoded response. Default: `defaultMaxResponse`. */
  maxResponse?: number | undefined;
}

/** Parsing a response needs about four times its size in memory. */
export const defaultMaxResponse = 50 * 1024 * 1024;

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

/** Matches the number of pages that are requested at once. */
const maxSockets = 8;

/**
 * A connection to one origin (`https://host:port`). Nothing is loaded before the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  const { env = {}, maxResponse = defaultMaxResponse } = options;
  const proxy = proxyOf(env, origin);
  const server: Server = { origin, limit: maxResponse, isClosed: false };
  let opened: Promise<Opened> | undefined;
  return {
    async send(request) {
      opened ??= open(origin, proxy);
      return decoded(await exchange(await opened, request, server), maxResponse);
    },
    async close() {
      server.isClosed = true;
      (await opened)?.agent.destroy();
    },
  };
}

interface Server {
  origin: string;
  /** The most bytes of a response. */
  limit: number;
  isClosed: boolean;
}

interface Opened {
  agent: Agent;
  request: typeof request;
  /** The host and the port. */
  address: RequestOptions;
}

async function open(origin: string, proxy: string | undefined): Promise<Opened> {
  const web = origin.startsWith('https:') ? await import('node:https') : await import('node:http');
  const { hostname, port } = new URL(origin);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: port || undefined };
  const agent = new web.Agent({ keepAlive: true, maxSockets });
  if (proxy !== undefined) (await import('./tunnel.ts')).connectThrough(proxy, agent);
  return { agent, request: web.request, address };
}

/** Sends a request and gathers the bytes of its response. @throws TransportError */
function exchange(
  { agent, request, address }: Opened,
  { method, url, headers, body, signal }: WireRequest,
  server: Server,
): Promise<WireResponse> {
  const { origin, limit } = server;
  return new Promise((resolve, reject) => {
    let isSent = false;
    const fail = (error: unknown, reason: 'network' | 'aborted') => {
      signal?.removeEventListener('abort', onAbort);
      const isKnown = error instanceof TransportError;
      reject(isKnown ? error : new TransportError(describeFailure(error, origin), isSent, reason, { cause: error }));
      sending?.destroy();
    };
    // A command that has ended closes its connections: the request is not retried.
    const onError = (error: unknown) => fail(error, server.isClosed ? 'aborted' : 'network');
    const onAbort = () => fail(signal?.reason, 'aborted');
    let sending: ReturnType<typeof request> | undefined;
    if (signal?.aborted) return onAbort();
    if (server.isClosed) return onError(new Error('the connection is closed'));
    try {
      const path = url.slice(origin.length) || '/';
      const fields = { 'accept-encoding': 'gzip, br', ...headers };
      sending = request({ ...address, agent, path, method, headers: fields });
    } catch (error) {
      return onError(error);
    }
    signal?.addEventListener('abort', onAbort);
    sending.on('error', onError);
    sending.on('socket', (socket) => {
      const connected = () => {
        isSent = true;
      };
      if (socket.connecting) socket.once(origin.startsWith('https:') ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    sending.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      if (Number(response.headers['content-length']) > limit) fail(tooLarge(limit), 'network');
      response.on('error', onError);
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > limit) fail(tooLarge(limit), 'network');
        else chunks.push(chunk);
      });
      response.on('end', () => {
        signal?.removeEventListener('abort', onAbort);
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: joinHeaders(response.headers), body: concatenate(chunks) });
      });
    });
    sending.end(body);
  });
}

/** The response without its content encoding. @throws TransportError, also for more bytes or values than the limit */
async function decoded({ status, headers: received, body }: WireResponse, limit: number): Promise<WireResponse> {
  const { 'content-encoding': encoding = '', 'content-length': _, ...headers } = received;
  const name = encoding.trim().toLowerCase();
  const isPlain = name === '' || name === 'identity' || body.length === 0;
  const bytes = isPlain ? body : await decompressed(body, name, limit);
  if (bytes.length > scanThreshold && scanJson(bytes).values > limit / bytesOfValue) throw tooManyValues(limit);
  return { status, headers: isPlain ? received : headers, body: bytes };
}

async function decompressed(body: Uint8Array, encoding: string, limit: number): Promise<Buffer> {
  const { brotliDecompress, unzip } = await import('node:zlib');
  const decoders = { gzip: unzip, 'x-gzip': unzip, deflate: unzip, br: brotliDecompress };
  const decoder = propertyOf<typeof unzip>(decoders, encoding);
  if (!decoder) throw undecodable(new Error(`content-encoding ${encoding} was not requested`));
  try {
    return await promisify<Uint8Array, { maxOutputLength: number }, Buffer>(decoder)(body, { maxOutputLength: limit });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : undecodable(error);
  }
}

/** Shorter responses are not scanned: they cannot hold too many values. */
const scanThreshold = 2 * 1024 * 1024;
/** Bytes in memory for each scanned value. `[{},{},…]` takes twenty times its length. */
const bytesOfValue = 32;

function joinHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const plain: Headers = {};
  for (const name in headers) {
    const value = headers[name];
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

function undecodable(error: unknown): TransportError {
  const says = error instanceof Error ? error.message : String(error);
  return new TransportError(`the response cannot be decoded: ${says}`, true, 'network', { cause: error });
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
  const cause = typeof code === 'string' ? causes[code] : undefined;
  const text = cause ?? messageOf(nested);
  return `${origin}${proxyIn(nested, origin)}: ${text}${typeof code === 'string' && !text.includes(code) ? ` (${code})` : ''}`;
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
const variables = {
  'http:': ['http_proxy', 'HTTP_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY'],
} as const;

/**
 * The address of the proxy for an origin, unless `NO_PROXY` names its host. A bare host and port is an http proxy; that
 * of http serves https where it has none.
 * @throws usage naming the variable that holds no address of a proxy
 */
export function proxyOf(env: Environment, origin: string): string | undefined {
  const read = (protocol: keyof typeof variables): string | undefined => {
    const name = variables[protocol].find((variable) => env[variable]);
    const text = name === undefined ? undefined : env[name];
    if (text === undefined) return undefined;
    const address = addressOf(text.trim());
    if (address === undefined && origin.startsWith(protocol)) {
      throw usage(
        `${name} must be the address of a proxy, such as http://proxy.example:3128, got "${withoutUser(text)}"`,
        `unset ${name}, or name the host in NO_PROXY, to do without a proxy`,
      );
    }
    return address;
  };
  const [http, https] = [read('http:'), read('https:')];
  if (isExcluded(new URL(origin), env.no_proxy || env.NO_PROXY || '')) return undefined;
  return origin.startsWith('https:') ? (https ?? http) : http;
}

/** Whether `NO_PROXY` (`*`, or hosts with or without a port) names a host or a domain that it is in. */
function isExcluded({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const explicitPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]+/).some((word) => {
    const [, host = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(word.toLowerCase()) ?? [];
    const isHost = hostname === host || (host !== '' && hostname.endsWith(`.${host}`));
    return word === '*' || (isHost && (only ?? explicitPort) === explicitPort);
  });
}

function addressOf(text: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/\s/.test(address)) return undefined;
  return /^https?:$/.test(urlOf(address)?.protocol ?? '') ? address : undefined;
}

function withoutUser(text: string): string {
  return text.replace(/(^|\/\/)[^/@]*@/, '$1[redacted]@');
}
