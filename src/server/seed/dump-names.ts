import { freeSlug, slugOf } from '../model/slug.ts';
import type { Db } from '../store/schema.ts';
import type { Seed } from './seed.ts';
import type { SeedEntry } from './seed-lists.ts';

/** What a dump calls companies and users. */
export interface Names {
  company(id: string): string;
  /** The email; the id of a user who is gone. */
  user(id: string): string;
}

export async function namesOf(db: Db): Promise<Names> {
  const slugs = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, name } of await db.selectFrom('companies').select(['id', 'name']).orderBy('id').execute()) {
    const slug = freeSlug(slugOf(name, 'company'), taken);
    taken.add(slug);
    slugs.set(id, slug);
  }
  const users = await db.selectFrom('users').select(['id', 'email']).execute();
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return { company: (id) => slugs.get(id) ?? id, user: (id) => emails.get(id) ?? id };
}

type Given<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** A row without the columns that hold nothing: a seed leaves out what it does not say. */
export function withoutNull<T extends object>(row: T): Given<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Given<T>;
}

/** A piece of a seed: items of a part, in their order, or entries of the list before them. */
export type SeedPiece =
  | { part: 'clock'; value: string }
  | { part: Exclude<keyof Seed, 'clock'>; items: readonly object[] }
  | { part: 'entries'; items: readonly SeedEntry[] };
