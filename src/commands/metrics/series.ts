import { defineCommand } from '../../cli/define.ts';
import { rawLimit } from '../../cli/operation-flags.ts';
import { showRaw } from '../../cli/show.ts';
import { getMetricSeries } from '../../contract/metric-operations.ts';
import { computes, seriesFlags } from './flags.ts';

export default defineCommand({
  path: 'metrics series',
  summary: 'Read metric history, budgets and forecasts',
  description: [
    'Reads any range and any number of metrics, in several requests if necessary. Rows come oldest first, each once; --order desc turns them round. A bound may be coarser than the series: --from 2019 is from 2019-01. Quarters as bounds make quarters. --last N ends at --to, else at the newest period that has ended by the clock of the server.',
    'Wide rows have one column for each metric. Long rows hold one value each. `metrics table` has periods as columns, and `metrics variance` actual and budget side by side. Actuals exist by month only; --derive makes quarters and years of them (--last 8q and --from 2025-Q1 imply it).',
  ].join('\n\n'),
  manual: [
    'A fiscal year is named by the calendar year in which it ends: --last fy2025 --fy-start 4 is 2024-04 to 2025-03. Quarters and years are read from budget and forecast, unless --derive is given.',
    'Columns are in the order of --metrics, else of the catalog. A metric without a value in the range is an empty column; one that the catalog does not have ends the command with 3. A period of --last without data is a row with empty cells in formats with columns; a note names it elsewhere. A missing value is an empty cell and absent in JSON. A stored null is an empty cell and null. --fill fills what is missing; a stored null stays, also as the previous value.',
    'Each metric is derived as the catalog or --agg says. Derived rows are marked and say from how many months; tables show 2026-Q1 (2/3). Sums are exact; an average is exact, or rounded half up to 15 digits.',
    'updatedAt is when a row of the API was written, which has one time for all of its metrics; of rows that are derived it is the newest of theirs. Long rows that are not derived have the time of each value.',
    'Tables show units and currencies beside numbers, workbooks as number formats; long rows have them in columns.',
    'Several companies are read at once, and rows name their company, and their currency where it differs. When one cannot be read, the others are written and the exit code is 7. With --cursor one chain of pages is read as it is.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: seriesFlags,
  examples: {
    'comem -p demo metrics series -m mrr,arr --last 12': 'two metrics, the newest twelve months',
    'comem -p demo metrics series --from 2023 --order desc -o csv': 'all metrics as CSV, newest first',
    'comem -p demo metrics series -m mrr --last 8q': 'quarters derived from months',
    'comem -p demo metrics series -m mrr,burn --last ytd --versions actual,budget': 'actuals and budget',
  },
  hasSpark: true,
  withoutIds: true,
  manyCompanies: true,
  async run(context, { flags }) {
    const { checkSelection, rawQuery, seriesPlan, withCompany } = await import('./series-plan.ts');
    const ctx = await withCompany(context, flags);
    const plan = seriesPlan(ctx, flags, await computes(ctx, flags));
    const { periodType: grain = 'month' } = flags;
    if (grain !== 'month' && flags.versions === undefined && !ctx.settings.raw) {
      const instead = `--derive ${grain} instead of --period-type`;
      ctx.out.note(`Budgets and forecasts by ${grain}; for actuals, add ${instead}.`);
    }
    if (plan.selection) await checkSelection(ctx, plan, flags);
    if (await showRaw(ctx, getMetricSeries, { query: { ...rawQuery(plan), limit: rawLimit(ctx, getMetricSeries) } }))
      return;
    const { hasEveryPeriod, writeHeldSeries, writeStoredSeries } = await import('./series-rows.ts');
    const isStored = !plan.derive && plan.fill === 'none' && !plan.isComputed && !hasEveryPeriod(ctx, plan);
    await (isStored ? writeStoredSeries : writeHeldSeries)(ctx, flags, plan);
  },
});
