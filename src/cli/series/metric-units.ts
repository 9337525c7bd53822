/** Units of metrics by the company's catalog. */
import { operations } from '../../contract/index.ts';
import { Failure } from '../../errors.ts';
import { moneyUnit } from '../../output/metric-columns.ts';
import type { Context } from '../context.ts';

/**
 * The unit of each metric: an amount of money has its currency. A catalog that may not be read costs the units alone,
 * and says so.
 */
export async function metricUnits(ctx: Context, currency: string | undefined): Promise<Map<string, string>> {
  const client = await ctx.client();
  try {
    const catalog = await client.call(operations.getMetricCatalog);
    const money = currency ?? catalog.currency;
    return new Map(
      catalog.definitions.flatMap(({ metricId, unit, unitLabel }): [string, string][] => {
        const text = unit === moneyUnit ? money : (unit ?? unitLabel);
        return text == null ? [] : [[metricId, text]];
      }),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'interrupted' || error.kind === 'bug') throw error;
    ctx.out.warn(`units are missing, since the catalog could not be read: ${error.message}`);
    return new Map();
  }
}
