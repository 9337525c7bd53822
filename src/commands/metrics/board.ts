import { defineCommand, flag, inGroup } from '../../cli/define.ts';
import { analysisFlags, partialFlag, totalFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics board',
  summary: 'Show metrics by quarter with budget and variance',
  description: [
    'A row for each metric, and for each period its actual, its budget, and with --variance their difference, the difference in percent of the budget, and good or bad, as in `metrics variance`. Without a range the newest four quarters that have ended are shown; --from 2025-Q1 reads quarters, too. A period with missing months is marked, as 2026-Q1 (2/3), and compared only with --partial.',
    "--material '10% and 10000' marks with ! the variances that have to be explained: at least 10 % of the budget and at least 10000 in the unit of the metric. --comments brings the explanations; what is explained has a *. --fail-on unexplained ends the command with exit 1 when an explanation is missing.",
    'Periods that do not fit on the terminal continue below. --out FILE.html and FILE.md write the same board. Formats of rows, such as -o csv and FILE.xlsx, have a row for each metric and period with all digits.',
  ].join('\n\n'),
  manual: [
    '--scale and --round act on what is shown. Only amounts of money are scaled. auto is one scale for all of them: M when an amount is at least 100 million, k when one is at least 100000.',
    '--subtotals adds sums of metrics of one group: those that the catalog aggregates by sum and that have the same value semantics, unit and direction. Balances, averages and ratios are never added. A sum lacks the periods in which one of its metrics has no value. Sums and totals need no explanation.',
    'The variance is against the first of budget and forecast in --versions. A missed budget of zero counts as more than any percentage.',
  ].join('\n\n'),
  file: [
    'The file is a list. Each comment has `metric` (the id), `period` (2025-Q4) and `text`, and with several companies `company` (an alias, a name or an id): `- {metric: burn, period: 2025-Q4, company: lumen, text: Two hires came early}`.',
  ],
  operations: ['getMetricSeries', 'getMetricCatalog'],
  args: [],
  flags: {
    ...analysisFlags,
    versions: flag.text('VERSION[,VERSION]', 'actual, budget, forecast; default actual,budget', { field: 'versions' }),
    partial: partialFlag,
    total: totalFlag,
    ...inGroup('VARIANCE', {
      variance: flag.boolean('add variance, percent and verdict'),
      material: flag.text('LIMITS', "mark variances to explain: '10% and 10000'"),
      comments: flag.text('FILE', 'explanations as YAML; - for stdin'),
      failOn: flag.text('unexplained', 'exit 1 when an explanation is missing', { choices: ['unexplained'] }),
    }),
    ...inGroup('SHAPE', {
      scale: flag.text('k|M|auto|none', 'amounts in thousands or millions; default auto', {
        choices: ['k', 'M', 'auto', 'none'],
      }),
      round: flag.integer('DIGITS', 'digits after the point; default: those of the values, at most 2', {
        minimum: 0,
        maximum: 10,
      }),
      subtotals: flag.boolean('add sums of metrics that add up'),
    }),
  },
  examples: [
    { run: 'comem -p demo -c lumen metrics board --last 4q --variance', says: 'four quarters against budget' },
    { run: 'comem -p demo -c @portfolio metrics board --variance --out board.xlsx', says: 'rows of several companies' },
    {
      run: 'comem -p demo -c lumen metrics board -m mrr,burn --last 4q --out board.html',
      says: 'two metrics, as a page',
    },
  ],
  stdout: 'rows',
  files: ['html', 'htm'],
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { board } = await import('./board-report.ts');
    await board(ctx, flags);
  },
});
