/** HTTP over the network: a pool of undici, proxy variables, decompression. */

import { closeSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { urlOf } from '../core/addresses.ts';
import { TransportError, usage } from '../core/errors.ts';
import { temporaryFile, writeAll } from '../core/files.ts';
import { JsonScanner } from '../core/json-scanner.ts';
import type { Headers, Transport, WireRequest, WireResponse } from '../core/wire.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface NetworkOptions {
  /** The environment of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case. Default: none, so no proxy. */
  env?: Environment | undefined;
  /** Connections to one origin at the most; default 8, as many as a pager keeps in flight. */
  connections?: number | undefined;
  /** Bytes of a response at the most, decoded. Default: 256 MiB. */
  maxResponse?: number | undefined;
}

const defaultMaxResponse = 256 * 1024 * 1024;

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
 * A connection to one origin (`https://host:port`). undici is loaded with the first request.
 * @throws usage when a proxy variable holds no address of a proxy
 */
export function networkConnection(origin: string, options: NetworkOptions = {}): Connection {
  const { env = {}, connections = 8, maxResponse = defaultMaxResponse } = options;
  const proxy = proxyVariables(env, origin);
  let dispatcher: Promise<Dispatcher> | undefined;
  return {
    async send(request) {
      dispatcher ??= openDispatcher(origin, proxy, connections);
      const response = await exchange(await dispatcher, request, origin, maxResponse);
      // The pool marks the connection as free one turn later; a request before that would open another one.
      await setImmediate();
      return response;
    },
    async close() {
      await (await dispatcher)?.destroy();
    },
  };
}

