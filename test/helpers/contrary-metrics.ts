/** Company metrics of the contrary server. */
import { randomUUID } from 'node:crypto';
import { type Answer, type Call, literal, type Route, refuse, stamp } from './contrary-server.ts';

interface Row {
  periodKey: string;
  periodType: string;
  version: string;
  metrics: Record<string, string | null>;
  source: string | null;
}

type Grant = Record<string, unknown> & { id: string; company_id: string; status: string; revoked_at?: string };

export interface Metrics {
  company: string;
  investor: string;
  rows: Row[];
  grants: Grant[];
  preferences: Map<string, Record<string, unknown>>;
}

/** 30 months of actuals, and budgets at every grain; the digits go out as they stand here. */
export function seedMetrics(company: string, investor: string): Metrics {
  const rows: Row[] = [];
  const add = (periodType: string, periodKey: string, version: string, index: number) =>
    rows.push({
      periodKey,
      periodType,
      version,
      // The odd months have no headcount; a null and an absent value are both missing.
      metrics: {
        mrr: literal(`${1000 + index}.50`),
        nps_raw: literal('-0.10'),
        ...(index % 2 === 0 ? { headcount: literal('12') } : index % 3 === 0 ? { headcount: null } : {}),
      },
      source: version === 'actual' ? null : 'plan v2',
    });
  for (let index = 0; index < 30; index += 1) {
    const month = `${2022 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
    add('month', month, 'actual', index);
    add('month', month, 'budget', index);
  }
  for (let index = 0; index < 8; index += 1)
    add('quarter', `${2022 + Math.floor(index / 4)}-Q${(index % 4) + 1}`, 'budget', index);
  for (const year of [2022, 2023]) add('year', String(year), 'forecast', year);
  const grant = (fields: Record<string, unknown>): Grant => ({
    id: randomUUID().toUpperCase(),
    company_id: company,
    recipient_company_id: investor,
    scope: ['metrics', 'documents'],
    metric_ids: ['mrr'],
    include_historical: true,
    status: 'active',
    created_at: stamp(1),
    weight: 3,
    ...fields,
  });
  const grants = [
    grant({ note: 'for the board' }),
    grant({ status: 'withdrawn', revoked_at: stamp(9) }),
    grant({ status: 'lapsed', expires_at: stamp(-9000) }),
    grant({ company_id: investor, recipient_company_id: company }),
  ];
  return { company, investor, rows, grants, preferences: new Map() };
}

export function metricRoutes(state: Metrics): Route[] {
  const bearer = 'Bearer' as const;
  return [
    {
      method: 'GET',
      path: /^\/api\/company\/metrics$/,
      credential: bearer,
      company: 'required',
      handle: () => live(state),
    },
    {
      method: 'GET',
      path: /^\/api\/metrics\/catalog$/,
      credential: bearer,
      handle: ({ query, options }) => ({
        status: 200,
        body: { ...catalog(state, options.metrics), companyId: query.get('companyId') ?? state.company },
      }),
    },
    { method: 'GET', path: /^\/api\/metrics\/series$/, credential: bearer, handle: (call) => series(state, call) },
    {
      method: 'GET',
      path: /^\/api\/metrics\/grants$/,
      credential: bearer,
      company: 'required',
      handle: ({ company }) => ({
        status: 200,
        body: { grants: state.grants.filter((grant) => grant.company_id === company), page: 1 },
      }),
    },
    {
      method: 'POST',
      path: /^\/api\/metrics\/grants$/,
      credential: bearer,
      company: 'body',
      handle({ body, company }) {
        if (!Array.isArray(body.scope) || !body.scope.includes('metrics')) return refuse(422, 'scope?');
        const { companyId: _own, ...fields } = body;
        const grant: Grant = {
          ...fields,
          id: randomUUID().toUpperCase(),
          company_id: String(company),
          status: 'active',
          created_at: stamp(5),
        };
        state.grants.push(grant);
        return { status: 200, body: { grant, warnings: [] } };
      },
    },
    {
      method: 'PATCH',
      path: /^\/api\/metrics\/grants\/([^/]+)\/revoke$/,
      credential: bearer,
      company: 'required',
      handle({ ids, company }) {
        const grant = state.grants.find(
          (own) => own.id.toLowerCase() === ids[0]?.toLowerCase() && own.company_id === company,
        );
        // One refusal for a grant that is not active and for one that is not there.
        if (grant?.status !== 'active') return refuse(400, 'this grant cannot be revoked');
        Object.assign(grant, { status: 'withdrawn', revoked_at: stamp(99) });
        return { status: 202, body: { grant } };
      },
    },
    {
      method: 'GET',
      path: /^\/api\/metrics\/preferences$/,
      credential: 'Session',
      handle: ({ query }) => {
        const vcCompanyId = query.get('vcCompanyId');
        if (vcCompanyId === null) return refuse(422, 'whose?');
        // Never saved: the arrays are not there at all.
        return {
          status: 200,
          body: { preferences: state.preferences.get(vcCompanyId.toUpperCase()) ?? { vcCompanyId } },
        };
      },
    },
    {
      method: 'POST',
      path: /^\/api\/metrics\/preferences$/,
      credential: 'Session',
      handle({ body }) {
        const key = String(body.vcCompanyId).toUpperCase();
        const saved = { ...state.preferences.get(key), ...body, id: randomUUID(), updatedAt: stamp(7), theme: 'night' };
        state.preferences.set(key, saved);
        return { status: 201, body: { preferences: saved } };
      },
    },
    {
      method: 'GET',
      path: /^\/api\/metrics\/published\/([^/]+)$/,
      credential: bearer,
      handle: (call) => published(state, call),
    },
  ];
}

function live({ rows }: Metrics): Answer {
  const last = rows.filter(({ version }) => version === 'actual').at(-1);
  const metrics = Object.fromEntries(Object.entries(last?.metrics ?? {}).filter(([, value]) => value !== null));
  const body = {
    metrics,
    source: 'company_metrics_live',
    mode: 'live_actual',
    currency: 'CHF',
    periodKey: last?.periodKey,
    period: null,
    asOf: null,
    age: 1,
  };
  return { status: 200, body };
}

function catalog({ company }: Metrics, more: readonly string[] = []) {
  const definition = (metricId: string, label: string, further = {}) => ({
    metricId,
    label,
    custom: false,
    archived: false,
    ...further,
  });
  return {
    companyId: company,
    currency: 'CHF',
    sourceBoundary: 'company_internal',
    definitions: [
      definition('mrr', 'Recurring', { unit: 'currency', aggregation: 'last', direction: 'up' }),
      definition('headcount', 'People', { aggregation: 'median', direction: 'sideways' }),
      definition('nps_raw', 'NPS', { custom: true, aggregation: null, unit: null }),
      ...more.map((id) => definition(id, id)),
    ],
  };
}

function series({ company, rows }: Metrics, { query, options }: Call): Answer {
  const periodType = query.get('periodType') ?? '';
  const versions = (query.get('versions') ?? 'actual').split(',');
  if (!/^(month|quarter|year)$/.test(periodType)) return refuse(422, 'periodType?');
  if (versions.includes('actual') && periodType !== 'month') return refuse(422, 'actuals are monthly', { rule: 1 });
  const ids = query.get('metricIds')?.split(',');
  const order = query.get('order') ?? 'desc';
  const from = query.get('fromPeriod');
  const to = query.get('toPeriod');
  const picked = rows
    .filter((row) => row.periodType === periodType && versions.includes(row.version))
    .filter(({ periodKey }) => (from === null || periodKey >= from) && (to === null || periodKey <= to))
    .sort((a, b) => (order === 'asc' ? 1 : -1) * (a.periodKey < b.periodKey ? -1 : a.periodKey > b.periodKey ? 1 : 0))
    .map((row) => ({
      ...row,
      metrics: Object.fromEntries(Object.entries(row.metrics).filter(([id]) => ids?.includes(id) ?? true)),
      updatedAt: stamp(3),
      grade: 'b',
    }));
  const start = Number(query.get('cursor')?.replace(/^at~/, '') ?? 0);
  const limit = Number(query.get('limit') ?? 24);
  const end = start + Math.min(limit, options.maxRows ?? 7);
  const items = picked.slice(start, end);
  const observations = items.flatMap(({ periodKey, version, metrics }) =>
    Object.entries(metrics).map(([metricId, value]) => ({
      metricId,
      value,
      periodKey,
      periodType,
      version,
      sourceBoundary: 'company_internal',
    })),
  );
  const truncated = end < picked.length;
  const echo = { metricIds: ids ?? [], periodType, versions, order, limit, fromPeriod: from, toPeriod: to };
  return {
    status: 200,
    body: {
      companyId: company,
      currency: 'CHF',
      sourceBoundary: 'company_internal',
      query: echo,
      items,
      observations,
      truncated,
      nextCursor: truncated ? `at~${end}` : null,
      cached: false,
    },
  };
}

function published(state: Metrics, { ids, query, options }: Call): Answer {
  const publisher = ids[0]?.toUpperCase();
  const grant = state.grants.find((own) => own.company_id === publisher && own.status === 'active');
  if (!grant) return refuse(404, 'nothing for you');
  const period = query.get('period')?.toUpperCase();
  const picked = state.rows
    .filter(
      (row) =>
        row.periodType === 'month' && row.version === 'actual' && (period === undefined || row.periodKey === period),
    )
    .filter(
      ({ periodKey }) =>
        periodKey >= (query.get('from') ?? '') && periodKey <= (query.get('to') ?? '9999').padEnd(7, '~'),
    );
  const start = Number(query.get('cursor')?.replace(/^p/, '') ?? 0);
  const end = start + Math.min(Number(query.get('limit') ?? 24), options.maxRows ?? 7);
  const periods = picked.slice(start, end).map(({ periodKey, periodType, metrics }, index) => ({
    periodKey,
    periodType,
    versionNumber: index + 1,
    data: metrics,
    units: { mrr: 'currency' },
    mood: 'fine',
  }));
  return {
    status: 200,
    body: {
      grantId: grant.id,
      scope: grant.scope,
      mode: 'published_grant',
      source: 'report_metric_snapshots',
      sourceBoundary: 'published_snapshot',
      missingPublication: false,
      company: { id: publisher, name: 'Contrary GmbH' },
      metrics: { summary: {}, periods },
      publication: { periodKey: picked.at(-1)?.periodKey, versionNumber: 3, sentAt: stamp(4) },
      ...(end < picked.length ? { truncated: true, nextCursor: `p${end}` } : { truncated: false }),
    },
  };
}
