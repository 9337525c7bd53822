import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { importFlags } from './import/flags.ts';
import { importEntries } from './import/import.ts';

export default defineCommand({
  path: 'entries import',
  summary: 'Create, update and remove entries from a file of rows',
  description: [
    'FILE is CSV, TSV, JSON, NDJSON or YAML, or - for stdin. Columns match attributes by slug or name, and the fields title, id, position and archived; --map matches others. The file is checked before the first write, and every error is reported with its line and column.',
    'Rows are matched by --key, which must be unique in the file. An entry with the key is updated; otherwise the row becomes a new entry. The plan is shown on stderr first and must be confirmed; without a terminal, give --yes.',
    'Prints the counts. Exit 7 when some writes failed and some did not; --resume continues and retries failed rows.',
  ].join('\n\n'),
  manual: [
    'An export of `entries list` is a valid FILE. Cells are typed like the values of --set. Of an existing entry only the columns that differ are sent. New entries keep the order of the file.',
    'In --map and --type a column is named by its header, or by its place: #2 is the second column, which helps if headers are empty or repeated. --header replaces the names on the first line. Backslashes of a TSV file are read as comem writes them or as plain text; by default the content of the file decides, and --tsv-escapes overrides it.',
    'The modes: upsert creates and updates, insert only creates, update only updates, and sync is upsert and archives the entries that the file lacks. With sync the removals come last, and only if no row failed.',
    'A kill at any moment creates no duplicates. --resume continues a run of the same file and flags. The same import cannot run twice at a time. A create without an answer is looked up by its key before it is sent again. --plan-out and --plan separate plan and execution for a review.',
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
      says: 'write only the plan; --plan plan.json executes it',
    },
  ],
  stdout: 'object',
  writes: true,
  run: (ctx, { args, flags }) => importEntries(ctx, args.LIST, args.FILE, flags),
});
