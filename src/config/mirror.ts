/** The folder of a mirror, as flags, the environment and profiles name it. */
import { resolve } from 'node:path';
import { isPostgres } from '../core/addresses.ts';
import { usage } from '../core/errors.ts';

/** An absolute path. @throws usage for the address of a database, which mirrors were once kept in */
export function mirrorFolder(text: string, from: string, cwd: string): string {
  if (!isPostgres(text)) return resolve(cwd, text);
  throw usage(`${from} must be a folder, not a database`, 'begin a new mirror with `comem mirror sync DIR`');
}
