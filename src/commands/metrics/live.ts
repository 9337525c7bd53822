import { defineCommand } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { getLiveMetrics } from '../../contract/metric-operations.ts';
import { shortPeriod } from '../../core/periods.ts';
import { readLive } from './analysis/live-values.ts';
import { liveColumns } from './columns.ts';
import { computes, computingFlags, partialFlag, totalFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics live',
  summary: 'Read the latest live actuals of a company',
  description:
    'Rows of metric, value and unit; in JSON the complete object with its period. Units come from the catalog. Only the latest actuals are live; `comem metrics series` reads history, and so do computed metrics that look back.',
  operations: ['getLiveMetrics', 'getMetricCatalog'],
  args: [],
  flags: { ...computingFlags, total: totalFlag, partial: partialFlag },
  examples: [
    { run: 'comem -p demo metrics live', says: 'every live metric' },
    { run: "comem -p demo metrics live --jq '.metrics.mrr'", says: 'one bare number' },
    { run: 'comem -p demo -c lumen metrics live -o csv', says: 'another company, as CSV' },
  ],
  stdout: 'rows',
  manyCompanies: true,
  async run(ctx, { flags }) {
    if (computes(ctx, flags)) {
      const { writeComputedLive } = await import('./analysis/live-computed.ts');
      return writeComputedLive(ctx, flags);
    }
    if (ctx.settings.companies.value.length > 1) {
      const { writeLive } = await import('./analysis/live-of-companies.ts');
      return writeLive(ctx);
    }
    if (await showRaw(ctx, getLiveMetrics, {})) return;
    const { live, rows } = await readLive(ctx);
    const period = live.periodKey ?? live.period;
    if (rows.length > 0 && period && ctx.runtime.terminal.stderrIsTTY)
      ctx.out.note(`Actuals of ${shortPeriod(period)}.`);
    await ctx.out.rows(rows, liveColumns, {
      whole: () => live,
      id: (row) => row.metric,
      empty: 'No actuals yet.',
    });
  },
});
