import { listWrites } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';

export default defineCommand({
  path: 'undo',
  summary: 'Revert what a run created, changed or deleted',
  description: [
    'Created things are deleted, and grants revoked; changed fields get their previous values; deleted things are re-created, with values, options and archived state. The default is the newest run of `comem history`; an older one must be named or confirmed. An undo is in the history too, and can be undone by its number.',
    'Not reverted: ids, created_at and created_by of deleted things, and revocations (create a new grant). What was changed since is skipped without --force. Shows a plan first, and prints write, what, outcome (restored, recreated, deleted, revoked, partly, unchanged, skipped, impossible, failed), id and error of each. An undo that was interrupted, or got no answer, continues when it is repeated: what exists already is not created again, and what cannot be told apart is skipped by name. --quiet prints rows only with -o, --jq or --out. Exit 1 when nothing could be reverted, 7 when only a part was.',
  ].join('\n\n'),
  reverts: true,
  operations: [
    ...(['getList', 'listEntries', ...listWrites, 'deleteAttribute', 'deleteList'] as const),
    ...(['createEntry', 'updateEntry', 'deleteEntry', 'listGrants', 'revokeGrant'] as const),
  ],
  args: [{ name: 'N', summary: 'number of a run in `comem history`; default: the newest', optional: true }],
  flags: { force: flag.boolean('also revert what was changed since') },
  examples: {
    'comem -p demo undo --dry-run': 'the requests that would revert the last run',
    'comem -p demo undo 12 --yes': 'reverts run 12 without asking',
    'comem -p demo undo --yes': 'reverts the last run without asking',
  },
  writes: true,
  confirms: 'before it reverts',
  async run(ctx, { args, flags }) {
    const { undoRun } = await import('./run.ts');
    refuseRaw(ctx, 'it prints a row for each write');
    await undoRun(ctx, args.N, flags.force ?? false);
  },
});
