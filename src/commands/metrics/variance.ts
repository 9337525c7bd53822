import { defineCommand } from '../../cli/define.ts';
import { varianceFlags } from './flags.ts';

export default defineCommand({
  path: 'metrics variance',
  summary: 'Compare actuals with budget or forecast',
  description: [
    'Each metric and period: actual, budget, difference, and percent of the budget. Of a percentage the difference is in points. The verdict is good or bad by the direction of the metric in the catalog, and even for no difference. It is unknown for a missing or null value, a budget of zero, or a metric without a direction; the note says which.',
    'Without a range the newest twelve months that have ended are compared. Quarters and years of actuals are derived from months as the catalog says; one with missing months is marked, and compared only with --partial, with the budget of the same months.',
    "--fail-on ends the command with exit 1 when a variance is beyond a threshold, such as 'bad > 10%' (of the budget), 'bad > 1000' (in the metric's unit), 'any >= 5%'. It also fails if nothing could be compared. A missed budget of zero is beyond every threshold in percent.",
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: varianceFlags,
  examples: {
    'comem -p demo -c lumen metrics variance -m mrr,burn --last 6': 'two metrics against budget',
    "comem -p demo -c lumen metrics variance --where 'verdict = bad' --sort 'abs(percent):desc'": 'the largest first',
    'comem -p demo -c lumen metrics variance --period 2025-Q4': 'a quarter, derived from its months',
    "comem -p demo -c lumen metrics variance -m mrr --period 2026-02 --fail-on 'bad > 50%'": 'a job in CI',
  },
  hasSpark: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { showVariances } = await import('./variances.ts');
    await showVariances(ctx, flags, '12');
  },
});
