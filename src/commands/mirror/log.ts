import { defineCommand, flag } from '../../cli/define.ts';
import { type Past, withPast } from '../../cli/past.ts';
import { shortRowFlags, showRows } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { changeKinds } from '../../domain/history/changes.ts';
import { logView } from '../changes/columns.ts';
import { pastChanges, spanSince, targetOf } from '../changes/read.ts';

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
  unlisted: true,
  async run(ctx, { args: { TARGET }, flags: { since, ...rowFlags } }) {
    refuseRaw(ctx, 'it sends no request');
    if (!(await ctx.out.check(logView.columns))) return;
    const read = async (past: Past) => {
      const target = TARGET === undefined ? {} : await targetOf(past.history, TARGET);
      const kinds = 'list' in target ? (['list', 'attribute', 'entry'] as const) : changeKinds;
      return pastChanges(ctx, past, { kinds, span: spanSince(past, since), ...target });
    };
    await showRows(ctx, async () => (await withPast(ctx, read)).map(logView.row), logView.columns, {
      flags: rowFlags,
      command: ['mirror log', TARGET, since],
      counts: ['change', 'changes'],
      name: ({ kind, name, field }) => [kind, name, field].filter(Boolean).join(' '),
      empty: `No changes${since === undefined ? '' : ` since ${since}`}.`,
    });
  },
});
