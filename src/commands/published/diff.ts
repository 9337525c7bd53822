import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, openRowQuery, selectedRows, shortRowFlags, showChosen } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { metricIds } from '../metrics/read.ts';
import { differenceColumns, differenceOutcomes } from './columns.ts';
import { nothingPublished, publishedFlags, publisher, readPublished } from './read.ts';

export default defineCommand({
  path: 'published diff',
  summary: 'Compare what was published with the series now',
  description: [
    'Prints each published value with its version and sent time, the actual now, and the difference. Unchanged values need --all. A published quarter or year is compared with its months, added up as the catalog says. A value that differs and was last written before it was sent is different, not restated.',
    "Besides the grant, it needs access to the company's own actuals.",
  ].join('\n\n'),
  operations: ['getPublishedMetrics', 'getMetricSeries', 'getMetricCatalog'],
  args: [publisher],
  flags: {
    ...shortRowFlags,
    ...publishedFlags,
    metrics: flag.list('ID[,ID]', 'only these metrics, in this order', { short: 'm' }),
    agg: flag.list('METRIC=HOW', 'how to derive a metric, if the catalog does not say'),
    all: flag.boolean('show unchanged values too'),
    exitCode: flag.boolean('exit 1 when a published value is not that of the series now'),
  },
  examples: [
    { run: 'comem -p demo published diff lumen', says: 'published values that have changed since' },
    { run: 'comem -p demo published diff lumen --exit-code', says: 'a job in CI: exit 1 when something was restated' },
    { run: 'comem -p demo published diff lumen -o csv', says: 'the changes as CSV' },
  ],
  stdout: 'rows',
  draws: true,
  async run(ctx, { args, flags }) {
    const { currentSeries, differenceRows } = await import('./differences.ts');
    refuseRaw(ctx, 'it computes from several responses');
    const rules = { periodKey: 'period', outcome: differenceOutcomes } as const;
    const question = await openRowQuery(ctx, differenceColumns, { flags, command: [], rules });
    const published = await readPublished(ctx, args.COMPANY, flags);
    if (!published) return;
    const now = await currentSeries(ctx, ctx.companyOf(args.COMPANY, 'COMPANY'), published.periods, flags);
    const all = differenceRows(published.periods, now, metricIds(flags.metrics));
    const chosen = await selectedRows(question, all);
    const changed = chosen.filter(({ outcome }) => outcome !== 'unchanged');
    const empty = all.length === 0 ? nothingPublished(published) : `All ${all.length} published values are unchanged.`;
    await showChosen(ctx, { question, flags, pages: [flags.all ? chosen : changed] }, differenceColumns, {
      id: (row) => row.metricId,
      name: ({ metricId, periodKey }) => `${metricId} ${periodKey}`,
      empty: hasRowFlags(flags) ? 'No such values.' : empty,
    });
    const broken = changed.filter(({ outcome }) => outcome !== 'unknown').length;
    if (!flags.exitCode || broken === 0) return;
    const says = `${amount(broken, 'published value differs', 'published values differ')} from the series now`;
    throw new Failure('no', says, { code: 'restated' });
  },
});
