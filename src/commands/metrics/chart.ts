import { defineCommand, flag, inGroup } from '../../cli/define.ts';
import { whereFlag } from '../../cli/query.ts';
import { readAnalyses } from './analyses.ts';
import { totalledFlags, versionsFlag } from './flags.ts';
import { versionsOf } from './read.ts';

export default defineCommand({
  path: 'metrics chart',
  summary: 'Draw metrics on the terminal, as a picture or as a page',
  description: [
    'Metrics of two units are two plots. On the terminal more than two of a unit share one unless they differ more than fivefold, and the last values are beside the lines. Actuals are lines, budgets and forecasts dashed ones, and a period without a value is a gap. The axis of bars begins at zero, that of lines may not. Under TERM=dumb and in the locale C the plot is ASCII.',
    '--out FILE.svg and FILE.png write the plots as one picture, --out FILE.html a page with key figures, charts, and tables of the values and of variances against a requested budget, for screens, phones and paper. The page loads nothing. Another format, such as -o csv, writes the rows of the chart. Of several companies each metric is a plot with a line for each company. Without a range the newest 24 periods that have ended are drawn, from the first with a value.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: {
    ...totalledFlags,
    versions: versionsFlag,
    ...inGroup('SHAPE', {
      type: flag.text('line|bar', 'kind of plot; default line', { choices: ['line', 'bar'] }),
      title: flag.text('TEXT', 'title of the picture or page'),
    }),
    ...whereFlag,
  },
  examples: {
    'comem -p demo metrics chart -m mrr,arr': 'two lines on one plot',
    'comem -p demo -c lumen metrics chart -m mrr --versions actual,budget': 'the budget dashed',
    'comem -p demo metrics chart -m burn --last 8q --type bar': 'quarters as bars',
    'comem -p demo metrics chart -m mrr,headcount --out metrics.html': 'a page to send',
  },
  stdout: 'text',
  files: ['html', 'htm', 'svg', 'png', 'txt'],
  hasSpark: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { chosenItems, writeChart } = await import('./chart-report.ts');
    const { pictureKind } = await import('../../cli/show.ts');
    const apart = pictureKind(ctx) !== 'rows';
    const options = { versions: versionsOf(flags.versions), last: '24', apart };
    const analyses = await chosenItems(ctx, flags, await readAnalyses(ctx, flags, options));
    await writeChart(ctx, analyses, { type: flags.type === 'bar' ? 'bar' : 'line', title: flags.title });
    analyses.verdict();
  },
});
