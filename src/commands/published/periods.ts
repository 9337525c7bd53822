import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { publishedFlags, publishersArgument } from './read.ts';

export default defineCommand({
  path: 'published periods',
  summary: 'List the periods that a company published to you',
  operations: ['getPublishedMetrics'],
  args: [publishersArgument],
  flags: { ...shortRowFlags, ...publishedFlags },
  examples: {
    'comem -p demo published periods lumen': 'what was sent, in which version, and when',
    "comem -p demo published periods lumen harbor --where 'version > 1'": 'what was sent again',
    "comem -p demo published periods lumen --jq '.[0].periodKey'": 'the newest period',
  },
  manyCompanies: true,
  async run(ctx, { args, flags }) {
    const { publishers, writePublished } = await import('./read.ts');
    const { reader, companies } = publishers(ctx, args.COMPANY);
    await writePublished(reader, companies, flags, 'periods');
  },
});
