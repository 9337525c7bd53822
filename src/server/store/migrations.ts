/** The tables of a new database, and the steps from earlier versions. Never change a released step; add another. */
import type { Engine } from './engine.ts';
import { type Kysely, sql } from './kysely.ts';
import { type Database, tables } from './schema.ts';

/** The version of the schema. */
export const newestSchema = 5;

/** Triggers of earlier versions. */
const oldTriggers = ['entries_searched', 'entries_searched_again', 'entries_searched_no_more'];

/** Brings a schema up to date; version 0 is an empty database. */
export async function migrateFrom(db: Kysely<Database>, engine: Engine, version: number): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  if (version === 0) {
    for (const statement of definitions(engine)) await run(statement);
    return;
  }
  // Indexes of titles, and counts of entries by their position, which cost more at each write than they saved.
  if (engine.name === 'SQLite') for (const name of oldTriggers) await run(`drop trigger if exists ${name}`);
  else await run('drop index if exists entries_by_title; drop function if exists comem_trigrams');
  for (const name of ['entry_search', 'entry_titles', 'entry_blocks']) await run(`drop table if exists ${name}`);
}

/** Text is compared byte by byte on both engines. */
function definitions(engine: Engine): string[] {
  return Object.entries(tables).flatMap(([name, { columns, key, unique, indexes = {} }]) => {
    const quoted = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ');
    const parts = Object.entries<{ sql: string }>(columns).map(
      ([column, definition]) => `"${column}" ${definition.sql}`,
    );
    parts.push(`primary key (${quoted(key)})`);
    if (unique) parts.push(`unique (${quoted(unique)})`);
    return [
      `create table if not exists ${name} (${parts.join(', ').replaceAll(/\btext\b/g, engine.text)})`,
      ...Object.entries(indexes).map(([index, order]) => `create index ${index} on ${name} (${order})`),
    ];
  });
}
