/** Injected faults, as wrappers around the API (flags: fault-flags.ts). Every count is of this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TransportError } from '../core/errors.ts';
import type { WireRequest, WireResponse } from '../core/wire.ts';
import { errorResponse, type Wrapper } from './api.ts';
import { sessionToken } from './auth.ts';
import type { Fault, RateLimit } from './fault-flags.ts';
import { ApiError, unauthorized } from './model/failure.ts';
import { operationOf } from './router.ts';

export interface FaultOptions {
  faults?: readonly Fault[] | undefined;
  /** Waited before each answer. */
  latencyMs?: number | undefined;
  rateLimit?: RateLimit | undefined;
  /** A session is refused from this long after this server first saw it. */
  sessionMs?: number | undefined;
}

/** The wrappers, outermost first; none without options. The clock is the machine's, even when the API's is fixed. */
export function faultWrappers(options: FaultOptions, clock: () => number = Date.now): Wrapper[] {
  const { faults = [], latencyMs, rateLimit, sessionMs } = options;
  return [
    ...(latencyMs ? [latency(latencyMs)] : []),
    ...(rateLimit ? [limited(rateLimit, clock)] : []),
    ...(sessionMs !== undefined ? [expiring(sessionMs, clock)] : []),
    ...faults.map(failing),
  ];
}

function latency(ms: number): Wrapper {
  return async (request, next) => {
    await sleep(ms, undefined, request.signal ? { signal: request.signal } : undefined);
    return next(request);
  };
}

/** A bucket that holds one period's requests and fills evenly. */
function limited({ requests, perMs }: RateLimit, clock: () => number): Wrapper {
  let tokens = requests;
  let filled = clock();
  return async (request, next) => {
    const now = clock();
    tokens = Math.min(requests, tokens + ((now - filled) / perMs) * requests);
    filled = now;
    if (tokens < 1) {
      const wait = Math.ceil((((1 - tokens) / requests) * perMs) / 1000);
      const headers = { 'retry-after': String(wait) };
      return errorResponse(
        new ApiError(429, `More than ${requests} requests; try again in ${wait} s`, undefined, headers),
      );
    }
    tokens -= 1;
    return next(request);
  };
}

function expiring(ms: number, clock: () => number): Wrapper {
  const firstSeen = new Map<string, number>();
  return async (request, next) => {
    const isSession = operationOf(request.method, pathOf(request))?.credential === 'session';
    const token = isSession ? sessionToken(request.headers) : undefined;
    if (token === undefined) return next(request);
    const since = firstSeen.get(token) ?? clock();
    firstSeen.set(token, since);
    if (clock() - since >= ms) return errorResponse(unauthorized('The session has expired'));
    return next(request);
  };
}

function failing(fault: Fault): Wrapper {
  let seen = 0;
  return async (request, next) => {
    const matches = (fault.method === '*' || fault.method === request.method) && fault.path.test(pathOf(request));
    if (!matches) return next(request);
    seen += 1;
    // K of every N, evenly: the request at which the running share reaches the next whole number.
    const share = (position: number) => Math.floor((position * fault.count) / fault.of);
    return share(seen) > share(seen - 1) ? fail(fault, request, next) : next(request);
  };
}

async function fail({ kind }: Fault, request: WireRequest, next: (request: WireRequest) => Promise<WireResponse>) {
  if (kind === 'drop')
    throw new TransportError('the connection was dropped before the request was handled', true, 'network');
  if (kind === 'drop-after') {
    await next(request);
    throw new TransportError('the connection was dropped after the request was handled', true, 'network');
  }
  if (kind === 'html') return page();
  const headers: Record<string, string> = kind.status === 429 ? { 'retry-after': '1' } : {};
  return errorResponse(new ApiError(kind.status, 'Injected fault', undefined, headers));
}

function page(): WireResponse {
  const html = '<!doctype html><title>Sign in</title><h1>Sign in</h1>\n';
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(html) };
}

function pathOf(request: WireRequest): string {
  return request.url.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*$/s, '');
}
