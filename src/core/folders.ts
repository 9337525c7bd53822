import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, with the mode where one is given. Node's own recursive `mkdir`
 * loops forever in a folder that takes no children (`/proc`).
 * @throws the error of the file system
 */
export function makeFolder(path: string, mode?: number): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !exists(above)) makeFolder(above, mode);
  try {
    mkdirSync(path, mode === undefined ? {} : { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
  }
}

/** Replaces a file of a cache at once, in a folder of its own. A cache that cannot be written is left as it is. */
export function writeCache(file: string, text: string): void {
  const next = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    makeFolder(dirname(file), 0o700);
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, file);
  } catch {
    // The next run asks again.
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
