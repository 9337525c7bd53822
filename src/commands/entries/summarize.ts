import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { rowFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { selectionFlags } from './read.ts';

export default defineCommand({
  path: 'entries summarize',
  summary: 'Count and sum the entries of a list by groups',
  description: [
    'A row for each group, in the order of its keys: options in the order of their list, empty values last. --by takes columns and expressions; a date may have a period: first-contact:quarter (day, week, month, quarter, year).',
    'Aggregates are count, sum, avg, median, min, max and distinct, of a column or an expression; one without a column takes that of the one before it. count(stage = Won) counts where a condition holds, and + - * / of aggregates make shares and ratios. Numbers are exact decimals, and empty values count for none; differences of dates are days. An entry with several options is in the group of each, and once in the totals.',
  ].join('\n\n'),
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: {
    by: flag.text('KEY,…', 'what makes a group: columns, dates with :month'),
    agg: flag.text('AGGREGATE,…', 'what to compute for each group; default count'),
    total: flag.boolean('a last row for all entries together', { also: { totals: '' } }),
    pivot: flag.text('KEY', 'one key of --by as columns'),
    ...rowFlags,
    ...selectionFlags,
  },
  examples: {
    "comem -p demo entries summarize deal-pipeline --by sector --agg 'count, sum(valuation), avg' --total":
      'valuation by sector',
    'comem -p demo entries summarize deal-pipeline --by first-contact:quarter,stage --pivot stage':
      'how many deals of each quarter are in each stage',
    "comem -p demo entries summarize deal-pipeline --where 'stage != Passed' --by stage --agg 'sum(valuation)'":
      'only open deals, by stage',
    "comem -p demo entries summarize deal-pipeline --by owner --agg 'count, count(stage = Invested) / count as rate'":
      'the share of each owner that was invested',
  },
  withoutIds: true,
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'comem groups the entries');
    const { showSummary } = await import('./summary.ts');
    await showSummary(ctx, args.LIST, flags, { verb: 'entries summarize', allKnown: false });
  },
});
