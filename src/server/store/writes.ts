/**
 * Writes that wait for the same lock share one transaction, so that they are synced to disk once. Each is answered only
 * after that, and one that fails does not affect the others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, requireFiles } from './engine.ts';
import type { Db } from './schema.ts';
import { currentTrace, inTrace } from './trace.ts';

type Work<T> = (db: Db) => Promise<T>;

interface Job {
  work: Work<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The number of attempts of a write that conflicts with another writer. */
const attempts = 6;
/** Enough that the disk is not the bottleneck, few enough that reads in between do not wait long. */
const maxBatch = 32;

/** `write` and `waitingWrites` of a store (store.ts). */
export function groupedWrites(db: Db, engine: Engine) {
  const waiting = new Map<string, Job[]>();

  const drain = async (scope: string | undefined, lane: string, jobs: Job[]): Promise<void> => {
    // Requests that have arrived already are read first, so that they can join.
    await new Promise((resolve) => setImmediate(resolve));
    while (jobs.length > 0) await commit(db, engine, scope, jobs.splice(0, maxBatch));
    waiting.delete(lane);
  };

  let unanswered = 0;
  const write = <T>(work: Work<T>, scope?: string) => {
    unanswered += 1;
    return new Promise<T>((resolve, reject) => {
      // The transaction belongs to the first of its writes, and each work to the trace of its own.
      const traceparent = currentTrace();
      const job: Job = {
        work: (tx) => inTrace(traceparent, () => work(tx)),
        resolve: (value) => resolve(value as T),
        reject,
      };
      // SQLite has one writer, so all wait for the same lock.
      const lane = engine.oneWriter ? '' : (scope ?? '');
      const jobs = waiting.get(lane);
      if (jobs) {
        jobs.push(job);
        return;
      }
      const begun = [job];
      waiting.set(lane, begun);
      void drain(scope, lane, begun);
    }).finally(() => {
      unanswered -= 1;
    });
  };
  return { write, waitingWrites: () => unanswered };
}

/** Settles every job. */
async function commit(db: Db, engine: Engine, scope: string | undefined, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 1) {
    let failed = false;
    try {
      const values = await transaction(db, engine, scope, async (tx) => {
        failed = true;
        const done: unknown[] = [];
        for (const { work } of jobs) done.push(await work(tx));
        failed = false;
        return done;
      });
      for (const [index, { resolve }] of jobs.entries()) resolve(values[index]);
      return;
    } catch (error) {
      // No job started, or the outcome of the commit is unknown: the same for all of them.
      if (!failed) {
        for (const { reject } of jobs) reject(error);
        return;
      }
      // A job failed, so that nothing was written: each one separately.
    }
  }
  for (const { work, resolve, reject } of jobs) await transaction(db, engine, scope, work).then(resolve, reject);
}

async function transaction<T>(db: Db, engine: Engine, scope: string | undefined, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      requireFiles(engine);
      const done = await whenFree(engine, () =>
        db.transaction().execute(async (tx) => {
          await engine.lockWrites(tx, scope);
          return work(tx);
        }),
      );
      // Committed to files that nobody will open again.
      requireFiles(engine);
      return done;
    } catch (error) {
      if (attempt === attempts || !engine.isConflict(error)) throw error;
    }
  }
}

const maxPauseMs = 50;

/** Does the work, and retries while only the lock is missing and time remains. */
export async function whenFree<T>({ lock }: Engine, work: () => Promise<T>): Promise<T> {
  if (lock === undefined) return work();
  const until = Date.now() + lock.patienceMs;
  for (let pause = 1; ; pause = Math.min(2 * pause, maxPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!lock.isTaken(error) || Date.now() >= until) throw error;
    }
    // Random, so that processes do not retry in step.
    await sleep(pause * (0.5 + Math.random()));
  }
}
