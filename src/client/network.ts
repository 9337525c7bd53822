/** HTTP over the network: a pool of undici, proxy variables, decompression. */
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { urlOf } from '../core/addresses.ts';
import { TransportError, usage } from '../core/errors.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';
import type { ResponseBody } from './body.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface NetworkOptions {
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read, in either case. Default: none, so no proxy. */
  env?: Environment | undefined;
  /** Connections to one origin at the most; default 8, as many as a pager keeps in flight. */
  connections?: number | undefined;
  /** Bytes of a response at the most, decoded. Default: 256 MiB. */
  maxResponse?: number | undefined;
}

const defaultMaxResponse = 256 * 1024 * 1024;

export interface Connection {
  send: Transport;
  /** Ends kept connections; requests in flight fail. */
  close(): Promise<void>;
  /** The fixed clock of the database behind it, before any request; undefined where there is none. */
  clock?(): Promise<Date | undefined>;
}

/** What a request needs: loaded with the first one. */
interface Opened {
  dispatcher: Dispatcher;
  Body: typeof ResponseBody;
}

/**
 * A connection to one origin (`https://host:port`). undici is loaded with the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  const { env = {}, connections = 8, maxResponse = defaultMaxResponse } = options;
  const proxy = proxyVariables(env, origin);
  let opened: Promise<Opened> | undefined;
  return {
    async send(request) {
      opened ??= open(origin, proxy, connections);
      const received = await exchange(await opened, request, origin, maxResponse);
      // The pool marks the connection as free one turn later; a request before that would open another one.
      await setImmediate();
      return received;
    },
    async close() {
      await (await opened)?.dispatcher.destroy();
    },
  };
}

async function open(origin: string, proxy: ProxyVariables | undefined, connections: number): Promise<Opened> {
  const { ResponseBody: Body } = await import('./body.ts');
  // Each request has a time-out of its own, which covers connecting, waiting and reading.
  const options = { connections, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };
  if (proxy) {
    const { EnvHttpProxyAgent } = await import('undici');
    return { dispatcher: new EnvHttpProxyAgent({ ...options, ...proxy }), Body };
  }
  // The index loads five times as many modules as the pool needs: 40 ms of every start.
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return { dispatcher: new Pool(origin, options), Body };
}

function exchange(
  { dispatcher, Body }: Opened,
  request: WireRequest,
  origin: string,
  maxResponse: number,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    let started = false;
    let abort: ((reason: Error) => void) | undefined;
    let status = 0;
    let headers: Headers = {};
    let body: ResponseBody | undefined;
    const settle = () => signal?.removeEventListener('abort', onAbort);
    const fail = (error: unknown, reason: 'network' | 'aborted') => {
      settle();
      body?.discard();
      const known = error instanceof TransportError && reason === 'network';
      reject(known ? error : new TransportError(explain(error, origin), started, reason, { cause: error }));
    };
    const end = (error: unknown, reason: 'network' | 'aborted' = 'network') => {
      fail(error, reason);
      abort?.(new Error('aborted'));
    };
    const onAbort = () => end(signal?.reason, 'aborted');
    /** What the body throws ends the exchange. */
    const guarded = (step: () => void) => {
      try {
        step();
      } catch (error) {
        end(error);
      }
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
        onResponseStart(controller, code, fields) {
          status = code;
          headers = flat(fields);
          guarded(() => {
            body = new Body(headers, maxResponse, controller, end);
          });
        },
        onResponseData(_controller, chunk) {
          guarded(() => body?.add(chunk));
        },
        onResponseEnd() {
          const complete = body?.end() ?? Promise.resolve(Buffer.alloc(0));
          complete.then((bytes) => {
            settle();
            resolve({ status, headers, body: bytes });
          }, end);
        },
        onResponseError(_controller, error) {
          // The command has ended, and closed the pool under this request: it makes no second attempt.
          fail(error, isClosed(error) ? 'aborted' : 'network');
        },
      },
    );
  });
}

function isClosed(error: Error): boolean {
  return 'code' in error && (error.code === 'UND_ERR_DESTROYED' || error.code === 'UND_ERR_CLOSED');
}

function flat(headers: Record<string, string | string[] | undefined>): Headers {
  const plain: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
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
  if (/\s/.test(address)) return undefined;
  return /^https?:$/.test(urlOf(address)?.protocol ?? '') ? address : undefined;
}

function withoutUser(text: string): string {
  return text.replace(/(^|\/\/)[^/@]*@/, '$1[redacted]@');
}
