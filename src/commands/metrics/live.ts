import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { computes, partialFlag, totalledFlags } from './flags.ts';

export default defineCommand({
  path: 'metrics live',
  summary: 'Read the latest live actuals of a company',
  description:
    'Rows of metric, value, unit and period; in JSON the complete object with its period. Units come from the catalog. Only the latest actuals are live: --last, --from and the like read the series instead, as `metrics series` does.',
  manual: `JSON has the object of the API, with the metrics that are chosen; with --one the row.`,
  operations: ['getLiveMetrics', 'getMetricSeries', 'getMetricCatalog'],
  flags: { ...shortRowFlags, ...totalledFlags, partial: partialFlag },
  examples: {
    'comem -p demo metrics live': 'every live metric',
    "comem -p demo metrics live --jq '.metrics.mrr'": 'one bare number',
    'comem -p demo -c lumen metrics live -m mrr,arr -o csv': 'two metrics of another company, as CSV',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { showValues } = await import('./values.ts');
    await showValues(ctx, { ...flags, isLive: true, version: 'actual', computes: await computes(ctx, flags) });
  },
});
