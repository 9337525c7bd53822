/**
 * Writes that wait for the same lock go into one transaction: the disk is asked once for all of them to keep what they
 * wrote. Each is answered only after that, and one that fails takes nothing of the others with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../model/failure.ts';
import type { Engine } from './engine.ts';
import { withEngine } from './fixed.ts';
import type { Db } from './schema.ts';

type Work<T> = (db: Db) => Promise<T>;

interface Job {
  work: Work<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Settle = () => void;

/** How often a write is done anew after another writer was in the way. */
const attempts = 6;
/** So many that the disk is no longer what is waited for, so few that reads in between do not wait long. */
const mostTogether = 32;

/** `write` of a store (store.ts). */
export function groupedWrites(db: Db, engine: Engine): <T>(work: Work<T>, scope?: string) => Promise<T> {
  const waiting = new Map<string, Job[]>();

  const drain = async (scope: string | undefined, lane: string, jobs: Job[]): Promise<void> => {
    // What has arrived already is read first, so that it can come along.
    await new Promise((resolve) => setImmediate(resolve));
    while (jobs.length > 0) await commit(db, engine, scope, jobs.splice(0, mostTogether));
    waiting.delete(lane);
  };

  return <T>(work: Work<T>, scope?: string) =>
    new Promise<T>((resolve, reject) => {
      const job: Job = { work, resolve: (value) => resolve(value as T), reject };
      // Where there is only one writer, all wait for the same lock.
      const lane = engine.oneWriter ? '' : (scope ?? '');
      const jobs = waiting.get(lane);
      if (jobs) {
        jobs.push(job);
        return;
      }
      const begun = [job];
      waiting.set(lane, begun);
      void drain(scope, lane, begun);
    });
}

/** Settles every job. */
async function commit(db: Db, engine: Engine, scope: string | undefined, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 1) {
    let underWay = false;
    try {
      const settled = await transaction(db, engine, scope, async (tx) => {
        underWay = true;
        const done = await together(tx, engine, jobs);
        underWay = false;
        return done;
      });
      for (const settle of settled) settle();
      return;
    } catch (error) {
      // It never came to a job, or it is not known whether the commit was taken: the same for all of them.
      if (!underWay) {
        for (const { reject } of jobs) reject(error);
        return;
      }
      // A job failed, so that nothing is written: each by itself.
    }
  }
  for (const { work, resolve, reject } of jobs) await transaction(db, engine, scope, work).then(resolve, reject);
}

/**
 * A job that was refused before it wrote anything leaves nothing to take back, and the others go on. Any other failure
 * takes the transaction back.
 */
async function together(tx: Db, engine: Engine, jobs: readonly Job[]): Promise<Settle[]> {
  const settled: Settle[] = [];
  for (const { work, resolve, reject } of jobs) {
    const before = engine.statements?.();
    try {
      const value = await work(tx);
      settled.push(() => resolve(value));
    } catch (error) {
      if (!(error instanceof ApiError) || before === undefined || engine.statements?.() !== before) throw error;
      settled.push(() => reject(error));
    }
  }
  return settled;
}

async function transaction<T>(db: Db, engine: Engine, scope: string | undefined, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await whenFree(engine, () =>
        db.transaction().execute(async (tx) => {
          await engine.lockWrites(tx, scope);
          return work(withEngine(tx, engine));
        }),
      );
    } catch (error) {
      if (attempt === attempts || !engine.isConflict(error)) throw error;
    }
  }
}

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
