import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, rowFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import type { MetricGrant } from '../../contract/metrics.ts';
import { expiryAt, instantFromNow, isInForce } from '../../domain/grants.ts';
import { showRowsOfCompanies } from '../company-rows.ts';
import { grantsOf } from './choice.ts';
import { grantColumns, grantCounts, grantRules } from './columns.ts';

export default defineCommand({
  path: 'grants expiring',
  summary: 'List the grants that end soon',
  description: 'Grants in force that expire within the time given, the first to end first.',
  operations: ['listGrants'],
  flags: { ...rowFlags, within: flag.text('30d', 'how soon, such as 12w, 6m or 1y; default 30d') },
  examples: {
    'comem -p demo grants expiring --within 90d': 'what ends in the next 90 days',
    'comem -p demo grants expiring --within 1y -o id': 'their ids',
    'comem -p demo grants expiring': 'what ends in the next 30 days',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    refuseRaw(ctx, 'the API returns every grant, and comem chooses');
    const withinOf = (now: Date) => instantFromNow(flags.within ?? '30d', now, '--within').getTime();
    withinOf(ctx.now());
    const endOf = (grant: MetricGrant) => expiryAt(grant) ?? Number.POSITIVE_INFINITY;
    await showRowsOfCompanies(ctx, (id) => grantsOf(ctx, id), grantColumns, {
      choose(grants) {
        const now = ctx.now();
        const soon = withinOf(now);
        return grants
          .filter((grant) => isInForce(grant, now) && endOf(grant) <= soon)
          .sort((a, b) => endOf(a) - endOf(b));
      },
      flags,
      command: ['grants expiring', flags.where, flags.within],
      rules: grantRules,
      name: ({ id }) => String(id),
      counts: grantCounts,
      next: 'comem grants revoke ID ends one',
      empty: hasRowFlags(flags) ? 'No such grants.' : `No grant ends within ${flags.within ?? '30d'}.`,
    });
  },
});
