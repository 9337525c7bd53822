import { defineCommand, flag } from '../../cli/define.ts';
import { whereFlag } from '../../cli/query.ts';
import { versionsText } from '../../contract/metrics.ts';
import { analysisFlags, metricsFlag } from './flags.ts';

export default defineCommand({
  path: 'metrics bridge',
  summary: 'Show what changed a metric between two periods',
  description: [
    'A waterfall: the value in --from, what changed, and the value in --to. Several companies are a step each; one company has a step for each period, or for each part that is named. The steps add up to the exact difference.',
    '--parts are metrics that explain the change: flows and computed metrics are added up over the periods after --from, balances are compared. With --calc and without --parts its metrics are the parts. What they do not explain is "other", and so are steps that --where leaves out.',
    'Without -o it is drawn on the terminal; --out FILE.svg, FILE.png and FILE.html write a picture or a page. Formats of rows, also -o table, have a row for each step.',
  ].join('\n\n'),
  manual:
    'Averages and ratios of companies do not add up, and amounts in several currencies are added only with --in and --rates. A company without a value in one of the two periods is left out of both totals, with a warning; a part without a value in a period is left to "other". A period of which some months are missing is refused: name months instead.',
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: {
    metrics: { ...metricsFlag('the metric', 'metricIds'), value: 'ID', once: true },
    from: flag.text('PERIOD', 'where it begins, such as 2025-12, 2025-Q4, 2025', { field: 'fromPeriod' }),
    to: flag.text('PERIOD', 'where it ends, of the same kind', { field: 'toPeriod' }),
    last: analysisFlags.last,
    parts: flag.list('ID[,ID]', 'metrics that explain the change'),
    versions: flag.text('VERSION', `${versionsText}; default actual`, { field: 'versions' }),
    agg: analysisFlags.agg,
    in: analysisFlags.in,
    rates: analysisFlags.rates,
    rateAt: analysisFlags.rateAt,
    calc: analysisFlags.calc,
    ...whereFlag,
    title: flag.text('TEXT', 'title of the picture or page'),
  },
  examples: {
    'comem -p demo -c lumen metrics bridge -m arr --from 2025-09 --to 2026-02': 'a step for each month',
    'comem -p demo -c lumen -c harbor metrics bridge -m arr --from 2025-Q3 --to 2025-Q4 --out arr.png':
      'a step for each company, as a picture',
    'comem -p demo -c lumen metrics bridge -m arr --from 2025-09 --to 2026-02 -o csv': 'the steps as rows',
  },
  stdout: 'text',
  files: ['html', 'htm', 'svg', 'png', 'txt'],
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { bridge } = await import('./bridge-report.ts');
    await bridge(ctx, flags);
  },
});
