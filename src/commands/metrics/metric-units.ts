/** Units of metrics by the company's catalog. */

import type { Context } from '../../cli/context.ts';
import { operations } from '../../contract/index.ts';
import { moneyUnit } from './columns.ts';
import { forUnits } from './series/catalog.ts';

/**
 * The unit of each metric: an amount of money has its currency. A catalog that may not be read costs the units alone,
 * and says so.
 */
export async function metricUnits(ctx: Context, currency: string | undefined): Promise<Map<string, string>> {
  return forUnits(ctx, 'units are', new Map(), async () => {
    const catalog = await (await ctx.client()).call(operations.getMetricCatalog);
    const money = currency ?? catalog.currency;
    return new Map(
      catalog.definitions.flatMap(({ metricId, unit, unitLabel }): [string, string][] => {
        const text = unit === moneyUnit ? money : (unit ?? unitLabel);
        return text == null ? [] : [[metricId, text]];
      }),
    );
  });
}
