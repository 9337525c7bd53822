import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { importFlags } from './import/flags.ts';
import { importEntries } from './import/import.ts';

export default defineCommand({
  path: 'entries import',
  summary: 'Create, update and remove entries from a file of rows',
  description: [
    'FILE is CSV, TSV, JSON, NDJSON or YAML, or - for stdin; an export of `entries list` is one. Columns match attributes by slug or name, and the fields title, id, position and archived; --map matches others. Cells are typed like the values of --set. The file is checked before the first write, and every error is reported with its line and column.',
    'Rows are matched by --key, which must be unique in the file: an entry with the key is updated, only in the columns that differ; otherwise the row becomes a new entry, in the order of the file. The plan is shown on stderr first and must be confirmed; without a terminal, give --yes. --plan-out and --plan separate plan and execution for a review.',
    'A kill at any moment creates no duplicates: --resume continues where a run of the same file and flags stopped, and retries failed rows. The same import cannot run twice at a time. A create without an answer is looked up by its key before it is sent again. With --mode sync removals come last, and only when no row failed.',
    'Prints the counts. Exit 7 when some writes failed and some did not.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries', 'createAttribute', 'createEntry', 'updateEntry', 'deleteEntry'],
  args: [targets.list, { name: 'FILE', summary: 'rows to import; - for stdin', optional: true }],
  flags: importFlags,
  examples: [
    {
      run: "comem entries import companies constituents.csv --key symbol --map 'Security=title' --create-attrs --yes",
      says: 'creates attributes for the columns',
    },
    {
      run: 'comem -p demo entries list deal-pipeline -o csv | comem -p demo entries import deal-pipeline - --key id --dry-run',
      says: 'importing an export changes nothing',
    },
    {
      run: 'comem entries import deal-pipeline deals.csv --mode sync --plan-out plan.json',
      says: 'only the plan; comem entries import deal-pipeline --plan plan.json executes it',
    },
  ],
  stdout: 'object',
  writes: true,
  run: (ctx, { args, flags }) => importEntries(ctx, args.LIST, args.FILE, flags),
});
