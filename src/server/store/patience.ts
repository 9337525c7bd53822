/** Waiting for another process that holds the lock of a database, without holding up what else this one does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine.ts';

const longestPauseMs = 50;

/** Does the work, and again as long as it is only the lock that is missing and patience lasts. */
export async function whenFree<T>({ lock }: Engine, work: () => Promise<T>): Promise<T> {
  if (lock === undefined) return work();
  const until = Date.now() + lock.patienceMs;
  for (let pause = 1; ; pause = Math.min(2 * pause, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!lock.isTaken(error) || Date.now() >= until) throw error;
    }
    // Not all at the same moments.
    await sleep(pause * (0.5 + Math.random()));
  }
}
