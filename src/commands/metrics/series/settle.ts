/** What is asked before the series is read. */

import type { Context } from '../../../cli/context.ts';
import { getMetricSeries } from '../../../contract/metric-operations.ts';
import { readableCatalogs, requireMetrics } from '../read.ts';
import type { SeriesPlan } from './plan.ts';

/** Refuses what the API would refuse, then metrics that no catalog has. What time it is comes with the first response. */
export async function settle(ctx: Context, { query, companies, request, timed }: SeriesPlan): Promise<void> {
  const client = await ctx.client();
  await client.describe(getMetricSeries, { query });
  const asked = companies.length > 0 ? companies : [undefined];
  if (request.metricIds) await requireMetrics(ctx, request.metricIds, asked);
  else if (timed) await readableCatalogs(ctx, asked.slice(0, 1));
}
