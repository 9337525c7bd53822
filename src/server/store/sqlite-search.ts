/** The search index of SQLite: FTS5 over the trigrams of titles, kept by triggers. A part of sqlite.ts. */
import type { TitleSearch } from './engine.ts';
import { type Kysely, type SqlBool, sql } from './kysely.ts';
import type { Database } from './schema.ts';

/** A text in more titles than this is found sooner by reading the list in order. */
const mostFound = 2000;
/** More trigrams of a long text do not narrow the result. */
const mostTrigrams = 40;

const number = sql`(select n from entry_titles where entry_id = old.id)`;
const triggers = [
  sql`create trigger entries_searched after insert on entries begin
    insert into entry_titles (entry_id) values (new.id);
    insert into entry_search (rowid, title_key)
      values ((select n from entry_titles where entry_id = new.id), new.title_key);
  end`,
  sql`create trigger entries_searched_again after update of title_key on entries
    when old.title_key <> new.title_key begin
    update entry_search set title_key = new.title_key where rowid = ${number};
  end`,
  sql`create trigger entries_searched_no_more after delete on entries begin
    delete from entry_search where rowid = ${number};
    delete from entry_titles where entry_id = old.id;
  end`,
];

/** The statements that made the triggers. */
export function searchTriggers(db: Kysely<Database>): string[] {
  return triggers.map((trigger) => trigger.compile(db).sql);
}

/**
 * The index holds trigrams without their places (`detail=none`), which is a fifth of the size: it gives the titles
 * that have all trigrams of the text, and those are searched for the text. `entry_titles` gives each entry a
 * number that stays, as rows of entries have none (VACUUM changes theirs).
 */
export async function createSearch(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql`select 1 from sqlite_master where name = 'entry_search'`.execute(db);
  if (rows.length > 0) return;
  const statements = [
    sql`create table entry_titles (n integer primary key, entry_id text not null unique)`,
    sql`create virtual table entry_search using fts5(title_key, tokenize = 'trigram case_sensitive 1',
      content = '', contentless_delete = 1, detail = none)`,
    ...triggers,
    sql`insert into entry_titles (entry_id) select id from entries order by id`,
    sql`insert into entry_search (rowid, title_key)
      select t.n, e.title_key from entry_titles t join entries e on e.id = t.entry_id`,
  ];
  for (const statement of statements) await statement.execute(db);
}

export async function titleContains(db: Kysely<Database>, text: string): Promise<TitleSearch> {
  const holds = sql<SqlBool>`instr(e.title_key, ${text}) > 0`;
  const points = [...text];
  if (points.length < 3) return { condition: holds, leads: false };
  const trigrams = points.slice(2).map((_, at) => points.slice(at, at + 3).join(''));
  const query = [...new Set(trigrams)]
    .slice(0, mostTrigrams)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' ');
  const { rows } = await sql<{ id: string }>`
    select entry_id as id from entry_search join entry_titles on n = entry_search.rowid
    where entry_search match ${query} limit ${mostFound + 1}`.execute(db);
  if (rows.length > mostFound) return { condition: holds, leads: false };
  // One parameter whatever their number, so that the statement stays prepared.
  const ids = JSON.stringify(rows.map(({ id }) => id));
  return { condition: sql<SqlBool>`e.id in (select value from json_each(${ids})) and ${holds}`, leads: true };
}
