/** Time-outs, retries and redirects: wrappers around one transport. */
import { setTimeout as wait } from 'node:timers/promises';
import { urlOf } from '../core/addresses.ts';
import { TransportError } from '../core/errors.ts';
import type { Transport, WireRequest, WireResponse } from '../core/wire.ts';

interface RetryOptions {
  /** Attempts after the first; 0 turns retrying off. */
  retries: number;
  /** In [0, 1). */
  random(): number;
  /** For dates in `Retry-After`. */
  now(): Date;
  /** Waits; rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** One line for a person about each wait. */
  note?: ((text: string) => void) | undefined;
}

/** The first wait is at most this long; each next one may be twice as long. */
const firstWaitMs = 250;
const maxWaitMs = 8_000;
/** A server that asks for a longer wait is not waited for. */
export const maxRetryAfterMs = 60_000;

/**
 * Sends again what may be sent again: GET, PATCH and DELETE after a network fault, 429 or 5xx; POST only after 429 or
 * when it was certainly not sent, because a second POST may create a second thing.
 */
export function withRetry(send: Transport, options: RetryOptions): Transport {
  return async (request) => {
    let uncertain = false;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await send(request).catch((error: unknown) => error);
      const why = reasonToRetry(request, outcome);
      if (why === undefined) return settle(request, outcome, uncertain, options);
      const wait = waitMs(outcome, attempt, options);
      if (attempt >= options.retries || wait > maxRetryAfterMs) {
        return settle(request, outcome, uncertain, options);
      }
      uncertain ||= !(outcome instanceof TransportError && !outcome.sent) && statusOf(outcome) !== 429;
      const path = request.url.replace(/^\w+:\/\/[^/]*/, '').replace(/\?.*$/s, '');
      options.note?.(`${request.method} ${path}: ${why}; trying again in ${(wait / 1000).toFixed(1)} s`);
      await options.sleep(wait, request.signal);
    }
  };
}

function reasonToRetry(request: WireRequest, outcome: unknown): string | undefined {
  if (outcome instanceof TransportError) {
    if (outcome.reason === 'aborted' || outcome.reason === 'tooLarge' || (request.method === 'POST' && outcome.sent))
      return undefined;
    return outcome.message;
  }
  const status = statusOf(outcome);
  if (status === 429) return 'the server asks to slow down (429)';
  if (status !== undefined && status >= 500 && request.method !== 'POST') return `the server failed (${status})`;
  return undefined;
}

function statusOf(outcome: unknown): number | undefined {
  return outcome instanceof Error ? undefined : (outcome as WireResponse).status;
}

/**
 * The last outcome as the answer. A DELETE whose earlier attempt may have reached the server and that now answers 404
 * is done: nothing is left to delete.
 */
function settle(request: WireRequest, outcome: unknown, uncertain: boolean, options: RetryOptions): WireResponse {
  if (outcome instanceof Error) throw outcome;
  const response = outcome as WireResponse;
  if (uncertain && request.method === 'DELETE' && response.status === 404) {
    options.note?.('it is deleted: an earlier attempt deleted it, but its response was lost');
    return { status: 204, headers: {}, body: new Uint8Array() };
  }
  return uncertain ? { ...response, isRepeated: true } : response;
}

function waitMs(outcome: unknown, attempt: number, options: RetryOptions): number {
  const requested =
    outcome instanceof Error ? undefined : retryAfterMs((outcome as WireResponse).headers, options.now());
  const most = Math.min(maxWaitMs, firstWaitMs * 2 ** attempt);
  const jittered = most / 2 + (most / 2) * options.random();
  return requested === undefined ? jittered : Math.max(requested, jittered);
}

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; undefined when it is absent or neither. A date is one of
 * the clock of the server, which the answer says in `Date`.
 */
export function retryAfterMs(headers: Record<string, string>, now: Date): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  const sent = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(sent) ? now.getTime() : sent));
}

/** A timer that an abort ends at once. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch {
    throw new TransportError('cancelled while waiting', false, 'aborted', { cause: signal?.reason });
  }
}

/** Gives each request `ms` milliseconds for connecting, waiting and reading together. */
export function withTimeout(send: Transport, ms: number): Transport {
  return async (request) => {
    // Not `AbortSignal.timeout`: its timers outlive their requests, and many requests leave many behind.
    const stop = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop.abort();
    }, ms);
    const { signal } = request;
    const pass = () => stop.abort(signal?.reason);
    if (signal?.aborted) pass();
    signal?.addEventListener('abort', pass);
    try {
      return await send({ ...request, signal: stop.signal });
    } catch (error) {
      if (!isLate || !(error instanceof TransportError && error.reason === 'aborted')) throw error;
      throw new TransportError(`no complete response within ${ms / 1000} s`, error.sent, 'timeout');
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', pass);
    }
  };
}

/** Redirects may form a loop. */
const maxRedirects = 5;

/**
 * Follows 307 and 308 of a read to the same origin, so that credentials never leave it. Every other redirect is the
 * answer: a login page is one of them.
 */
export function withRedirects(send: Transport): Transport {
  return async (request) => {
    let url = request.url;
    for (let count = 0; ; count += 1) {
      const response = await send({ ...request, url });
      const next = count < maxRedirects ? target(request, url, response) : undefined;
      if (next === undefined) return response;
      url = next;
    }
  };
}

function target({ method }: WireRequest, url: string, { status, headers }: WireResponse): string | undefined {
  const { location } = headers;
  if (method !== 'GET' || (status !== 307 && status !== 308) || location === undefined) return undefined;
  const next = urlOf(location, url);
  if (!next || next.origin !== new URL(url).origin || next.username !== '' || next.password !== '') return undefined;
  next.hash = '';
  return next.href === url ? undefined : next.href;
}
