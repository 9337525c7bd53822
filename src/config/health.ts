/** Whether comem's own files and folders are what it needs. Looks, and changes nothing. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';

/** The access of other users to a file or folder that only its owner should reach. */
interface Privacy {
  /** Undefined: it is not there. */
  mode: number | undefined;
  /** Others than the owner can reach it. Never on Windows, whose modes say nothing. */
  open: boolean;
}

export function privacyOf(path: string): Privacy {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return { mode: undefined, open: false };
  const mode = stats.mode & 0o777;
  return { mode, open: platform() !== 'win32' && (mode & 0o077) !== 0 };
}

/**
 * Why files cannot be made and changed in a folder, which need not exist yet: then the nearest one above it has to take
 * it. Undefined when they can.
 */
export function whyNotWritable(folder: string): string | undefined {
  const there = nearestExisting(folder);
  if (!statSync(there).isDirectory()) return `${there} is not a folder`;
  const locked = [there, ...(there === folder ? filesIn(folder) : [])].find((path) => !mayWrite(path));
  return locked === undefined ? undefined : `${locked} cannot be written by this user`;
}

function nearestExisting(path: string): string {
  let at = path;
  while (dirname(at) !== at && !exists(at)) at = dirname(at);
  return at;
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file is where a folder of the path should be: the search continues above it.
    return false;
  }
}

function filesIn(folder: string): string[] {
  if (!mayWrite(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.name));
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
