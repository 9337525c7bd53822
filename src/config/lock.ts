/** One writer of a file at a time, across processes. */
import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
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
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Windows says EPERM while a file of that name is being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && platform() === 'win32')) return false;
    throw error;
  }
  try {
    writeFileSync(handle, word);
    return true;
  } catch (error) {
    // An empty lock, as on a full disk, would keep others waiting.
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
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
