/**
 * The sections of a seed as tables of the database. The schema of an item says how each property becomes a column
 * (`rowOf`) and how the column becomes the property again (`itemOf`); a section names only what differs from that.
 */
import { randomBytes } from 'node:crypto';
import { grantScope, knownMetrics, scopes } from '../../contract/metrics.ts';
import { baseType, type Infer, type JsonSchema } from '../../contract/schema.ts';
import { parseJson, stringifyJson } from '../../core/json.ts';
import { firstMonth, lastMonth } from '../../core/periods.ts';
import { slugOf, stableId } from '../model/names.ts';
import { hashToken, hintOf, keyPrefix } from '../model/secrets.ts';
import type { Database, SqlValue } from '../store/schema.ts';
import type { Row } from '../store/tables.ts';
import type { ItemContext } from './loading.ts';
import { type PointPeriod, pointPeriod } from './points-csv.ts';
import type { Names, References } from './references.ts';
import {
  SeedAttribute,
  SeedCompany,
  SeedDefinition,
  SeedEntry,
  SeedGrant,
  SeedList,
  SeedPreferences,
  SeedPublication,
  SeedSession,
  SeedToken,
  SeedUser,
  SeedView,
} from './seed.ts';

export interface Section<T = Record<string, unknown>> {
  schema: JsonSchema;
  table: keyof Database;
  /** The columns that identify a row. */
  key: readonly string[];
  /** The columns by which a dump is sorted. */
  order: readonly string[];
  /** Properties that name a company or a user. */
  references?: Readonly<Record<string, 'company' | 'recipient' | 'user'>>;
  /** Columns that are not called as their property is in snake case; null: the property is not stored there. */
  columns?: Readonly<Record<string, string | null>>;
  /** Columns with one value in all rows of the section. */
  constant?: Readonly<Record<string, SqlValue>>;
  /** Columns of the row that depend on several properties, or have more rules than the schema. */
  derive?(item: T, at: ItemContext, row: Row): Row;
  /** The defaults of a new row, beside its timestamps. */
  defaults?(row: Row, references: References): Row;
}

function section<S extends JsonSchema>(schema: S, rest: Omit<Section<Infer<S>>, 'schema'>): Section {
  return { schema, ...rest } as Section;
}

function tokens(kind: 'api_key' | 'oauth'): Section {
  return section(SeedToken, {
    table: 'tokens',
    key: ['token_hash'],
    order: ['created_at', 'id'],
    references: { user: 'user', company: 'company' },
    columns: { secret: null, hash: 'token_hash' },
    constant: { kind },
    derive(token, at) {
      if (kind === 'api_key' && token.secret !== undefined && !token.secret.startsWith(keyPrefix)) {
        throw at.loading.fail(`${at.path}.secret`, `is not an API key: it must start with ${keyPrefix}`);
      }
      return hashSecret(token, at);
    },
    defaults: ({ token_hash }) => ({
      id: stableId('token', String(token_hash)),
      scopes: JSON.stringify(Object.values(scopes)),
    }),
  });
}

