/** HTTP over the network: undici by the pieces that are used, keep-alive, proxy variables; no redirect is followed. */
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import { usage } from '../core/errors.ts';
import { type Headers, type Transport, TransportError, type WireRequest, type WireResponse } from '../core/wire.ts';

export interface NetworkOptions {
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read, in either case. Default: none, so no proxy. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Connections to one origin at the most; default 8, as many as a pager keeps in flight. */
  connections?: number;
}

export interface Connection {
  send: Transport;
  /** Ends kept connections; requests in flight fail. */
  close(): Promise<void>;
}

/** The answer as undici hands it over, piece by piece. */
interface Answer {
  status: number;
  headers: Headers;
  chunks: Buffer[];
}

type Line = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** Later versions of Node need no help. */
const tunable = Number.parseInt(process.versions.node, 10) < 22;

/** A connection to one origin (`https://host:port`). undici is loaded with the first request. */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  let opener: Promise<() => Line> | undefined;
  const lines: { line: Line; running: number }[] = [];
  const { connections = 8 } = options;

  /** A line that is free, else a new one, else the least busy. undici's own pool opens a second one too early. */
  const pick = (open: () => Line) => {
    const [least] = lines.toSorted((a, b) => a.running - b.running);
    if (least && (least.running === 0 || lines.length >= connections)) return least;
    const added = { line: open(), running: 0 };
    if (lines.push(added) === manyLines && tunable) grow();
    return added;
  };

  return {
    async send(request) {
      opener ??= loadUndici(origin, options);
      const picked = pick(await opener);
      picked.running += 1;
      try {
        const answer = await exchange(picked.line, request, request.url.slice(origin.length) || '/', origin);
        return { status: answer.status, headers: answer.headers, body: await decode(answer) };
      } finally {
        picked.running -= 1;
      }
    },
    async close() {
      await Promise.all(lines.map(({ line }) => line.destroy()));
    },
  };
}

async function loadUndici(origin: string, { env = {} }: NetworkOptions): Promise<() => Line> {
  // The caller's own time-out covers connecting, waiting and reading.
  const settings = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };
  const proxy = proxies(env);
  const open = proxy ? await loadProxied({ ...settings, ...proxy }) : await loadDirect(origin, settings);
  if (tunable) spareMemory();
  return open;
}

/**
 * On Node 20 a busy WASM parser of undici is compiled anew by the optimising compiler, for 30 MiB and a quarter of a
 * second that no export earns back, and the process waits for it at exit: the filter names a function that there is not.
 * And the space for young objects would grow to 32 MiB for pages that live for a moment. Both have to be set after the
 * modules are loaded and before the first request.
 */
function spareMemory(): void {
  setFlagsFromString('--wasm-tier-up-filter=1000000');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Fewer hold few answers, or answers so large that their reader keeps them few. */
const manyLines = 7;

/** With many answers on their way at once there is more that lives, and moving it about would take longer. */
function grow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

async function loadDirect(origin: string, settings: object): Promise<() => Line> {
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  return () => new Client(origin, settings);
}

async function loadProxied(settings: object): Promise<() => Line> {
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: Dispatcher } = await import('undici/lib/dispatcher/dispatcher.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  // The proxy's tunnel is opened with a method that undici's index adds to the class.
  Object.assign(Dispatcher.prototype, { connect });
  return () => new EnvHttpProxyAgent({ ...settings, connections: 1 });
}

function proxies(env: Readonly<Record<string, string | undefined>>): object | undefined {
  const httpProxy = env.http_proxy || env.HTTP_PROXY || '';
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY || '';
  // '' rather than undefined: undici would read the process's own environment.
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  return httpProxy || httpsProxy ? { httpProxy, httpsProxy, noProxy } : undefined;
}

function exchange(line: Line, request: WireRequest, path: string, origin: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    let started = false;
    let abort: ((reason: Error) => void) | undefined;
    const answer: Answer = { status: 0, headers: {}, chunks: [] };
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
    line.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers: { 'accept-encoding': 'gzip, br', ...request.headers },
        body: request.body ?? null,
      },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          // Given up while it waited for a connection: nothing has been written yet.
          if (signal?.aborted) return controller.abort(new Error('aborted'));
          started = true;
        },
        onResponseStart(_controller, status, headers) {
          answer.status = status;
          answer.headers = flat(headers);
          answer.chunks = [];
        },
        onResponseData(_controller, chunk) {
          answer.chunks.push(chunk);
        },
        onResponseEnd() {
          settle();
          resolve(answer);
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
    if (value !== undefined) plain[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

/** The body without its content encoding; one that does not decode is a broken answer. */
async function decode({ headers, chunks }: Answer): Promise<WireResponse['body']> {
  const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity' || body.length === 0) return body;
  const zlib = await import('node:zlib');
  const decoders: Record<string, ((bytes: Buffer) => Buffer) | undefined> = {
    gzip: zlib.gunzipSync,
    'x-gzip': zlib.gunzipSync,
    br: zlib.brotliDecompressSync,
    deflate: zlib.inflateSync,
  };
  try {
    const decoder = decoders[encoding];
    if (!decoder) throw new Error(`content-encoding ${encoding} was not asked for`);
    const decoded = decoder(body);
    delete headers['content-encoding'];
    delete headers['content-length'];
    return decoded;
  } catch (error) {
    throw new TransportError(`the answer does not decode: ${message(error)}`, true, 'network', { cause: error });
  }
}

const causes: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
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
