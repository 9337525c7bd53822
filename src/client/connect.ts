/** From a base URL to a transport that is ready for use: network or embedded, with time-out, log and retries around it. */
import { usage } from '../core/errors.ts';
import type { Transport } from '../core/wire.ts';
import { checkBaseUrl } from './credentials.ts';
import { withLog } from './log.ts';
import { type Connection, networkConnection } from './network.ts';
import { proxyVariables } from './proxies.ts';
import { sleep, withRetry } from './retry.ts';
import { withTimeout } from './timeout.ts';

export interface ConnectOptions {
  /** `https://host[/prefix]`, `embedded:` or `embedded:DIR`. */
  baseUrl: string;
  /** Per request, connecting, waiting and reading together. Default 30 s. */
  timeoutMs?: number;
  /** Attempts after the first. Default 3. */
  retries?: number;
  /** Proxy variables are read here. Default: none, so no proxy. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Plain http to another machine. */
  allowHttp?: boolean;
  /** One line for a person about each wait before a retry. */
  note?(text: string): void;
  /** The request log, line by line, credentials left out. Default: none. */
  log?(line: string): void;
  now?(): Date;
  random?(): number;
  /** The database folder of `embedded:` without a folder of its own. */
  dataDir?: string;
  /** The open connection instead of one by `baseUrl`: tests, and an embedded API that is already there. */
  connection?: Connection;
}

export interface Connected {
  /** What `createClient` takes: without a slash at its end; `http://embedded` for the embedded API. */
  baseUrl: string;
  /** What stored credentials are held against: the origin, or the embedded address itself. */
  credentialOrigin: string;
  transport: Transport;
  close(): Promise<void>;
}

const embedded = 'embedded:';

/** Nothing is opened before the first request. @throws usage when the base URL is not one. */
export function connect(options: ConnectOptions): Connected {
  const { baseUrl, timeoutMs = 30_000, retries = 3, random = Math.random, now = () => new Date() } = options;
  const opened = open(baseUrl, options);
  let { send } = options.connection ?? opened.connection;
  if (options.log) send = withLog(send, options.log, () => performance.now());
  const transport = withRetry(withTimeout(send, timeoutMs), { retries, random, now, sleep, note: options.note });
  const close = () => (options.connection ?? opened.connection).close();
  return { baseUrl: opened.baseUrl, credentialOrigin: opened.credentialOrigin, transport, close };
}

function open(baseUrl: string, options: ConnectOptions) {
  if (baseUrl.startsWith(embedded)) {
    const folder = baseUrl.slice(embedded.length) || options.dataDir;
    if (!folder) throw usage('embedded: needs a folder', 'write it as embedded:DIR');
    const connection = lazy(async () => {
      const { embeddedConnection } = await import('./embedded.ts');
      // Without COMEM_NOW the database keeps its own clock: the demo's stands still.
      return embeddedConnection({ dataDir: folder, now: options.env?.COMEM_NOW ? options.now : undefined });
    });
    return { baseUrl: 'http://embedded', credentialOrigin: baseUrl, connection };
  }
  const { origin, prefix } = checkBaseUrl(baseUrl, options.allowHttp);
  const connection = networkConnection(origin, { env: proxyVariables(options.env ?? {}, origin) });
  return { baseUrl: origin + prefix, credentialOrigin: origin, connection };
}

/** A connection that is opened by its first request. */
function lazy(make: () => Promise<Connection>): Connection {
  let made: Promise<Connection> | undefined;
  return {
    async send(request) {
      made ??= make();
      return (await made).send(request);
    },
    async close() {
      await (await made)?.close();
    },
  };
}