export const sections = {
  companies: section(SeedCompany, {
    table: 'companies',
    key: ['id'],
    order: ['created_at', 'id'],
    columns: { slug: null },
    derive: (company) => ({ id: company.id?.toLowerCase() ?? stableId('company', companySlug(company)) }),
    defaults: () => ({ currency: 'USD' }),
  }),
  users: section(SeedUser, {
    table: 'users',
    key: ['email'],
    order: ['created_at', 'email'],
    columns: { companies: null },
    defaults: ({ email }) => ({ id: stableId('user', String(email)) }),
  }),
  keys: tokens('api_key'),
  tokens: tokens('oauth'),
  sessions: section(SeedSession, {
    table: 'sessions',
    key: ['token_hash'],
    order: ['created_at', 'id'],
    references: { user: 'user' },
    columns: { secret: null, hash: 'token_hash' },
    derive(session, at) {
      if (session.expires_at === null) {
        throw at.loading.fail(`${at.path}.expires_at`, 'must be a timestamp: a session expires');
      }
      return hashSecret(session, at);
    },
    defaults: ({ token_hash }) => ({ id: stableId('session', String(token_hash)) }),
  }),
  lists: section(SeedList, {
    table: 'lists',
    key: ['company_id', 'slug'],
    order: ['company_id', 'position', 'id'],
    references: { company: 'company', created_by: 'user' },
    columns: { attributes: null, entries: null },
    derive: ({ slug, name }) => ({ slug: slug ?? slugOf(name, 'list') }),
    defaults: ({ company_id, slug }) => ({
      id: stableId('list', String(company_id), String(slug)),
      entity_type: 'custom',
      is_system: 0,
    }),
  }),
  attributes: section(SeedAttribute, {
    table: 'list_attributes',
    key: ['list_id', 'slug'],
    order: ['position', 'created_at', 'id'],
    derive: ({ slug, name }) => ({ slug: slug ?? slugOf(name, 'attribute') }),
    defaults: ({ list_id, slug }) => ({
      id: stableId('attribute', String(list_id), String(slug)),
      is_required: 0,
    }),
  }),
  entries: section(SeedEntry, {
    table: 'entries',
    key: ['id'],
    order: ['position', 'created_at', 'id'],
    references: { created_by: 'user' },
    columns: { loop: null },
  }),
  views: section(SeedView, {
    table: 'saved_views',
    key: ['id'],
    order: ['company_id', 'position', 'id'],
    references: { company: 'company', created_by: 'user' },
    derive({ id, name }, at, row) {
      const names = ['view', String(row.company_id), name] as const;
      return { id: id?.toLowerCase() ?? stableId(...names, at.loading.occurrence(...names)) };
    },
    defaults: () => ({ is_pinned: 0 }),
  }),
  catalog: section(SeedDefinition, {
    table: 'metric_definitions',
    key: ['company_id', 'metric_id'],
    order: ['company_id', 'position', 'metric_id'],
    references: { company: 'company' },
    defaults: ({ metric_id }) => ({ custom: Number(!isKnownMetric(String(metric_id))), archived: 0 }),
  }),
  publications: section(SeedPublication, {
    table: 'publications',
    key: ['company_id', 'period_key', 'version_number'],
    order: ['company_id', 'last_month', 'first_month', 'version_number'],
    references: { company: 'company' },
    columns: { period: 'period_key' },
    derive({ period, version_number }, at) {
      const { type, key } = requirePeriod(period, at);
      return {
        period_key: key,
        period_type: type,
        first_month: firstMonth(key),
        last_month: lastMonth(key),
        version_number: Number(version_number ?? 1),
      };
    },
    defaults: ({ company_id, period_key, version_number }, references) => ({
      report_id: stableId('report', String(company_id), String(period_key), Number(version_number)),
      units: '{}',
      unit_labels: '{}',
      currency: references.currency(String(company_id)),
      share_token: randomBytes(18).toString('base64url'),
      viewer_policy: '{}',
    }),
  }),
  grants: section(SeedGrant, {
    table: 'grants',
    key: ['id'],
    order: ['company_id', 'created_at', 'id'],
    references: {
      company: 'company',
      granted_by: 'user',
      recipient_company: 'recipient',
      recipient_user: 'user',
      revoked_by: 'user',
    },
    derive({ id, revoked_at }, at, row) {
      const names = [row.company_id, row.recipient_company_id ?? null, row.recipient_user_id ?? null] as string[];
      return {
        id: id?.toLowerCase() ?? stableId('grant', ...names, at.loading.occurrence('grant', ...names)),
        status: revoked_at === undefined ? undefined : revoked_at === null ? 'active' : 'revoked',
        revoked_by: row.revoked_by ?? (revoked_at ? row.granted_by : undefined),
      };
    },
    defaults: ({ created_at, revoked_at }) => ({
      scope: JSON.stringify([grantScope]),
      metric_ids: '[]',
      include_historical: 0,
      status: 'active',
      ...((revoked_at ?? created_at) && { updated_at: revoked_at ?? created_at }),
    }),
  }),
  preferences: section(SeedPreferences, {
    table: 'metric_preferences',
    key: ['company_id'],
    order: ['company_id'],
    references: { company: 'company' },
    defaults: ({ company_id }) => ({
      id: stableId('preferences', String(company_id)),
      requested_metrics: '[]',
      table_columns: '[]',
      card_pages: '[]',
    }),
  }),
} satisfies Record<string, Section>;

