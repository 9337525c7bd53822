import { type Transport, TransportError } from '../core/wire.ts';

/** Gives each request `ms` milliseconds for connecting, waiting and reading together. */
export function withTimeout(send: Transport, ms: number): Transport {
  return async (request) => {
    const own = new AbortController();
    const stop = () => own.abort(request.signal?.reason);
    if (request.signal?.aborted) stop();
    request.signal?.addEventListener('abort', stop);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      own.abort();
    }, ms);
    try {
      return await send({ ...request, signal: own.signal });
    } catch (error) {
      if (!late || !(error instanceof TransportError) || error.reason !== 'aborted') throw error;
      throw new TransportError(`no whole answer within ${ms / 1000} s`, error.sent, 'timeout');
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', stop);
    }
  };
}
