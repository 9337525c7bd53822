/** The only file that opens a port. */
import type { AddressInfo } from 'node:net';
import { usage } from '../core/errors.ts';
import { type AppOptions, createApp } from './app.ts';
import type { Store } from './store/store.ts';

export interface ListenOptions extends AppOptions {
  /** Default 127.0.0.1: reachable from this machine alone. */
  host?: string;
  /** 0: a free one. */
  port: number;
}

export interface Listening {
  /** `http://127.0.0.1:4010`, with the port that was taken. */
  url: string;
  port: number;
  /** Takes no new requests, lets those in flight finish, and resolves. The store stays open. */
  close(): Promise<void>;
}

/** How long requests in flight may take at the end: a little longer than any statement of theirs may run. */
const graceMs = 35_000;

export async function listen(
  store: Store,
  { host = '127.0.0.1', port, ...options }: ListenOptions,
): Promise<Listening> {
  const app = await createApp(store, options);
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw refused(cause, host, port);
  }
  const { port: taken } = app.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${taken}`,
    port: taken,
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
    return usage(`port ${port} of ${host} is taken by another program`, 'choose another --port, or 0 for a free one');
  }
  if (code === 'EACCES') return usage(`port ${port} of ${host} may not be opened`, 'choose a --port above 1023');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return usage(`${host} is no address of this machine`, 'choose another --host');
  }
  return cause;
}