async function openDispatcher(
  origin: string,
  proxy: ProxyVariables | undefined,
  connections: number,
): Promise<Dispatcher> {
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

function exchange(
  dispatcher: Dispatcher,
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
      reject(known ? error : new TransportError(describeFailure(error, origin), started, reason, { cause: error }));
    };
    const end = (error: unknown, reason: 'network' | 'aborted' = 'network') => {
      fail(error, reason);
      abort?.(new Error('aborted'));
    };
    const onAbort = () => end(signal?.reason, 'aborted');
    /** An error of the body ends the exchange. */
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
          headers = joinHeaders(fields);
          guarded(() => {
            body = new ResponseBody(headers, maxResponse, controller, end);
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

function joinHeaders(headers: Record<string, string | string[] | undefined>): Headers {
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

/** Bytes of a response that stay in memory while it arrives. */
const inMemory = 64 * 1024 * 1024;
/** Shorter responses hold few values, however small these are: at most 30 bytes in memory for each of theirs. */
const unweighed = 2 * 1024 * 1024;
/** Values may take this part of the limit in memory, beside their characters. */
const partOfValues = 2;
/** Encoded bodies up to this length are decoded in one call, which is faster, where the result is small. */
const smallEncoded = 256 * 1024;
const smallDecoded = 8 * 1024 * 1024;

interface Flow {
  pause(): void;
  resume(): void;
}

interface Codec {
  atOnce(bytes: Buffer, options: { maxOutputLength: number }): Buffer;
  stream(options: { chunkSize: number }): Gunzip;
}

/** The decoder of a `Content-Encoding`. Node's module is loaded on demand: small answers rarely have one. */
function codecOf(encoding: string): Codec {
  const zlib = process.getBuiltinModule('node:zlib');
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return { atOnce: zlib.gunzipSync, stream: zlib.createGunzip };
    case 'br':
      return { atOnce: zlib.brotliDecompressSync, stream: zlib.createBrotliDecompress };
    case 'deflate':
      return { atOnce: zlib.inflateSync, stream: zlib.createInflate };
    default:
      return unknownCodec(encoding);
  }
}

/** Takes the pieces of a body as they come. Every method throws a TransportError, after which `discard` is called. */
class ResponseBody {
  private readonly encoded: Buffer[] = [];
  private readonly codec: Codec | undefined;
  private readonly body: BodyBytes;
  private arrived = 0;
  private decoder: Gunzip | undefined;
  private decoded: Promise<void> | undefined;

  /** @param onFail called when the body cannot be used, before all of it has arrived */
  constructor(
    private readonly headers: Headers,
    private readonly limit: number,
    private readonly flow: Flow,
    private readonly onFail: (error: unknown) => void,
  ) {
    this.body = new BodyBytes(limit);
    const encoding = headers['content-encoding']?.trim().toLowerCase();
    const plain = encoding === undefined || encoding === '' || encoding === 'identity';
    if (Number(headers['content-length']) > limit) throw tooLarge(limit);
    if (plain) return;
    this.codec = codecOf(encoding);
  }

  add(chunk: Buffer): void {
    if (!this.codec) {
      this.body.add(chunk);
      return;
    }
    this.arrived += chunk.length;
    if (this.arrived > this.limit) throw tooLarge(this.limit);
    if (this.decoder) {
      if (!this.decoder.write(chunk)) this.flow.pause();
      return;
    }
    this.encoded.push(chunk);
    if (this.arrived > smallEncoded) this.startStream(this.codec);
  }

  /** The complete body without its encoding. */
  async end(): Promise<Buffer> {
    if (!this.codec || this.arrived === 0) return this.body.take();
    delete this.headers['content-encoding'];
    delete this.headers['content-length'];
    if (!this.decoder) {
      const small = this.decodeAtOnce(this.codec);
      if (small) return small;
      this.startStream(this.codec);
    }
    this.decoder?.end();
    await this.decoded;
    return this.body.take();
  }

  discard(): void {
    this.decoder?.destroy();
    this.body.discard();
  }

  private decodeAtOnce(codec: Codec): Buffer | undefined {
    try {
      return codec.atOnce(concatenate(this.encoded), { maxOutputLength: Math.min(smallDecoded, this.limit) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
      throw undecodable(error);
    }
  }

  private startStream(codec: Codec): void {
    const decoder = codec.stream({ chunkSize: 64 * 1024 });
    this.decoder = decoder;
    this.decoded = new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        reject(error);
        this.onFail(error);
        decoder.destroy();
      };
      decoder.on('data', (chunk: Buffer) => {
        try {
          this.body.add(chunk);
        } catch (error) {
          fail(error);
        }
      });
      decoder.on('drain', () => this.flow.resume());
      decoder.on('error', (error) => fail(undecodable(error)));
      decoder.on('end', resolve);
    });
    this.decoded.catch(() => undefined);
    for (const chunk of this.encoded.splice(0)) decoder.write(chunk);
  }
}

/** Bytes in memory, and those after the first ones in a file that has no name. */
class BodyBytes {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private bytesInMemory = 0;
  private file: number | undefined;
  private scanner: JsonScanner | undefined;

  constructor(private readonly limit: number) {}

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limit) throw tooLarge(this.limit);
    if (this.bytes > unweighed) this.weigh(chunk);
    if (this.file === undefined && this.bytes <= inMemory) {
      this.chunks.push(chunk);
      this.bytesInMemory = this.bytes;
      return;
    }
    this.file ??= temporaryFile();
    writeAll(this.file, chunk, this.bytes - chunk.length - this.bytesInMemory);
  }

  private weigh(chunk: Buffer): void {
    if (!this.scanner) {
      this.scanner = new JsonScanner();
      for (const before of this.chunks) this.scanner.write(before);
    }
    this.scanner.write(chunk);
    if (this.scanner.memory > this.limit / partOfValues) throw tooManyValues(this.limit);
  }

  take(): Buffer {
    if (this.file === undefined) return concatenate(this.chunks);
    const all = Buffer.allocUnsafe(this.bytes);
    let at = 0;
    for (const chunk of this.chunks.splice(0)) at += chunk.copy(all, at);
    while (at < this.bytes) {
      const read = readSync(this.file, all, at, this.bytes - at, at - this.bytesInMemory);
      if (read === 0) break;
      at += read;
    }
    this.discard();
    return all;
  }

  discard(): void {
    this.chunks.length = 0;
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

function concatenate(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function tooLarge(limit: number): TransportError {
  return new TransportError(`the response is larger than ${limit / 1024 / 1024} MiB`, true, 'tooLarge');
}

function tooManyValues(limit: number): TransportError {
  const most = limit / partOfValues / 1024 / 1024;
  return new TransportError(`the values of the response take more than ${most} MiB of memory`, true, 'tooLarge');
}

function undecodable(error: unknown): TransportError {
  const says = error instanceof Error ? error.message : String(error);
  return new TransportError(`the response cannot be decoded: ${says}`, true, 'network', { cause: error });
}

function unknownCodec(encoding: string): never {
  throw undecodable(new Error(`content-encoding ${encoding} was not requested`));
}
