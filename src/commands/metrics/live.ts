import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { analysisFlags, computes, computingFlags, partialFlag, totalFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics live',
  summary: 'Read the latest live actuals of a company',
  description:
    'Rows of metric, value and unit; in JSON the complete object with its period. Units come from the catalog. Only the latest actuals are live; `comem metrics series` reads history, and so do computed metrics that look back.',
  manual: `JSON has the object of the API, with the metrics that are chosen; with --one the row.`,
  operations: ['getLiveMetrics', 'getMetricCatalog'],
  args: [],
  flags: {
    metrics: analysisFlags.metrics,
    ...shortRowFlags,
    ...computingFlags,
    total: totalFlag,
    partial: partialFlag,
  },
  examples: [
    { run: 'comem -p demo metrics live', says: 'every live metric' },
    { run: "comem -p demo metrics live --jq '.metrics.mrr'", says: 'one bare number' },
    { run: 'comem -p demo -c lumen metrics live -o csv', says: 'another company, as CSV' },
  ],
  stdout: 'rows',
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { showLive } = await import('./live-values.ts');
    await showLive(ctx, flags, await computes(ctx, flags));
  },
});