export function companySlug({ slug, name }: SeedCompany): string {
  return slug ?? slugOf(name, 'company');
}

export function isKnownMetric(metric: string): boolean {
  return (knownMetrics as readonly string[]).includes(metric);
}

export function requirePeriod(text: string | number, at: ItemContext): PointPeriod {
  const period = pointPeriod(String(text));
  if (period) return period;
  throw at.loading.fail(
    `${at.path}.period`,
    `must be a month, quarter or year such as 2006-01, 2006-Q1 or 2006, got ${text}`,
  );
}

/** The database stores only hashes; a dump has the hash and the hint instead of the secret. */
function hashSecret({ secret, hash, hint }: Pick<SeedToken, 'secret' | 'hash' | 'hint'>, at: ItemContext): Row {
  if (secret !== undefined && hash === undefined) {
    return { token_hash: hashToken(secret), hint: hint ?? hintOf(secret) };
  }
  if (hash !== undefined && secret === undefined) return { token_hash: hash, hint: hint ?? '…' };
  throw at.loading.fail(at.path, 'needs either a secret or a hash');
}

function columnOf({ columns, references }: Section, property: string): string | undefined {
  const name = columns?.[property];
  if (name === null) return undefined;
  const snake = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isId = references?.[property] !== undefined && !property.endsWith('_by');
  return name ?? (isId ? `${snake}_id` : snake);
}

/** The row of an item. A property that is left out is an undefined column. */
export function rowOf(section: Section, item: object, at: ItemContext): Row {
  const row: Row = { ...section.constant };
  const values = item as Record<string, unknown>;
  for (const [property, schema] of Object.entries(section.schema.properties ?? {})) {
    const column = columnOf(section, property);
    if (column === undefined) continue;
    const value = values[property];
    const reference = section.references?.[property];
    if (value === undefined || value === null) row[column] = value;
    else if (reference) row[column] = at.loading.references[reference](`${at.path}.${property}`, String(value));
    else row[column] = toColumn(schema, value);
  }
  if ('position' in row) row.position ??= at.position;
  return { ...row, ...section.derive?.(values, at, row) };
}

/** The item of a row, without the properties that have no value. */
export function itemOf<T>(section: Section, row: Row, names: Names): T {
  const item: Record<string, unknown> = {};
  for (const [property, schema] of Object.entries(section.schema.properties ?? {})) {
    const column = columnOf(section, property);
    const value = column === undefined ? undefined : row[column];
    if (value === undefined || value === null) continue;
    const reference = section.references?.[property];
    if (reference === 'user') item[property] = names.user(String(value));
    else if (reference) item[property] = names.company(String(value));
    else item[property] = fromColumn(schema, value);
  }
  return item as T;
}

function toColumn(schema: JsonSchema, value: unknown): SqlValue {
  switch (baseType(schema)) {
    case 'boolean':
    case 'integer':
      return Number(value);
    case 'array':
    case 'object':
      return stringifyJson(value);
  }
  if (schema.format === 'date-time') return timestamp(String(value));
  return schema.format === 'uuid' ? String(value).toLowerCase() : String(value);
}

function fromColumn(schema: JsonSchema, value: SqlValue): unknown {
  switch (baseType(schema)) {
    case 'boolean':
      return value === 1;
    case 'integer':
      return Number(value);
    case 'array':
    case 'object':
      return parseJson(String(value));
    default:
      return value;
  }
}

/** The time in the form of the database. */
export function timestamp(text: string): string {
  return new Date(text).toISOString();
}
