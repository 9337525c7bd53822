import { refuseRawAsking } from '../../cli/asking.ts';
import { defineCommand } from '../../cli/define.ts';
import { shortAskFlags } from '../../cli/query.ts';
import { showRaw } from '../../cli/show.ts';
import { getLiveMetrics } from '../../contract/metric-operations.ts';
import { shortPeriod } from '../../core/periods.ts';
import { readLive } from './analysis/live-values.ts';
import { computes, computingFlags, partialFlag, totalFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics live',
  summary: 'Read the latest live actuals of a company',
  description:
    'Rows of metric, value and unit; in JSON the complete object with its period. Units come from the catalog. Only the latest actuals are live; `comem metrics series` reads history, and so do computed metrics that look back.',
  manual: `JSON has the object of the API, with the metrics that are chosen; with --one the row.`,
  operations: ['getLiveMetrics', 'getMetricCatalog'],
  args: [],
  flags: { ...shortAskFlags, ...computingFlags, total: totalFlag, partial: partialFlag },
  examples: [
    { run: 'comem -p demo metrics live', says: 'every live metric' },
    { run: "comem -p demo metrics live --jq '.metrics.mrr'", says: 'one bare number' },
    { run: 'comem -p demo -c lumen metrics live -o csv', says: 'another company, as CSV' },
  ],
  stdout: 'rows',
  manyCompanies: true,
  async run(ctx, { flags }) {
    if (await computes(ctx, flags)) {
      const { writeComputedLive } = await import('./analysis/live-computed.ts');
      return writeComputedLive(ctx, flags);
    }
    if (ctx.settings.companies.value.length > 1) {
      const { writeLive } = await import('./analysis/live-of-companies.ts');
      return writeLive(ctx, flags);
    }
    refuseRawAsking(ctx, flags);
    if (await showRaw(ctx, getLiveMetrics, {})) return;
    const { askLive, showLive } = await import('./analysis/live-asked.ts');
    const question = await askLive(ctx, flags);
    const { live, rows } = await readLive(ctx);
    const period = live.periodKey ?? live.period;
    if (rows.length > 0 && period && ctx.runtime.terminal.stderrIsTTY)
      ctx.out.note(`Actuals of ${shortPeriod(period)}.`);
    await showLive(ctx, { question, flags, rows, objects: [live] });
  },
});
