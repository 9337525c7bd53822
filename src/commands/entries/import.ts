import { targets } from '../../cli/arguments.ts';
import { defineCommand } from '../../cli/define.ts';
import { stepsText } from '../../domain/import/steps.ts';
import { importFlags } from './import/flags.ts';

export default defineCommand({
  path: 'entries import',
  summary: 'Create, update and remove entries from a file of rows',
  description: [
    'FILE is CSV, TSV, XLSX, JSON, NDJSON or YAML, or - for stdin. Columns match attributes by slug or name, and the fields title, id, position and archived; --map matches others. The file is checked before the first write, and every error is reported with its line and column. A column that can be read in two ways is refused, or a note says how it is read.',
    'Rows are matched by --key, which must be unique in the file. An entry with the key is updated; otherwise the row becomes a new entry. The plan is shown on stderr first.',
    'Prints the counts. Exit 7 when some writes failed and some did not; --resume continues and retries failed rows.',
  ].join('\n\n'),
  manual: [
    'An export of `entries list` is a valid FILE. --create-attrs takes the type of a new attribute from its cells, unless --type names it: phone numbers, ids of more than 15 digits, codes such as 007 or 1e5, and columns called ZIP or Version stay text. A cell may be written as for --set, or as the locale writes it; but 25% becomes 25 in an import, and 0.25 with --set. Of an existing entry only the columns that differ are sent. New entries keep the order of the file.',
    'In --map and --type a column is named by its header, or by its place: #2 is the second column, which helps if headers are empty or repeated. Backslashes of a TSV file are read as comem writes them or as plain text: the content of the file decides.',
    'Numbers and dates are read as --locale, --decimal and --date-format say. Without them a column is read in the one way that fits all its cells, and a note names it; a column with two readings is refused. A number with only a point, 1.234, keeps the point as decimal point, and a note says so; in a file whose cells are separated by semicolons it is refused. k, M, B, Tsd., Mio. and Mrd. after a number are factors. Signs and codes of currencies are removed; a column has one currency, that of its attribute. A number in brackets is negative. 25% is 25; the step percent makes it 0.25. Years of two digits need --date-format with yy, which means 1970 to 2069.',
    'A checkbox takes yes, no, y, n, x, 1, 0, check marks, and yes and no in German, French, Spanish, Italian and Portuguese. Blanks around texts are removed, except in an export of comem. Names of columns match without case and accents. Options that differ only in case and blanks are one option. --add-options adds the other options of the cells to the list. --type COLUMN=currency takes the currency of the cells.',
    `Steps of --map work on the text of a cell, in their order: ${stepsText()}. Arguments are in brackets; quote one that contains a comma or a bracket. The last three end the steps. Examples: --map 'Amount=valuation|strip(€)|number', --map 'Share=percent()' for a column that keeps its attribute, and --map '*=empty(n/a,-)' for cells of all columns.`,
    'Of a workbook one sheet is read, the first that is shown, or that of --sheet. Up to five rows of one cell above the names of the columns are titles. Formulas count by their stored results, dates by their number format. Merged cells of one column have the value of the first; cells merged across columns, errors, and formulas without a result are errors of their rows. A row that begins with a word such as Total is named in the plan; --skip-row leaves it out.',
    '--on-error skip leaves out rows with errors after showing them, and ends with exit 7. --failed keeps them with _line, _column and _reason; _source keeps how the source was read, so that the file is imported with the same flags. Rows of JSON and YAML are kept as .ndjson or .json. The modes: upsert creates and updates, insert only creates, update only updates, and sync does what upsert does, restores archived entries that the file has, also merged duplicates, and archives entries that it lacks. Removals come last, and only if no row failed.',
    'A kill at any moment creates no duplicates. --resume continues a run of the same file and flags. The same import cannot run twice at a time. A create without an answer is looked up by its key before it is sent again. --plan-out and --plan separate plan and execution for a review. Three more flags: --decimal MARK is the decimal mark of numbers, a comma or a point; --empty keep leaves values whose cells are empty; --encoding NAME is the encoding of FILE, by default UTF-8, else Windows-1252.',
  ].join('\n\n'),
  operations: [
    'listLists',
    'getList',
    'listEntries',
    'createAttribute',
    'updateAttribute',
    'createEntry',
    'updateEntry',
    'deleteEntry',
  ],
  args: [targets.list, { name: 'FILE', summary: 'rows to import; - for stdin', optional: true }],
  flags: importFlags,
  examples: {
    "comem entries import companies constituents.csv --key symbol --map 'Security=title' --create-attrs --yes":
      'creates attributes for the columns',
    'comem -p demo entries list deal-pipeline -o csv | comem -p demo entries import deal-pipeline - --key id --dry-run':
      'importing an export changes nothing',
    'comem entries import deal-pipeline deals.xlsx --on-error skip --failed bad.csv --yes':
      'a workbook; keeps rows with errors',
    'comem entries import deal-pipeline deals.csv --mode sync --plan-out plan.json':
      'write only the plan; --plan plan.json executes it',
  },
  stdout: 'object',
  writes: true,
  confirms: 'before it writes',
  async run(ctx, { args, flags }) {
    await (await import('./import/run.ts')).importEntries(ctx, args.LIST, args.FILE, flags);
  },
});
