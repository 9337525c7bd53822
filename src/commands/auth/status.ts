import { defineCommand, flag } from '../../cli/define.ts';
import { requireProfile } from '../../config/settings.ts';
import { statusColumns } from './columns.ts';
import { authStatus } from './status-rows.ts';

export default defineCommand({
  path: 'auth status',
  summary: 'Show profile, address, company and credentials, and where each comes from',
  description: [
    'Secrets are shown by their last four characters. Nothing is sent, and no key command is run, unless --check is',
    'given: then one cheap endpoint is called with each credential, and the command exits 4 when one is refused.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  args: [],
  flags: { check: flag.boolean('call the API with each credential') },
  examples: [
    { run: 'comem auth status', says: 'what commands would use, and why' },
    { run: 'comem -p demo auth status --check', says: 'whether both credentials are accepted' },
    { run: 'comem auth status --json', says: 'the same for a program' },
  ],
  stdout: 'rows',
  async run(ctx, { flags }) {
    if (flags.check) requireProfile(ctx.settings, ctx.profiles);
    const { rows, failed } = await authStatus(ctx, flags.check ?? false);
    await ctx.out.rows(rows, statusColumns, { id: (row) => row.setting });
    if (ctx.settings.baseUrl.value === undefined) {
      ctx.out.note('No base URL is set. `comem auth login` sets one up; `-p demo` works without.');
    }
    if (failed) throw failed;
  },
});
