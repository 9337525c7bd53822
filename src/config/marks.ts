/**
 * The position of the previous run of a command, for `--changed-since last`: a small file for each command, in a folder
 * for each profile, readable only by its user.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../core/errors.ts';
import { replaceFile } from '../core/files.ts';
import type { Paths } from './store.ts';

export interface Mark {
  /** For readers of the file. */
  command: string;
  /** The time up to which changes were listed. */
  at: string;
  /** Times and fingerprints of the rows at or after it that were printed. */
  seen: [time: number, print: string][];
}

/** Undefined: there is none. @throws usage when the file is damaged */
export function readMark(paths: Paths, profile: string, key: string): Mark | undefined {
  const file = fileOf(paths, profile, key);
  try {
    const { data } = JSON.parse(readFileSync(file, 'utf8')) as { data: Mark };
    if (typeof data.at === 'string' && data.seen.every(Array.isArray)) return data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  }
  throw usage(`${file} cannot be read, or is damaged`, 'delete it, and the next run gives all rows');
}

export function writeMark(paths: Paths, profile: string, key: string, data: Mark): void {
  const file = fileOf(paths, profile, key);
  try {
    replaceFile(file, `${JSON.stringify({ data })}\n`);
  } catch (error) {
    throw usage(`cannot write ${file}: ${(error as Error).message}`, 'the next run gives these rows again');
  }
}

function fileOf(paths: Paths, profile: string, key: string): string {
  return join(paths.state, 'marks', encodeURIComponent(profile), `${key}.json`);
}
