import { defineCommand } from '../../cli/define.ts';
import { showRaw } from '../../cli/show.ts';
import { getMetricPreferences } from '../../contract/metric-operations.ts';
import { preferenceColumns } from './columns.ts';
import { investorArgument, investorFlag, investorOf } from './preferences.ts';

export default defineCommand({
  path: 'metrics prefs get',
  summary: 'Read the metric display preferences of an investor',
  operations: ['getMetricPreferences'],
  args: [investorArgument],
  flags: { investor: investorFlag },
  examples: {
    'comem -p demo metrics prefs get northgate': 'requested metrics, table columns and card pages',
    "comem -p demo metrics prefs get northgate --jq '.requestedMetrics'": 'the ids that the investor asks for',
    'comem -p demo metrics prefs get northgate -o yaml': 'all of it as YAML',
  },
  stdout: 'object',
  async run(ctx, { args, flags }) {
    const query = { vcCompanyId: investorOf(ctx, args.INVESTOR ?? flags.investor) };
    if (await showRaw(ctx, getMetricPreferences, { query })) return;
    const client = await ctx.client();
    await ctx.out.value(await client.call(getMetricPreferences, { query }), preferenceColumns);
  },
});
