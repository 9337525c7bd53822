import { defineCommand, flag } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { publishedFlags, publishersArgument } from './read.ts';

export default defineCommand({
  path: 'published diff',
  summary: 'Compare what was published with the series now',
  description: [
    'Prints each published value with its version and sent time, the actual now, and the difference. Unchanged values need --all. A published quarter or year is compared with its months, added up as the catalog says. A value that differs and was last written before it was sent is different, not restated. Of a report that was sent again only the newest version is compared; a note names it.',
    "Besides the grant, it needs access to the company's own actuals.",
  ].join('\n\n'),
  operations: ['getPublishedMetrics', 'getMetricSeries', 'getMetricCatalog'],
  args: [publishersArgument],
  flags: {
    ...shortRowFlags,
    ...publishedFlags,
    agg: flag.list('METRIC=HOW', 'how to derive a metric, if the catalog does not say'),
    all: flag.boolean('show unchanged values too'),
    exitCode: flag.boolean('exit 1 when a published value is not that of the series now'),
  },
  examples: {
    'comem -p demo published diff lumen': 'published values that have changed since',
    'comem -p demo published diff lumen --exit-code': 'a job in CI: exit 1 when something was restated',
    'comem -p demo published diff @portfolio': 'of every company of a group',
    'comem -p demo published diff lumen -o csv': 'the changes as CSV',
  },
  hasSpark: true,
  manyCompanies: true,
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'it computes from several responses');
    const { showDifferences } = await import('./differences.ts');
    await showDifferences(ctx, args.COMPANY, flags);
  },
});
