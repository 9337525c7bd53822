/** One writer of a file at a time, across processes. */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../core/errors.ts';

/** A writer holds the lock for milliseconds; one that is still there after this long was killed. */
const abandonedMs = 4000;
const givenUpMs = 20_000;

/**
 * Runs `work` while `file` exists with a word of this process in it. A lock is abandoned when its word stays the same
 * for too long, so that neither a wrong clock nor a folder on another machine matters.
 * @throws tryLater when other writers keep it for 20 seconds
 */
export async function withLock<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  const mine = randomUUID();
  const start = performance.now();
  let seen: string | undefined;
  let since = start;
  while (!create(file, mine)) {
    const holder = read(file);
    const now = performance.now();
    if (holder !== seen) {
      seen = holder;
      since = now;
    } else if (holder !== undefined && now - since > abandonedMs) {
      removeAbandoned(file, holder);
    }
    if (now - start > givenUpMs) {
      throw new Failure('tryLater', `another comem process holds the lock ${file}`, {
        hint: 'if none is running, delete that file',
      });
    }
    await sleep(10 + Math.floor((now * 7) % 20));
  }
  try {
    return await work();
  } finally {
    if (read(file) === mine) rmSync(file, { force: true });
  }
}

function create(file: string, word: string): boolean {
  try {
    writeFileSync(file, word, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Windows says EPERM while a file of that name is being deleted.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'EPERM') return false;
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Removes an abandoned lock. Restores it if another waiter was faster and the lock is already a new one. */
function removeAbandoned(file: string, holder: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (read(aside) !== holder) linkSync(aside, file);
  } catch {
    // Another process removed it, or a third one made a new lock: the next turn of the wait sees which.
  }
  rmSync(aside, { force: true });
}
