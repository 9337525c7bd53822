/** The live values of a company, with the units that its catalog gives them. */

import type { Context } from '../../../cli/context.ts';
import { getLiveMetrics } from '../../../contract/metric-operations.ts';
import type { CompanyMetrics } from '../../../contract/metrics.ts';
import { measureOf } from '../../../domain/series/units.ts';
import type { LiveValue } from '../columns.ts';
import { catalogOf } from '../read.ts';

export async function readLive(ctx: Context, companyId?: string): Promise<{ live: CompanyMetrics; rows: LiveValue[] }> {
  const client = await ctx.client();
  const live = await client.call(getLiveMetrics, companyId === undefined ? {} : { query: { companyId } });
  const values = Object.entries(live.metrics ?? {});
  const units = values.length > 0 ? await metricUnits(ctx, live.currency, companyId) : undefined;
  return { live, rows: values.map(([metric, value]): LiveValue => ({ metric, value, unit: units?.get(metric) })) };
}

/** The unit of each metric: for amounts of money their currency. */
async function metricUnits(
  ctx: Context,
  currency: string | undefined,
  companyId: string | undefined,
): Promise<Map<string, string>> {
  const { forUnits } = await import('../series/catalog.ts');
  return forUnits(ctx, 'units are', new Map(), async () => {
    const catalog = await catalogOf(ctx, companyId);
    return new Map(
      catalog.definitions.flatMap(({ metricId, unit, unitLabel }): [string, string][] => {
        const measure = measureOf({ unit, unitLabel, currency: currency ?? catalog.currency });
        return measure === undefined ? [] : [[metricId, measure]];
      }),
    );
  });
}
