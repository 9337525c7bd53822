/** An API without a database: one valid answer for each operation. Writes are echoed. */
import { operationAt } from '../../src/contract/index.ts';
import type { Transport } from '../../src/core/wire.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const ids = {
  list: uuid(11),
  other: uuid(12),
  attribute: uuid(21),
  entry: uuid(31),
  grant: uuid(41),
  investor: uuid(51),
};

type Fields = Record<string, unknown>;
const at = '2026-01-31T10:15:00Z';
const stamps = { created_at: at, updated_at: at };

const options = [
  { id: 'o1', label: 'Won', tone: 'mint', color: '#fff' },
  { id: 'o2', label: 'Lead', tone: null, color: null },
];
const attributes = [
  { id: ids.attribute, name: 'Stage', slug: 'stage', attribute_type: 'select', config: { options }, position: 0 },
  {
    id: uuid(22),
    name: 'Amount',
    slug: 'amount',
    attribute_type: 'currency',
    config: { currency: 'USD', min: 0 },
    position: 1,
  },
].map((one) => ({ ...one, list_id: ids.list, is_required: false, ...stamps }));

const list = {
  ...{ id: ids.list, network_id: null, company_id: null, name: 'Deals', slug: 'deals', description: 'all', icon: 'i' },
  ...{
    color: 'c',
    entity_type: 'deal',
    context_type: 'x',
    is_system: false,
    position: 0,
    created_by: ids.investor,
    ...stamps,
  },
};
const other = { ...list, id: ids.other, name: 'Other', slug: 'other', position: 1 };

const entries = ['Acme', 'Nova'].map((title, index) => ({
  ...{ id: uuid(31 + index), list_id: ids.list, title, values: { stage: index === 0 ? 'o1' : 'o2', amount: 12.5 } },
  ...{
    position: index,
    archived: false,
    linked_entity_type: 'x',
    linked_entity_id: ids.other,
    created_by: ids.investor,
  },
  ...stamps,
}));

const grants = [0, 1].map((index) => ({
  ...{ id: uuid(41 + index), granted_by: ids.investor, recipient_company_id: ids.other, recipient_user_id: uuid(61) },
  ...{ scope: ['metrics'], metric_ids: ['mrr'], include_historical: true, status: 'active', note: 'n' },
  ...{ expires_at: '2026-05-01T00:00:00Z', ...stamps },
}));

const definitions = ['mrr', 'arr'].map((metricId) => ({
  ...{ metricId, label: metricId.toUpperCase(), unit: 'currency', unitLabel: 'USD', cadence: 'month' },
  ...{
    aggregation: 'last',
    valueSemantics: 'stock',
    direction: 'up',
    description: 'd',
    custom: false,
    archived: false,
  },
}));

const sourceBoundary = 'company_internal';
const months = Array.from(
  { length: 26 },
  (_, n) => `${2024 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`,
);

function series(query: URLSearchParams): Fields {
  const [from = '', to = '9999'] = [query.get('fromPeriod') ?? '', query.get('toPeriod') ?? '9999'];
  const periodType = query.get('periodType');
  const keys = periodType === 'month' ? months.filter((key) => key >= from && key <= to) : [];
  if (query.get('order') !== 'asc') keys.reverse();
  const rows = keys.flatMap((periodKey) =>
    (query.get('versions') ?? 'actual').split(',').map((version) => ({ periodKey, periodType, version })),
  );
  const common = { source: 'books', updatedAt: at };
  const metrics = (query.get('metricIds') ?? 'mrr,arr').split(',');
  return {
    ...{
      companyId: query.get('companyId') ?? ids.investor,
      currency: 'USD',
      sourceBoundary,
      query: {},
      truncated: false,
      nextCursor: null,
    },
    items: rows.map((row) => ({ ...row, metrics: Object.fromEntries(metrics.map((id) => [id, 10])), ...common })),
    observations: rows.flatMap((row) =>
      metrics.map((metricId) => ({
        ...{ metricId, value: 10, unit: 'currency', currency: 'USD' },
        ...row,
        sourceBoundary,
        ...common,
      })),
    ),
  };
}

const preferences = {
  ...{ id: ids.investor, vcCompanyId: ids.investor, requestedMetrics: ['mrr'], tableColumns: ['mrr'] },
  ...{ cardPages: [{ id: 'p', title: 'P', metricIds: ['mrr'] }], createdAt: at, updatedAt: at },
};

