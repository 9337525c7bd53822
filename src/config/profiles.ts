/** The settings file: read as plain JSON by every command, written through conf by the few that change it. */
import { join } from 'node:path';
import type { Paths } from './paths.ts';
import { checkProfiles, emptyProfiles, type ProfilesFile } from './profile.ts';
import { readJson } from './read-json.ts';

const name = 'config';

export function profilesPath(paths: Paths): string {
  return join(paths.config, `${name}.json`);
}

/**
 * All profiles; empty when nothing was ever saved.
 * @throws usage naming the file when it cannot be read or is not comem's
 */
export function loadProfiles(paths: Paths): ProfilesFile {
  const file = profilesPath(paths);
  const found = readJson(file);
  return found === undefined ? emptyProfiles() : checkProfiles(found, file);
}

/**
 * Reads, changes and writes the settings file while no other process does. `change` may throw: then nothing is written.
 * @returns what `change` gives
 */
export async function updateProfiles<T>(paths: Paths, change: (file: ProfilesFile) => T | Promise<T>): Promise<T> {
  const { updateStore } = await import('./store.ts');
  return updateStore(paths.config, name, async (found) => {
    const file = found === undefined ? emptyProfiles() : checkProfiles(found, profilesPath(paths));
    const result = await change(file);
    return { value: file, result };
  });
}
