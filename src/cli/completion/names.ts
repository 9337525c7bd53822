/**
 * The names that completion offers: lists, attributes, options, metrics and grants of one address and company. Commands
 * that read them keep them, and a Tab reads this file and nothing else.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../../config/store.ts';
import { makeFolder } from '../../core/folders.ts';

/** A name, and what it means. */
export interface Offer {
  word: string;
  says?: string | undefined;
}

export interface KeptAttribute extends Offer {
  options?: Offer[];
}

export interface KeptList extends Offer {
  name?: string;
  attributes?: KeptAttribute[];
}

export interface Names {
  /** By id. */
  lists: Record<string, KeptList>;
  metrics: Offer[];
  grants: Offer[];
}

export interface Account {
  baseUrl: string;
  company: string;
}

const folderOf = ({ cache }: Pick<Paths, 'cache'>): string => join(cache, 'completion');

/** A file for each address and company. */
function fileOf(paths: Pick<Paths, 'cache'>, { baseUrl, company }: Account): string {
  return join(folderOf(paths), `${encodeURIComponent(`${baseUrl} ${company}`).slice(0, 200)}.json`);
}

/** What is kept of an account; nothing at first. */
export function keptNamesOf(paths: Pick<Paths, 'cache'>, account: Account): Names {
  const none: Names = { lists: {}, metrics: [], grants: [] };
  try {
    return { ...none, ...JSON.parse(readFileSync(fileOf(paths, account), 'utf8')) };
  } catch {
    return none;
  }
}

/** Replaces the file, unless it has the same names. A cache that cannot be written is left as it is. */
export function keepNamesOf(paths: Pick<Paths, 'cache'>, account: Account, change: (names: Names) => Names): void {
  const file = fileOf(paths, account);
  try {
    const before = keptNamesOf(paths, account);
    const text = JSON.stringify(change(before));
    if (existsSync(file) && text === readFileSync(file, 'utf8')) return;
    makeFolder(folderOf(paths), 0o700);
    const temporary = `${file}.${Math.floor(performance.now() * 1000)}`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // The cache is a convenience.
  }
}

/** Forgets every account. */
export function forgetNames(paths: Pick<Paths, 'cache'>): void {
  rmSync(folderOf(paths), { recursive: true, force: true });
}
