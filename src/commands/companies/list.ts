import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { requireProfile } from '../../config/settings.ts';
import { type CompanyRow, companyColumns, fiscalColumns } from '../profiles/columns.ts';

export default defineCommand({
  path: 'companies list',
  summary: 'List the company aliases of a profile',
  description: 'The profile demo has built-in aliases for the companies of the demo.',
  operations: [],
  args: [],
  flags: shortRowFlags,
  examples: [
    { run: 'comem -p demo companies list', says: 'the aliases of the profile demo' },
    { run: 'comem -p demo companies list -o csv', says: 'the same as CSV' },
    { run: `comem -p demo companies list --where 'alias = "lumen"' --one`, says: 'one alias' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    requireProfile(ctx.settings, ctx.profiles);
    const [chosen] = ctx.settings.companies.value;
    const { fiscalYearStart } = ctx.settings;
    const rows = Object.entries(ctx.settings.aliases).map(([alias, id]) => ({
      ...{ alias, id, default: id === chosen },
      ...(fiscalYearStart[id] !== undefined && { fiscalYearStart: fiscalYearStart[id] }),
    }));
    rows.sort((a, b) => (a.alias < b.alias ? -1 : 1));
    const empty = 'No aliases. Add one with `comem companies add ALIAS UUID`.';
    const columns = Object.keys(fiscalYearStart).length > 0 ? fiscalColumns : companyColumns;
    const name = ({ alias }: CompanyRow) => alias;
    const command = ['companies list', flags.where];
    await showRows(ctx, async () => rows, columns, { flags, command, name, empty });
  },
});
