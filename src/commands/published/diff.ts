import { companyOf } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { analysisFlags } from '../metrics/analysis/flags.ts';
import { toldColumns } from '../metrics/analysis-columns.ts';
import { metricIds } from '../metrics/read.ts';
import { nothingPublished, publishedFlags, publisher, readPublished } from './read.ts';

export default defineCommand({
  path: 'published diff',
  summary: 'Compare what was published with the series now',
  description: [
    'For each published value its version and the time when it was sent, what was told, what the actuals say now, and the difference. Without --all the unchanged ones are left out. A published quarter or year is held against its months as the catalog says they add up.',
    "Reading the series takes access to the company's own actuals beside the grant.",
  ].join('\n\n'),
  operations: ['getPublishedMetrics', 'getMetricSeries', 'getMetricCatalog'],
  args: [publisher],
  flags: {
    ...publishedFlags,
    metrics: { ...analysisFlags.metrics, field: undefined },
    agg: analysisFlags.agg,
    all: flag.boolean('unchanged values too'),
    exitCode: flag.boolean('exit 1 when a published value was restated or removed since'),
  },
  examples: [
    {
      run: 'comem -p demo published diff lumen',
      says: 'values that are not what the recipient was told',
    },
  ],
  stdout: 'rows',
  draws: true,
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'it computes from several answers');
    const { seriesNow, toldRows } = await import('./told.ts');
    const found = await readPublished(ctx, args.COMPANY, flags);
    if (!found) return;
    const now = await seriesNow(ctx, companyOf(ctx, args.COMPANY, 'COMPANY'), found.periods, flags);
    const all = toldRows(found.periods, now, metricIds(flags.metrics));
    const changed = all.filter(({ outcome }) => outcome !== 'unchanged');
    const empty =
      all.length === 0 ? nothingPublished(found) : `All ${all.length} published values stand as they were told.`;
    await ctx.out.rows(flags.all ? all : changed, toldColumns, { id: (row) => row.metricId, empty });
    const broken = changed.filter(({ outcome }) => outcome !== 'unknown').length;
    if (!flags.exitCode || broken === 0) return;
    throw new Failure('no', `${amount(broken, 'published value was', 'published values were')} changed since`, {
      code: 'restated',
    });
  },
});
