import type { operations } from '../../contract/index.ts';
import { scopes, type Version } from '../../contract/metrics.ts';
import { forbidden, invalid, notFound } from '../model/failure.ts';
import { newestActuals, numberOf } from '../store/metrics.ts';
import { type CompanyRow, companyById } from '../store/people.ts';
import type { Db } from '../store/schema.ts';
import { catalogOf } from './catalog.ts';
import type { Caller, Handler } from './handler.ts';

export const getLiveMetrics: Handler<typeof operations.getLiveMetrics> = async ({ company: id, caller, store }) => {
  requireScopes(caller, ['actual']);
  const [company, points] = await store.read(async (db) => {
    const found = await requireCompany(db, id);
    return [found, await newestActuals(db, found.id)] as const;
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
      definitions: await catalogOf(db, company.id),
    };
  });
  return { body };
};

/** The company that the call acts on. The caller's membership was checked before. */
export async function requireCompany(db: Db, id: string | undefined): Promise<CompanyRow> {
  if (id === undefined) throw invalid({ path: 'companyId', message: 'is required' });
  const company = await companyById(db, id);
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
