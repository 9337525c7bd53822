import { bodyFieldFlags, bodyOf } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { writeAndShow } from '../../cli/show.ts';
import { getMetricPreferences, setMetricPreferences } from '../../contract/metric-operations.ts';
import { usage } from '../../core/errors.ts';
import { preferenceColumns } from './columns.ts';
import {
  differences,
  investorArgument,
  investorOf,
  preferencesBefore,
  preferencesFlags,
  preferencesOf,
  repeatedFields,
} from './preferences.ts';
import { requireMetrics } from './read.ts';

export default defineCommand({
  path: 'metrics prefs set',
  summary: 'Change the metric display preferences of an investor',
  description:
    'Reads the preferences, applies the flags, shows the changes on stderr, and writes the result. Fields without a flag stay as they are. If nothing changes, nothing is sent. An investor without preferences gets the first ones. An empty text clears a list.',
  operations: ['getMetricPreferences', 'setMetricPreferences', 'getMetricCatalog'],
  args: [investorArgument],
  flags: { ...preferencesFlags, ...bodyFieldFlags },
  examples: {
    'comem -p demo metrics prefs set northgate --set requested=mrr,arr,runway --dry-run':
      'show the difference and the request',
    'comem -p demo metrics prefs set northgate --set requested=mrr,arr': 'ask for two metrics',
    'comem -p demo metrics prefs set northgate --set columns=mrr,arr': 'the columns of its table',
  },
  stdout: 'object',
  writes: true,
  async run(ctx, { args, flags }) {
    const vcCompanyId = investorOf(ctx, args.INVESTOR ?? flags.investor);
    const fields = await bodyOf(ctx, await preferencesOf(ctx, flags.set), flags);
    if (Object.keys(fields).length === 0) {
      throw usage('nothing to change: give --set, --body or --data');
    }
    const client = await ctx.client();
    const before = await preferencesBefore(client.call(getMetricPreferences, { query: { vcCompanyId } }));
    const changes = differences(before, fields);
    if (changes.length === 0) {
      ctx.out.note('The preferences are already up to date; nothing was sent.');
      await ctx.out.value(before, preferenceColumns);
      return;
    }
    // Metrics that were there may be of companies with another catalog.
    const known = new Set([...(before.requestedMetrics ?? []), ...(before.tableColumns ?? [])]);
    const added = [...(fields.requestedMetrics ?? []), ...(fields.tableColumns ?? [])].filter((id) => !known.has(id));
    await requireMetrics(ctx, added, [vcCompanyId]);
    for (const change of changes) ctx.out.note(change);
    const body = { ...repeatedFields(before), ...fields, vcCompanyId };
    await writeAndShow(ctx, setMetricPreferences, { body }, preferenceColumns);
  },
});
