import { defineCommand, flag } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { factsOf, showAnalyses } from './analyses.ts';
import { partialFlag, totalledFlags, versionsFlag } from './flags.ts';
import { countsMonths, grainOf, versionsOf } from './read.ts';

export default defineCommand({
  path: 'metrics growth',
  summary: 'Show growth rates',
  description: [
    'For each metric and period its value, and its growth in percent, of a percentage in points, against the previous month (mom), quarter (qoq) and year (yoy). cagr is the compound annual rate since the first period of the range, from a year on. Without a rate the note says why: no period to compare with, a null, or a base of zero.',
    'Periods before the range are read where a rate needs them. Without a range the newest twelve months that have ended are shown. A period of which some months are missing is marked, as 2026-Q1 (2/3), and compared only with --partial.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: {
    ...totalledFlags,
    versions: versionsFlag,
    type: flag.list('RATE[,RATE]', "mom, qoq, yoy, cagr; default the grain's own and yoy", { also: { rate: 'VALUE' } }),
    partial: partialFlag,
    ...shortRowFlags,
  },
  examples: {
    'comem -p demo metrics growth -m mrr --last 6': 'month on month and year on year',
    "comem -p demo metrics growth -m q --calc 'q = avg(burn, 3)'": 'of a trailing average',
    'comem -p demo metrics growth -m arr --from 2023 --type cagr': 'compound growth since 2023',
  },
  hasSpark: true,
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { backOf, growthColumns, growthRows, ratesOf } = await import('./trends.ts');
    const type = grainOf(flags);
    const rates = ratesOf(flags.type, type);
    const { verdict } = await showAnalyses(ctx, flags, {
      options: { versions: versionsOf(flags.versions), last: '12', back: backOf(rates, type) },
      known: growthColumns(rates, { coarse: true }),
      rowsOf: (analysis) => growthRows(analysis, { rates, partial: flags.partial === true }),
      columnsOf(analyses) {
        const coarse = analyses.parts.some(({ value }) => countsMonths(value));
        return growthColumns(rates, { coarse, metrics: factsOf(analyses), from: analyses.parts[0]?.value.range.from });
      },
      reasonOf: ({ value, note }) => (value === null ? note : undefined),
      empty: 'No values in the range.',
    });
    verdict();
  },
});
