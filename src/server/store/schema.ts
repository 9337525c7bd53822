/**
 * The tables of the embedded API, for both engines: their columns, and the types of these.
 *
 * Portable types only: text for ids, timestamps (`2024-01-31T09:00:00.000Z`, so that text order is time order) and
 * JSON; 0 and 1 for booleans; number values as the text of their literal, so that no digit is lost.
 */
import type { AttributeType } from '../../contract/lists.ts';
import type { Version } from '../../contract/metrics.ts';
import type { PeriodType } from '../../core/periods.ts';
import type { Kysely } from './kysely.ts';

export type SqlValue = string | number | null;

/** A column: its definition after the name, how JSON has it, and its values, which exist only for the compiler. */
interface Column<T extends SqlValue> {
  sql: string;
  /** `flag` is 0 or 1, `json` is JSON already, `none` is not in JSON. Default: a text or null. */
  json?: 'integer' | 'flag' | 'json' | 'none';
  values?: T;
}

const text = textOf<string>();
const optional: Column<string | null> = { sql: 'text' };
const integer: Column<number> = { sql: 'integer not null', json: 'integer' };
const flag: Column<number> = { sql: 'integer not null', json: 'flag' };
const position: Column<number> = { sql: 'bigint not null', json: 'integer' };
const id = text;
const json: Column<string> = { sql: 'text not null', json: 'json' };
const timestamp = text;

function textOf<T extends string>(): Column<T> {
  return { sql: 'text not null' };
}

/** The id of a row of another table, with which this row is deleted. */
function ref(table: string): Column<string> {
  return { sql: `text not null references ${table} (id) on delete cascade` };
}

interface Table<C extends Record<string, Column<SqlValue>>> {
  columns: C;
  /** The primary key. */
  key: readonly (keyof C & string)[];
  /** Its rows are short and are found by their key: SQLite keeps them in the key itself, once instead of twice. */
  isKeyed?: boolean;
  /** Columns that together differ in every row. */
  unique?: readonly (keyof C & string)[];
  /** Indexes by name: columns, and `desc` behind one. */
  indexes?: Readonly<Record<string, string>>;
}

function table<C extends Record<string, Column<SqlValue>>>(
  columns: C,
  rest: Omit<Table<C>, 'columns' | 'key'> & { key?: Table<C>['key'] } = {},
): Table<C> {
  return { columns, key: ['id'], ...rest };
}

