import { defineCommand, flag } from '../../cli/define.ts';
import { shortRowFlags } from '../../cli/query.ts';
import { isNumeric } from '../../core/json.ts';
import { asciiOnly } from '../../output/terminal-text.ts';
import { factsOf, showAnalyses } from './analyses.ts';
import { partialFlag, totalledFlags, versionsFlag } from './flags.ts';
import { grainOf, versionsOf } from './read.ts';

export default defineCommand({
  path: 'metrics table',
  summary: 'Show metrics by period, with sparkline and latest change',
  description: [
    'A row for each metric (and for each version, if there are several), a column for each period, the newest at the right. Trend is a sparkline, the oldest period at its left; a blank is a period without a value. Its scale runs from the least to the greatest value and may not begin at zero. Change compares the newest value with the previous period, in percent; that of a percentage is in points (pp). A period of which some months are missing is marked, as 2026-Q1 (2/3), and compared only with --partial.',
    'Without a range the newest twelve months that have ended are shown, or as many as the terminal has room for.',
  ].join('\n\n'),
  operations: ['getMetricSeries', 'getMetricCatalog'],
  flags: {
    ...totalledFlags,
    versions: versionsFlag,
    order: flag.text('asc|desc', 'order of the periods; default asc', { choices: ['asc', 'desc'] }),
    partial: partialFlag,
    ...shortRowFlags,
  },
  examples: {
    'comem -p demo metrics table': 'every metric',
    'comem -p demo -c lumen metrics table -m mrr,burn --last 8q --versions actual,budget': 'by quarter',
    'comem -p demo metrics table --last ytd': 'the year so far',
  },
  manyCompanies: true,
  async run(ctx, { flags }) {
    const { partialPeriods, periodsOf, pivotColumns, pivotPeriod, pivotRows } = await import('./trends.ts');
    const versions = versionsOf(flags.versions);
    const look = { versions: versions.length > 1, order: flags.order, grain: grainOf(flags) };
    const ascii = asciiOnly(ctx.runtime.env);
    const { verdict } = await showAnalyses(ctx, flags, {
      options: { versions, last: '12' },
      known: pivotColumns({ periods: [], partial: new Map() }, { ...look, metrics: new Map(), notes: true }),
      more: pivotPeriod,
      rowsOf: (analysis) => pivotRows(analysis, { ascii, partial: flags.partial === true }),
      columnsOf(analyses) {
        const periods = [...new Set(analyses.parts.flatMap(({ value }) => periodsOf(value)))].sort();
        if (flags.order === 'desc') periods.reverse();
        const partial = new Map(analyses.parts.flatMap(({ value }) => partialPeriods(value)));
        const notes =
          (flags.total ?? flags.partial) === true ||
          analyses.parts.some(
            ({ value }) => value.metrics.some(({ note }) => note) || value.items.some(({ notes }) => notes),
          );
        return pivotColumns({ periods, partial }, { ...look, metrics: factsOf(analyses), notes });
      },
      reasonOf: ({ values, note }) => (Object.values(values).some(isNumeric) ? undefined : note),
      empty: 'No values in the range.',
    });
    verdict();
  },
});
