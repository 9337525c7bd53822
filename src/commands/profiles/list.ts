import { defineCommand } from '../../cli/define.ts';
import { profileNames } from '../../config/profile.ts';
import { profileColumns } from './columns.ts';
import { profileRow } from './read.ts';

export default defineCommand({
  path: 'profiles list',
  summary: 'List the profiles',
  description: 'Where each keeps its API key and session is shown; the secrets themselves never are.',
  operations: [],
  args: [],
  flags: {},
  examples: [
    { run: 'comem profiles list', says: 'all profiles, the built-in demo among them' },
    { run: 'comem profiles list -o id', says: 'their names, one a line' },
  ],
  stdout: 'rows',
  async run(ctx) {
    const rows = profileNames(ctx.profiles).map((name) => profileRow(ctx.profiles, name));
    await ctx.out.rows(rows, profileColumns, { id: (row) => row.name });
  },
});
