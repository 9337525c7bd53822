/** The flags that every command knows. Their limits that depend on a command are its own. */
import { formats } from '../core/output-formats.ts';
import { type Flags, type FlagValues, flag } from './define.ts';

export const globalFlags = {
  profile: flag.text('NAME', 'which profile; `demo` always exists', { short: 'p' }),
  company: flag.list('ID|ALIAS', 'company to act on', { short: 'c' }),
  baseUrl: flag.text('URL', "the API's address, or `embedded:DIR`"),
  output: flag.text('FORMAT', 'output format', { short: 'o', choices: formats }),
  json: flag.boolean('the same as -o json'),
  csv: flag.boolean('the same as -o csv'),
  fields: flag.text('A,B', 'keep these columns, in this order; `help` lists them'),
  jq: flag.text('EXPR', 'a jq program over the complete JSON result'),
  out: flag.text('FILE', 'write there instead of stdout; {company}, {date} and {profile} in it are filled', {
    short: 'O',
  }),
  noHeader: flag.boolean('leave the header line out'),
  noTruncate: flag.boolean('cut no text in tables'),
  crlf: flag.boolean('CSV lines end in CR LF'),
  excel: flag.boolean('CSV as Excel wants it: BOM, CR LF, safe text cells'),
  delimiter: flag.text('C', 'CSV cells are separated by this character'),
  raw: flag.boolean('one request, its body exactly as received'),
  limit: flag.integer('N', 'at most N rows in all', { minimum: 0 }),
  pageSize: flag.integer('N', "rows of one request (the API's own limit)", { minimum: 1 }),
  failEmpty: flag.boolean('exit 1 when the result has no rows'),
  dryRun: flag.boolean('print the requests of a write as JSON, send nothing'),
  yes: flag.boolean('skip confirmation', { short: 'y' }),
  keepUndo: flag.boolean(
    'read what a write replaces where it was not read anyway, so that `comem undo` can bring it back',
  ),
  confirm: flag.text('NAME', "the company's name, to write under a protected profile"),
  noInput: flag.boolean('never prompt'),
  timeout: flag.number('S', 'seconds for one request (30)', { minimum: 0.001 }),
  retries: flag.integer('N', 'retries of a request that failed for now (3)', { minimum: 0 }),
  allowHttp: flag.boolean('send credentials over plain http'),
  verbose: flag.boolean('log requests and responses on stderr', { short: 'v' }),
  quiet: flag.boolean('no notes, warnings and progress'),
  noColor: flag.boolean('no colour'),
} satisfies Flags;

export type GlobalFlags = FlagValues<typeof globalFlags>;
