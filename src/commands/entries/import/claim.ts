/** One run of an import at a time: two that were started by mistake would both find none of the rows, and write all. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { withLock } from '../../../config/lock.ts';
import { makeFolder } from '../../../core/folders.ts';
import { cannotKeep, hasEnded, stillRunning } from './journal.ts';

/**
 * Runs `work` while the import is known to be this process's.
 * @throws usage when another process is at it; one that was killed holds nothing
 */
export async function whileClaimed<T>(ctx: Context, identity: string, work: () => Promise<T>): Promise<T> {
  const folder = join(ctx.folders.state, 'imports');
  const file = join(folder, `${identity.slice(0, 32)}.pid`);
  try {
    makeFolder(folder, 0o700);
    await withLock(`${file}.lock`, async () => {
      const holder = Number(textOf(file));
      if (holder > 0 && holder !== process.pid && !(await hasEnded(holder))) throw stillRunning(holder, file);
      writeFileSync(file, String(process.pid), { mode: 0o600 });
    });
  } catch (error) {
    throw error instanceof Error && 'errno' in error ? cannotKeep(file, error) : error;
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
