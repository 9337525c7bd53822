/** Company metrics: operations, in the order of docs/api.md, "Metric operations". */
import { periodTypes } from '../core/periods.ts';
import {
  CompanyMetricSeriesResponse,
  CompanyMetrics,
  cursorMaxLength,
  grantScope,
  MetricCardPage,
  MetricCatalogResponse,
  MetricGrant,
  MetricPreferences,
  orders,
  PublishedMetricsResponse,
  scopes,
} from './metrics.ts';
import { operation } from './operation.ts';
import { actualsAreMonthly, publishedRules, seriesRules } from './rules.ts';
import { array, boolean, dateTime, integer, object, oneOf, string, uuid } from './schema.ts';

const companyId = { companyId: uuid({ description: 'the company' }) };
const companyQuery = object(companyId, { required: ['companyId'] });
const ofCredential = 'if no company is given, it is the company of the API key or OAuth access token';
const page = {
  limit: integer({ minimum: 1, maximum: 100, default: 24, description: 'rows in one page' }),
  cursor: string({ maxLength: cursorMaxLength, description: 'nextCursor of the previous page' }),
};

export const getLiveMetrics = operation({
  id: 'getLiveMetrics',
  method: 'GET',
  path: '/api/company/metrics',
  credential: 'key',
  summary: 'Read the latest live actuals of a company',
  company: { in: 'query', required: true, alsoInHeader: true },
  query: object(
    { ...companyId, period: oneOf(['current'], { default: 'current', description: 'only `current` exists' }) },
    { required: ['companyId'] },
  ),
  result: CompanyMetrics,
  errors: 2,
  success: 200,
  notes: ['only the latest live actuals are returned; `getMetricSeries` has the history'],
});

export const getMetricCatalog = operation({
  id: 'getMetricCatalog',
  method: 'GET',
  path: '/api/metrics/catalog',
  credential: 'key',
  oauth: true,
  summary: 'Read the metric definitions of a company',
  company: { in: 'query', required: false },
  query: object(companyId),
  result: MetricCatalogResponse,
  errors: 3,
  success: 200,
  notes: [ofCredential],
});

export const listGrants = operation({
  id: 'listGrants',
  method: 'GET',
  path: '/api/metrics/grants',
  credential: 'key',
  summary: 'List the metric grants of a company',
  company: { in: 'query', required: true },
  query: companyQuery,
  result: object({ grants: array(MetricGrant) }, { required: ['grants'] }),
  envelope: 'grants',
  errors: 1,
  success: 200,
});

export const createGrant = operation({
  id: 'createGrant',
  method: 'POST',
  path: '/api/metrics/grants',
  credential: 'key',
  summary: 'Grant metrics to a company or a user',
  company: { in: 'body', required: true },
  body: object(
    {
      ...companyId,
      scope: array(string(), { contains: { const: grantScope } }),
      recipient_company_id: uuid(),
      recipient_user_id: uuid(),
      metric_ids: array(string()),
      include_historical: boolean(),
      note: string(),
      expires_at: dateTime(),
    },
    { required: ['companyId', 'scope'] },
  ),
  result: object({ grant: MetricGrant }, { required: ['grant'] }),
  envelope: 'grant',
  errors: 3,
  success: 201,
});

export const revokeGrant = operation({
  id: 'revokeGrant',
  method: 'PATCH',
  path: '/api/metrics/grants/{id}/revoke',
  credential: 'key',
  summary: 'Revoke a metric grant',
  company: { in: 'query', required: true },
  params: object({ id: uuid({ description: 'the grant' }) }, { required: ['id'] }),
  query: companyQuery,
  result: object({ grant: MetricGrant }, { required: ['grant'] }),
  envelope: 'grant',
  errors: 5,
  success: 200,
  destructive: true,
});

const investor = { vcCompanyId: uuid({ description: 'the investor company' }) };

export const getMetricPreferences = operation({
  id: 'getMetricPreferences',
  method: 'GET',
  path: '/api/metrics/preferences',
  credential: 'session',
  summary: 'Read the metric display preferences of an investor',
  company: { in: 'header', required: false },
  query: object(investor, { required: ['vcCompanyId'] }),
  result: object({ preferences: MetricPreferences }, { required: ['preferences'] }),
  envelope: 'preferences',
  errors: 2,
  success: 200,
});

