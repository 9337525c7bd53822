/**
 * POSTs whose answer was lost. Nobody knows whether the server took them, so what they would have made is looked for
 * before they are sent again: a second POST may make a second thing.
 */

import { sleep } from '../client/retry.ts';
import { Failure } from '../core/errors.ts';
import type { Context } from './context.ts';

/** A server that is still at work on a request that timed out gets this long before it is asked. */
export const settleMs = 1000;
const firstWaitMs = 100;
const longestWaitMs = 5000;

/** Whether the thing may have been made all the same. */
export function isAmbiguous(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'tryLater' && !error.retryable;
}

export interface Once<T> {
  send(): Promise<T>;
  /** The thing, if it was made. */
  look(): Promise<T | undefined>;
  /** It may have been sent before this process began. */
  sentBefore?: boolean;
  /** It is sent again although an earlier request may still be on its way. */
  onRepeat?(): void;
}

/** Sends until it is known to be done, at most as often as `--retries` says. @throws the last failure */
export async function sendOnce<T>(ctx: Context, { send, look, sentBefore, onRepeat }: Once<T>): Promise<T> {
  const { settings, runtime } = ctx;
  if (sentBefore) {
    const found = await look();
    if (found !== undefined) return found;
    onRepeat?.();
  }
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      if (error.code === 'timeout') await sleep(settleMs, runtime.signal);
      const found = await look();
      if (found !== undefined) return found;
      if (attempt >= settings.retries.value) throw error;
      const most = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt);
      await sleep(most / 2 + (most / 2) * runtime.random(), runtime.signal);
      onRepeat?.();
    }
  }
}
