/**
 * The names that completion offers: lists, attributes, options, metrics and grants of one address and company. Commands
 * that read them keep them, and a Tab reads this file and nothing else.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../../config/store.ts';
import { writeCache } from '../../core/folders.ts';

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
  return namesIn(keptText(fileOf(paths, account)));
}

/** Replaces what is kept, unless it is the same. */
export function keepNamesOf(paths: Pick<Paths, 'cache'>, account: Account, change: (names: Names) => Names): void {
  const file = fileOf(paths, account);
  const before = keptText(file);
  const text = JSON.stringify(change(namesIn(before)));
  if (text !== before) writeCache(file, text);
}

function keptText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(text: string): Names {
  const none: Names = { lists: {}, metrics: [], grants: [] };
  try {
    return { ...none, ...JSON.parse(text) };
  } catch {
    return none;
  }
}

/** Forgets every account. */
export function forgetNames(paths: Pick<Paths, 'cache'>): void {
  rmSync(folderOf(paths), { recursive: true, force: true });
}
