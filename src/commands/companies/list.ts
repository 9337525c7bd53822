import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { requireProfile } from '../../config/settings.ts';
import { type AliasRow, companyColumns, fiscalColumns } from '../profiles/columns.ts';
import { groupRow, namesOf } from './groups.ts';

export default defineCommand({
  path: 'companies list',
  summary: 'List the companies and groups of a profile',
  description:
    'Aliases, the companies of an embedded database, and groups, which -c takes as @GROUP. Names are known from a database, or from an earlier command.',
  flags: shortRowFlags,
  examples: {
    'comem -p demo companies list': 'the aliases of the profile demo',
    'comem -p demo companies list -o csv': 'the same as CSV',
    'comem -p demo companies list --where \'alias = "lumen"\' --one': 'one alias',
  },
  async run(ctx, { flags }) {
    requireProfile(ctx.settings, ctx.profiles);
    const { aliases, groups, companies, fiscalYearStart } = ctx.settings;
    const names = await namesOf(ctx);
    const unnamed = [...names.keys()].filter((id) => !Object.values(aliases).includes(id));
    const rowOf = (id: string, alias?: string): AliasRow => ({
      alias,
      name: names.get(id),
      id,
      default: id === companies.value[0],
      ...(fiscalYearStart[id] !== undefined && { fiscalYearStart: fiscalYearStart[id] }),
    });
    const rows = [
      ...Object.keys(aliases)
        .sort()
        .map((alias) => rowOf(aliases[alias] ?? '', alias)),
      ...unnamed.map((id) => rowOf(id)),
      ...Object.entries(groups).map(([group, ids]) => ({
        alias: `@${group}`,
        name: groupRow(ctx, group, ids).names,
        default: false,
      })),
    ];
    const empty = 'No aliases. Add one with `comem companies add ALIAS UUID`.';
    const columns = Object.keys(fiscalYearStart).length > 0 ? fiscalColumns : companyColumns;
    const name = ({ alias, id }: AliasRow) => alias ?? String(id);
    const command = ['companies list', flags.where];
    await showRows(ctx, async () => rows, columns, { flags, command, name, empty });
  },
});
