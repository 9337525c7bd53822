/**
 * How far the previous run of a command has seen, for `--changed-since last`: a small file for each command, in a
 * folder for each profile, readable only by its user.
 */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../core/errors.ts';
import { makeFolder } from '../core/files.ts';
import { readSealed, sealed } from '../core/sealed.ts';
import type { Paths } from './store.ts';

export interface Mark {
  /** For readers of the file. */
  command: string;
  /** Changes before this time were seen. */
  at: string;
  /** Times and fingerprints of the rows at or after it that were given. */
  seen: [time: number, print: string][];
}

/** Undefined: there is none. @throws usage when the file is damaged, or that of another command */
export function readMark(paths: Paths, profile: string, key: string): Mark | undefined {
  const file = fileOf(paths, profile, key);
  let text: string | undefined | null;
  try {
    text = readSealed(file, kindOf(profile, key));
  } catch (error) {
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
  if (text === undefined) return undefined;
  if (text !== null) return JSON.parse(text) as Mark;
  throw usage(`${file} is damaged, or was changed`, 'delete it, and the next run gives all rows');
}

/** Replaces the mark at once: a process that is killed leaves the old or the new one. */
export function writeMark(paths: Paths, profile: string, key: string, mark: Mark): void {
  const file = fileOf(paths, profile, key);
  const next = `${file}.${randomUUID()}`;
  try {
    makeFolder(folderOf(paths, profile), 0o700);
    writeFileSync(next, sealed(kindOf(profile, key), JSON.stringify(mark)), { mode: 0o600, flush: true });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw usage(`cannot write ${file}: ${(error as Error).message}`, 'the next run gives these rows again');
  }
}

/** A mark counts only where it was made. */
function kindOf(profile: string, key: string): string {
  return `mark ${encodeURIComponent(profile)} ${key}`;
}

function folderOf(paths: Paths, profile: string): string {
  return join(paths.state, 'marks', encodeURIComponent(profile));
}

function fileOf(paths: Paths, profile: string, key: string): string {
  return join(folderOf(paths, profile), `${key}.json`);
}
