import { defineCommand } from '../../cli/define.ts';
import { hasRowFlags, openRowQuery, refuseRawQuery, shortRowFlags, showChosen } from '../../cli/query.ts';
import { publishedPeriodColumns } from './columns.ts';
import { nothingPublished, publishedFlags, publisher, readPublished } from './read.ts';

export default defineCommand({
  path: 'published periods',
  summary: 'List the periods that a company published to you',
  operations: ['getPublishedMetrics'],
  args: [publisher],
  flags: { ...shortRowFlags, ...publishedFlags },
  examples: [
    {
      run: 'comem -p demo published periods lumen',
      says: 'what was sent, in which version, and when',
    },
    { run: 'comem -p demo published periods lumen --from 2025-10 -o csv', says: 'those since October, as CSV' },
    { run: "comem -p demo published periods lumen --jq '.[0].periodKey'", says: 'the newest period' },
  ],
  stdout: 'rows',
  columns: () => publishedPeriodColumns,
  async run(ctx, { args, flags }) {
    refuseRawQuery(ctx, flags);
    const rules = { periodKey: 'period' } as const;
    const question = await openRowQuery(ctx, publishedPeriodColumns, { flags, command: [], rules });
    const published = await readPublished(ctx, args.COMPANY, flags);
    if (!published) return;
    const rows = published.periods.map(({ periodKey, periodType, versionNumber, sentAt, reportId }) => {
      return { periodKey, periodType, versionNumber, sentAt, reportId };
    });
    await showChosen(ctx, { question, flags, pages: [rows] }, publishedPeriodColumns, {
      id: (period) => period.periodKey,
      name: ({ periodKey }) => String(periodKey),
      empty: hasRowFlags(flags) ? 'No such periods.' : nothingPublished(published),
    });
  },
});
