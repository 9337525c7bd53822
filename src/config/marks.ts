/**
 * The position of the previous run of a command, for `--changed-since last`: a small file for each command, in a folder
 * for each profile, readable only by its user. A checksum shows when it was cut off or changed: what it says would
 * otherwise leave out rows.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { usage } from '../core/errors.ts';
import { makeFolder, nameBeside } from '../core/files.ts';
import type { Paths } from './store.ts';

export interface Mark {
  /** For readers of the file. */
  command: string;
  /** The time up to which changes were listed. */
  at: string;
  /** Times and fingerprints of the rows at or after it that were printed. */
  seen: [time: number, print: string][];
}

/** No mark is longer. */
const longest = 64 * 1024 * 1024;

/** Undefined: there is none. @throws usage when the file is damaged, or that of another command */
export function readMark(paths: Paths, profile: string, key: string): Mark | undefined {
  const file = fileOf(paths, profile, key);
  let text = '';
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Reading a pipe would wait for a writer.
    if (!stats.isFIFO() && stats.size <= longest) text = readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
  const body = text.slice(headOf(profile, key, '').length, -1);
  if (text === sealed(profile, key, body)) return JSON.parse(body) as Mark;
  throw usage(`${file} is damaged, or was changed`, 'delete it, and the next run gives all rows');
}

/** Replaces the mark at once: a process that is killed leaves the old or the new one. */
export function writeMark(paths: Paths, profile: string, key: string, mark: Mark): void {
  const file = fileOf(paths, profile, key);
  const next = nameBeside(file);
  try {
    makeFolder(dirname(file), 0o700);
    writeFileSync(next, `${sealed(profile, key, JSON.stringify(mark))}\n`, { mode: 0o600, flush: true });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw usage(`cannot write ${file}: ${(error as Error).message}`, 'the next run gives these rows again');
  }
}

function sealed(profile: string, key: string, body: string): string {
  return `${headOf(profile, key, body)}${body}}`;
}

/** The beginning of the file, with profile, command and the checksum of the rest. */
function headOf(profile: string, key: string, body: string): string {
  const kind = `mark ${encodeURIComponent(profile)} ${key}`;
  const sum = createHash('sha256').update(`${kind}\n${body}`).digest('hex');
  return `{"comem":"${kind}","sum":"${sum}","data":`;
}

function fileOf(paths: Paths, profile: string, key: string): string {
  return join(paths.state, 'marks', encodeURIComponent(profile), `${key}.json`);
}
