/** Where a mirror is: a folder, or a database. */
import { resolve } from 'node:path';
import { urlOf } from '../core/addresses.ts';
import { isPostgres } from '../core/database.ts';
import { usage } from '../core/errors.ts';

/**
 * The folder as profiles keep it, absolute, or the `postgres://` address.
 * @throws usage for an address with a password
 */
export function mirrorAddress(text: string, from: string, cwd: string): string {
  if (!isPostgres(text)) return resolve(cwd, text);
  if (!urlOf(text)?.password) return text;
  throw usage(`${from} must not contain a password`, 'PGPASSWORD or ~/.pgpass may hold it');
}

/** What opens the mirror. */
export function mirrorAt(text: string, cwd: string): { folder: string } | { database: string } {
  return isPostgres(text) ? { database: text } : { folder: resolve(cwd, text) };
}
