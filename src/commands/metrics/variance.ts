import { defineCommand, flag } from '../../cli/define.ts';
import { selectedRows, shortRowFlags } from '../../cli/query.ts';
import { showAnalyses } from './analyses.ts';
import { analysisFlags, partialFlag, totalFlag } from './flags.ts';
import { countsMonths } from './read.ts';
import type { Plan } from './variances.ts';

export default defineCommand({
  path: 'metrics variance',
  summary: 'Compare actuals with budget or forecast',
  description: [
    'For each metric and period: actual, budget, their difference, and the difference in percent of the budget, of a percentage in points. The verdict is good or bad by the direction of the metric in the catalog, and even for no difference. It is unknown for a missing or null value, a budget of zero, or a metric without a direction; the note says which.',
    'Without a range the newest twelve months that have ended are compared. Quarters and years of actuals are derived from months as the catalog says; one with missing months is marked, and compared only with --partial.',
    "--fail-on ends the command with exit 1 when a variance is beyond a threshold, such as 'bad > 10%' (of the budget), 'bad > 1000' (in the metric's unit), 'any >= 5%'. It also fails if nothing could be compared. A missed budget of zero is beyond every threshold in percent.",
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  args: [],
  flags: {
    ...analysisFlags,
    period: flag.text('PERIOD', 'one month, quarter or year'),
    against: flag.text('budget|forecast', 'compare with it; default budget', { choices: ['budget', 'forecast'] }),
    partial: partialFlag,
    total: totalFlag,
    failOn: flag.list("'VERDICT > N[%]'", 'exit 1 when a variance is beyond this'),
    ...shortRowFlags,
  },
  examples: [
    { run: 'comem -p demo -c lumen metrics variance -m mrr,burn --last 6', says: 'two metrics against budget' },
    { run: "comem -p demo -c lumen metrics variance --where 'verdict = bad' --sort percent", says: 'the worst first' },
    { run: 'comem -p demo -c lumen metrics variance --period 2025-Q4', says: 'a quarter, derived from its months' },
    {
      run: "comem -p demo -c lumen metrics variance -m mrr --period 2026-02 --fail-on 'bad > 50%'",
      says: 'a job in CI',
    },
  ],
  stdout: 'rows',
  draws: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { failOn, thresholds, varianceColumns, variancesOf } = await import('./variances.ts');
    const limits = thresholds(flags.failOn);
    const against = (flags.against ?? 'budget') as Plan;
    const { question, pages, verdict } = await showAnalyses(ctx, flags, {
      options: { versions: ['actual', against], last: '12' },
      known: varianceColumns(against, true),
      rowsOf: (analysis) => variancesOf(analysis, against, flags.partial),
      columnsOf: ({ parts }) =>
        varianceColumns(
          against,
          parts.some(({ value }) => countsMonths(value)),
        ),
      empty: `Neither actuals nor a ${against} in the range.`,
    });
    failOn(await selectedRows(question, pages.flat()), limits);
    verdict();
  },
});
