/** The statements that were typed at the prompt, in the state folder. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../core/folders.ts';

const most = 1_000;

/** The newest first, as readline has them. */
export function readHistory(folder: string): string[] {
  try {
    const lines = readFileSync(fileIn(folder), 'utf8').split('\n').filter(Boolean);
    const kept = lines.slice(-most);
    if (lines.length > 2 * most) replace(fileIn(folder), kept);
    return kept.reverse();
  } catch {
    return [];
  }
}

/** Adds one as a line, at once: a prompt that is killed keeps it. The prompt works without a history, too. */
export function keepStatement(folder: string, statement: string): void {
  try {
    makeFolder(folder, 0o700);
    appendFileSync(fileIn(folder), `${statement}\n`, { mode: 0o600 });
  } catch {}
}

function replace(file: string, lines: readonly string[]): void {
  writeFileSync(`${file}.tmp`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

function fileIn(folder: string): string {
  return join(folder, 'sql-history');
}
