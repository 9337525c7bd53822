/** Where a mirror is: a folder, or a database. */
import { resolve } from 'node:path';
import { usage } from '../core/errors.ts';

/**
 * The folder as profiles keep it, absolute, or the `postgres://` address.
 * @throws usage for an address with a password
 */
export function mirrorAddress(text: string, from: string, cwd: string): string {
  if (!isDatabase(text)) return resolve(cwd, text);
  if (!URL.canParse(text) || new URL(text).password === '') return text;
  throw usage(`${from} must not contain a password`, 'PGPASSWORD or ~/.pgpass may hold it');
}

/** What opens the mirror. */
export function mirrorAt(text: string, cwd: string): { folder: string } | { database: string } {
  return isDatabase(text) ? { database: text } : { folder: resolve(cwd, text) };
}

function isDatabase(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}
