/**
 * The tables of the embedded API, for both engines.
 *
 * Portable types only: text for ids, timestamps (`2024-01-31T09:00:00.000Z`, so that text order is time order) and
 * JSON; 0 and 1 for booleans; number values as the text of their literal, so that no digit is lost.
 */
import type { AttributeType } from '../../contract/lists.ts';
import type { Kysely } from './kysely.ts';
import type {
  DefinitionTable,
  Flag,
  GrantTable,
  Json,
  PointTable,
  PreferencesTable,
  PublicationTable,
  Timestamp,
} from './metric-schema.ts';

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
  entry_blocks: BlockTable;
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

/**
 * The number of entries of a list in each block of positions (`blockOf` in blocks.ts), so that a page far down the
 * list is found without reading all before it. Only written together with the entries.
 */
interface BlockTable {
  list_id: string;
  archived: Flag;
  block: number;
  entries: number;
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
