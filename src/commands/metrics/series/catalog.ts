/** What the companies' catalogs say of the metrics of a series. */

import type { Context } from '../../../cli/context.ts';
import { operations } from '../../../contract/index.ts';
import type { MetricCatalogResponse } from '../../../contract/metrics.ts';
import { limiter } from '../../../core/concurrency.ts';
import { isForgivable } from '../../../core/errors.ts';
import { type Measured, measures } from '../../../domain/series/shapes.ts';
import type { CompanyFailures } from './failures.ts';
import type { PlannedSeries } from './request.ts';

export interface SeriesCatalogs {
  of(companyId: string | undefined): MetricCatalogResponse | undefined;
  measured(companyId: string | undefined): ReadonlyMap<string, Measured>;
  /** In the order of the companies. */
  all(): { catalog: MetricCatalogResponse; measured: ReadonlyMap<string, Measured> }[];
}

const mostRequests = 8;

/** What is read for units alone: a catalog that cannot be read costs these, and a warning says so. */
export async function forUnits<T>(ctx: Context, what: string, none: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isForgivable(error)) throw error;
    ctx.out.warn(`${what} missing, since the catalog could not be read: ${error.message}`);
    return none;
  }
}

/** The catalogs of the plan's companies. @param failures given: a company without a catalog is noted there */
export async function readCatalogs(
  ctx: Context,
  { companies }: Pick<PlannedSeries, 'companies'>,
  failures?: CompanyFailures,
): Promise<SeriesCatalogs> {
  const client = await ctx.client();
  const found = new Map<string | undefined, MetricCatalogResponse>();
  const slot = limiter(mostRequests);
  const asked = companies.length > 0 ? companies : [undefined];
  const read = async (companyId: string | undefined) => {
    try {
      found.set(companyId, await client.call(operations.getMetricCatalog, companyId ? { query: { companyId } } : {}));
    } catch (error) {
      if (companyId === undefined || failures === undefined || asked.length === 1) throw error;
      failures.add(companyId, error, 'none');
    }
  };
  await Promise.all(asked.map((companyId) => slot(() => read(companyId))));
  const measured = new Map([...found].map(([companyId, catalog]) => [companyId, measures(catalog)]));
  const none: ReadonlyMap<string, Measured> = new Map();
  const measuredOf = (companyId: string | undefined) => measured.get(companyId) ?? none;
  return {
    of: (companyId) => found.get(companyId),
    measured: measuredOf,
    // Whichever answered first.
    all: () =>
      asked.flatMap((companyId) => {
        const catalog = found.get(companyId);
        return catalog ? [{ catalog, measured: measuredOf(companyId) }] : [];
      }),
  };
}
