/** From a base URL to a transport that is ready for use: network or embedded, with time-out, log and retries around it. */
import { embeddedFolder, isEmbedded, parseBaseUrl } from '../core/addresses.ts';
import { TransportError, usage } from '../core/errors.ts';
import type { Transport } from '../core/wire.ts';
import { redactHeaders, redactUrl } from './credentials.ts';
import { withoutSecrets } from './failures.ts';
import { type Connection, networkConnection } from './network.ts';
import { sleep, withRedirects, withRetry, withTimeout } from './retry.ts';

export interface ConnectOptions {
  /** `https://host[/prefix]`, `embedded:` or `embedded:DIR`. */
  baseUrl: string;
  /** Per request, connecting, waiting and reading together. Default 30 s. */
  timeoutMs?: number | undefined;
  /** Bytes of a response at the most, decoded. Default 50 MiB. */
  maxResponse?: number | undefined;
  /** Attempts after the first. Default 3. */
  retries?: number | undefined;
  /** Proxy variables are read here. Default: none, so no proxy. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Plain http to another machine. */
  allowHttp?: boolean | undefined;
  /** One line for a person about each wait before a retry. */
  note?: ((text: string) => void) | undefined;
  /** The request log, line by line, credentials left out. Default: none. */
  log?: ((line: string) => void) | undefined;
  now?: (() => Date) | undefined;
  random?: (() => number) | undefined;
  /** The database folder of `embedded:` without a folder of its own. */
  dataDir?: string | undefined;
  /** The open connection instead of one by `baseUrl`: tests, and an embedded API that is already there. */
  connection?: Connection | undefined;
}

/** Nothing is opened before the first request. @throws usage when the base URL is not one. */
export function connect(options: ConnectOptions) {
  const { baseUrl, timeoutMs = 30_000, retries = 3, random = Math.random, now = () => new Date() } = options;
  const opened = openBase(baseUrl, options);
  let { send } = options.connection ?? opened.connection;
  if (options.log) send = withLog(send, options.log);
  const transport = withRetry(withTimeout(withRedirects(send), timeoutMs), {
    retries,
    random,
    now,
    sleep,
    note: options.note,
  });
  const connection = options.connection ?? opened.connection;
  return {
    /** For `createClient`; `http://embedded` for the embedded API. */
    baseUrl: opened.baseUrl,
    /** The origin that stored credentials must have: scheme, host and port, or the embedded address itself. */
    credentialOrigin: opened.credentialOrigin,
    transport,
    /** The fixed clock of the database of an embedded API, and its companies; undefined for any other API. */
    clock: async () => connection.clock?.(),
    companies: async () => connection.companies?.(),
    close: () => connection.close(),
  };
}

function openBase(text: string, options: ConnectOptions) {
  const baseUrl = parseBaseUrl(text, 'the base URL');
  if (isEmbedded(baseUrl)) {
    const isDemo = embeddedFolder(baseUrl) === undefined;
    const folder = embeddedFolder(baseUrl) ?? options.dataDir;
    if (!folder) throw usage('embedded: needs a folder', 'write it as embedded:DIR');
    const load = () => import('./embedded.ts');
    const connection = lazy(async () => {
      const { embeddedConnection } = await load();
      // Unless COMEM_NOW is set the database keeps its own clock; that of the demo stands still.
      const ownClock = options.env?.COMEM_NOW && options.now ? { now: options.now } : {};
      return embeddedConnection({ dataDir: folder, isDemo, ...ownClock });
    });
    const { clock: ofExisting } = connection;
    const clock = async () => (isDemo ? (await load()).clockOfNew(folder) : undefined) ?? ofExisting?.();
    return { baseUrl: 'http://embedded', credentialOrigin: baseUrl, connection: { ...connection, clock } };
  }
  if (!options.allowHttp) refusePlainHttp(baseUrl);
  const { origin } = new URL(baseUrl);
  const connection = networkConnection(origin, { env: options.env ?? {}, maxResponse: options.maxResponse });
  return { baseUrl, credentialOrigin: origin, connection };
}

/** A connection that is opened by its first request. */
function lazy(openBase: () => Promise<Connection>): Connection {
  let connection: Promise<Connection> | undefined;
  const opened = () => {
    connection ??= openBase();
    return connection;
  };
  return {
    send: async (request) => (await opened()).send(request),
    clock: async () => (await opened()).clock?.(),
    companies: async () => (await opened()).companies?.(),
    async close() {
      await (await connection?.catch(() => undefined))?.close();
    },
  };
}

const loopback = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\]|[\w.-]+\.localhost)$/i;

/** @throws usage for plain http to another machine */
export function refusePlainHttp(baseUrl: string): void {
  const { protocol, host, hostname } = new URL(baseUrl);
  if (protocol !== 'http:' || loopback.test(hostname)) return;
  throw usage(
    `credentials are not sent over plain http to ${host}`,
    'use https, or --allow-http when the network between is your own',
  );
}

/** Logs each request and answer without credentials. */
export function withLog(send: Transport, say: (line: string) => void): Transport {
  return async (request) => {
    const start = performance.now();
    const duration = () => `${Math.round(performance.now() - start)} ms`;
    say(`> ${request.method} ${redactUrl(request.url)}`);
    for (const [name, value] of Object.entries(redactHeaders(request.headers))) say(`> ${name}: ${value}`);
    if (request.body !== undefined) say(`> ${request.body}`);
    try {
      const response = await send(request);
      say(`< ${response.status}, ${response.body.length} bytes in ${duration()}`);
      // A server may echo credentials.
      for (const [name, value] of Object.entries(redactHeaders(response.headers))) {
        say(`< ${name}: ${withoutSecrets(value, request.headers)}`);
      }
      return response;
    } catch (error) {
      if (error instanceof TransportError) say(`< no answer after ${duration()}: ${error.message}`);
      throw error;
    }
  };
}
