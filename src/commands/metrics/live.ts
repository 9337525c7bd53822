import type { Context } from '../../cli/context.ts';
import { defineCommand } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { getLiveMetrics, getMetricCatalog } from '../../contract/metric-operations.ts';
import { moneyUnit } from '../../domain/series/shapes.ts';
import { type LiveValue, liveColumns } from './columns.ts';

export default defineCommand({
  path: 'metrics live',
  summary: 'Read the latest live actuals of a company',
  description:
    'Rows of metric, value and unit; in JSON the complete object with its period. Units come from the catalog. Only the latest actuals are live; `comem metrics series` reads history.',
  operations: ['getLiveMetrics', 'getMetricCatalog'],
  args: [],
  flags: {},
  examples: [
    { run: 'comem -p demo metrics live', says: 'every live metric' },
    { run: "comem -p demo metrics live --jq '.metrics.mrr'", says: 'one bare number' },
  ],
  stdout: 'rows',
  async run(ctx) {
    if (await showRaw(ctx, getLiveMetrics, {})) return;
    const client = await ctx.client();
    const live = await client.call(getLiveMetrics);
    const values = Object.entries(live.metrics ?? {});
    const units = values.length > 0 ? await metricUnits(ctx, live.currency) : undefined;
    const rows = values.map(([metric, value]): LiveValue => ({ metric, value, unit: units?.get(metric) }));
    const period = live.periodKey ?? live.period;
    if (rows.length > 0 && period && ctx.runtime.terminal.stderrIsTTY) ctx.out.note(`Actuals of ${period}.`);
    await ctx.out.rows(rows, liveColumns, {
      whole: () => live,
      id: (row) => row.metric,
      empty: 'No actuals yet.',
    });
  },
});

/** The unit of each metric: for amounts of money their currency. */
async function metricUnits(ctx: Context, currency: string | undefined): Promise<Map<string, string>> {
  const { forUnits } = await import('./series/catalog.ts');
  return forUnits(ctx, 'units are', new Map(), async () => {
    const catalog = await (await ctx.client()).call(getMetricCatalog);
    const units = catalog.definitions.map(({ metricId, unit, unitLabel }): [string, string | null | undefined] => [
      metricId,
      unit === moneyUnit ? (currency ?? catalog.currency) : (unit ?? unitLabel),
    ]);
    return new Map(units.flatMap(([metricId, unit]): [string, string][] => (unit == null ? [] : [[metricId, unit]])));
  });
}
