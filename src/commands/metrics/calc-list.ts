import { showRows } from '../../cli/asking.ts';
import { defineCommand } from '../../cli/define.ts';
import { shortAskFlags } from '../../cli/query.ts';
import { requireProfile } from '../../config/settings.ts';
import { calcColumns } from './columns.ts';

export default defineCommand({
  path: 'metrics calc list',
  summary: 'List the saved definitions of computed metrics',
  description: 'A saved metric is used by its name in -m of the analysis commands, and in other definitions.',
  operations: [],
  args: [],
  flags: shortAskFlags,
  examples: [
    { run: 'comem -p demo metrics calc list', says: 'the definitions of the profile demo' },
    { run: 'comem -p demo metrics calc list -o csv', says: 'the same as CSV' },
    { run: `comem -p demo metrics calc list --where 'definition contains "arr"'`, says: 'those that use a metric' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    requireProfile(ctx.settings, ctx.profiles);
    const rows = Object.entries(ctx.settings.calc).map(([name, definition]) => ({ name, definition }));
    rows.sort((a, b) => (a.name < b.name ? -1 : 1));
    const empty = "No definitions. Add one with `comem metrics calc add 'NAME = EXPRESSION'`.";
    const name = (row: { name: string }) => row.name;
    await showRows(ctx, async () => rows, calcColumns, { flags, command: ['metrics calc list'], name, empty });
  },
});
