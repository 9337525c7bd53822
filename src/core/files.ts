/** Folders, caches and temporary files. */

import { mkdirSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from './errors.ts';

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

/** A name for the next content of a file. Without `node:crypto`, which takes a tenth of a start to load. */
export function nameBeside(file: string): string {
  return `${file}.${Math.random().toString(36).slice(2)}`;
}

/** Replaces a file of this user at once: a process that is killed leaves the old or the new one. */
export function replaceFile(file: string, text: string): void {
  const next = nameBeside(file);
  try {
    makeFolder(dirname(file), 0o700);
    writeFileSync(next, text, { mode: 0o600, flush: true });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Replaces a file of a cache, if it can be written. */
export function writeCache(file: string, text: string): void {
  try {
    replaceFile(file, text);
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

/** A file for reading and writing, without a name. @throws usage when there can be none */
export function temporaryFile(): number {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'comem-'));
    try {
      return openSync(join(folder, 'rows'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw cannotKeep(error);
  }
}

export function writeAll(file: number, bytes: Uint8Array, at: number): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
  } catch (error) {
    throw cannotKeep(error);
  }
}

function cannotKeep(cause: unknown): Failure {
  return new Failure('usage', `cannot write a temporary file: ${cause instanceof Error ? cause.message : cause}`, {
    hint: 'name a folder with room in TMPDIR',
    cause,
  });
}

/** Creates a folder for the caller to remove. */
export function temporaryFolder(kind: string, above: string = tmpdir()): string {
  return mkdtempSync(join(above, `comem-${kind}-`));
}
