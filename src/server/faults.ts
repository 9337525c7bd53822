/** Injected faults, as wrappers around the API, and the flags that ask for them. Every count is of this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { operationAt } from '../contract/index.ts';
import { TransportError, usage } from '../core/errors.ts';
import type { WireRequest, WireResponse } from '../core/wire.ts';
import { errorResponse, type Wrapper } from './api.ts';
import { sessionToken } from './auth.ts';
import { ApiError, unauthorized } from './model/failure.ts';

export interface FaultOptions {
  faults?: readonly Fault[] | undefined;
  /** Waited before each answer. */
  latencyMs?: number | undefined;
  /** A session is refused from this long after this server first saw it. */
  sessionMs?: number | undefined;
}

/** The wrappers, outermost first; none without options. The clock is the machine's, even when the API's is fixed. */
export function faultWrappers(options: FaultOptions, clock: () => number = Date.now): Wrapper[] {
  const { faults = [], latencyMs, sessionMs } = options;
  return [
    ...(latencyMs ? [latency(latencyMs)] : []),
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

function expiring(ms: number, clock: () => number): Wrapper {
  const firstSeen = new Map<string, number>();
  return async (request, next) => {
    const isSession = operationAt(request.method, pathOf(request))?.credential === 'session';
    const token = isSession ? sessionToken(request.headers) : undefined;
    if (token === undefined) return next(request);
    const since = firstSeen.get(token) ?? clock();
    firstSeen.set(token, since);
    if (clock() - since >= ms) return errorResponse(unauthorized('The session has expired'));
    return next(request);
  };
}

function failing(fault: Fault): Wrapper {
  let requests = 0;
  return async (request, next) => {
    const matches = (fault.method === '*' || fault.method === request.method) && fault.path.test(pathOf(request));
    if (!matches) return next(request);
    requests += 1;
    // K of every N, evenly: the request at which the running share reaches the next whole number.
    const share = (position: number) => Math.floor((position * fault.count) / fault.of);
    return share(requests) > share(requests - 1) ? fail(fault, request, next) : next(request);
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

/** `drop` closes the connection before the request is handled, `drop-after` when it was; `html` is a page. */
type FaultKind = { status: number } | 'drop' | 'drop-after' | 'html';

interface Fault {
  method: string;
  /** Matches the path without query. */
  path: RegExp;
  kind: FaultKind;
  /** `count` of every `of` matching requests. */
  count: number;
  of: number;
}

/**
 * Reads `METHOD PATH=FAULT@K/N` of `--fault fail=…`: of the requests that match, K in every N fail. METHOD may be `*`, and
 * `*` in PATH is any text. Throws a usage failure.
 */
export function parseFault(text: string): Fault {
  const parts = /^\s*(?:(\*|GET|POST|PATCH|DELETE)\s+)?([*/][^\s?=]*)\s*=\s*([^=@\s]+)(?:@(\d+)\/(\d+))?\s*$/i.exec(
    text,
  );
  const [, method = '*', path = '', fault = '', count = 1, of = 1] = parts ?? [];
  const kind = fault === 'drop' || fault === 'drop-after' || fault === 'html' ? fault : { status: Number(fault) };
  const isKnown = typeof kind === 'string' || /^[45]\d\d$/.test(fault);
  if (!isKnown || Number(of) === 0 || Number(count) > Number(of)) {
    throw usage(
      `--fault 'fail=${text}': must be METHOD PATH=FAULT@K/N; FAULT is 400 to 599, drop, drop-after or html`,
      "write it as --fault 'fail=POST /api/lists/*/entries=503@1/20'",
    );
  }
  return { method: method.toUpperCase(), path: glob(path), kind, count: Number(count), of: Number(of) };
}

function glob(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 'u');
}

const durationMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `20ms`, `1.5s`, `2m`. Throws a usage failure that names the flag. */
export function parseDuration(flag: string, text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const factor = unit && durationMs[unit];
  if (!factor) throw usage(`${flag} ${text}: must be a duration such as 20ms, 1.5s or 2m`);
  return Number(count) * factor;
}
