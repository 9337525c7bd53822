import { defineCommand, flag } from '../../cli/define.ts';
import { usage } from '../../core/errors.ts';
import { parsePeriod } from '../../core/periods.ts';
import { varianceFlags } from './flags.ts';

export default defineCommand({
  path: 'metrics board',
  summary: 'Show metrics against budget, by quarter by default',
  description: [
    'The rows of `metrics variance` by quarter: actual, budget, their difference, the difference in percent of the budget, and good or bad. Without a range the newest four quarters that have ended are shown; --from 2025-Q1 reads quarters, too. A period with missing months is marked, as 2026-Q1 (2/3), and compared only with --partial.',
    '--out FILE.html writes a page with key figures and a table for each company; --out FILE.xlsx a workbook with all rows on one sheet, and with rates and totals explained on another.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: {
    ...varianceFlags,
    periodType: { ...varianceFlags.periodType, summary: 'the grain; default that of the range, else quarter' },
    title: flag.text('TEXT', 'title of the page'),
  },
  examples: {
    'comem -p demo -c lumen metrics board --last 4q': 'four quarters against budget',
    'comem -p demo -c @portfolio metrics board --out board.xlsx': 'the companies in a workbook',
    'comem -p demo -c lumen metrics board -m mrr,burn --last 4q --out board.html': 'two metrics, as a page',
  },
  files: ['html', 'htm'],
  hasSpark: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { period, from, to, last, periodType } = flags;
    const isOpen = (period ?? from ?? to ?? last ?? periodType) === undefined;
    // Bounds that are quarters read quarters.
    const grain = last === undefined && periodType === undefined ? parsePeriod(from ?? to ?? '')?.type : undefined;
    const request = { ...flags, ...(isOpen && { last: '4q' }), ...(grain && { periodType: grain }) };
    const { settings } = ctx;
    const isPage = /\.html?$/i.test(settings.out ?? '') && settings.output.origin !== 'flag';
    if (flags.title !== undefined && !isPage) throw usage('--title is the title of a page', 'add --out board.html');
    if (isPage) {
      const { writeBoardPage } = await import('./chart-report.ts');
      return writeBoardPage(ctx, request);
    }
    const { showVariances } = await import('./variances.ts');
    await showVariances(ctx, request, '4');
  },
});
