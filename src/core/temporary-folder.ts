/** A folder for as long as this process runs, and what processes that were killed left of theirs. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes the folder, for the caller to remove. It is named after its process: a later one sees when that is gone. */
export function temporaryFolder(kind: string, above: string = tmpdir()): string {
  // Another machine, or container, may use the same folder.
  const prefix = `comem-${kind}-${encodeURIComponent(hostname())}-`;
  for (const name of names(above)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-[A-Za-z0-9]+$/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(above, name));
  }
  return mkdtempSync(join(above, `${prefix}${process.pid}-`));
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is another user's.
  }
}
