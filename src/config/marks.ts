/**
 * How far the previous run of a command has seen, for `--changed-since last`: a small file for each command, in a
 * folder for each profile, readable only by its user.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../core/errors.ts';
import { makeFolder } from '../core/folders.ts';
import type { Paths } from './store.ts';

export interface Mark {
  version: 1;
  /** For a person who looks at the file. */
  command: string;
  /** Changes before this time were seen. */
  at: string;
  /** Times and fingerprints of the rows at or after it that were given. */
  seen: [time: number, print: string][];
}

/** Undefined: there is none, or it is of another version of comem. @throws usage when the file is damaged */
export function readMark(paths: Paths, profile: string, key: string): Mark | undefined {
  const file = fileOf(paths, profile, key);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
  const mark = parsed(text);
  if (mark) return mark;
  throw usage(`${file} is damaged`, 'delete it, and the next run gives all rows');
}

/** Replaces the mark at once: a process that is killed leaves the old or the new one. */
export function writeMark(paths: Paths, profile: string, key: string, mark: Mark): void {
  const file = fileOf(paths, profile, key);
  const next = `${file}.${randomUUID()}`;
  try {
    makeFolder(folderOf(paths, profile), 0o700);
    writeFileSync(next, `${JSON.stringify(mark)}\n`, { mode: 0o600, flush: true });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw usage(`cannot write ${file}: ${(error as Error).message}`, 'the next run gives these rows again');
  }
}

function parsed(text: string): Mark | undefined {
  try {
    const value: Partial<Mark> | null = JSON.parse(text);
    const isMark = value?.version === 1 && typeof value.at === 'string' && Array.isArray(value.seen);
    return isMark ? (value as Mark) : undefined;
  } catch {
    return undefined;
  }
}

function folderOf(paths: Paths, profile: string): string {
  return join(paths.state, 'marks', encodeURIComponent(profile));
}

function fileOf(paths: Paths, profile: string, key: string): string {
  return join(folderOf(paths, profile), `${key}.json`);
}
