import { defineCommand, flag } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { readableFolder } from './folder.ts';

export default defineCommand({
  path: 'mirror log',
  summary: 'Show what changed between the syncs of a mirror',
  description: [
    'One row for each thing that was added, changed or deleted, and for each field of what was changed: when a sync saw it (seen), and the sync before, after which it happened (after). Who changed it is not known.',
    'Everything that the first sync saw was there before, and is not shown. Changes between two syncs are one change. The mirror is that of --mirror, COMEM_MIRROR or the profile.',
  ].join('\n\n'),
  operations: [],
  args: [{ name: 'TARGET', summary: 'a list by slug, name or id, or a metric; default: all', optional: true }],
  flags: {
    ...shortRowFlags,
    since: flag.text('WHEN', 'only what was seen since a date, a time or 12h, 30d, 2y'),
  },
  examples: [
    { run: 'comem -p demo mirror log --mirror mirror --since 30d', says: 'all changes of the last 30 days' },
    { run: 'comem -p demo mirror log deal-pipeline --mirror mirror -o csv', says: 'one list' },
    { run: 'comem -p demo mirror log mrr --mirror mirror', says: 'one metric' },
  ],
  stdout: 'rows',
  mirrors: true,
  async run(ctx, { args, flags }) {
    const { showLog } = await import('./log-show.ts');
    await showLog(ctx, await readableFolder(ctx, undefined), {
      since: flags.since,
      target: args.TARGET,
      flags,
    });
  },
});
