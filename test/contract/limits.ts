/** The limits of the API, typed by hand, each with input that it accepts and rejects. It imports nothing of src/. */

export interface LimitRow {
  endpoint: string;
  rule: string;
  accept: Record<string, unknown>[];
  reject: Record<string, unknown>[];
}

const types = 'text number currency date url email select multi_select status checkbox rating';
const uuid = '0b6e4b0e-6f3c-4c55-9d8a-0a4b5c6d7e8f';
const ids = (count: number) => Array.from({ length: count }, (_, index) => `metric_${index}`).join(',');
const month = { periodType: 'month' };

/** Every limit of the API on a query, with input that it accepts and rejects. */
export const limits: LimitRow[] = [
  {
    endpoint: 'GET /api/lists/{listId}/entries',
    rule: '1 <= limit <= 500',
    accept: [{ limit: 1 }, { limit: 500 }],
    reject: [{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { limit: -1 }],
  },
  {
    endpoint: 'GET /api/lists/{listId}/entries',
    rule: 'offset >= 0',
    accept: [{ offset: 0 }, { offset: 1_000_000 }],
    reject: [{ offset: -1 }, { offset: 0.5 }],
  },
  {
    endpoint: 'GET /api/lists/{listId}/entries',
    rule: 'viewId is a uuid',
    accept: [{ viewId: uuid }],
    reject: [{ viewId: 'mine' }],
  },
  {
    endpoint: 'GET /api/lists/{listId}/entries',
    rule: 'booleans',
    accept: [{ archived: true, archivedOnly: false, withTotal: true }],
    reject: [{ archived: 'yes' }, { withTotal: 1 }],
  },
  {
    endpoint: 'GET /api/company/metrics',
    rule: 'period is current alone',
    accept: [{}, { period: 'current' }],
    reject: [{ period: '2006-01' }],
  },
  {
    endpoint: 'GET /api/metrics/published/{companyId}',
    rule: 'period: month or quarter',
    accept: [{ period: '2006-01' }, { period: '2006-Q4' }, { period: '2006-q1' }],
    reject: [{ period: '2006' }, { period: '2006-13' }, { period: '2006-Q5' }, { period: '06-01' }],
  },
  {
    endpoint: 'GET /api/metrics/published/{companyId}',
    rule: 'from: year, month or quarter',
    accept: [{ from: '2006' }, { from: '2006-12' }, { from: '2006-q2' }],
    reject: [{ from: '2006-00' }, { from: '2006-1' }, { from: 'x' }],
  },
  {
    endpoint: 'GET /api/metrics/published/{companyId}',
    rule: 'to: year, month or quarter',
    accept: [{ to: '2006' }, { to: '2006-12' }, { to: '2006-Q2' }],
    reject: [{ to: '2006-Q0' }, { to: '2006-01-01' }],
  },
  {
    endpoint: 'GET /api/metrics/published/{companyId}',
    rule: '1 <= limit <= 100',
    accept: [{ limit: 1 }, { limit: 100 }],
    reject: [{ limit: 0 }, { limit: 101 }],
  },
  {
    endpoint: 'GET /api/metrics/published/{companyId}',
    rule: 'cursor <= 500 characters',
    accept: [{ cursor: 'c'.repeat(500) }],
    reject: [{ cursor: 'c'.repeat(501) }],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'periodType is required',
    accept: [month],
    reject: [{}, { periodType: 'week' }],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'versions: actual, budget, forecast',
    accept: [
      { ...month, versions: 'actual' },
      { ...month, versions: 'forecast,budget,actual' },
    ],
    reject: [
      { ...month, versions: 'plan' },
      { ...month, versions: 'actual,' },
      { ...month, versions: '' },
    ],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'at most 50 metricIds',
    accept: [
      { ...month, metricIds: ids(1) },
      { ...month, metricIds: ids(50) },
    ],
    reject: [{ ...month, metricIds: ids(51) }],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'fromPeriod and toPeriod match periodType',
    accept: [
      { ...month, fromPeriod: '2006-01', toPeriod: '2006-01' },
      { periodType: 'quarter', versions: 'budget', fromPeriod: '2006-Q1' },
      { periodType: 'year', versions: 'forecast', toPeriod: '2006' },
    ],
    reject: [
      { ...month, fromPeriod: '2006-Q1' },
      { ...month, toPeriod: '2006' },
      { periodType: 'year', versions: 'budget', fromPeriod: '2006-01' },
      { periodType: 'quarter', versions: 'budget', fromPeriod: '2006-q1' },
    ],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'a bounded window holds at most 60 periods',
    accept: [
      { ...month, fromPeriod: '2006-01', toPeriod: '2010-12' },
      { periodType: 'quarter', versions: 'budget', fromPeriod: '2006-Q1', toPeriod: '2020-Q4' },
      { periodType: 'year', versions: 'budget', fromPeriod: '1961', toPeriod: '2020' },
    ],
    reject: [
      { ...month, fromPeriod: '2006-01', toPeriod: '2011-01' },
      { periodType: 'quarter', versions: 'budget', fromPeriod: '2006-Q1', toPeriod: '2021-Q1' },
      { periodType: 'year', versions: 'budget', fromPeriod: '1960', toPeriod: '2020' },
    ],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'actuals at month grain alone',
    accept: [{ periodType: 'quarter', versions: 'budget,forecast' }],
    reject: [{ periodType: 'quarter' }, { periodType: 'year', versions: 'budget,actual' }],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'order: asc or desc',
    accept: [
      { ...month, order: 'asc' },
      { ...month, order: 'desc' },
    ],
    reject: [{ ...month, order: 'up' }],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: '1 <= limit <= 100',
    accept: [
      { ...month, limit: 1 },
      { ...month, limit: 100 },
    ],
    reject: [
      { ...month, limit: 0 },
      { ...month, limit: 101 },
    ],
  },
  {
    endpoint: 'GET /api/metrics/series',
    rule: 'cursor <= 500 characters',
    accept: [{ ...month, cursor: 'c'.repeat(500) }],
    reject: [{ ...month, cursor: 'c'.repeat(501) }],
  },
];

/** The same for bodies. */
export const bodyLimits: LimitRow[] = [
  { endpoint: 'POST /api/lists', rule: 'name is required', accept: [{ name: 'Deals' }], reject: [{}, { name: 1 }] },
  {
    endpoint: 'POST /api/lists/{listId}/attributes',
    rule: 'name and attribute_type are required',
    accept: types.split(' ').map((attribute_type) => ({ name: 'A', attribute_type })),
    reject: [{ name: 'A' }, { attribute_type: 'text' }, { name: 'A', attribute_type: 'money' }],
  },
  {
    endpoint: 'PATCH /api/lists/{listId}/attributes',
    rule: 'id is required',
    accept: [{ id: uuid }],
    reject: [{}, { id: 'stage' }],
  },
  {
    endpoint: 'POST /api/lists/{listId}/entries',
    rule: 'title is required',
    accept: [{ title: 'Acme' }],
    reject: [{}, { title: null }],
  },
  {
    endpoint: 'PATCH /api/lists/{listId}/entries',
    rule: 'id is required',
    accept: [{ id: uuid }],
    reject: [{ title: 'Acme' }, { id: 'Acme' }],
  },
  {
    endpoint: 'PATCH /api/lists/{listId}',
    rule: 'all fields are optional',
    accept: [{}, { name: 'B' }],
    reject: [{ name: 7 }],
  },
  {
    endpoint: 'POST /api/lists/{listId}/entries/{entryId}/loop-step',
    rule: 'all fields are optional',
    accept: [{}, { anything: [1] }],
    reject: [],
  },
  {
    endpoint: 'POST /api/lists/templates/instantiate',
    rule: 'templateId is required',
    accept: [{ templateId: 'x' }],
    reject: [{}, { templateId: 3 }],
  },
  {
    endpoint: 'POST /api/metrics/grants',
    rule: 'scope contains metrics',
    accept: [{ scope: ['metrics'] }, { scope: ['reports', 'metrics'] }],
    reject: [{}, { scope: [] }, { scope: ['reports'] }, { scope: 'metrics' }],
  },
  {
    endpoint: 'POST /api/metrics/preferences',
    rule: 'vcCompanyId is required',
    accept: [{ vcCompanyId: uuid }],
    reject: [{}, { vcCompanyId: 'us' }],
  },
];
