import { defineCommand } from '../../cli/define.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { requireProfile } from '../../config/settings.ts';
import { type GroupRow, groupColumns, groupRow } from './groups.ts';

export default defineCommand({
  path: 'companies group list',
  summary: 'List the groups of companies of a profile',
  description: 'The profile demo has the built-in group portfolio.',
  flags: shortRowFlags,
  examples: {
    'comem -p demo companies group list': 'the groups of the profile demo',
    'comem -p demo companies group list -o csv': 'the same as CSV',
    'comem -p demo companies group list --where \'group = "portfolio"\' --one': 'one group',
  },
  async run(ctx, { flags }) {
    requireProfile(ctx.settings, ctx.profiles);
    const rows = Object.entries(ctx.settings.groups)
      .map(([group, companies]) => groupRow(ctx, group, companies))
      .sort((a, b) => (a.group < b.group ? -1 : 1));
    const empty = 'No groups. Add one with `comem companies group add NAME COMPANY…`.';
    const name = ({ group }: GroupRow) => group;
    await showRows(ctx, async () => rows, groupColumns, { flags, command: ['companies group list'], name, empty });
  },
});
