/** What does not fit into memory: files of which nothing is left when the process ends in any way. */
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from './errors.ts';

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
