import { defineCommand, flag } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { versions, versionsText } from '../../contract/metrics.ts';
import { usage } from '../../core/errors.ts';
import { computes, partialFlag, totalledFlags } from './flags.ts';

export default defineCommand({
  path: 'metrics get',
  summary: 'Print one value of a metric',
  description:
    'Prints one bare number in plain digits; in JSON an object with value, period, version and unit. Several metrics, companies or periods have a row each. Without --period or a range it is the latest live actual. A quarter or year of actuals is derived from its months as the catalog or --agg says; a warning names missing months. If the value is missing or null, nothing is printed and the exit code is 3.',
  operations: ['getLiveMetrics', 'getMetricSeries', 'getMetricCatalog'],
  args: [
    {
      name: 'METRIC',
      summary: 'the metric, such as mrr, or several: mrr,arr',
      picker: 'metric',
      optional: true,
      instead: ['metrics'],
    },
  ],
  flags: {
    ...totalledFlags,
    versions: flag.text('VERSION', `${versionsText}; default actual`, { choices: versions, also: { of: 'VALUE' } }),
    partial: partialFlag,
    ...shortRowFlags,
  },
  examples: {
    'comem -p demo metrics get mrr': 'the latest actual, one bare number',
    'comem -p demo -c lumen metrics get mrr --period 2025-12 --versions budget': 'what was planned',
    'comem -p demo metrics get burn --period 2025-Q4': 'a quarter, added up',
  },
  stdout: 'value',
  manyCompanies: true,
  async run(ctx, { args: { METRIC }, flags }) {
    const version = versions.find((known) => known === flags.versions) ?? 'actual';
    const metrics = [...(METRIC === undefined ? [] : [METRIC]), ...(flags.metrics ?? [])];
    if (metrics.length === 0) throw usage('METRIC is missing', 'name one, such as `comem metrics get mrr`');
    const request = { ...flags, metrics, version, isLive: false };
    const { showValues } = await import('./values.ts');
    await showValues(ctx, { ...request, computes: await computes(ctx, request) });
  },
});