export const setMetricPreferences = operation({
  id: 'setMetricPreferences',
  method: 'POST',
  path: '/api/metrics/preferences',
  credential: 'session',
  summary: 'Write the metric display preferences of an investor',
  company: { in: 'header', required: false },
  body: object(
    {
      ...investor,
      requestedMetrics: array(string()),
      tableColumns: array(string()),
      cardPages: array(MetricCardPage),
    },
    { required: ['vcCompanyId'] },
  ),
  result: object({ preferences: MetricPreferences }, { required: ['preferences'] }),
  envelope: 'preferences',
  errors: 2,
  success: 200,
});

export const getPublishedMetrics = operation({
  id: 'getPublishedMetrics',
  method: 'GET',
  path: '/api/metrics/published/{companyId}',
  credential: 'key',
  summary: 'Read what a company published to you under a grant',
  company: { in: 'header', required: false },
  params: object({ companyId: uuid({ description: 'the publishing company' }) }, { required: ['companyId'] }),
  query: object({
    period: string({
      pattern: '^\\d{4}-(?:(?:0[1-9]|1[0-2])|[qQ][1-4])$',
      says: 'a month or quarter such as 2006-01 or 2006-Q1',
      description: 'one published month or quarter; needs historical access',
    }),
    from: string({
      pattern: '^\\d{4}(?:-(?:0[1-9]|1[0-2]|[qQ][1-4]))?$',
      says: 'a month, quarter or year such as 2006-01, 2006-Q1 or 2006',
      description: 'first publication, inclusive; needs historical access',
    }),
    to: string({
      pattern: '^\\d{4}(?:-(?:0[1-9]|1[0-2]|[qQ][1-4]))?$',
      says: 'a month, quarter or year such as 2006-01, 2006-Q1 or 2006',
      description: 'last publication, inclusive; needs historical access',
    }),
    ...page,
  }),
  result: PublishedMetricsResponse,
  paging: 'cursor',
  rowsAt: ['metrics', 'periods'],
  errors: 4,
  success: 200,
  rules: publishedRules,
  notes: [
    '`period`, `from` and `to` need a grant with historical access',
    'without them the grant decides between the latest allowed publication and the historical set',
    'a cursor is valid only with the same company, bounds and grant',
  ],
});

const period = {
  pattern: '^\\d{4}(?:-(?:0[1-9]|1[0-2])|-Q[1-4])?$',
  says: 'a month, quarter or year such as 2006-01, 2006-Q1 or 2006',
};

export const getMetricSeries = operation({
  id: 'getMetricSeries',
  method: 'GET',
  path: '/api/metrics/series',
  credential: 'key',
  oauth: true,
  summary: 'Read metric history, budgets and forecasts',
  company: { in: 'query', required: false },
  query: object(
    {
      ...companyId,
      periodType: oneOf(periodTypes, { description: 'the one storage grain of the request' }),
      versions: string({ default: 'actual', description: 'comma-separated: actual, budget, forecast' }),
      metricIds: string({ description: 'comma-separated metric ids, at most 50' }),
      fromPeriod: string({ ...period, description: 'first period, inclusive' }),
      toPeriod: string({ ...period, description: 'last period, inclusive' }),
      order: oneOf(orders, { default: 'desc', description: 'by period' }),
      ...page,
    },
    { required: ['periodType'] },
  ),
  result: CompanyMetricSeriesResponse,
  paging: 'cursor',
  rowsAt: ['items'],
  echo: 'query',
  errors: 4,
  success: 200,
  rules: seriesRules,
  notes: [
    actualsAreMonthly.description,
    'budgets and forecasts are stored at month, quarter and year grain',
    `actuals need the scope \`${scopes.actuals}\`; budgets and forecasts need \`${scopes.plans}\``,
    'if there are more rows than the page holds, `truncated` is true and `nextCursor` continues',
    'a cursor is valid only with the same `periodType`, `order`, `versions`, `metricIds` and bounds',
    ofCredential,
  ],
});
