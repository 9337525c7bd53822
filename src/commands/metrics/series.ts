import { defineCommand, flag } from '../../cli/define.ts';
import { rawLimit } from '../../cli/page-options.ts';
import { seriesColumns, within } from '../../cli/series-columns.ts';
import { seriesFlags, seriesRequest } from '../../cli/series-request.ts';
import { long, seriesRows } from '../../cli/series-rows.ts';
import { showRaw } from '../../cli/show.ts';
import { operations } from '../../contract/index.ts';
import { usage } from '../../errors.ts';
import { longColumns } from '../../output/metric-columns.ts';

const op = operations.getMetricSeries;

export default defineCommand({
  path: 'metrics series',
  summary: 'Read metric history, budgets and forecasts',
  description: [
    'Any range and any number of metrics: longer ranges and more metrics than one request takes are read in several and put together in order, without duplicates. A bound may be coarser than the series: --from 2019 is from 2019-01. --last ends at --to, else at the current period.',
    'Wide rows hold one column for each metric, in the order of --metrics, else of the catalog; long rows hold one observation each. A value that is missing is an empty cell, never 0. Actuals exist by month alone; quarters and years are read of budget and forecast.',
    '--company may be repeated: rows then name their company. With --cursor the one chain of pages is read as asked.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  args: [],
  flags: {
    ...seriesFlags,
    shape: flag.text('wide|long', 'one row for each period and version, or for each value; default wide', {
      choices: ['wide', 'long'],
    }),
  },
  examples: [
    { run: 'comem -p demo metrics series -m mrr,arr --last 12', says: 'two metrics, the newest twelve months' },
    { run: 'comem -p demo metrics series --from 2023 --order asc -o csv', says: 'all metrics as CSV, oldest first' },
    {
      run: 'comem -p demo metrics series --period-type quarter --shape long',
      says: 'budgets and forecasts by quarter',
    },
  ],
  stdout: 'rows',
  manyCompanies: true,
  async run(ctx, { flags }) {
    const plan = seriesRequest(ctx, flags);
    const [window] = plan.windows;
    const several = ctx.settings.companies.value.length > 1;
    const first = plan.input(window ?? { chunks: [] }, window?.chunks[0]);
    if (ctx.settings.raw && several) throw usage('--raw sends one request, and so takes one --company');
    const raw = { query: { ...first.query, cursor: flags.cursor, limit: rawLimit(ctx, op) } };
    if (await showRaw(ctx, op, raw)) return;
    // What the API would refuse is refused before the catalog is asked for.
    await (await ctx.client()).describe(op, { query: { ...first.query, cursor: flags.cursor } });
    if (flags.shape === 'long') {
      await ctx.out.rows(seriesRows(ctx, plan, long, flags.cursor), longColumns({ company: several }));
      return;
    }
    const columns = await seriesColumns(ctx, plan.request.metricIds);
    await ctx.out.rows(seriesRows(ctx, plan, within(columns), flags.cursor), columns.list);
  },
});
