import { defineCommand } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { runColumns, runOf, runRow, runsOf, writeColumns, writeRow } from '../undo/read.ts';

export default defineCommand({
  path: 'history',
  summary: 'What was changed and deleted, and what can be undone',
  description: [
    'One row for each run of a command that sent PATCH or DELETE, the newest first; with N the writes of that run, each with what it replaced. Nothing is asked of the API.',
    'The column undo is yes, partly, no or undone, with the reason. It is partly too if an undo was interrupted or could not restore all of a list or attribute: the next `comem undo` continues it.',
    'What a write replaced is kept where the command read it anyway. The API reads no single entry, so a write by id alone reads nothing: --keep-undo reads the list first, and on a terminal that happens by itself for lists of up to 5,000 entries. The journal is a folder for each profile in the state folder (XDG_STATE_HOME), readable by you alone, with the last 200 runs and at most 64 MiB.',
  ].join('\n\n'),
  operations: [],
  args: [{ name: 'N', summary: 'number of a run', optional: true }],
  flags: {},
  examples: [
    { run: 'comem -p demo history', says: 'the runs, the newest first' },
    { run: 'comem -p demo history --limit 1 --jq ".[].undo"', says: 'whether the last one can be undone' },
  ],
  stdout: 'rows',
  async run(ctx, { args }) {
    refuseRaw(ctx, 'it asks nothing of the API');
    if (args.N === undefined) {
      await ctx.out.rows(runsOf(ctx).map(runRow), runColumns, {
        id: (row) => String(row.number),
        empty: 'Nothing was changed or deleted with this profile.',
      });
      return;
    }
    await ctx.out.rows(runOf(ctx, args.N).writes.map(writeRow), writeColumns, { id: (row) => String(row.write) });
  },
});
