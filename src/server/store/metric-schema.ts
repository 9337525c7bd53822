/** The tables of metrics, publications and grants, a part of schema.ts. */
import type { Version } from '../../contract/metrics.ts';
import type { PeriodType } from '../../core/periods.ts';

/** An ISO 8601 timestamp in UTC with milliseconds. */
export type Timestamp = string;
/** 0 or 1. */
export type Flag = number;
/** JSON text; numbers in it are exact (json.ts). */
export type Json = string;

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