const published = {
  ...{
    grantId: ids.grant,
    scope: ['metrics'],
    expiresAt: at,
    mode: 'published_grant',
    source: 'report_metric_snapshots',
  },
  ...{ sourceBoundary: 'published_snapshot', missingPublication: false, truncated: false },
  company: { id: ids.other, name: 'Lumen', vertical: 'v', stage: 's', currency: 'USD' },
  metrics: {
    summary: { mrr: 10 },
    periods: ['2026-01', '2025-12'].map((periodKey) => ({
      ...{ periodKey, periodType: 'month', reportId: ids.other, versionNumber: 1, sentAt: at, data: { mrr: 10 } },
      ...{ units: { mrr: 'currency' }, unitLabels: { mrr: 'USD' }, currency: 'USD' },
    })),
  },
  publication: {
    reportId: ids.other,
    periodKey: '2026-01',
    versionNumber: 1,
    sentAt: at,
    shareToken: 't',
    viewerPolicy: {},
  },
};

const answers: Record<string, (body: Fields, query: URLSearchParams, path: string) => unknown> = {
  listLists: () => [list, other],
  createList: (body) => ({ ...list, id: uuid(13), slug: 'new', ...body }),
  getList: (_, __, path) => ({
    ...(path.includes(ids.other) ? other : list),
    id: path.split('/').at(-1),
    list_attributes: attributes,
  }),
  updateList: (body, _, path) => ({ ...list, ...body, id: path.split('/').at(-1) }),
  createAttribute: (body, _, path) => ({
    ...attributes[1],
    list_id: path.split('/')[3],
    id: uuid(23),
    slug: 'new',
    ...body,
  }),
  updateAttribute: (body) => ({ ...attributes[0], ...body }),
  listEntries: (_, query, path) =>
    query.get('archivedOnly') || Number(query.get('offset')) > 0
      ? []
      : entries.map((entry) => ({ ...entry, list_id: path.split('/')[3] })),
  createEntry: (body) => ({ ...entries[0], id: uuid(39), values: {}, ...body, list_id: undefined }),
  updateEntry: (body) => ({ ...entries.find(({ id }) => id === body.id), ...body }),
  stepEntry: () => ({ queued: true, canStep: true, state: 'queued', nextAction: 'a', reason: 'r', note: 'n' }),
  instantiateTemplate: (body) => ({
    list: { ...list, id: uuid(14), ...body },
    template: { id: 'okrs', name: 'O', description: 'd' },
  }),
  getLiveMetrics: () => ({
    ...{ metrics: { mrr: 10, arr: 120 }, source: 'company_metrics_actual', mode: 'live_actual', currency: 'USD' },
    ...{ periodKey: '2026-01', period: '2026-01', asOf: at },
  }),
  getMetricCatalog: (_, query) => {
    return { companyId: query.get('companyId') ?? ids.investor, currency: 'USD', sourceBoundary, definitions };
  },
  listGrants: () => ({ grants }),
  createGrant: ({ companyId, ...body }) => ({ grant: { ...grants[0], id: uuid(49), company_id: companyId, ...body } }),
  revokeGrant: (_, __, path) => ({
    grant: { ...grants[0], id: path.split('/').at(-2), status: 'revoked', revoked_at: at },
  }),
  getMetricPreferences: (_, query) => ({ preferences: { ...preferences, vcCompanyId: query.get('vcCompanyId') } }),
  setMetricPreferences: (body) => ({ preferences: { ...preferences, ...body } }),
  getPublishedMetrics: (_, __, path) => {
    return { ...published, company: { ...published.company, id: path.split('/').at(-1) } };
  },
  getMetricSeries: (_, query) => series(query),
};

/** @param change what an operation answers instead; called with each valid answer */
export function cannedApi(change: (operation: string, answer: unknown) => unknown = (_, answer) => answer): Transport {
  return async ({ method, url, body }) => {
    const { pathname, searchParams } = new URL(url);
    const op = operationAt(method, pathname)?.id ?? '';
    const make = answers[op];
    const found = make
      ? change(op, make(body === undefined ? {} : JSON.parse(body), searchParams, pathname))
      : undefined;
    const headers: Record<string, string> = {};
    if (op === 'listEntries' && Array.isArray(found)) headers['x-list-total-count'] = String(found.length);
    if (op === '' || found === undefined) return { status: op === '' ? 404 : 204, headers, body: Buffer.from('') };
    return { status: 200, headers, body: Buffer.from(JSON.stringify(found)) };
  };
}
