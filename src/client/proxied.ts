/** Requests that a proxy passes on, by undici. */
import { EnvHttpProxyAgent } from 'undici';
import type { Headers } from '../core/wire.ts';
import type { Line } from './direct.ts';

/** For EnvHttpProxyAgent: '' rather than undefined, because it reads the environment of the process otherwise. */
export interface ProxyVariables {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/** @param connections how many at the most */
export function proxiedLine(origin: string, connections: number, proxy: ProxyVariables): Line {
  // Each request has a time-out of its own, which covers connecting, waiting and reading.
  const limits = { connections, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };
  const agent = new EnvHttpProxyAgent({ ...limits, ...proxy });
  return {
    send({ method, url, headers, body }, watcher) {
      let abort = () => {};
      let isEnded = false;
      agent.dispatch(
        { origin, path: url.slice(origin.length) || '/', method, headers, body: body ?? null },
        {
          onRequestStart(controller) {
            abort = () => controller.abort(new Error('aborted'));
            // It may have been ended while it waited for a connection: nothing has been written then.
            if (isEnded) abort();
            else watcher.onSent();
          },
          onResponseStart: (controller, status, fields) => watcher.onHead(status, flat(fields), controller),
          onResponseData: (_, chunk) => watcher.onData(chunk),
          // The pool marks the connection as free one turn later; a request before that would open another one.
          onResponseEnd: () => setImmediate(() => watcher.onEnd()),
          onResponseError: (_, error) => watcher.onError(error),
        },
      );
      return () => {
        isEnded = true;
        abort();
      };
    },
    close: () => agent.destroy(),
  };
}

function flat(headers: Record<string, string | string[] | undefined>): Headers {
  const plain: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
