/**
 * The operations of the API, typed by hand from its description. It imports nothing of src/: what the contract says is held against this table,
 * so that a slip in the contract is not repeated by its client, its server and their tests.
 */

export interface TableRow {
  method: string;
  path: string;
  credential: 'Session' | 'Bearer';
  /** `name:type`, `!` after a required one. */
  query: string;
  /** Fields that the body requires; undefined: no body. */
  body?: string;
  /** `A`, `array of A`, `{key: A}`, or `empty`. */
  success: string;
  /** Error bodies. */
  errors: number;
  /** How the company is named: by a query parameter, in the body, or only by the header. */
  company: 'query, required' | 'query, optional' | 'body, required' | 'header';
}

const entriesQuery =
  'archived:boolean archivedOnly:boolean viewId:uuid search:string filter:object limit:integer offset:integer withTotal:boolean';
const seriesQuery =
  'companyId:uuid periodType:month|quarter|year! versions:string metricIds:string fromPeriod:string toPeriod:string order:asc|desc limit:integer cursor:string';
const attributeTypes = 'text|number|currency|date|url|email|select|multi_select|status|checkbox|rating';

export const table: TableRow[] = [
  // Custom lists
  {
    method: 'GET',
    path: '/api/lists',
    credential: 'Session',
    query: 'companyId:uuid!',
    success: 'array of CustomListSummary',
    errors: 3,
    company: 'query, required',
  },
  {
    method: 'POST',
    path: '/api/lists',
    credential: 'Bearer',
    query: 'companyId:uuid!',
    body: 'name:string',
    success: 'CustomListSummary',
    errors: 5,
    company: 'query, required',
  },
  {
    method: 'GET',
    path: '/api/lists/{listId}',
    credential: 'Session',
    query: '',
    success: 'CustomListWithAttributes',
    errors: 3,
    company: 'header',
  },
  {
    method: 'PATCH',
    path: '/api/lists/{listId}',
    credential: 'Session',
    query: '',
    body: '',
    success: 'CustomListSummary',
    errors: 3,
    company: 'header',
  },
  {
    method: 'DELETE',
    path: '/api/lists/{listId}',
    credential: 'Session',
    query: '',
    success: 'empty',
    errors: 3,
    company: 'header',
  },
  {
    method: 'POST',
    path: '/api/lists/{listId}/attributes',
    credential: 'Session',
    query: '',
    body: `name:string attribute_type:${attributeTypes}`,
    success: 'CustomListAttribute',
    errors: 4,
    company: 'header',
  },
  {
    method: 'PATCH',
    path: '/api/lists/{listId}/attributes',
    credential: 'Session',
    query: '',
    body: 'id:uuid',
    success: 'CustomListAttribute',
    errors: 3,
    company: 'header',
  },
  {
    method: 'DELETE',
    path: '/api/lists/{listId}/attributes',
    credential: 'Session',
    query: 'attributeId:uuid!',
    success: 'empty',
    errors: 3,
    company: 'header',
  },
  {
    method: 'GET',
    path: '/api/lists/{listId}/entries',
    credential: 'Session',
    query: entriesQuery,
    success: 'array of CustomListEntry',
    errors: 4,
    company: 'header',
  },
  {
    method: 'POST',
    path: '/api/lists/{listId}/entries',
    credential: 'Session',
    query: '',
    body: 'title:string',
    success: 'CustomListEntry',
    errors: 3,
    company: 'header',
  },
  {
    method: 'PATCH',
    path: '/api/lists/{listId}/entries',
    credential: 'Session',
    query: '',
    body: 'id:uuid',
    success: 'CustomListEntry',
    errors: 4,
    company: 'header',
  },
  {
    method: 'DELETE',
    path: '/api/lists/{listId}/entries',
    credential: 'Session',
    query: 'entryId:uuid!',
    success: 'empty',
    errors: 3,
    company: 'header',
  },
  {
    method: 'POST',
    path: '/api/lists/{listId}/entries/{entryId}/loop-step',
    credential: 'Bearer',
    query: '',
    body: '',
    success: 'LoopStepResult',
    errors: 4,
    company: 'header',
  },
  {
    method: 'POST',
    path: '/api/lists/templates/instantiate',
    credential: 'Bearer',
    query: '',
    body: 'templateId:string',
    success: 'TemplateInstance',
    errors: 4,
    company: 'header',
  },
  // Metrics
  {
    method: 'GET',
    path: '/api/company/metrics',
    credential: 'Bearer',
    query: 'companyId:uuid! period:current',
    success: 'CompanyMetrics',
    errors: 2,
    company: 'query, required',
  },
  {
    method: 'GET',
    path: '/api/metrics/catalog',
    credential: 'Bearer',
    query: 'companyId:uuid',
    success: 'MetricCatalogResponse',
    errors: 3,
    company: 'query, optional',
  },
  {
    method: 'GET',
    path: '/api/metrics/grants',
    credential: 'Bearer',
    query: 'companyId:uuid!',
    success: '{grants: array of MetricGrant}',
    errors: 1,
    company: 'query, required',
  },
  {
    method: 'POST',
    path: '/api/metrics/grants',
    credential: 'Bearer',
    query: '',
    body: 'companyId:uuid scope:array',
    success: '{grant: MetricGrant}',
    errors: 3,
    company: 'body, required',
  },
  {
    method: 'PATCH',
    path: '/api/metrics/grants/{id}/revoke',
    credential: 'Bearer',
    query: 'companyId:uuid!',
    success: '{grant: MetricGrant}',
    errors: 5,
    company: 'query, required',
  },
  {
    method: 'GET',
    path: '/api/metrics/preferences',
    credential: 'Session',
    query: 'vcCompanyId:uuid!',
    success: '{preferences: MetricPreferences}',
    errors: 2,
    company: 'header',
  },
  {
    method: 'POST',
    path: '/api/metrics/preferences',
    credential: 'Session',
    query: '',
    body: 'vcCompanyId:uuid',
    success: '{preferences: MetricPreferences}',
    errors: 2,
    company: 'header',
  },
  {
    method: 'GET',
    path: '/api/metrics/published/{companyId}',
    credential: 'Bearer',
    query: 'period:string from:string to:string limit:integer cursor:string',
    success: 'PublishedMetricsResponse',
    errors: 4,
    company: 'header',
  },
  {
    method: 'GET',
    path: '/api/metrics/series',
    credential: 'Bearer',
    query: seriesQuery,
    success: 'CompanyMetricSeriesResponse',
    errors: 4,
    company: 'query, optional',
  },
];

