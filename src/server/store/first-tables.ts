/** The first step of the schema: every table and index that there was at the first release. Never changed. */
import type { Kysely } from './kysely.ts';
import type { Database } from './schema.ts';

export async function firstTables(db: Kysely<Database>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('companies')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('vertical', 'text')
    .addColumn('stage', 'text')
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await schema
    .createTable('memberships')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('memberships_key', ['user_id', 'company_id'])
    .execute();
  await schema
    .createTable('tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute();
  await schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('revoked_at', 'text')
    .execute();
  await listTables(db);
  await metricTables(db);
}

async function listTables({ schema }: Kysely<Database>): Promise<void> {
  await schema
    .createTable('lists')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('network_id', 'text')
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('icon', 'text')
    .addColumn('color', 'text')
    .addColumn('entity_type', 'text', (c) => c.notNull())
    .addColumn('context_type', 'text')
    .addColumn('is_system', 'integer', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('lists_slug', ['company_id', 'slug'])
    .execute();
  await schema
    .createTable('list_attributes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('list_id', 'text', (c) => c.notNull().references('lists.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('attribute_type', 'text', (c) => c.notNull())
    .addColumn('config', 'text', (c) => c.notNull())
    .addColumn('is_required', 'integer', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('list_attributes_slug', ['list_id', 'slug'])
    .execute();
  await schema
    .createTable('entries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('list_id', 'text', (c) => c.notNull().references('lists.id').onDelete('cascade'))
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('title_key', 'text', (c) => c.notNull())
    .addColumn('values', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('linked_entity_type', 'text')
    .addColumn('linked_entity_id', 'text')
    .addColumn('created_by', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  // The two orders in which entries are paged: only unarchived or only archived ones, and both together.
  await schema
    .createIndex('entries_by_state')
    .on('entries')
    .columns(['list_id', 'archived', 'position', 'created_at', 'id'])
    .execute();
  await schema
    .createIndex('entries_in_order')
    .on('entries')
    .columns(['list_id', 'position', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('entry_facets')
    .addColumn('list_id', 'text', (c) => c.notNull())
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('value_key', 'text', (c) => c.notNull())
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('entry_id', 'text', (c) => c.notNull().references('entries.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('entry_facets_key', ['entry_id', 'slug', 'value_key'])
    .execute();
  await schema
    .createIndex('entry_facets_in_order')
    .on('entry_facets')
    .columns(['list_id', 'slug', 'value_key', 'archived', 'position', 'created_at', 'entry_id'])
    .execute();
  await schema
    .createTable('entry_loops')
    .addColumn('entry_id', 'text', (c) => c.primaryKey().references('entries.id').onDelete('cascade'))
    .addColumn('queued_at', 'text', (c) => c.notNull())
    .addColumn('steps', 'integer', (c) => c.notNull())
    .execute();
  await schema
    .createTable('saved_views')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('room_id', 'text')
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('created_by', 'text')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('icon', 'text')
    .addColumn('filters', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('is_pinned', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
}

async function metricTables({ schema }: Kysely<Database>): Promise<void> {
  await schema
    .createTable('metric_definitions')
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('metric_id', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('unit', 'text')
    .addColumn('unit_label', 'text')
    .addColumn('cadence', 'text')
    .addColumn('aggregation', 'text')
    .addColumn('value_semantics', 'text')
    .addColumn('direction', 'text')
    .addColumn('description', 'text')
    .addColumn('custom', 'integer', (c) => c.notNull())
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('metric_definitions_key', ['company_id', 'metric_id'])
    .execute();
  await schema
    .createTable('metric_points')
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('metric_id', 'text', (c) => c.notNull())
    .addColumn('period_type', 'text', (c) => c.notNull())
    .addColumn('period_key', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('value', 'text')
    .addColumn('source', 'text')
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('metric_points_key', ['company_id', 'period_type', 'period_key', 'version', 'metric_id'])
    .execute();
  // The same key newest period first: versions rise while periods fall, which no walk along the key gives.
  await schema
    .createIndex('metric_points_newest')
    .on('metric_points')
    .columns(['company_id', 'period_type', 'period_key desc', 'version', 'metric_id'])
    .execute();
  await schema
    .createTable('publications')
    .addColumn('report_id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('period_key', 'text', (c) => c.notNull())
    .addColumn('period_type', 'text', (c) => c.notNull())
    .addColumn('first_month', 'integer', (c) => c.notNull())
    .addColumn('last_month', 'integer', (c) => c.notNull())
    .addColumn('version_number', 'integer', (c) => c.notNull())
    .addColumn('sent_at', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('units', 'text', (c) => c.notNull())
    .addColumn('unit_labels', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('share_token', 'text', (c) => c.notNull())
    .addColumn('viewer_policy', 'text', (c) => c.notNull())
    .addUniqueConstraint('publications_version', ['company_id', 'period_key', 'version_number'])
    .execute();
  await schema
    .createIndex('publications_newest')
    .on('publications')
    .columns(['company_id', 'last_month', 'first_month'])
    .execute();
  await schema
    .createTable('grants')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'text', (c) => c.notNull().references('companies.id').onDelete('cascade'))
    .addColumn('granted_by', 'text', (c) => c.notNull())
    .addColumn('recipient_company_id', 'text')
    .addColumn('recipient_user_id', 'text')
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('metric_ids', 'text', (c) => c.notNull())
    .addColumn('include_historical', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('note', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .addColumn('revoked_by', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('grants_of_company').on('grants').columns(['company_id', 'created_at', 'id']).execute();
  await schema
    .createTable('metric_preferences')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'text', (c) => c.notNull().unique().references('companies.id').onDelete('cascade'))
    .addColumn('requested_metrics', 'text', (c) => c.notNull())
    .addColumn('table_columns', 'text', (c) => c.notNull())
    .addColumn('card_pages', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
}
