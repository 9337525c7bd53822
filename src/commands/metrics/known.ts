/** What is known before data is read: the catalogs, whether they have the metrics asked for, and what time it is. */

import type { Context } from '../../cli/context.ts';
import { getMetricCatalog } from '../../contract/metric-operations.ts';
import type { MetricCatalogResponse } from '../../contract/metrics.ts';
import { limiter } from '../../core/concurrency.ts';
import { Failure, isForgivable } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';

const mostRequests = 8;

const read = new WeakMap<Context, Map<string | undefined, Promise<MetricCatalogResponse>>>();

/** The catalog of a company, read once in a command. @param companyId default: the company of the credential */
export function catalogOf(ctx: Context, companyId: string | undefined): Promise<MetricCatalogResponse> {
  const own = read.get(ctx) ?? new Map<string | undefined, Promise<MetricCatalogResponse>>();
  read.set(ctx, own);
  const before = own.get(companyId);
  if (before) return before;
  const query = companyId === undefined ? {} : { query: { companyId } };
  const found = ctx.client().then((client) => client.call(getMetricCatalog, query));
  own.set(companyId, found);
  return found;
}

/** The catalogs that can be read; a failure is the same the next time one is asked for. */
export async function readableCatalogs(
  ctx: Context,
  companies: readonly (string | undefined)[],
): Promise<MetricCatalogResponse[]> {
  const slot = limiter(mostRequests);
  const found = await Promise.all(
    companies.map((companyId) =>
      slot(async () => {
        try {
          return [await catalogOf(ctx, companyId)];
        } catch (error) {
          if (isForgivable(error)) return [];
          throw error;
        }
      }),
    ),
  );
  return found.flat();
}

/** Metrics that no company has are a mistake, unless a catalog cannot be read. @throws Failure `notFound` */
export async function requireMetrics(
  ctx: Context,
  metricIds: readonly string[],
  companies: readonly (string | undefined)[] = [undefined],
): Promise<void> {
  const catalogs = await readableCatalogs(ctx, companies);
  if (catalogs.length < companies.length) return;
  refuseUnknown(metricIds, catalogs);
}

/** @throws Failure `notFound`, naming the nearest metrics */
export function refuseUnknown(
  metricIds: readonly string[],
  catalogs: readonly Pick<MetricCatalogResponse, 'definitions'>[],
): void {
  const known = [...new Set(catalogs.flatMap(({ definitions }) => definitions.map(({ metricId }) => metricId)))];
  const unknown = metricIds.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  const near = unknown.flatMap((id) => nearest(id, known) ?? []);
  throw new Failure('notFound', `the catalog has no metric ${unknown.map((id) => `"${id}"`).join(', ')}`, {
    code: 'unknown_metric',
    hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : 'run `comem metrics catalog` to list the metrics',
  });
}
