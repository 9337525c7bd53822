import { randomUUID } from 'node:crypto';
import type { operations } from '../../contract/index.ts';
import {
  knownMetrics,
  type MetricDefinition,
  type MetricPreferences,
  scopes,
  type Version,
} from '../../contract/metrics.ts';
import { forbidden, invalid, notFound } from '../model/failure.ts';
import { type DefinitionRow, newestActuals, numberOf, type PreferencesRow, putPreferences } from '../store/metrics.ts';
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

type Known = [
  label: string,
  unit: Unit,
  aggregation: 'sum' | 'average' | 'last',
  direction: 'up' | 'down',
  says: string,
];
type Unit = 'currency' | 'months' | 'count' | 'percent' | 'ratio';

const known: Record<(typeof knownMetrics)[number], Known> = {
  mrr: ['MRR', 'currency', 'last', 'up', 'Monthly recurring revenue'],
  arr: ['ARR', 'currency', 'last', 'up', 'Annual recurring revenue'],
  runway: ['Runway', 'months', 'last', 'up', 'Months until the cash is used up'],
  headcount: ['Headcount', 'count', 'last', 'up', 'People employed at the end of the period'],
  customer_count: ['Customers', 'count', 'last', 'up', 'Paying customers at the end of the period'],
  churn_rate: ['Churn rate', 'percent', 'average', 'down', 'Customers lost in the period'],
  mrr_growth: ['MRR growth', 'percent', 'average', 'up', 'Growth of MRR over the previous period'],
  burn: ['Burn', 'currency', 'sum', 'down', 'Net cash spent in the period'],
  nrr: ['NRR', 'percent', 'average', 'up', 'Net revenue retention'],
  ltv: ['LTV', 'currency', 'average', 'up', 'Lifetime value of a customer'],
  cac: ['CAC', 'currency', 'average', 'down', 'Cost of winning a customer'],
  ltv_cac_ratio: ['LTV / CAC', 'ratio', 'average', 'up', 'Lifetime value over the cost of winning a customer'],
};

const unitLabels: Record<Unit, string | null> = {
  currency: null,
  months: 'months',
  count: null,
  percent: '%',
  ratio: 'x',
};
const semantics = { sum: 'flow', average: 'rate', last: 'point_in_time' } as const;

/** The known metrics in the order of the contract, each as the company may have changed it, then the company's own. */
export function catalogOf(rows: readonly DefinitionRow[]): MetricDefinition[] {
  const stored = new Map(rows.map((row) => [row.metric_id, definition(row)]));
  const first = knownMetrics.map((id) => stored.get(id) ?? knownDefinition(id));
  const further = [...stored.values()].filter(({ metricId }) => !Object.hasOwn(known, metricId));
  return [...first, ...further];
}

function knownDefinition(metricId: (typeof knownMetrics)[number]): MetricDefinition {
  const [label, unit, aggregation, direction, description] = known[metricId];
  return {
    metricId,
    label,
    unit,
    unitLabel: unitLabels[unit],
    cadence: 'monthly',
    aggregation,
    valueSemantics: semantics[aggregation],
    direction,
    description,
    custom: false,
    archived: false,
  };
}

function definition(row: DefinitionRow): MetricDefinition {
  return {
    metricId: row.metric_id,
    label: row.label,
    unit: row.unit,
    unitLabel: row.unit_label,
    cadence: row.cadence,
    aggregation: row.aggregation,
    valueSemantics: row.value_semantics,
    direction: row.direction,
    description: row.description,
    custom: Boolean(row.custom),
    archived: Boolean(row.archived),
  };
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
