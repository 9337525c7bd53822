import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { listGrants } from '../../contract/metric-operations.ts';
import { expiryAt, instantFromNow, isInForce } from '../../domain/grants/grants.ts';
import { grantColumns, grantCounts } from './columns.ts';

export default defineCommand({
  path: 'grants expiring',
  summary: 'List the grants that end soon',
  description: 'Grants in force that expire within the time given, the first to end first.',
  operations: ['listGrants'],
  args: [],
  flags: { within: flag.text('30d', 'how soon, such as 12w, 6m or 1y; default 30d') },
  examples: [
    { run: 'comem -p demo grants expiring --within 90d', says: 'what ends in the next 90 days' },
    { run: 'comem -p demo grants expiring --within 1y -o id', says: 'their ids' },
    { run: 'comem -p demo grants expiring', says: 'what ends in the next 30 days' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    refuseRaw(ctx, 'the API returns every grant, and comem chooses');
    const withinOf = (now: Date) => instantFromNow(flags.within ?? '30d', now, 'after', '--within').getTime();
    withinOf(ctx.now());
    const client = await ctx.client();
    const grants = await client.call(listGrants);
    const now = ctx.now();
    const soon = withinOf(now);
    const found = grants
      .flatMap((grant) => (isInForce(grant, now) ? [{ grant, at: expiryAt(grant) ?? Number.POSITIVE_INFINITY }] : []))
      .filter(({ at }) => at <= soon)
      .sort((a, b) => a.at - b.at);
    await ctx.out.rows(
      found.map(({ grant }) => grant),
      grantColumns,
      {
        counts: grantCounts,
        next: 'comem grants revoke ID ends one',
        empty: `No grant ends within ${flags.within ?? '30d'}.`,
      },
    );
  },
});
