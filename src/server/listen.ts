/** The only file that opens a port. */
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { usage } from '../core/errors.ts';
import { type AppOptions, createApp } from './app.ts';
import { isLoopback } from './door.ts';
import type { Store } from './store/store.ts';

export interface ListenOptions extends AppOptions {
  /** Default 127.0.0.1: reachable from this machine only. */
  host?: string;
  /** Names under which it answers. Default: of loopback, when only this machine reaches it, else any. */
  allowHosts?: readonly string[] | undefined;
  /** 0: a free one. */
  port: number;
}

export interface Listening {
  /** `http://127.0.0.1:4010`, with the port in use. */
  url: string;
  port: number;
  /** For what is worth a line besides requests. */
  log: FastifyBaseLogger;
  /** Stops accepting requests, lets those in flight finish, and resolves. The store stays open. */
  close(): Promise<void>;
}

/** How long requests in flight may take while closing: a little longer than a statement of theirs may run. */
const graceMs = 35_000;

export async function listen(
  store: Store,
  { host = '127.0.0.1', port, allowHosts, ...options }: ListenOptions,
): Promise<Listening> {
  const hosts = allowHosts ?? (isLoopback(host) ? [] : undefined);
  const app = await createApp(store, { ...options, hosts });
  try {
    await app.listen({ host, port, listenTextResolver: (address) => `listening at ${address}` });
  } catch (cause) {
    await app.close();
    throw refused(cause, host, port);
  }
  // An object because it listens on a port, not on a socket file.
  const { port: bound } = app.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    port: bound,
    log: app.log,
    async close() {
      const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
      await app.close();
      clearTimeout(cut);
    },
  };
}

function refused(cause: unknown, host: string, port: number): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return usage(`port ${port} on ${host} is already in use`, 'choose another --port, or 0 for a free one');
  }
  if (code === 'EACCES')
    return usage(`cannot open port ${port} on ${host}: permission denied`, 'choose a --port above 1023');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return usage(`${host} is not an address of this machine`, 'choose another --host');
  }
  return cause;
}