/** Fields of the resources: `name:type`, `?` after a nullable one, `!` after a required one. */
export const fields: Record<string, string> = {
  ListSelectOption: 'id:string label:string tone:charcoal|taupe|stone|sand|cobalt|steel|sage|mint? color:string?',
  ListAttributeConfig: 'options:array currency:string min:number max:number',
  CustomListAttribute: `id:uuid list_id:uuid name:string slug:string attribute_type:${attributeTypes} config:object is_required:boolean position:integer created_at:date-time updated_at:date-time`,
  CustomListEntry:
    'id:uuid list_id:uuid title:string values:object position:integer archived:boolean linked_entity_type:string? linked_entity_id:uuid? created_by:uuid? created_at:date-time updated_at:date-time',
  CustomListSummary:
    'id:uuid network_id:uuid? company_id:uuid? name:string slug:string description:string? icon:string? color:string? entity_type:string context_type:string? is_system:boolean position:integer created_by:uuid? created_at:date-time updated_at:date-time list_attributes_count:integer',
  CustomListWithAttributes:
    'id:uuid network_id:uuid? company_id:uuid? name:string slug:string description:string? icon:string? color:string? entity_type:string context_type:string? is_system:boolean position:integer created_by:uuid? created_at:date-time updated_at:date-time list_attributes:array',
  LoopStepResult:
    'queued:boolean canStep:boolean state:string nextAction:string reason:string error:string note:string',
  CompanyMetrics:
    'metrics:object source:company_metrics_actual|none mode:live_actual currency:string periodKey:string? period:string? asOf:date-time?',
  MetricDefinition:
    'metricId:string! label:string! unit:string? unitLabel:string? cadence:string? aggregation:string? valueSemantics:string? direction:string? description:string? custom:boolean! archived:boolean!',
  MetricCatalogResponse: 'companyId:uuid! currency:string! sourceBoundary:company_internal! definitions:array!',
  MetricSeriesItem:
    'periodKey:string! periodType:month|quarter|year! version:actual|budget|forecast! metrics:object! source:string? updatedAt:date-time?',
  MetricObservation:
    'metricId:string! value:number? unit:string? currency:string? periodKey:string! periodType:month|quarter|year! version:actual|budget|forecast! sourceBoundary:company_internal! source:string? updatedAt:date-time?',
  CompanyMetricSeriesResponse:
    'companyId:uuid! currency:string! sourceBoundary:company_internal! query:object! items:array! observations:array! nextCursor:string? truncated:boolean!',
  MetricGrant:
    'id:uuid company_id:uuid granted_by:uuid recipient_company_id:uuid recipient_user_id:uuid scope:array metric_ids:array include_historical:boolean status:string note:string expires_at:date-time revoked_at:date-time revoked_by:uuid created_at:date-time updated_at:date-time',
  MetricPreferences:
    'id:uuid vcCompanyId:uuid requestedMetrics:array tableColumns:array cardPages:array createdAt:date-time updatedAt:date-time',
  PublishedMetricsResponse:
    'grantId:uuid scope:array expiresAt:date-time mode:published_grant source:report_metric_snapshots sourceBoundary:published_snapshot missingPublication:boolean company:object metrics:object publication:object truncated:boolean nextCursor:string',
};

/** Fields of objects inside the resources, by their place. */
export const nested: Record<string, string> = {
  'CompanyMetricSeriesResponse.query':
    'metricIds:array fromPeriod:string? toPeriod:string? periodType:month|quarter|year versions:array order:asc|desc limit:integer',
  'MetricPreferences.cardPages.*': 'id:string title:string metricIds:array',
  'PublishedMetricsResponse.company': 'id:uuid name:string vertical:string stage:string currency:string',
  'PublishedMetricsResponse.metrics': 'summary:object periods:array',
  'PublishedMetricsResponse.metrics.periods.*':
    'periodKey:string periodType:string reportId:uuid versionNumber:integer sentAt:date-time data:object units:object unitLabels:object currency:string',
  'PublishedMetricsResponse.publication':
    'reportId:uuid periodKey:string versionNumber:integer sentAt:date-time shareToken:string viewerPolicy:object',
  'TemplateInstance.template': 'id:string name:string description:string',
};
