import { defineCommand, flag } from '../../cli/define.ts';
import { analysisFlags, asciiFlag, versionsFlag, versionsOf } from './analysis/flags.ts';

export default defineCommand({
  path: 'metrics chart',
  summary: 'Draw metrics on the terminal, as SVG or as an HTML page',
  description: [
    'On the terminal one plot for each unit, as wide as the terminal: actuals are lines, budgets and forecasts dashed ones, and a period without a value is a gap. The axis of lines need not begin at zero, that of bars does. Under TERM=dumb and in the locale C it is drawn with ASCII.',
    '--out FILE.svg writes the plots as one picture, --out FILE.html a page with charts, variance against the plan where one is asked for, tables, and a style for phones and paper; it loads nothing from anywhere. Another format, such as -o csv, writes the rows behind the chart. Without a range the newest 24 periods are drawn, from the first that has a value.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  args: [],
  flags: {
    ...analysisFlags,
    versions: versionsFlag,
    type: flag.text('line|bar', 'how it is drawn; default line', { choices: ['line', 'bar'] }),
    height: flag.integer('LINES', 'of each plot on the terminal; default 12, 8 of many', { minimum: 3, maximum: 100 }),
    title: flag.text('TEXT', 'of the HTML page'),
    ascii: asciiFlag,
  },
  examples: [
    { run: 'comem -p demo metrics chart -m mrr,arr', says: 'two lines on one plot' },
    {
      run: 'comem -p demo -c lumen metrics chart -m mrr --versions actual,budget',
      says: 'the budget dashed',
    },
    { run: 'comem -p demo metrics chart -m burn --last 8q --type bar', says: 'quarters as bars' },
    { run: 'comem -p demo metrics chart -m mrr,headcount --out metrics.html', says: 'a page to send' },
  ],
  stdout: 'text',
  draws: true,
  async run(ctx, { flags }) {
    const { chartKind, writeChart } = await import('./analysis/chart.ts');
    const { readAnalysis } = await import('./analysis/read.ts');
    chartKind(ctx);
    const analysis = await readAnalysis(ctx, flags, { versions: versionsOf(flags.versions), last: '24' });
    const { title, height, ascii } = flags;
    await writeChart(ctx, analysis, { type: flags.type === 'bar' ? 'bar' : 'line', title, height, ascii });
  },
});
