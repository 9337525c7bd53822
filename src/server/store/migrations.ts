/** The tables of a new database, and the steps from earlier versions. Never change a released step; add another. */
import type { Engine } from './engine.ts';
import { type Kysely, sql } from './kysely.ts';
import { type Database, tables } from './schema.ts';

/** The version of the schema. */
export const newestSchema = 5;
/** The version that servers of the previous release need; this release reads and writes it beside them. */
export const previousSchema = 4;

/** Triggers of earlier versions. */
const oldTriggers = ['entries_searched', 'entries_searched_again', 'entries_searched_no_more'];

/**
 * Brings a schema up to date; version 0 is an empty database.
 * @returns its version
 */
export async function migrateFrom(db: Kysely<Database>, engine: Engine, version: number): Promise<number> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  if (version === 0) {
    for (const statement of definitions(engine)) await run(statement);
    return newestSchema;
  }
  if (version === previousSchema && engine.name === 'PostgreSQL') {
    const { rows } = await sql`select 1 where to_regprocedure('comem_touch_blocks()') is not null`.execute(db);
    if (rows.length === 0) for (const statement of blockCounts) await run(statement);
    return version;
  }
  // Indexes of titles, and counts of entries by their position, which cost more at each write than they saved.
  if (engine.name === 'SQLite') for (const name of oldTriggers) await run(`drop trigger if exists ${name}`);
  else await run('drop index if exists entries_by_title; drop function if exists comem_trigrams');
  for (const name of ['entry_search', 'entry_titles', 'entry_blocks']) await run(`drop table if exists ${name}`);
  return newestSchema;
}

/**
 * Keeps the counts by 1024 positions, which the previous release reads and this one does not know. Each write of a count
 * stores the true one, because the previous release also adds to it by itself.
 */
const blockCounts = [
  `create or replace function comem_count_block() returns trigger language plpgsql as $$ begin
    new.entries := (select count(*) from entries where list_id = new.list_id and archived = new.archived
      and position between new.block * 1024 - 1023 and new.block * 1024 + 1023 and position / 1024 = new.block);
    return new;
  end $$`,
  `create or replace function comem_touch_blocks() returns trigger language plpgsql as $$ begin
    insert into entry_blocks (list_id, archived, block, entries)
    select distinct list_id, changed.archived, changed.position / 1024, 0
    from changed join lists on lists.id = list_id
    on conflict (list_id, archived, block) do update set entries = 0;
    return null;
  end $$`,
  `create or replace trigger comem_counted before insert or update on entry_blocks
    for each row execute function comem_count_block()`,
  ...[
    ['inserted', 'insert', 'new'],
    ['deleted', 'delete', 'old'],
    ['updated_from', 'update', 'old'],
    ['updated_to', 'update', 'new'],
  ].map(
    ([name, event, rows]) => `create or replace trigger comem_${name} after ${event} on entries
      referencing ${rows} table as changed for each statement execute function comem_touch_blocks()`,
  ),
];

/** Text is compared byte by byte on both engines. */
function definitions(engine: Engine): string[] {
  return Object.entries(tables).flatMap(([name, { columns, key, isKeyed, unique, indexes = {} }]) => {
    const quoted = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ');
    const parts = Object.entries<{ sql: string }>(columns).map(
      ([column, definition]) => `"${column}" ${definition.sql}`,
    );
    parts.push(`primary key (${quoted(key)})`);
    if (unique) parts.push(`unique (${quoted(unique)})`);
    return [
      `create table if not exists ${name} (${parts.join(', ').replaceAll(/\btext\b/g, engine.text)})${isKeyed ? engine.keyed : ''}`,
      ...Object.entries(indexes).map(([index, order]) => `create index ${index} on ${name} (${order})`),
    ];
  });
}
