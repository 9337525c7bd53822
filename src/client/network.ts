/** HTTP over the network: a pool of undici, proxy variables, decompression. */
import { setImmediate } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import { TransportError, usage } from '../core/errors.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface NetworkOptions {
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read, in either case. Default: none, so no proxy. */
  env?: Environment | undefined;
  /** Connections to one origin at the most; default 8, as many as a pager keeps in flight. */
  connections?: number | undefined;
}

export interface Connection {
  send: Transport;
  /** Ends kept connections; requests in flight fail. */
  close(): Promise<void>;
}

/** The response as undici hands it over, piece by piece. */
interface Received {
  status: number;
  headers: Headers;
  chunks: Buffer[];
}

/**
 * A connection to one origin (`https://host:port`). undici is loaded with the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, { env = {}, connections = 8 }: NetworkOptions = {}): Connection {
  const proxy = proxyVariables(env, origin);
  let dispatcher: Promise<Dispatcher> | undefined;
  return {
    async send(request) {
      dispatcher ??= open(origin, proxy, connections);
      const received = await exchange(await dispatcher, request, origin);
      // The pool marks the connection as free one turn later; a request before that would open another one.
      await setImmediate();
      return { status: received.status, headers: received.headers, body: decode(received) };
    },
    async close() {
      await (await dispatcher)?.destroy();
    },
  };
}

async function open(origin: string, proxy: ProxyVariables | undefined, connections: number): Promise<Dispatcher> {
  // Each request has a time-out of its own, which covers connecting, waiting and reading.
  const options = { connections, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };
  if (proxy) {
    const { EnvHttpProxyAgent } = await import('undici');
    return new EnvHttpProxyAgent({ ...options, ...proxy });
  }
  // The index loads five times as many modules as the pool needs: 40 ms of every start.
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return new Pool(origin, options);
}

function exchange(dispatcher: Dispatcher, request: WireRequest, origin: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    let started = false;
    let abort: ((reason: Error) => void) | undefined;
    const received: Received = { status: 0, headers: {}, chunks: [] };
    const settle = () => signal?.removeEventListener('abort', onAbort);
    const fail = (error: unknown, reason: 'network' | 'aborted') => {
      settle();
      reject(new TransportError(explain(error, origin), started, reason, { cause: error }));
    };
    const onAbort = () => {
      fail(signal?.reason, 'aborted');
      abort?.(new Error('aborted'));
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort);
    dispatcher.dispatch(
      {
        origin,
        path: request.url.slice(origin.length) || '/',
        method: request.method,
        headers: { 'accept-encoding': 'gzip, br', ...request.headers },
        body: request.body ?? null,
      },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          // Cancelled while it waited for a connection: nothing has been written yet.
          if (signal?.aborted) return controller.abort(new Error('aborted'));
          started = true;
        },
        onResponseStart(_controller, status, headers) {
          received.status = status;
          received.headers = flat(headers);
          received.chunks = [];
        },
        onResponseData(_controller, chunk) {
          received.chunks.push(chunk);
        },
        onResponseEnd() {
          settle();
          resolve(received);
        },
        onResponseError(_controller, error) {
          fail(error, 'network');
        },
      },
    );
  });
}

function flat(headers: Record<string, string | string[] | undefined>): Headers {
  const plain: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

const decoders: Partial<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  deflate: zlib.inflateSync,
};

/** The body without its content encoding. @throws TransportError when it does not decode */
function decode({ headers, chunks }: Received): WireResponse['body'] {
  const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity' || body.length === 0) return body;
  try {
    const decoder = decoders[encoding];
    if (!decoder) throw new Error(`content-encoding ${encoding} was not requested`);
    const decoded = decoder(body);
    delete headers['content-encoding'];
    delete headers['content-length'];
    return decoded;
  } catch (error) {
    throw new TransportError(`the response cannot be decoded: ${message(error)}`, true, 'network', { cause: error });
  }
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

/** One clause that says what broke; a node or OpenSSL code is kept in brackets for searching. */
function explain(error: unknown, origin: string): string {
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const code = (nested as { code?: unknown } | undefined)?.code;
  const known = typeof code === 'string' ? causes[code] : undefined;
  const text = known ?? message(nested);
  return `${origin}${proxyIn(nested, origin)}: ${text}${typeof code === 'string' && !text.includes(code) ? ` (${code})` : ''}`;
}

/** The proxy that was not reached: the failure is of another host or port than the origin's. */
function proxyIn(error: unknown, origin: string): string {
  const { hostname, address, port } = (error ?? {}) as { hostname?: unknown; address?: unknown; port?: unknown };
  const { hostname: host, port: given, protocol } = new URL(origin);
  const own = given || (protocol === 'https:' ? '443' : '80');
  if (typeof hostname === 'string' && hostname !== host) return ` through the proxy ${hostname}`;
  return typeof port === 'number' && String(port) !== own ? ` through the proxy ${address}:${port}` : '';
}

function message(error: unknown): string {
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
    const name = variables[protocol].find((each) => env[each]);
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
  if (/\s/.test(address) || !URL.canParse(address)) return undefined;
  return /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}

function withoutUser(text: string): string {
  return text.replace(/(^|\/\/)[^/@]*@/, '$1[redacted]@');
}
