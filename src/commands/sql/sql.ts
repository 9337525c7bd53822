import { listReads } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';

export default defineCommand({
  path: 'sql',
  summary: 'Select rows of lists and metrics in SQL',
  description: [
    'Runs one statement of SQLite over live data: select, with, values or explain. Each list is a table (deal-pipeline is deal_pipeline) with a column for each attribute; the others are metric_points, metric_catalog, grants, grant_metrics, published_points and companies. Only the tables that the statement names are read, each once.',
    'STATEMENT can also be a file that ends in .sql, or - for stdin.',
  ].join('\n\n'),
  manual: [
    "Names are in lower case, with _ for -. Options are labels, dates are ISO text, a multi_select is a JSON array: write exists (select 1 from json_each(tags) where value = 'AI'). A checkbox is 1 or 0. Whole numbers are exact; others are doubles, beside a column NAME_text with every digit. In SQLite a quotient of integers is an integer: write 1.0 * a / b.",
    'Tables of lists have no archived entries unless --archived is given. Tables hold the lists and grants of the companies of -c, and what they published to you. Without -c tables of metrics have all companies of the profile that you may read, and grants and lists are those of your own.',
    'With a mirror each table has one of its past: deal_pipeline_history, metric_points_history, metric_catalog_history, grants_history, published_points_history, and lists_history and attributes_history. A row is a state: seen_from is the first sync that read it, seen_to the first that did not, and null while it lasts.',
    'A value for :name in the statement is --param name=VALUE: a number, true, false and null are typed by their look; name:=JSON says the type. A statement reads these tables, json_each, json_tree and pragma_table_info, and calls functions of SQLite that compute; nothing else is allowed. A value or a row may take 16 MiB, a statement 200 MiB of memory and 512 MiB of temporary files. SQLite has 30 s to compute the next rows; a --timeout that is given is that limit, and bounds all of it, reading and output included. Tables are kept in a temporary file that nobody else can read, which is removed at the end.',
  ].join('\n\n'),
  operations: [...listReads, 'getMetricCatalog', 'getMetricSeries', 'listGrants', 'getPublishedMetrics'],
  args: [{ name: 'STATEMENT', summary: 'SQL, a file FILE.sql, or - for stdin', optional: true }],
  flags: {
    file: flag.text('FILE', 'read the statement from this file', { short: 'f' }),
    param: flag.list('NAME=VALUE', 'the value of :NAME; NAME:=JSON for its type'),
    tables: flag.boolean('list the tables', { hidden: true }),
    schema: flag.boolean('list the columns of all tables, or of those named'),
    archived: flag.boolean('archived entries too'),
  },
  examples: {
    "comem -p demo sql 'select stage, count(*), sum(valuation) from deal_pipeline group by 1'":
      'a question about a list',
    "comem -p demo sql 'select title, valuation from deal_pipeline where valuation > :least' --param least=20000000":
      'with a parameter',
    "comem -p demo sql \"select seen_from, value from metric_points_history where metric_id = 'fund_nav' and period_key = '2025-12'\"":
      'what a value was, and since when',
    'comem -p demo sql --schema portfolio': 'the columns of a table',
  },
  manyCompanies: true,
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'its rows are computed');
    const [{ parametersOf }, { SqlTables }] = await Promise.all([import('./statement.ts'), import('./tables.ts')]);
    const parameters = parametersOf(flags.param);
    const tables = new SqlTables(ctx, flags);
    if (flags.tables) return (await import('./tables.ts')).showTables(ctx, tables);
    if (flags.schema) return (await import('./tables.ts')).showSchema(ctx, tables, args.STATEMENT);
    const { runStatement, showResult, statementText } = await import('./statement.ts');
    const text = await statementText(ctx, args.STATEMENT, flags.file);
    await runStatement(ctx, { tables, text, parameters }, (result) => showResult(ctx, result));
  },
});