/** Tables, each after those that it refers to. */
export const tables = {
  /** Facts of the database itself: `schema_version`, `cursor_secret`, `seed`, `clock`. */
  meta: table({ key: text, value: text }, { key: ['key'] }),
  companies: table({
    id,
    name: text,
    vertical: optional,
    stage: optional,
    /** ISO 4217. */
    currency: text,
    created_at: timestamp,
  }),
  users: table({ id, email: text, name: optional, created_at: timestamp }, { unique: ['email'] }),
  memberships: table({ user_id: ref('users'), company_id: ref('companies') }, { key: ['user_id', 'company_id'] }),
  /** API keys and OAuth access tokens: both are bearer tokens of a user, bound to one company. */
  tokens: table(
    {
      id,
      kind: textOf<'api_key' | 'oauth'>(),
      /** Hex SHA-256 of the token. */
      token_hash: text,
      /** The first and last characters, to tell keys apart in a listing. */
      hint: text,
      name: text,
      user_id: ref('users'),
      company_id: ref('companies'),
      scopes: json,
      created_at: timestamp,
      expires_at: optional,
      revoked_at: optional,
    },
    { unique: ['token_hash'] },
  ),
  sessions: table(
    {
      id,
      /** Hex SHA-256 of the cookie's value. */
      token_hash: text,
      hint: text,
      user_id: ref('users'),
      created_at: timestamp,
      expires_at: timestamp,
      revoked_at: optional,
    },
    { unique: ['token_hash'] },
  ),
  lists: table(
    {
      id,
      network_id: optional,
      company_id: ref('companies'),
      name: text,
      slug: text,
      description: optional,
      icon: optional,
      color: optional,
      entity_type: text,
      context_type: optional,
      position,
      created_by: optional,
      created_at: timestamp,
      updated_at: timestamp,
      is_system: flag,
    },
    { unique: ['company_id', 'slug'] },
  ),
  list_attributes: table(
    {
      id,
      list_id: ref('lists'),
      name: text,
      /** Fixed at creation. */
      slug: text,
      attribute_type: textOf<AttributeType>(),
      /** ListAttributeConfig, plus `retired`: options removed while values may still name them. */
      config: json,
      is_required: flag,
      position,
      created_at: timestamp,
      updated_at: timestamp,
    },
    { unique: ['list_id', 'slug'] },
  ),
  entries: table(
    {
      id,
      list_id: ref('lists'),
      title: text,
      /** `folded(title)`: what the search looks into. */
      title_key: { ...text, json: 'none' } as Column<string>,
      /** Values keyed by attribute slug; only set ones. */
      values: json,
      position,
      archived: flag,
      linked_entity_type: optional,
      linked_entity_id: optional,
      created_by: optional,
      created_at: timestamp,
      updated_at: timestamp,
    },
    {
      // The two orders in which entries are paged: one state, and both states together.
      indexes: {
        entries_by_state: 'list_id, archived, position, created_at, id',
        entries_in_order: 'list_id, position, created_at, id',
      },
    },
  ),
  /**
   * One row for each text form of each value, with the columns that order entries, so that a filtered page is one range
   * of the key. Only written together with the entry (`facetRows` in entries.ts): no index finds the rows of an entry.
   */
  entry_facets: table(
    {
      list_id: text,
      slug: text,
      /** `facetKey(text)`: the text form, or its hash when it is too long for an index. */
      value_key: text,
      archived: flag,
      position,
      created_at: timestamp,
      entry_id: text,
    },
    {
      key: ['list_id', 'slug', 'value_key', 'archived', 'position', 'created_at', 'entry_id'],
      isKeyed: true,
    },
  ),
  /** The loop of an entry; no row: idle, never stepped. */
  entry_loops: table(
    {
      entry_id: ref('entries'),
      /** When the last step was queued, by the wall clock; whether it is done is computed when read. */
      queued_at: timestamp,
      steps: integer,
    },
    { key: ['entry_id'] },
  ),
  saved_views: table({
    id,
    room_id: optional,
    company_id: ref('companies'),
    created_by: optional,
    name: text,
    description: optional,
    icon: optional,
    /** SavedViewFilters. */
    filters: json,
    position,
    is_pinned: flag,
    created_at: timestamp,
    updated_at: timestamp,
  }),
  /** A company's own metrics, and its changes of the twelve known ones (which need no row). */
  metric_definitions: table(
    {
      company_id: ref('companies'),
      metric_id: text,
      label: text,
      unit: optional,
      unit_label: optional,
      cadence: optional,
      aggregation: optional,
      value_semantics: optional,
      direction: optional,
      description: optional,
      custom: flag,
      archived: flag,
      position: integer,
    },
    { key: ['company_id', 'metric_id'] },
  ),
  metric_points: table(
    {
      company_id: ref('companies'),
      metric_id: text,
      period_type: textOf<PeriodType>(),
      /** `2006-01`, `2006-Q1`, `2006`: text order is time order within a grain. */
      period_key: text,
      version: textOf<Version>(),
      /** The literal of the number, as it was written; null: known to be unknown. */
      value: optional,
      source: optional,
      updated_at: timestamp,
    },
    {
      key: ['company_id', 'period_type', 'period_key', 'version', 'metric_id'],
      isKeyed: true,
      // The key, newest period first: versions rise while periods fall, which no walk along the key gives.
      indexes: { metric_points_newest: 'company_id, period_type, period_key desc, version, metric_id' },
    },
  ),
  /** One snapshot sent to recipients. A period that is sent again gets the next version_number. */
  publications: table(
    {
      report_id: id,
      company_id: ref('companies'),
      period_key: text,
      period_type: textOf<PeriodType>(),
      /** Months since year 0 that the period covers (`firstMonth`, `lastMonth` of core/periods.ts). */
      first_month: integer,
      last_month: integer,
      version_number: integer,
      sent_at: timestamp,
      /** Metric id to value. */
      data: json,
      units: json,
      unit_labels: json,
      currency: text,
      share_token: text,
      viewer_policy: json,
    },
    {
      key: ['report_id'],
      unique: ['company_id', 'period_key', 'version_number'],
      indexes: { publications_newest: 'company_id, last_month, first_month' },
    },
  ),
  grants: table(
    {
      id,
      company_id: ref('companies'),
      granted_by: text,
      recipient_company_id: optional,
      recipient_user_id: optional,
      scope: json,
      /** Empty: all metrics. */
      metric_ids: json,
      include_historical: flag,
      /** `expired` is not stored: it follows from expires_at. */
      status: textOf<'active' | 'revoked'>(),
      note: optional,
      expires_at: optional,
      revoked_at: optional,
      revoked_by: optional,
      created_at: timestamp,
      updated_at: timestamp,
    },
    { indexes: { grants_of_company: 'company_id, created_at, id' } },
  ),
  metric_preferences: table(
    {
      id,
      /** The API's vcCompanyId. */
      company_id: ref('companies'),
      requested_metrics: json,
      table_columns: json,
      card_pages: json,
      created_at: timestamp,
      updated_at: timestamp,
    },
    { unique: ['company_id'] },
  ),
};

type Tables = typeof tables;
type RowOf<C> = { [N in keyof C]: C[N] extends Column<infer T> ? T : never };

export type Database = { [T in keyof Tables]: RowOf<Tables[T]['columns']> };

/** A row of the table. */
export type Row<T extends keyof Database> = Database[T];

export type Db = Kysely<Database>;

export const tableNames = Object.keys(tables) as (keyof Database)[];
