/** Company metrics: resources and vocabularies (docs/api.md, "Metric resources"). */
import { periodTypes } from '../core/periods.ts';
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
  string,
  uuid,
} from './schema.ts';

/** Versions that actuals are compared with; they also exist by quarter and year. */
export const planVersions = ['budget', 'forecast'] as const;
export type PlanVersion = (typeof planVersions)[number];

/** In the order of the series endpoint, which is alphabetical: databases sort by it. */
export const versions = ['actual', ...planVersions] as const;
export type Version = (typeof versions)[number];
export const versionsText = versions.join(', ');

export const orders = ['asc', 'desc'] as const;

/** The documented names of live metrics; any further numeric key may appear. */
export const knownMetrics = [
  'mrr',
  'arr',
  'runway',
  'headcount',
  'customer_count',
  'churn_rate',
  'mrr_growth',
  'burn',
  'nrr',
  'ltv',
  'cac',
  'ltv_cac_ratio',
] as const;

/** The documented scopes (docs/api.md, "Credentials" 5). */
export const scopes = { actuals: 'metrics.actuals:read', plans: 'metrics.plans:read' } as const;

/** The one value that a grant's `scope` must contain. */
export const grantScope = 'metrics';

export const grantStatuses = ['active', 'revoked', 'expired'] as const;

/** The longest cursor that the API accepts, in characters. */
export const cursorMaxLength = 500;

export const CompanyMetrics = object(
  {
    metrics: record(number(), {
      description: 'by metric id, such as mrr (monthly recurring revenue) and arr (annual recurring revenue)',
    }),
    source: oneOf(['company_metrics_actual', 'none']),
    mode: oneOf(['live_actual']),
    currency: string(),
    periodKey: nullable(string()),
    period: nullable(string()),
    asOf: nullable(dateTime()),
  },
  { title: 'CompanyMetrics' },
);
export type CompanyMetrics = Infer<typeof CompanyMetrics>;

export const MetricDefinition = object(
  {
    metricId: string(),
    label: string(),
    unit: nullable(string()),
    unitLabel: nullable(string()),
    cadence: nullable(string()),
    aggregation: nullable(string()),
    valueSemantics: nullable(string()),
    direction: nullable(string()),
    description: nullable(string()),
    custom: boolean(),
    archived: boolean(),
  },
  { required: ['metricId', 'label', 'custom', 'archived'], title: 'MetricDefinition' },
);
export type MetricDefinition = Infer<typeof MetricDefinition>;

const internalBoundary = oneOf(['company_internal']);

export const MetricCatalogResponse = object(
  { companyId: uuid(), currency: string(), sourceBoundary: internalBoundary, definitions: array(MetricDefinition) },
  { required: ['companyId', 'currency', 'sourceBoundary', 'definitions'], title: 'MetricCatalogResponse' },
);
export type MetricCatalogResponse = Infer<typeof MetricCatalogResponse>;

export const MetricSeriesItem = object(
  {
    periodKey: string(),
    periodType: oneOf(periodTypes),
    version: oneOf(versions),
    metrics: record(nullable(number())),
    source: nullable(string()),
    updatedAt: nullable(dateTime()),
  },
  { required: ['periodKey', 'periodType', 'version', 'metrics'], title: 'MetricSeriesItem' },
);
export type MetricSeriesItem = Infer<typeof MetricSeriesItem>;

export const MetricObservation = object(
  {
    metricId: string(),
    value: nullable(number()),
    unit: nullable(string()),
    currency: nullable(string()),
    periodKey: string(),
    periodType: oneOf(periodTypes),
    version: oneOf(versions),
    sourceBoundary: internalBoundary,
    source: nullable(string()),
    updatedAt: nullable(dateTime()),
  },
  { required: ['metricId', 'periodKey', 'periodType', 'version', 'sourceBoundary'], title: 'MetricObservation' },
);
export type MetricObservation = Infer<typeof MetricObservation>;

export const SeriesQueryEcho = object(
  {
    metricIds: array(string()),
    fromPeriod: nullable(string()),
    toPeriod: nullable(string()),
    periodType: oneOf(periodTypes),
    versions: array(oneOf(versions)),
    order: oneOf(orders),
    limit: integer(),
  },
  { title: 'SeriesQueryEcho', description: 'The query as the server understood it.' },
);

export const CompanyMetricSeriesResponse = object(
  {
    companyId: uuid(),
    currency: string(),
    sourceBoundary: internalBoundary,
    query: SeriesQueryEcho,
    items: array(MetricSeriesItem),
    observations: array(MetricObservation),
    nextCursor: nullable(string({ description: 'opaque' })),
    truncated: boolean(),
  },
  {
    required: ['companyId', 'currency', 'sourceBoundary', 'query', 'items', 'observations', 'truncated'],
    title: 'CompanyMetricSeriesResponse',
  },
);
export type CompanyMetricSeriesResponse = Infer<typeof CompanyMetricSeriesResponse>;

export const MetricGrant = object(
  {
    id: uuid(),
    company_id: uuid({ description: 'granting company' }),
    granted_by: uuid(),
    recipient_company_id: uuid(),
    recipient_user_id: uuid(),
    scope: array(string()),
    metric_ids: array(string()),
    include_historical: boolean(),
    status: string({ description: '`active` for an active grant' }),
    note: string(),
    expires_at: dateTime(),
    revoked_at: dateTime(),
    revoked_by: uuid(),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { title: 'MetricGrant' },
);
export type MetricGrant = Infer<typeof MetricGrant>;

export const MetricCardPage = object(
  { id: string(), title: string(), metricIds: array(string()) },
  { title: 'MetricCardPage' },
);

export const MetricPreferences = object(
  {
    id: uuid(),
    vcCompanyId: uuid(),
    requestedMetrics: array(string()),
    tableColumns: array(string()),
    cardPages: array(MetricCardPage),
    createdAt: dateTime(),
    updatedAt: dateTime(),
  },
  { title: 'MetricPreferences' },
);
export type MetricPreferences = Infer<typeof MetricPreferences>;

export const PublishedPeriod = object(
  {
    periodKey: string(),
    periodType: string(),
    reportId: uuid(),
    versionNumber: integer(),
    sentAt: dateTime(),
    data: anyObject(),
    units: record(string()),
    unitLabels: record(string()),
    currency: string(),
  },
  { title: 'PublishedPeriod' },
);
export type PublishedPeriod = Infer<typeof PublishedPeriod>;

export const PublishedMetricsResponse = object(
  {
    grantId: uuid(),
    scope: array(string()),
    expiresAt: dateTime(),
    mode: oneOf(['published_grant']),
    source: oneOf(['report_metric_snapshots']),
    sourceBoundary: oneOf(['published_snapshot']),
    missingPublication: boolean(),
    company: object({ id: uuid(), name: string(), vertical: string(), stage: string(), currency: string() }),
    metrics: object({ summary: anyObject(), periods: array(PublishedPeriod) }),
    publication: object({
      reportId: uuid(),
      periodKey: string(),
      versionNumber: integer(),
      sentAt: dateTime(),
      shareToken: string(),
      viewerPolicy: anyObject(),
    }),
    truncated: boolean(),
    nextCursor: string({ description: 'opaque' }),
  },
  { title: 'PublishedMetricsResponse' },
);
export type PublishedMetricsResponse = Infer<typeof PublishedMetricsResponse>;
