import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { undoRun } from './run.ts';

export default defineCommand({
  path: 'undo',
  summary: 'Take back what a run changed or deleted',
  description: [
    'Changed fields get the values that they had; what was deleted is made anew, with its values, options and archived state. Without N it is the newest run of `comem history` that was not taken back yet; an undo is in the history too, and its own number takes it back.',
    'What cannot come back: the ids of what was deleted, created_at and created_by, and a revocation (make a new grant). A field that somebody changed since is left alone without --force. Shows a plan, asks (without a terminal it needs --yes), and prints write, what, outcome (restored, recreated, partly, unchanged, skipped, impossible, failed), id and error of each. Exit 1 when nothing could come back, 7 when some of it did not.',
  ].join('\n\n'),
  operations: [
    'getList',
    'listEntries',
    'createList',
    'updateList',
    'createAttribute',
    'updateAttribute',
    'createEntry',
    'updateEntry',
  ],
  args: [{ name: 'N', summary: 'number of a run in `comem history`; default: the newest', optional: true }],
  flags: { force: flag.boolean('also take back fields that were changed since') },
  examples: [
    { run: 'comem -p demo undo --dry-run', says: 'the requests that would take the last run back' },
    { run: 'comem -p demo undo 12 --yes', says: 'takes run 12 back without asking' },
  ],
  stdout: 'rows',
  writes: true,
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'it prints a row for each write');
    await undoRun(ctx, args.N, flags.force ?? false);
  },
});
