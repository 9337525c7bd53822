import { defineCommand, flag } from '../../cli/define.ts';
import { selectedRows, shortRowFlags } from '../../cli/query.ts';
import { amount } from '../../cli/words.ts';
import { Failure } from '../../core/errors.ts';
import { showAnalyses } from './analyses.ts';
import { analysisFlags, versionsFlag } from './flags.ts';
import { versionsOf } from './read.ts';

export default defineCommand({
  path: 'metrics gaps',
  summary: 'Find holes, stale and repeated values',
  description: [
    'Kinds of finding: missing (no row for the period), null (the row says null), stale (the newest value was written long ago), repeated (the same value many times in a row; zeros are not counted), none (no value at all).',
    'Values are expected from the start of the range, else from the first period of the metric, to the end of the range, else to the newest complete period. A budget is checked up to its own last period.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: {
    ...analysisFlags,
    versions: versionsFlag,
    staleAfter: flag.integer('DAYS', 'a newest value that is older is stale; default 60', { minimum: 0, hidden: true }),
    repeated: flag.integer('N', 'this many equal values in a row are a finding; default 6', {
      minimum: 2,
      hidden: true,
    }),
    exitCode: flag.boolean('exit 1 when something is found'),
    ...shortRowFlags,
  },
  examples: {
    'comem -p demo metrics gaps': 'all metrics, over all of history',
    'comem -p demo metrics gaps -m mrr,arr --last 24 --exit-code': 'a job in CI',
    "comem -p demo metrics gaps --where 'kind = missing' -o csv": 'periods without a row, as CSV',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { gapColumns, gapRows } = await import('./gap-rows.ts');
    const versions = versionsOf(flags.versions);
    const options = {
      versions,
      staleAfterDays: flags.staleAfter ?? 60,
      repeatedFrom: flags.repeated ?? 6,
      upTo: flags.to !== undefined,
    };
    const { question, rows, verdict } = await showAnalyses(ctx, flags, {
      options: { versions, apart: true },
      known: gapColumns,
      rowsOf: (analysis) => gapRows(analysis, { ...options, now: ctx.now() }),
      columnsOf: () => gapColumns,
      empty: 'No gaps.',
    });
    verdict();
    if (!flags.exitCode) return;
    const { length } = await selectedRows(question, rows);
    if (length === 0) return;
    throw new Failure('no', `there ${length === 1 ? 'is' : 'are'} ${amount(length, 'gap', 'gaps')}`, { code: 'gaps' });
  },
});
