/**
 * The schema of a seed: companies with their people, credentials, lists and metrics.
 *
 * References use the names that people use: a company by its slug in the file (or the name or id of
 * one in the database), a user by email. A missing id is derived from these names, so that loading a
 * file again finds what the first load created (docs/server.md, "Seed files" 7).
 */

import { attributeTypes, tones } from '../../contract/lists.ts';
import { SavedViewFilters } from '../../contract/memory-resources.ts';
import { MetricCardPage, versions } from '../../contract/metrics.ts';
import {
  any,
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
  uuid,
} from '../../contract/schema.ts';
import type { Failure } from '../../core/errors.ts';

const closed = { additionalProperties: false } as const;
const text = (description: string) => string({ minLength: 1, description });
const optionalText = nullable(string());
const company = text('slug of a company of this file, or the name or id of one in the database');
const user = text('email (or id) of a user of this file or of the database');
const id = uuid({ description: 'default: derived from the names, the same at every load' });
const stamps = { created_at: dateTime(), updated_at: dateTime() };

/** `2006` is a number in YAML and a period all the same. */
const period = { type: ['string', 'integer'], description: '2006-01, 2006-Q1 or 2006' } as Schema<string | number>;

export const SeedCompany = object(
  {
    slug: text('how this file names the company; default: derived from the name'),
    id,
    name: text('shown to people'),
    vertical: optionalText,
    stage: optionalText,
    currency: string({ pattern: '^[A-Z]{3}$', default: 'USD', description: 'ISO 4217' }),
    created_at: dateTime(),
  },
  { required: ['name'], ...closed },
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

const SeedOption = object(
  {
    id: string({ minLength: 1, description: 'default: the label in lower case' }),
    label: string({ minLength: 1 }),
    tone: nullable(oneOf(tones)),
    color: optionalText,
  },
  { required: ['label'], ...closed },
);

export const SeedAttribute = object(
  {
    id,
    name: text('the heading'),
    slug: text('default: derived from the name'),
    attribute_type: oneOf(attributeTypes),
    config: object(
      {
        options: array(SeedOption),
        retired: array(SeedOption, { description: 'removed options that values may still name' }),
        currency: string(),
        min: number(),
        max: number(),
      },
      closed,
    ),
    is_required: boolean(),
    position: integer({ description: 'default: its place in the file' }),
    ...stamps,
  },
  { required: ['name', 'attribute_type'], ...closed },
);
export type SeedAttribute = Infer<typeof SeedAttribute>;

export const SeedEntry = object(
  {
    id,
    title: string({ minLength: 1 }),
    values: record(any(), { description: 'by attribute slug; options by label or id' }),
    position: integer({ description: 'default: its place in the file' }),
    archived: boolean(),
    linked_entity_type: optionalText,
    linked_entity_id: nullable(uuid()),
    created_by: nullable(user),
    loop: object({ queued_at: dateTime(), steps: integer({ minimum: 1 }) }, { required: ['queued_at', 'steps'] }),
    ...stamps,
  },
  { required: ['title'], ...closed },
);
export type SeedEntry = Infer<typeof SeedEntry>;

export const SeedList = object(
  {
    id,
    company,
    name: text('shown to people'),
    slug: text('default: derived from the name'),
    description: optionalText,
    icon: optionalText,
    color: optionalText,
    entity_type: string({ minLength: 1 }),
    context_type: optionalText,
    is_system: boolean(),
    position: integer({ description: 'default: its place in the file' }),
    created_by: nullable(user),
    attributes: array(SeedAttribute),
    entries: array(SeedEntry),
    ...stamps,
  },
  { required: ['company', 'name'], ...closed },
);
export type SeedList = Infer<typeof SeedList>;

export const SeedView = object(
  {
    id,
    company,
    name: text('shown to people'),
    description: optionalText,
    icon: optionalText,
    room_id: nullable(uuid()),
    filters: SavedViewFilters,
    position: integer(),
    is_pinned: boolean(),
    created_by: nullable(user),
    ...stamps,
  },
  { required: ['company', 'name', 'filters'], ...closed },
);
export type SeedView = Infer<typeof SeedView>;

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

/** A seed, or a part of one that is read while it is loaded, and the failure for a path of it. */
export interface SeedSource {
  seed: Seed;
  fail(path: string, message: string): Failure;
}

/** The JSON Schema that ships with the package. */
export function seedSchemaDocument(): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...Seed };
}
