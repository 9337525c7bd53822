import { defineCommand, flag } from '../../cli/define.ts';
import { requireProfile } from '../../config/settings.ts';
import { authStatus, statusColumns } from './status-rows.ts';

export default defineCommand({
  path: 'auth status',
  summary: 'Show profile, address, company and credentials',
  description: [
    'Each value names its source. Secrets show only their last four characters. Nothing is sent and no key command',
    'runs; `comem doctor` calls one cheap endpoint with each credential. So does --check, which exits 4 when one is refused.',
  ].join('\n'),
  operations: ['getMetricCatalog', 'listLists'],
  flags: { check: flag.boolean('call the API with each credential', { hidden: true }) },
  examples: {
    'comem auth status': 'the values that commands use, and their sources',
    'comem -p demo auth status': 'those of a profile',
    'comem auth status --json': 'the same for a program',
  },
  isLiveOnly: true,
  async run(ctx, { flags }) {
    if (flags.check) requireProfile(ctx.settings, ctx.profiles);
    const { rows, failed } = await authStatus(ctx, flags.check ?? false);
    await ctx.out.rows(rows, statusColumns(ctx.companyName), { id: (row) => row.setting });
    if (ctx.settings.baseUrl.value === undefined) {
      ctx.out.note('No base URL is set. Set one with `comem auth login`, or use `-p demo`.');
    }
    if (failed) throw failed;
  },
});
