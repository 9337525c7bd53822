/**
 * The tables of the embedded API, for both engines.
 *
 * Portable types only: text for ids, timestamps (`2024-01-31T09:00:00.000Z`, so that text order is time order) and
 * JSON; 0 and 1 for booleans; number values as the text of their literal, so that no digit is lost.
 */
import type { AttributeType } from '../../contract/lists.ts';
import type { Version } from '../../contract/metrics.ts';
import type { PeriodType } from '../../core/periods.ts';
import type { Kysely } from './kysely.ts';

export interface Database {
  meta: MetaTable;
  companies: CompanyTable;
  users: UserTable;
  memberships: MembershipTable;
  tokens: TokenTable;
  sessions: SessionTable;
  lists: ListTable;
  list_attributes: AttributeTable;
  entries: EntryTable;
  entry_facets: FacetTable;
  entry_loops: LoopTable;
  saved_views: ViewTable;
  metric_definitions: DefinitionTable;
  metric_points: PointTable;
  publications: PublicationTable;
  grants: GrantTable;
  metric_preferences: PreferencesTable;
}

/** Facts of the database itself: `schema_version`, `cursor_secret`, `seed`, `clock`. */
interface MetaTable {
  key: string;
  value: string;
}

export interface CompanyTable {
  id: string;
  name: string;
  vertical: string | null;
  stage: string | null;
  /** ISO 4217. */
  currency: string;
  created_at: Timestamp;
}

interface UserTable {
  id: string;
  email: string;
  name: string | null;
  created_at: Timestamp;
}

interface MembershipTable {
  user_id: string;
  company_id: string;
}

/** API keys and OAuth access tokens: both are bearer tokens of a user, bound to one company. */
export interface TokenTable {
  id: string;
  kind: 'api_key' | 'oauth';
  /** Hex SHA-256 of the token, unique. */
  token_hash: string;
  /** The first and last characters, to tell keys apart in a listing. */
  hint: string;
  name: string;
  user_id: string;
  company_id: string;
  /** JSON array of strings. */
  scopes: Json;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

export interface SessionTable {
  id: string;
  /** Hex SHA-256 of the cookie's value, unique. */
  token_hash: string;
  hint: string;
  user_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  revoked_at: Timestamp | null;
}

export interface ListTable {
  id: string;
  network_id: string | null;
  company_id: string;
  name: string;
  /** Unique in the company. */
  slug: string;
  description: string | null;
  icon: string | null;
  color: string | null;
  entity_type: string;
  context_type: string | null;
  is_system: Flag;
  position: number;
  created_by: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface AttributeTable {
  id: string;
  list_id: string;
  name: string;
  /** Unique in the list, fixed at creation. */
  slug: string;
  attribute_type: AttributeType;
  /** ListAttributeConfig, plus `retired`: options removed while values may still name them. */
  config: Json;
  is_required: Flag;
  position: number;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface EntryTable {
  id: string;
  list_id: string;
  title: string;
  /** `folded(title)`: what the search looks into. */
  title_key: string;
  /** Values keyed by attribute slug; only set ones. */
  values: Json;
  position: number;
  archived: Flag;
  linked_entity_type: string | null;
  linked_entity_id: string | null;
  created_by: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/**
 * One row for each text form of each value, with the columns that order entries, so that a filtered page is one range of
 * an index. Only written together with the entry (`facetRows` in entries.ts).
 */
export interface FacetTable {
  list_id: string;
  slug: string;
  /** `facetKey(text)`: the text form, or its hash when it is too long for an index. */
  value_key: string;
  archived: Flag;
  position: number;
  created_at: Timestamp;
  entry_id: string;
}

/** The loop of an entry; no row: idle, never stepped. */
export interface LoopTable {
  entry_id: string;
  /** When the last step was queued, by the wall clock; whether it is done is computed when read. */
  queued_at: Timestamp;
  steps: number;
}

export interface ViewTable {
  id: string;
  room_id: string | null;
  company_id: string;
  created_by: string | null;
  name: string;
  description: string | null;
  icon: string | null;
  /** SavedViewFilters. */
  filters: Json;
  position: number;
  is_pinned: Flag;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export type Db = Kysely<Database>;

export type SqlValue = string | number | null;

/** An ISO 8601 timestamp in UTC with milliseconds. */
type Timestamp = string;
/** 0 or 1. */
type Flag = number;
/** JSON text; numbers in it are exact (json.ts). */
type Json = string;

/** A company's own metrics, and its changes of the twelve known ones (which need no row). */
export interface DefinitionTable {
  company_id: string;
  metric_id: string;
  label: string;
  unit: string | null;
  unit_label: string | null;
  cadence: string | null;
  aggregation: string | null;
  value_semantics: string | null;
  direction: string | null;
  description: string | null;
  custom: Flag;
  archived: Flag;
  position: number;
}

export interface PointTable {
  company_id: string;
  metric_id: string;
  period_type: PeriodType;
  /** `2006-01`, `2006-Q1`, `2006`: text order is time order within a grain. */
  period_key: string;
  version: Version;
  /** The literal of the number, as it was given; null: known to be unknown. */
  value: string | null;
  source: string | null;
  updated_at: Timestamp;
}

/** One snapshot sent to recipients. A period that is sent again gets the next version_number. */
export interface PublicationTable {
  report_id: string;
  company_id: string;
  period_key: string;
  period_type: PeriodType;
  /** Months since year 0 that the period covers (`firstMonth`, `lastMonth` of contract/rules.ts). */
  first_month: number;
  last_month: number;
  version_number: number;
  sent_at: Timestamp;
  /** Metric id to value. */
  data: Json;
  units: Json;
  unit_labels: Json;
  currency: string;
  share_token: string;
  viewer_policy: Json;
}

export interface GrantTable {
  id: string;
  company_id: string;
  granted_by: string;
  recipient_company_id: string | null;
  recipient_user_id: string | null;
  /** JSON array of strings. */
  scope: Json;
  /** JSON array of strings; empty: all metrics. */
  metric_ids: Json;
  include_historical: Flag;
  /** `expired` is not stored: it follows from expires_at. */
  status: 'active' | 'revoked';
  note: string | null;
  expires_at: Timestamp | null;
  revoked_at: Timestamp | null;
  revoked_by: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PreferencesTable {
  id: string;
  /** The API's vcCompanyId, unique. */
  company_id: string;
  requested_metrics: Json;
  table_columns: Json;
  card_pages: Json;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The primary key of each table, those that others refer to first. */
export const tableKeys: { readonly [T in keyof Database]: readonly (keyof Database[T] & string)[] } = {
  meta: ['key'],
  companies: ['id'],
  users: ['id'],
  memberships: ['user_id', 'company_id'],
  tokens: ['id'],
  sessions: ['id'],
  lists: ['id'],
  list_attributes: ['id'],
  entries: ['id'],
  entry_facets: ['entry_id', 'slug', 'value_key'],
  entry_loops: ['entry_id'],
  saved_views: ['id'],
  metric_definitions: ['company_id', 'metric_id'],
  metric_points: ['company_id', 'period_type', 'period_key', 'version', 'metric_id'],
  publications: ['report_id'],
  grants: ['id'],
  metric_preferences: ['id'],
};

export const tableNames = Object.keys(tableKeys) as (keyof Database)[];
