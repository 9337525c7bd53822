import { defineCommand } from '../../cli/define.ts';
import { requireNamed } from '../../config/accounts.ts';
import { requireProfile } from '../../config/settings.ts';
import { profileColumns, profileRow } from './columns.ts';

export default defineCommand({
  path: 'profiles get',
  summary: 'Show one profile',
  args: [{ name: 'NAME', summary: 'the profile; default: the current one', completionKind: 'profile', optional: true }],
  examples: {
    'comem profiles get demo': 'every setting of the profile demo',
    'comem profiles get demo --jq .baseUrl': 'only its address',
    'comem profiles get': 'the current profile',
  },
  stdout: 'object',
  async run(ctx, { args }) {
    if (args.NAME === undefined) requireProfile(ctx.settings, ctx.profiles);
    else requireNamed(ctx.profiles, args.NAME);
    const row = profileRow(ctx.profiles, args.NAME ?? ctx.settings.profile.value);
    const columns = profileColumns.map((column) => ({ ...column, hidden: false }));
    await ctx.out.value(row, columns, { id: () => row.name });
  },
});
