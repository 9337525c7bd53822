import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { publishedFlags, publishersArgument } from './read.ts';

export default defineCommand({
  path: 'published get',
  summary: 'Read what a company published to you under a grant',
  description:
    'Rows of periods with a column for each metric; in JSON the complete response with the periods of all pages. By default the latest publication, or all of history if the grant allows it. --period, --from, --to and --last need a grant with historical access. Several companies, or a group such as @portfolio, are read at once; -c names them, too, where no COMPANY is given.',
  operations: ['getPublishedMetrics', 'getMetricCatalog'],
  args: [publishersArgument],
  flags: { ...shortRowFlags, ...publishedFlags },
  examples: {
    'comem -p demo published get lumen': 'all that the grant lets you read',
    'comem -p demo published get lumen --from 2024 -o csv': 'since 2024, as CSV',
    'comem -p demo published get lumen harbor': 'two companies side by side',
  },
  hasSpark: true,
  manyCompanies: true,
  async run(ctx, { args, flags }) {
    const { publishers, writePublished } = await import('./read.ts');
    const { reader, companies } = publishers(ctx, args.COMPANY);
    await writePublished(reader, companies, flags);
  },
});
