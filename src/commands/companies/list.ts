import { defineCommand } from '../../cli/define.ts';
import { requireProfile } from '../../config/settings.ts';
import { companyColumns } from '../profiles/columns.ts';

export default defineCommand({
  path: 'companies list',
  summary: 'List the company aliases of a profile',
  description: 'The companies of the demo have theirs in the profile demo from the start.',
  operations: [],
  args: [],
  flags: {},
  examples: [
    { run: 'comem -p demo companies list', says: 'the aliases that -c takes under the profile demo' },
    { run: 'comem -p demo companies list -o csv', says: 'the same as CSV' },
  ],
  stdout: 'rows',
  async run(ctx) {
    requireProfile(ctx.settings, ctx.profiles);
    const [chosen] = ctx.settings.companies.value;
    const rows = Object.entries(ctx.settings.aliases).map(([alias, id]) => ({ alias, id, default: id === chosen }));
    rows.sort((a, b) => (a.alias < b.alias ? -1 : 1));
    const empty = 'No aliases. `comem companies add ALIAS UUID` keeps one.';
    await ctx.out.rows(rows, companyColumns, { empty });
  },
});
