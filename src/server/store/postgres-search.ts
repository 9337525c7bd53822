/** The search index of PostgreSQL: a GIN index over the trigrams of titles. A part of postgres.ts. */
import type { TitleSearch } from './engine.ts';
import { type Kysely, type SqlBool, sql } from './kysely.ts';
import type { Database } from './schema.ts';

/** Longer titles are searched one by one, because creating their trigrams takes the square of their length. */
const longest = 256;
/** Marks such a title in the index: no trigram is empty. */
const long = '';
/** More trigrams of a long text do not narrow the result. */
const mostTrigrams = 40;

/**
 * Uses the extension pg_trgm if it is available: it is part of PostgreSQL's contrib, and the owner of the schema can often
 * add it. Otherwise a function of our own, which is slower to write and as fast to search.
 */
export async function createSearch(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('entries_by_title') is not null as there`.execute(
    db,
  );
  if (rows[0]?.there) return;
  if (await mayUseExtension(db)) {
    await sql`create extension if not exists pg_trgm`.execute(db);
    await sql`create index entries_by_title on entries using gin (title_key gin_trgm_ops)`.execute(db);
    return;
  }
  await sql`
    create function comem_trigrams(text) returns text[] language sql immutable strict parallel safe as $$
      select case when length($1) > ${sql.lit(longest)} then array[${sql.lit(long)}]
        else array(select distinct substr($1, n, 3) from generate_series(1, length($1) - 2) n) end
    $$`.execute(db);
  await sql`create index entries_by_title on entries using gin (comem_trigrams(title_key))`.execute(db);
}

async function mayUseExtension(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select exists (select 1 from pg_extension where extname = 'pg_trgm') or (
      exists (select 1 from pg_available_extensions where name = 'pg_trgm')
      and has_database_privilege(current_database(), 'create')
    ) as may`.execute(db);
  return rows[0]?.may === true;
}

/** Which of the two the database uses, for its operator. */
export async function searchIndex(db: Kysely<Database>): Promise<string> {
  return (await hasOwnTrigrams(db)) ? 'own trigrams (pg_trgm was not available, or not allowed)' : 'pg_trgm';
}

async function hasOwnTrigrams(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select to_regprocedure('comem_trigrams(text)') is not null as own`.execute(db);
  return rows[0]?.own === true;
}

/** `titleContains` of an engine (engine.ts). */
export function titleSearch(): (db: Kysely<Database>, text: string) => Promise<TitleSearch> {
  let own: Promise<boolean> | undefined;
  return async (db, text) => {
    // A pattern rather than strpos, because the index supports patterns. Short ones have no trigram.
    const holds = sql<SqlBool>`e.title_key like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`;
    const points = [...text];
    if (points.length < 3) return { condition: holds, leads: false };
    own ??= hasOwnTrigrams(db).catch((error: unknown) => {
      own = undefined;
      throw error;
    });
    if (!(await own)) return { condition: holds, leads: false };
    const trigrams = points.slice(2).map((_, at) => points.slice(at, at + 3).join(''));
    const sought = [...new Set(trigrams)].slice(0, mostTrigrams);
    const indexed = sql`comem_trigrams(e.title_key)`;
    return {
      condition: sql<SqlBool>`(${indexed} @> ${sought}::text[] or ${indexed} @> array[${sql.lit(long)}]) and ${holds}`,
      leads: false,
    };
  };
}
