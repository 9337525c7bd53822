/** HTTP over the network: straight or through a proxy, decoded, and what breaks in one clause. */
import { TransportError, usage } from '../core/errors.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';
import type { ResponseBody } from './body.ts';
import type { Line } from './direct.ts';
import type { ProxyVariables } from './proxied.ts';

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
}

/** What a request needs: loaded with the first one. */
interface Opened {
  line: Line;
  Body: typeof ResponseBody;
}

interface Limits {
  origin: string;
  maxResponse: number;
  /** What ends each request that is under way. */
  running: Set<() => void>;
}

/**
 * A connection to one origin (`https://host:port`). Nothing is loaded or opened before the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  const { env = {}, connections = 8, maxResponse = defaultMaxResponse } = options;
  const proxy = proxyVariables(env, origin);
  const limits = { origin, maxResponse, running: new Set<() => void>() };
  let opened: Promise<Opened> | undefined;
  let isClosed = false;
  return {
    async send(request) {
      opened ??= open(origin, proxy, connections);
      const ready = await opened;
      if (isClosed) throw new TransportError('the connection was closed', false, 'aborted');
      return exchange(ready, request, limits);
    },
    async close() {
      isClosed = true;
      for (const stop of limits.running) stop();
      await (await opened)?.line.close();
    },
  };
}

async function open(origin: string, proxy: ProxyVariables | undefined, connections: number): Promise<Opened> {
  const { ResponseBody: Body } = await import('./body.ts');
  if (!proxy) return { line: await (await import('./direct.ts')).directLine(origin, connections), Body };
  return { line: (await import('./proxied.ts')).proxiedLine(origin, connections, proxy), Body };
}

function exchange({ line, Body }: Opened, request: WireRequest, limits: Limits): Promise<WireResponse> {
  const { origin, maxResponse, running } = limits;
  return new Promise((resolve, reject) => {
    const { signal } = request;
    let isSent = false;
    let abort = () => {};
    let status = 0;
    let headers: Headers = {};
    let body: ResponseBody | undefined;
    const settle = () => {
      signal?.removeEventListener('abort', onAbort);
      running.delete(stop);
    };
    const end = (error: unknown, reason: 'network' | 'aborted' = 'network') => {
      settle();
      body?.discard();
      const known = error instanceof TransportError && reason === 'network';
      reject(known ? error : new TransportError(explain(error, origin), isSent, reason, { cause: error }));
      abort();
    };
    const onAbort = () => end(signal?.reason, 'aborted');
    // The command has ended: it makes no second attempt.
    const stop = () => end(new Error('the connection was closed'), 'aborted');
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
    running.add(stop);
    guarded(() => {
      abort = line.send(
        { ...request, headers: { 'accept-encoding': 'gzip, br', ...request.headers } },
        {
          onSent() {
            isSent = true;
          },
          onHead(code, fields, flow) {
            status = code;
            headers = fields;
            guarded(() => {
              body = new Body(headers, maxResponse, flow, end);
            });
          },
          onData: (chunk) => guarded(() => body?.add(chunk)),
          onEnd() {
            const complete = body?.end() ?? Promise.resolve(Buffer.alloc(0));
            complete.then((bytes) => {
              settle();
              resolve({ status, headers, body: bytes });
            }, end);
          },
          onError: (error) => end(error),
        },
      );
    });
  });
}

const closedEarly = 'the connection was closed before the response was complete';

const causes: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: closedEarly,
};

/** One clause that says what broke; a node or OpenSSL code is kept in brackets for searching. */
function explain(error: unknown, origin: string): string {
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const code = (nested as { code?: unknown } | undefined)?.code;
  // Node gives the code of a reset to an end that came too early, too; no call of the system failed then.
  const isEnd = code === 'ECONNRESET' && (nested as { syscall?: unknown }).syscall === undefined;
  const known = isEnd ? closedEarly : typeof code === 'string' ? causes[code] : undefined;
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
