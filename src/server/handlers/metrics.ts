import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import { type MetricPreferences, scopes, type Version } from '../../contract/metrics.ts';
import { forbidden, invalid, notFound } from '../model/failure.ts';
import { catalogOf } from '../store/catalog.ts';
import { newestActuals, numberOf, type PreferencesRow, putPreferences } from '../store/metrics.ts';
import type { CompanyRow } from '../store/people.ts';
import type { Db } from '../store/schema.ts';
import { findRow, findRows } from '../store/tables.ts';
import type { Caller, Handler } from './handler.ts';

export const getLiveMetrics: Handler<typeof operations.getLiveMetrics> = async ({ company: id, caller, store }) => {
  requireScopes(caller, ['actual']);
  const [company, points] = await store.read(async (db) => {
    const row = await requireCompany(db, id);
    return [row, await newestActuals(db, row.id)] as const;
  });
  const [first] = points;
  const metrics = Object.fromEntries(
    points.flatMap(({ metric_id, value }) => (value === null ? [] : [[metric_id, numberOf(value)]])),
  );
  const period = first?.period_key ?? null;
  const asOf =
    points
      .map(({ updated_at }) => updated_at)
      .sort()
      .at(-1) ?? null;
  const source = first === undefined ? 'none' : 'company_metrics_actual';
  return {
    body: { metrics, source, mode: 'live_actual', currency: company.currency, periodKey: period, period, asOf },
  };
};

export const getMetricCatalog: Handler<typeof operations.getMetricCatalog> = async ({ company: id, store }) => {
  const body = await store.read(async (db) => {
    const company = await requireCompany(db, id);
    return {
      companyId: company.id,
      currency: company.currency,
      sourceBoundary: 'company_internal' as const,
      definitions: catalogOf(
        await findRows(db, 'metric_definitions', { company_id: company.id }, 'position', 'metric_id'),
      ),
    };
  });
  return { body };
};

/** The company that the call acts on. The caller's membership was checked before. */
export async function requireCompany(db: Db, id: string | undefined): Promise<CompanyRow> {
  if (id === undefined) throw invalid({ path: 'companyId', message: 'is required' });
  const company = await findRow(db, 'companies', { id });
  if (company === undefined) throw notFound('company', id);
  return company;
}

/** docs/api.md, "Series rules" 3; live metrics are actuals too (docs/server.md, "Metrics"). */
export function requireScopes(caller: Caller, versions: readonly Version[]): void {
  const needed = new Set(versions.map((version) => (version === 'actual' ? scopes.actuals : scopes.plans)));
  for (const scope of needed) {
    if (!caller.scopes.has(scope)) {
      const named = versions.filter((version) => (version === 'actual') === (scope === scopes.actuals)).join(' and ');
      throw forbidden(`Reading ${named} requires the scope ${scope}, which this credential does not have`);
    }
  }
}

export const getMetricPreferences: Handler<typeof operations.getMetricPreferences> = async (call) => {
  const { query, caller, store } = call;
  requireMember(caller, query.vcCompanyId);
  const row = await findRow(store.db, 'metric_preferences', { company_id: query.vcCompanyId });
  return { body: { preferences: preferencesBody(query.vcCompanyId, row) } };
};

/** A field that is not sent stays as it was. */
export const setMetricPreferences: Handler<typeof operations.setMetricPreferences> = async (call) => {
  const { body, caller, now } = call;
  requireMember(caller, body.vcCompanyId);
  const at = now.toISOString();
  const cardPages = body.cardPages?.map(({ id, title, metricIds }) => ({ id, title, metricIds }));
  const row = await call.store.write(async (db) => {
    const before = await findRow(db, 'metric_preferences', { company_id: body.vcCompanyId });
    const after: PreferencesRow = {
      id: before?.id ?? randomUUID(),
      company_id: body.vcCompanyId,
      requested_metrics: body.requestedMetrics
        ? JSON.stringify(body.requestedMetrics)
        : (before?.requested_metrics ?? '[]'),
      table_columns: body.tableColumns ? JSON.stringify(body.tableColumns) : (before?.table_columns ?? '[]'),
      card_pages: cardPages ? JSON.stringify(cardPages) : (before?.card_pages ?? '[]'),
      created_at: before?.created_at ?? at,
      updated_at: at,
    };
    await putPreferences(db, after);
    return after;
  }, body.vcCompanyId);
  return { body: { preferences: preferencesBody(body.vcCompanyId, row) } };
};

function requireMember(caller: Caller, companyId: string): void {
  if (!caller.companies.has(companyId)) {
    throw forbidden(`The caller is not a member of the investor company ${companyId}`);
  }
}

/** Preferences that were never saved are empty and have no id. */
function preferencesBody(vcCompanyId: string, row: PreferencesRow | undefined): MetricPreferences {
  if (row === undefined) return { vcCompanyId, requestedMetrics: [], tableColumns: [], cardPages: [] };
  return {
    id: row.id,
    vcCompanyId,
    requestedMetrics: JSON.parse(row.requested_metrics) as string[],
    tableColumns: JSON.parse(row.table_columns) as string[],
    cardPages: JSON.parse(row.card_pages) as NonNullable<MetricPreferences['cardPages']>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
