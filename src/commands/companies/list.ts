import { defineCommand } from '../../cli/define.ts';
import { requireProfile } from '../../config/settings.ts';
import { companyColumns, fiscalColumns } from '../profiles/columns.ts';

export default defineCommand({
  path: 'companies list',
  summary: 'List the company aliases of a profile',
  description: 'The profile demo has built-in aliases for the companies of the demo.',
  operations: [],
  args: [],
  flags: {},
  examples: [
    { run: 'comem -p demo companies list', says: 'the aliases of the profile demo' },
    { run: 'comem -p demo companies list -o csv', says: 'the same as CSV' },
  ],
  stdout: 'rows',
  async run(ctx) {
    requireProfile(ctx.settings, ctx.profiles);
    const [chosen] = ctx.settings.companies.value;
    const { fiscalYearStart } = ctx.settings;
    const rows = Object.entries(ctx.settings.aliases).map(([alias, id]) => ({
      ...{ alias, id, default: id === chosen },
      ...(fiscalYearStart[id] !== undefined && { fiscalYearStart: fiscalYearStart[id] }),
    }));
    rows.sort((a, b) => (a.alias < b.alias ? -1 : 1));
    const empty = 'No aliases. Add one with `comem companies add ALIAS UUID`.';
    await ctx.out.rows(rows, Object.keys(fiscalYearStart).length > 0 ? fiscalColumns : companyColumns, { empty });
  },
});
