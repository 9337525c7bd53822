import { defineCommand } from '../../cli/define.ts';
import { seriesFlags, wishFlags } from './series/flags.ts';

export default defineCommand({
  path: 'metrics series',
  summary: 'Read metric history, budgets and forecasts',
  description: [
    'Any range and any number of metrics: longer ranges and more metrics than one request takes are read in several at once and put together in order, without duplicates. A bound may be coarser than the series: --from 2019 is from 2019-01. --last ends at --to, else at the current period. A fiscal year is called by the calendar year in which it ends: --fy 2025 --fy-start 4 is 2024-04 to 2025-03.',
    'Wide rows hold one column for each metric, in the order of --metrics, else of the whole catalog (a metric without a value in the range is an empty column); long rows hold one observation each; --shape versions puts actual, budget and forecast of a metric side by side; --transpose has metrics as rows and periods as columns. Actuals exist by month alone; quarters and years are read of budget and forecast, or made of months with --derive (--last 8q implies it), each metric as its catalog says or --agg. Such rows are marked derived and say how many months they are made of. Sums are exact; an average is exact, or rounded half up to 15 digits.',
    'A value that is missing is an empty cell and absent in JSON; a null that was stored is an empty cell and null; --fill says what is to stand where there is no value.',
    'Tables show units and currencies beside numbers, workbooks as number formats; long and transposed rows have them in columns. --header-units puts them in the headers of wide rows, also of csv, tsv and parquet: mrr (USD). --dates adds a column with the first day of each period, a real date in xlsx and parquet.',
    'Several companies are read at once; rows then name their company. When one cannot be read, the others are written and the exit code is 7. {company} in --out makes a file for each. With --cursor the one chain of pages is read as asked.',
    '--checkpoint keeps how far an export as csv, tsv, ndjson, json, yaml or md has come until it is whole. When it was interrupted, the same command goes on behind the last whole period, reading and writing no row twice: with --out from FILE.partial, else with stdout appended (>> FILE); with a file for each company from that of each.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  args: [],
  flags: { ...seriesFlags, ...wishFlags },
  examples: [
    { run: 'comem -p demo metrics series -m mrr,arr --last 12', says: 'two metrics, the newest twelve months' },
    { run: 'comem -p demo metrics series --from 2023 --order asc -o csv', says: 'all metrics as CSV, oldest first' },
    { run: 'comem -p demo metrics series -m mrr --last 8q', says: 'quarters made of months, how complete each is' },
    { run: 'comem -p demo metrics series -m mrr,burn --ytd --shape versions', says: 'actual and budget side by side' },
    {
      run: 'comem -p demo metrics series --from 2020 --checkpoint export.state --out series.csv',
      says: 'an export that goes on where it was interrupted',
    },
    { run: 'comem -p demo metrics series -m mrr,burn --last 6 --order asc --transpose', says: 'as in a board pack' },
    { run: 'comem -p demo metrics series --ytd --header-units --dates --out ytd.xlsx', says: 'a workbook with dates' },
  ],
  stdout: 'rows',
  draws: true,
  withoutIds: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    // What reads and lays out series is as much code as all that a start needs besides: help goes without it.
    const { readSeries } = await import('./series/run.ts');
    await readSeries(ctx, flags);
  },
});
