/** The files of a SQLite database: what they are when it is opened, and whether they are still the same. A part of sqlite.ts. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../core/errors.ts';

const header = 'SQLite format 3\0';

/** Another one that creates the database writes its first page within this time. */
const creationMs = 3000;

export const restore = 'restore a backup: see "Backups" in docs/server.md';

/** Throws for a file that is there and is not a database. An empty one would silently become a new one. */
export async function requireDatabaseFile(file: string): Promise<void> {
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
  if (beginning(file) === header) return;
  throw new Failure('usage', `cannot open the database ${file}: the file is damaged, or not a database`, {
    hint: `${restore}; or name another folder`,
  });
}

function beginning(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    return beginningOf(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function beginningOf(descriptor: number): string {
  const bytes = Buffer.alloc(header.length);
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
}

export interface WatchedFiles {
  /** What happened to the files since they were opened. */
  lost(): 'replaced' | 'damaged' | undefined;
  close(): void;
}

/**
 * Looks whether the files are still those of the first look, and whether the database still begins as one: pages in
 * memory hide that it does not. To be opened before the database and closed after it, because a file that is closed
 * takes the locks of its process with it.
 */
export function watchFiles(file: string): WatchedFiles {
  const known = new Map<string, string>();
  const descriptor = openSync(file, 'r');
  let begun = false;
  return {
    lost() {
      const changed = [file, `${file}-wal`].some((path) => {
        const before = known.get(path);
        const now = identity(path);
        if (before === undefined && now !== undefined) known.set(path, now);
        return before !== undefined && now !== before;
      });
      if (changed) return 'replaced';
      const isDatabase = beginningOf(descriptor) === header;
      if (begun && !isDatabase) return 'damaged';
      begun = isDatabase;
      return undefined;
    },
    close: () => closeSync(descriptor),
  };
}

/** Of the file at a path, whatever its content. */
function identity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
