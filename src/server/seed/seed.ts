/**
 * What a seed file says: companies with their people, credentials, lists and metrics, as YAML or JSON.
 *
 * References use the names that people use: a company by its slug in the file (or the name or id of
 * one in the database), a user by email. A missing id is derived from these names, so that loading a
 * file again finds what the first load created (docs/server.md, "Seed files" 7).
 */
import { MetricCardPage, versions } from '../../contract/metrics.ts';
import {
  anyObject,
  array,
  boolean,
  dateTime,
  type Infer,
  integer,
  nullable,
  number,
  object,
  oneOf,
  record,
  type Schema,
  string,
} from '../../contract/schema.ts';
import {
  closed,
  company,
  id,
  optionalText,
  type SeedEntry,
  SeedList,
  SeedView,
  stamps,
  text,
  user,
} from './seed-lists.ts';

/** `2006` is a number in YAML and a period all the same. */
const period = { type: ['string', 'integer'], description: '2006-01, 2006-Q1 or 2006' } as Schema<string | number>;

export const SeedCompany = object(
  {
    slug: text('how this file names the company'),
    id,
    name: text('shown to people'),
    vertical: optionalText,
    stage: optionalText,
    currency: string({ pattern: '^[A-Z]{3}$', default: 'USD', description: 'ISO 4217' }),
    created_at: dateTime(),
  },
  { required: ['slug', 'name'], ...closed },
);
export type SeedCompany = Infer<typeof SeedCompany>;

export const SeedUser = object(
  {
    email: text('unique'),
    id,
    name: optionalText,
    companies: array(company, { description: 'the companies that the user is a member of' }),
    created_at: dateTime(),
  },
  { required: ['email'], ...closed },
);
export type SeedUser = Infer<typeof SeedUser>;

const credential = {
  id,
  secret: text('the credential itself; the database stores only its hash'),
  hash: string({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the secret in hex, instead of the secret' }),
  hint: string({ description: 'what a listing shows of the secret; needed with hash' }),
  user,
  created_at: dateTime(),
  expires_at: nullable(dateTime()),
  revoked_at: nullable(dateTime()),
};

export const SeedToken = object(
  {
    ...credential,
    name: text('shown in listings'),
    company,
    scopes: array(string(), { description: 'default: all' }),
  },
  { required: ['name', 'user', 'company'], ...closed },
);
export type SeedToken = Infer<typeof SeedToken>;

export const SeedSession = object(credential, { required: ['user', 'expires_at'], ...closed });
export type SeedSession = Infer<typeof SeedSession>;

export const SeedDefinition = object(
  {
    company,
    metricId: text('as points and the API name it'),
    label: text('shown to people'),
    unit: optionalText,
    unitLabel: optionalText,
    cadence: optionalText,
    aggregation: optionalText,
    valueSemantics: optionalText,
    direction: optionalText,
    description: optionalText,
    custom: boolean({ description: 'default: whether it is not one of the twelve known metrics' }),
    archived: boolean(),
    position: integer({ description: 'default: its place in the file' }),
  },
  { required: ['company', 'metricId', 'label'], ...closed },
);
export type SeedDefinition = Infer<typeof SeedDefinition>;

/** The points of one period and version. Numbers keep their digits; null means known to be unknown. */
export const SeedPoints = object(
  {
    company,
    period,
    version: oneOf(versions, { default: 'actual' }),
    metrics: record(nullable(number()), { description: 'metric id to value' }),
    source: optionalText,
    updated_at: dateTime(),
  },
  { required: ['company', 'period', 'metrics'], ...closed },
);
export type SeedPoints = Infer<typeof SeedPoints>;

export const SeedPublication = object(
  {
    report_id: id,
    company,
    period,
    version_number: integer({ minimum: 1, default: 1, description: 'a period that is sent again gets the next one' }),
    sent_at: dateTime(),
    data: anyObject({ description: 'metric id to value' }),
    units: record(string()),
    unit_labels: record(string()),
    currency: string({ description: "default: the company's" }),
    share_token: string({ minLength: 1 }),
    viewer_policy: anyObject(),
  },
  { required: ['company', 'period', 'sent_at', 'data'], ...closed },
);
export type SeedPublication = Infer<typeof SeedPublication>;

export const SeedGrant = object(
  {
    id,
    company,
    granted_by: user,
    recipient_company: nullable(company),
    recipient_user: nullable(user),
    scope: array(string(), { contains: { const: 'metrics' } }),
    metric_ids: array(string(), { description: 'empty: all' }),
    include_historical: boolean(),
    note: optionalText,
    expires_at: nullable(dateTime()),
    revoked_at: nullable(dateTime()),
    revoked_by: nullable(user),
    ...stamps,
  },
  { required: ['company', 'granted_by'], ...closed },
);
export type SeedGrant = Infer<typeof SeedGrant>;

export const SeedPreferences = object(
  {
    id,
    company: text('the investor: slug, name or id'),
    requestedMetrics: array(string()),
    tableColumns: array(string()),
    cardPages: array(MetricCardPage),
    ...stamps,
  },
  { required: ['company'], ...closed },
);
export type SeedPreferences = Infer<typeof SeedPreferences>;

export const Seed = object(
  {
    $schema: string(),
    clock: dateTime({ description: 'the fixed clock of a server on this data' }),
    companies: array(SeedCompany),
    users: array(SeedUser),
    keys: array(SeedToken, { description: 'API keys' }),
    tokens: array(SeedToken, { description: 'OAuth access tokens' }),
    sessions: array(SeedSession),
    lists: array(SeedList),
    views: array(SeedView, { description: 'saved views' }),
    catalog: array(SeedDefinition, { description: "a company's own metrics, and changed labels of the known ones" }),
    points: array(SeedPoints),
    publications: array(SeedPublication),
    grants: array(SeedGrant),
    preferences: array(SeedPreferences),
  },
  { title: 'Seed', description: 'A file for `comem server load`', ...closed },
);
export type Seed = Infer<typeof Seed>;

/** Elements that follow each other, with the number of the first of them in its list. */
export interface Batch<T> {
  first: number;
  items: T[];
}

/** The long parts of a file, in its order and each time from its beginning. */
export interface LongParts {
  points(): AsyncGenerator<Batch<SeedPoints>>;
  /** @yields entries of the list of this number */
  entries(): AsyncGenerator<Batch<SeedEntry> & { list: number }>;
}

/** The JSON Schema that ships with the package. */
export function seedSchemaDocument(): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...Seed };
}
