/** The files of a SQLite database: what they are when it is opened, and whether they are still the same. The part of sqlite.ts that knows no SQL. */
import { chmodSync, closeSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../core/errors.ts';

const header = 'SQLite format 3\0';

/** Another process that creates the database writes its first page within this time. */
const creationMs = 3000;

export const restore = 'restore a backup: see "Backups" in docs/server.md';

/**
 * Throws for what is at the place of a database or of a file that SQLite keeps beside it and is no file: a folder, a
 * symbolic link, a pipe. Takes from other users what access a file gives them.
 */
export function requirePlainFiles(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) continue;
    if (!status.isFile()) {
      throw new Failure(
        'usage',
        `cannot open the database ${file}: ${path === file ? 'it' : path} is ${kindOf(status)}`,
        {
          hint: status.isSymbolicLink()
            ? 'put the file itself in its place, or name the folder that has it'
            : 'move it away, or name another folder',
        },
      );
    }
    restrict(path, status.mode);
  }
}

function kindOf(status: Stats): string {
  if (status.isDirectory()) return 'a folder';
  return status.isSymbolicLink() ? 'a symbolic link' : 'not a file';
}

/** The lists may be confidential: only the owner has access. Windows has no such modes. */
function restrict(path: string, mode: number): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch (cause) {
    // Read access of others was granted on purpose.
    if ((mode & 0o022) === 0) return;
    const permissions = (mode & 0o777).toString(8).padStart(4, '0');
    throw new Failure(
      'usage',
      `other users can change the database ${path} (mode ${permissions}), and it belongs to one`,
      {
        hint: `let its owner run chmod 600 in ${dirname(path)}`,
        cause,
      },
    );
  }
}

/** Throws for a file that is there and is not a database. An empty one would silently become a new one. */
export async function requireDatabaseFile(file: string): Promise<void> {
  requirePlainFiles(file);
  const until = Date.now() + creationMs;
  for (;;) {
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) return;
    if (size > 0) break;
    if (Date.now() > until) {
      throw new Failure('usage', `cannot open the database ${file}: the file is empty (0 bytes)`, {
        hint: `${restore}; or delete the file to begin with an empty database`,
      });
    }
    await setTimeout(10);
  }
  if (isDatabaseFile(file)) return;
  throw new Failure('usage', `cannot open the database ${file}: the file is damaged, or not a database`, {
    hint: `${restore}; or name another folder`,
  });
}

/** Whether the file begins as a database does. */
export function isDatabaseFile(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(header.length);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0)) === header;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the files are others than at the first look. */
export function watchFiles(file: string): () => boolean {
  const known = new Map<string, string>();
  return () =>
    [file, `${file}-wal`].some((path) => {
      const status = statSync(path, { throwIfNoEntry: false });
      const identity = status && `${status.dev} ${status.ino}`;
      const before = known.get(path);
      if (before === undefined && identity !== undefined) known.set(path, identity);
      return before !== undefined && identity !== before;
    });
}
