/** The tables of the schema, by their keys. */
import type { Database } from './schema.ts';

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
  entry_blocks: ['list_id', 'archived', 'block'],
  entry_loops: ['entry_id'],
  saved_views: ['id'],
  metric_definitions: ['company_id', 'metric_id'],
  metric_points: ['company_id', 'period_type', 'period_key', 'version', 'metric_id'],
  publications: ['report_id'],
  grants: ['id'],
  metric_preferences: ['id'],
};

export const tableNames = Object.keys(tableKeys) as (keyof Database)[];
