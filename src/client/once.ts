/**
 * POSTs without an answer. The server may have taken such a request, and a second one may create a second thing: what
 * the first would have created is looked for before it is sent again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../core/errors.ts';

/** A server that is still at work on a request that timed out gets this long before it is asked. */
export const settleMs = 1000;
const firstWaitMs = 100;
const longestWaitMs = 5000;

export interface OnceOptions {
  /** How often a request is sent again. */
  retries: number;
  /** In [0, 1). */
  random(): number;
  signal?: AbortSignal;
}

export interface Once<T> {
  send(): Promise<T>;
  find(): Promise<T | undefined>;
  sentBefore?: boolean;
  onRepeat?(): void;
}

/** Sends until it is known to be done. @throws the last failure */
export async function sendOnce<T>({ retries, random, signal }: OnceOptions, once: Once<T>): Promise<T> {
  const { send, find, sentBefore, onRepeat } = once;
  if (sentBefore) {
    const found = await find();
    if (found !== undefined) return found;
    onRepeat?.();
  }
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (isUnproven(error)) return await foundOr(error, find);
      if (!isAmbiguous(error)) throw error;
      if (error.code === 'timeout') await pause(settleMs, signal);
      const found = await find();
      if (found !== undefined) return found;
      if (attempt >= retries) throw error;
      const most = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt);
      await pause(most / 2 + (most / 2) * random(), signal);
      onRepeat?.();
    }
  }
}

/** Whether the request may still have been carried out. */
function isAmbiguous(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'tryLater' && !error.retryable;
}

/** The server answered, so that the request is not sent again; its answer does not show what it did. */
function isUnproven(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'unproven_write';
}

async function foundOr<T>(error: Failure, find: Once<T>['find']): Promise<T> {
  const found = await find();
  if (found === undefined) throw error;
  return found;
}

/** @throws interrupted */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {
    throw new Failure('interrupted', 'interrupted while waiting');
  });
}
