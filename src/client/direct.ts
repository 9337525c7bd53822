/** Requests straight to a server, by Node's own client. Those that a proxy passes on are in `proxied.ts`. */
import type { Headers, WireRequest } from '../core/wire.ts';

/** Told what becomes of one request. */
export interface Watcher {
  /** From here on the server may have seen it. */
  onSent(): void;
  onHead(status: number, headers: Headers, flow: { pause(): void; resume(): void }): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** Connections to one origin. */
export interface Line {
  /** Gives what ends the request. */
  send(request: WireRequest, watcher: Watcher): () => void;
  close(): void | Promise<void>;
}

/** Servers end connections that are idle, mostly after five seconds. */
const idleMs = 4_000;

/** @param connections how many at the most */
export async function directLine(origin: string, connections: number): Promise<Line> {
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const { Agent, request: begin } = await (isSecure ? import('node:https') : import('node:http'));
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: idleMs });
  const place = { agent, protocol, host: hostname.replace(/^\[|\]$/g, ''), port };
  return {
    send({ method, url, headers, body }, watcher) {
      const request = begin({ ...place, method, path: url.slice(origin.length) || '/', headers });
      request.on('socket', (socket) => {
        if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', () => watcher.onSent());
        else watcher.onSent();
      });
      request.on('response', (response) => {
        watcher.onHead(response.statusCode ?? 0, joined(response.headersDistinct), response);
        response.on('data', (chunk) => watcher.onData(chunk));
        response.on('end', () => watcher.onEnd());
        response.on('error', (error) => watcher.onError(error));
      });
      request.on('error', (error) => watcher.onError(error));
      request.end(body);
      return () => request.destroy();
    },
    close: () => agent.destroy(),
  };
}

function joined(headers: NodeJS.Dict<string[]>): Headers {
  const plain: Headers = {};
  for (const name in headers) plain[name] = headers[name]?.join(', ') ?? '';
  return plain;
}
