import { defineCommand } from '../../cli/define.ts';
import { publishedPeriodColumns } from './columns.ts';
import { nothingPublished, publishedFlags, publisher, readPublished } from './read.ts';

export default defineCommand({
  path: 'published periods',
  summary: 'List the periods that a company published to you',
  operations: ['getPublishedMetrics'],
  args: [publisher],
  flags: publishedFlags,
  examples: [
    {
      run: 'comem -p demo published periods lumen',
      says: 'what was sent, in which version, and when',
    },
    { run: 'comem -p demo published periods lumen --from 2025-10 -o csv', says: 'those since October, as CSV' },
    { run: "comem -p demo published periods lumen --jq '.[0].periodKey'", says: 'the newest period' },
  ],
  stdout: 'rows',
  async run(ctx, { args, flags }) {
    const found = await readPublished(ctx, args.COMPANY, flags);
    if (!found) return;
    const rows = found.periods.map(({ periodKey, periodType, versionNumber, sentAt, reportId }) => ({
      ...{ periodKey, periodType, versionNumber, sentAt, reportId },
    }));
    await ctx.out.rows(rows, publishedPeriodColumns, {
      id: (period) => period.periodKey,
      empty: nothingPublished(found),
    });
  },
});
