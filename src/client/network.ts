/** HTTP over the network: a pool of undici, proxy variables, decompression, and bounds on what a response may hold. */

import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Dispatcher } from 'undici';
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
const connections = 8;

/**
 * A connection to one origin (`https://host:port`). undici is loaded with the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  const { env = {}, maxResponse = defaultMaxResponse } = options;
  const proxy = proxyVariables(env, origin);
  let dispatcher: Promise<Dispatcher> | undefined;
  return {
    async send(request) {
      dispatcher ??= openDispatcher(origin, proxy);
      const response = await decodeBody(await exchange(await dispatcher, request, origin, maxResponse), maxResponse);
      // The pool marks the connection as free one turn later; a request before that would open another one.
      await setImmediate();
      return response;
    },
    async close() {
      await (await dispatcher)?.destroy();
    },
  };
}

async function openDispatcher(origin: string, proxy: ProxyVariables | undefined): Promise<Dispatcher> {
  // Each request has a time-out of its own, which covers connecting, waiting and reading.
  const options = { connections, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };
  if (proxy) {
    const { EnvHttpProxyAgent } = await import('undici');
    return new EnvHttpProxyAgent({ ...options, ...proxy });
  }
  // The one private path of a package: the public entry loads five times as many modules, 40 ms of every start.
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return new Pool(origin, options);
}

/** Sends a request and gathers the bytes of its response. @throws TransportError */
function exchange(
  dispatcher: Dispatcher,
  { method, url, headers, body, signal }: WireRequest,
  origin: string,
  limit: number,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const response = { status: 0, headers: {} as Headers };
    const chunks: Buffer[] = [];
    let length = 0;
    let isSent = false;
    let controller: Dispatcher.DispatchController | undefined;
    const fail = (error: unknown, reason: 'network' | 'aborted') => {
      signal?.removeEventListener('abort', onAbort);
      const isKnown = error instanceof TransportError;
      reject(isKnown ? error : new TransportError(describeFailure(error, origin), isSent, reason, { cause: error }));
    };
    const onAbort = () => {
      fail(signal?.reason, 'aborted');
      controller?.abort(new Error('aborted'));
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort);
    dispatcher.dispatch(
      {
        origin,
        path: url.slice(origin.length) || '/',
        method,
        headers: { 'accept-encoding': 'gzip, br', ...headers },
        body: body ?? null,
      },
      {
        onRequestStart(started) {
          controller = started;
          // Cancelled while it waited for a connection: nothing has been written yet.
          if (signal?.aborted) started.abort(new Error('aborted'));
          else isSent = true;
        },
        onResponseStart(started, status, fields) {
          Object.assign(response, { status, headers: joinHeaders(fields) });
          if (Number(fields['content-length']) > limit) started.abort(tooLarge(limit));
        },
        onResponseData(started, chunk) {
          length += chunk.length;
          if (length > limit) started.abort(tooLarge(limit));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          signal?.removeEventListener('abort', onAbort);
          resolve({ ...response, body: Buffer.concat(chunks) });
        },
        onResponseError(_, error) {
          // The command has ended and closed the pool: the request is not retried.
          fail(error, isClosed(error) ? 'aborted' : 'network');
        },
      },
    );
  });
}

function isClosed(error: Error): boolean {
  return 'code' in error && (error.code === 'UND_ERR_DESTROYED' || error.code === 'UND_ERR_CLOSED');
}

/** The response without its content encoding. @throws TransportError, also for more bytes or values than the limit */
async function decodeBody({ status, headers: received, body }: WireResponse, limit: number): Promise<WireResponse> {
  const { 'content-encoding': encoding = '', 'content-length': _, ...headers } = received;
  const name = encoding.trim().toLowerCase();
  const isPlain = name === '' || name === 'identity' || body.length === 0;
  const bytes = isPlain ? body : await decompress(body, name, limit);
  if (bytes.length > scanThreshold && scanJson(bytes).values > limit / bytesOfValue) throw tooManyValues(limit);
  return { status, headers: isPlain ? received : headers, body: bytes };
}

async function decompress(body: Uint8Array, encoding: string, limit: number): Promise<Buffer> {
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
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
};

/** The cause in one clause, with the code of Node or OpenSSL in brackets for searching. */
function describeFailure(error: unknown, origin: string): string {
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const code = (nested as { code?: unknown } | undefined)?.code;
  const cause = typeof code === 'string' ? causes[code] : undefined;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return `${origin} answers plain http, not https (${code})`;
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

/** For EnvHttpProxyAgent: '' rather than undefined, because it reads the environment of the process otherwise. */
interface ProxyVariables {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/**
 * The proxy variables as they are used for an origin; undefined when none is set. A bare host and port is an http proxy.
 * @throws usage naming the variable that holds no address of a proxy
 */
export function proxyVariables(env: Environment, origin: string): ProxyVariables | undefined {
  const read = (protocol: keyof typeof variables): string => {
    const name = variables[protocol].find((variable) => env[variable]);
    const text = name === undefined ? undefined : env[name];
    if (text === undefined) return '';
    const address = addressOf(text.trim());
    if (address === undefined && origin.startsWith(protocol)) {
      throw usage(
        `${name} must be the address of a proxy, such as http://proxy.example:3128, got "${withoutUser(text)}"`,
        `unset ${name}, or name the host in NO_PROXY, to do without a proxy`,
      );
    }
    return address ?? '';
  };
  const [httpProxy, httpsProxy] = [read('http:'), read('https:')];
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  return httpProxy || httpsProxy ? { httpProxy, httpsProxy, noProxy } : undefined;
}

function addressOf(text: string): string | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/\s/.test(address)) return undefined;
  return /^https?:$/.test(urlOf(address)?.protocol ?? '') ? address : undefined;
}

function withoutUser(text: string): string {
  return text.replace(/(^|\/\/)[^/@]*@/, '$1[redacted]@');
}
