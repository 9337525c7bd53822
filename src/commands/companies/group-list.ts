import { defineCommand } from '../../cli/define.ts';
import { requireProfile } from '../../config/settings.ts';
import { groupColumns, groupRow } from './groups.ts';

export default defineCommand({
  path: 'companies group list',
  summary: 'List the groups of companies of a profile',
  description: 'The profile demo has the built-in group portfolio.',
  operations: [],
  args: [],
  flags: {},
  examples: [{ run: 'comem -p demo companies group list', says: 'the groups of the profile demo' }],
  stdout: 'rows',
  async run(ctx) {
    requireProfile(ctx.settings, ctx.profiles);
    const rows = Object.entries(ctx.settings.groups)
      .map(([group, companies]) => groupRow(ctx, group, companies))
      .sort((a, b) => (a.group < b.group ? -1 : 1));
    const empty = 'No groups. Add one with `comem companies group add NAME COMPANY…`.';
    await ctx.out.rows(rows, groupColumns, { empty });
  },
});
