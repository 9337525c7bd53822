/** The schema for both engines, and the steps from earlier versions. Never change a released step; add another. */
import type { Engine } from './engine.ts';
import { type Kysely, sql } from './kysely.ts';
import type { Database } from './schema.ts';

/** The version of the schema. */
export const newestSchema = 5;

/** Triggers of earlier versions. */
const oldTriggers = ['entries_searched', 'entries_searched_again', 'entries_searched_no_more'];

/** Brings a schema up to date; version 0 is an empty database. */
export async function migrateFrom(db: Kysely<Database>, engine: Engine, version: number): Promise<void> {
  if (version === 0) return run(db, engine, tables);
  // Indexes of titles, and counts of entries by their position, which cost more at each write than they saved.
  if (engine.name === 'SQLite') for (const name of oldTriggers) await run(db, engine, `drop trigger if exists ${name}`);
  else await run(db, engine, 'drop index if exists entries_by_title; drop function if exists comem_trigrams');
  for (const name of ['entry_search', 'entry_titles', 'entry_blocks']) {
    await run(db, engine, `drop table if exists ${name}`);
  }
}

/** Runs statements, separated by `;`. Text is compared byte by byte on both engines. */
async function run(db: Kysely<Database>, engine: Engine, statements: string): Promise<void> {
  for (const statement of statements.split(';')) {
    await sql.raw(statement.replaceAll(/\btext\b/g, engine.text)).execute(db);
  }
}

/** The tables and indexes of a new database. */
const tables = `
  create table companies (
    id text primary key,
    name text not null,
    vertical text,
    stage text,
    currency text not null,
    created_at text not null
  );
  create table users (
    id text primary key,
    email text not null unique,
    name text,
    created_at text not null
  );
  create table memberships (
    user_id text not null references users (id) on delete cascade,
    company_id text not null references companies (id) on delete cascade,
    constraint memberships_key primary key (user_id, company_id)
  );
  create table tokens (
    id text primary key,
    kind text not null,
    token_hash text not null unique,
    hint text not null,
    name text not null,
    user_id text not null references users (id) on delete cascade,
    company_id text not null references companies (id) on delete cascade,
    scopes text not null,
    created_at text not null,
    expires_at text,
    revoked_at text
  );
  create table sessions (
    id text primary key,
    token_hash text not null unique,
    hint text not null,
    user_id text not null references users (id) on delete cascade,
    created_at text not null,
    expires_at text not null,
    revoked_at text
  );
  create table lists (
    id text primary key,
    network_id text,
    company_id text not null references companies (id) on delete cascade,
    name text not null,
    slug text not null,
    description text,
    icon text,
    color text,
    entity_type text not null,
    context_type text,
    is_system integer not null,
    position bigint not null,
    created_by text,
    created_at text not null,
    updated_at text not null,
    constraint lists_slug unique (company_id, slug)
  );
  create table list_attributes (
    id text primary key,
    list_id text not null references lists (id) on delete cascade,
    name text not null,
    slug text not null,
    attribute_type text not null,
    config text not null,
    is_required integer not null,
    position bigint not null,
    created_at text not null,
    updated_at text not null,
    constraint list_attributes_slug unique (list_id, slug)
  );
  create table entries (
    id text primary key,
    list_id text not null references lists (id) on delete cascade,
    title text not null,
    title_key text not null,
    "values" text not null,
    position bigint not null,
    archived integer not null,
    linked_entity_type text,
    linked_entity_id text,
    created_by text,
    created_at text not null,
    updated_at text not null
  );
  -- The two orders in which entries are paged: one state, and both states together.
  create index entries_by_state on entries (list_id, archived, position, created_at, id);
  create index entries_in_order on entries (list_id, position, created_at, id);
  create table entry_facets (
    list_id text not null,
    slug text not null,
    value_key text not null,
    archived integer not null,
    position bigint not null,
    created_at text not null,
    entry_id text not null references entries (id) on delete cascade,
    constraint entry_facets_key primary key (entry_id, slug, value_key)
  );
  create index entry_facets_in_order on entry_facets
    (list_id, slug, value_key, archived, position, created_at, entry_id);
  create table entry_loops (
    entry_id text primary key references entries (id) on delete cascade,
    queued_at text not null,
    steps integer not null
  );
  create table saved_views (
    id text primary key,
    room_id text,
    company_id text not null references companies (id) on delete cascade,
    created_by text,
    name text not null,
    description text,
    icon text,
    filters text not null,
    position bigint not null,
    is_pinned integer not null,
    created_at text not null,
    updated_at text not null
  );
  create table metric_definitions (
    company_id text not null references companies (id) on delete cascade,
    metric_id text not null,
    label text not null,
    unit text,
    unit_label text,
    cadence text,
    aggregation text,
    value_semantics text,
    direction text,
    description text,
    custom integer not null,
    archived integer not null,
    position integer not null,
    constraint metric_definitions_key primary key (company_id, metric_id)
  );
  create table metric_points (
    company_id text not null references companies (id) on delete cascade,
    metric_id text not null,
    period_type text not null,
    period_key text not null,
    version text not null,
    value text,
    source text,
    updated_at text not null,
    constraint metric_points_key primary key (company_id, period_type, period_key, version, metric_id)
  );
  -- The same key newest period first: versions rise while periods fall, which no walk along the key gives.
  create index metric_points_newest on metric_points (company_id, period_type, period_key desc, version, metric_id);
  create table publications (
    report_id text primary key,
    company_id text not null references companies (id) on delete cascade,
    period_key text not null,
    period_type text not null,
    first_month integer not null,
    last_month integer not null,
    version_number integer not null,
    sent_at text not null,
    data text not null,
    units text not null,
    unit_labels text not null,
    currency text not null,
    share_token text not null,
    viewer_policy text not null,
    constraint publications_version unique (company_id, period_key, version_number)
  );
  create index publications_newest on publications (company_id, last_month, first_month);
  create table grants (
    id text primary key,
    company_id text not null references companies (id) on delete cascade,
    granted_by text not null,
    recipient_company_id text,
    recipient_user_id text,
    scope text not null,
    metric_ids text not null,
    include_historical integer not null,
    status text not null,
    note text,
    expires_at text,
    revoked_at text,
    revoked_by text,
    created_at text not null,
    updated_at text not null
  );
  create index grants_of_company on grants (company_id, created_at, id);
  create table metric_preferences (
    id text primary key,
    company_id text not null unique references companies (id) on delete cascade,
    requested_metrics text not null,
    table_columns text not null,
    card_pages text not null,
    created_at text not null,
    updated_at text not null
  )`;
