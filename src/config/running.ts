/** Long work that one process does at a time, known by a file that names it. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../core/errors.ts';
import { makeFolder } from '../core/files.ts';
import { withLock } from './store.ts';

interface Refusals {
  stillRunning(pid: number): Failure;
  unwritable(error: unknown): Failure;
}

/**
 * Runs long work while `file` names this process, so that no second process does the same work meanwhile.
 * @throws `stillRunning` when another process does it; a process that was killed holds nothing
 */
export async function whileRunning<T>(
  file: string,
  work: () => Promise<T>,
  { stillRunning, unwritable }: Refusals,
): Promise<T> {
  try {
    makeFolder(dirname(file), 0o700);
    await withLock(`${file}.lock`, async () => {
      const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
      if (holder > 0 && holder !== process.pid && !(await hasEnded(holder))) throw stillRunning(holder);
      // It appears with its content: a process that stops between the two would seem to hold nothing.
      writeFileSync(`${file}.new`, String(process.pid), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    });
  } catch (error) {
    rmSync(`${file}.new`, { force: true });
    throw error instanceof Error && 'errno' in error ? unwritable(error) : error;
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Waits a moment for a process that is ending. */
async function hasEnded(pid: number): Promise<boolean> {
  for (let turn = 0; turn < 20; turn += 1) {
    if (!isAlive(pid)) return true;
    await sleep(100);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    // A zombie has ended although its parent has not waited for it (proc(5), state Z).
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
