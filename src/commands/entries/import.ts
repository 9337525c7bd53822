import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { importFlags } from './import/flags.ts';
import { importEntries } from './import/import.ts';

export default defineCommand({
  path: 'entries import',
  summary: 'Create, update and remove entries from a file of rows',
  description: [
    'FILE is CSV, TSV, JSON or NDJSON, or - for stdin; an export of `entries list` is one. Columns are attributes by slug or name, and title, id, position and archived by these words; --map says what others are. Cells are typed as the values of --set are. The whole file is checked before the first write, and every error is named with its line and column.',
    'A row is known by its --key, which must be unique in the file: an entry that has it is updated, in the columns that differ alone; else the row becomes a new entry, in the order of the file. The plan is shown on stderr first, and asked for on a terminal; without one it needs --yes. --plan-out and --plan split plan and execution for a review.',
    'A kill at any moment makes no duplicate: --resume goes on where a run of the same file and flags stopped, and tries again what failed; the same import is not run a second time while it runs. A create whose answer was lost is looked up by its key before it is sent again. With --mode sync removals come last, and not at all when a row failed.',
    'Prints the counts. Exit 7 when some writes failed and some did not.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'createAttribute', 'createEntry', 'updateEntry', 'deleteEntry'],
  args: [targets.list, { name: 'FILE', summary: 'rows to import; - for stdin', optional: true }],
  flags: importFlags,
  examples: [
    {
      run: "comem entries import companies constituents.csv --key symbol --map 'Security=title' --create-attrs --yes",
      says: 'a table as it is, with attributes made for its columns',
    },
    {
      run: 'comem -p demo entries list deal-pipeline -o csv | comem -p demo entries import deal-pipeline - --key id --dry-run',
      says: 'an export read back changes nothing',
    },
    {
      run: 'comem entries import deal-pipeline deals.csv --mode sync --plan-out plan.json',
      says: 'the plan alone; comem entries import deal-pipeline --plan plan.json executes it',
    },
  ],
  stdout: 'object',
  writes: true,
  run: (ctx, { args, flags }) => importEntries(ctx, args.LIST, args.FILE, flags),
});
