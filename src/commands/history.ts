import { defineCommand } from '../cli/define.ts';
import { hasRowFlags, shortRowFlags, showRows } from '../cli/query.ts';
import { refuseRaw } from '../cli/show.ts';
import {
  type RunRow,
  runColumns,
  runOf,
  runRow,
  runRules,
  runsOf,
  type WriteRow,
  writeColumns,
  writeRow,
  writeRules,
} from './undo/read.ts';

export default defineCommand({
  path: 'history',
  summary: 'Show what was written, and what can be undone',
  description: [
    'Prints one row for each run of a command that wrote to the API, the newest first. With N it prints the writes of that run, each with the previous values. Sends no request.',
    'The column changed counts what was done; writes that failed or got no answer are counted apart. The column undo is yes, partly, no or undone, with the reason. It is also partly if an undo was interrupted, or could not restore all of a list or attribute: the next `comem undo` continues it.',
  ].join('\n\n'),
  manual: `Previous values are kept if the command read them. The API reads no single entry, so a write by id reads nothing: --keep-undo reads the list first. On a terminal this happens automatically for lists of up to 5,000 entries. Each profile has a folder in the state folder (XDG_STATE_HOME), which only you can read. It keeps the last 200 runs, at most 64 MiB.`,
  args: [{ name: 'N', summary: 'number of a run', optional: true }],
  flags: shortRowFlags,
  examples: {
    'comem -p demo history': 'the runs, the newest first',
    'comem -p demo history --limit 1 --jq ".[].undo"': 'whether the last one can be undone',
    'comem -p demo history -o csv': 'all runs, as CSV',
  },
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'it sends no request');
    if (args.N === undefined) {
      const id = ({ number }: RunRow) => String(number);
      const empty = hasRowFlags(flags) ? 'No such runs.' : 'Nothing was written with this profile.';
      const showing = { flags, command: ['history'], rules: runRules, name: id, id, empty };
      return showRows(ctx, async () => runsOf(ctx).map((run) => runRow(run, ctx.settings)), runColumns, showing);
    }
    const { writes } = runOf(ctx, args.N);
    const id = ({ write }: WriteRow) => String(write);
    const showing = { flags, command: ['history', args.N], rules: writeRules, name: id, id, empty: 'No such writes.' };
    await showRows(ctx, async () => writes.map((write) => writeRow(write, ctx.settings)), writeColumns, showing);
  },
});
