/** The folder of the runs of a profile: a file each, called by its number. */
import { openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from './store.ts';

/** A profile keeps this many runs and bytes; the oldest go first. */
const mostRuns = 200;
export const mostBytes = 64 * 1024 * 1024;

/** Names of profiles are safe as names of folders (`namePattern`), but for letter case on some systems. */
export function folderOf(paths: Paths, profile: string): string {
  return join(paths.state, 'history', encodeURIComponent(profile));
}

export function fileOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.ndjson`);
}

export function numbers(folder: string): number[] {
  try {
    // A folder, a pipe or a link of that name is nothing that was written here.
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ name }) => /^(\d{6,})\.ndjson$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Opens a file with the next number, also when another comem takes that at the same time. */
export function create(folder: string, next: number): number {
  for (let number = next; ; number += 1) {
    try {
      return openSync(fileOf(folder, number), 'ax', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

export function prune(folder: string): void {
  const all = numbers(folder);
  const sizes = new Map(all.map((number) => [number, sizeOf(fileOf(folder, number))]));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  let runs = all.length;
  for (const number of all) {
    if (runs < mostRuns && bytes <= mostBytes) return;
    rmSync(fileOf(folder, number), { force: true });
    bytes -= sizes.get(number) ?? 0;
    runs -= 1;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
