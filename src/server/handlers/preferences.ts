import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import type { MetricPreferences } from '../../contract/metrics.ts';
import { forbidden } from '../model/failure.ts';
import { type PreferencesRow, preferencesOf, putPreferences } from '../store/metrics.ts';
import type { Caller, Handler } from './handler.ts';

export const getMetricPreferences: Handler<typeof operations.getMetricPreferences> = async (call) => {
  const { query, caller, store } = call;
  requireMember(caller, query.vcCompanyId);
  const row = await preferencesOf(store.db, query.vcCompanyId);
  return { body: { preferences: preferencesBody(query.vcCompanyId, row) } };
};

/** A field that is not sent stays as it was. */
export const setMetricPreferences: Handler<typeof operations.setMetricPreferences> = async (call) => {
  const { body, caller, now } = call;
  requireMember(caller, body.vcCompanyId);
  const at = now.toISOString();
  const cardPages = body.cardPages?.map(({ id, title, metricIds }) => ({ id, title, metricIds }));
  const row = await call.store.write(async (db) => {
    const before = await preferencesOf(db, body.vcCompanyId);
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
