import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { hasRowFlags, type RowFlags, rowFlags } from '../../cli/query.ts';
import { refuseRaw } from '../../cli/show.ts';
import { noRows, usage } from '../../core/errors.ts';
import { countChosen, selectionFlags } from './read.ts';

export default defineCommand({
  path: 'entries count',
  summary: 'Count the entries of a list',
  description:
    'Prints a bare number; in JSON {"count": n}. With --fail-empty a count of 0 is exit 1. --offset and --limit count the rows that `entries list` would print under them. The server is asked for its total; with a saved view, --filter or --where the entries are read. --by stage prints a row for each option, zero included.',
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: {
    by: flag.text('KEY,…', 'a count for each value; options in their order, zero too'),
    ...rowFlags,
    ...selectionFlags,
    offset: flag.integer('N', 'skip this many entries', { minimum: 0, hidden: true }),
  },
  examples: {
    'comem -p demo entries count deal-pipeline': 'all that are not archived',
    'comem -p demo entries count deal-pipeline --filter stage=Invested --fail-empty': 'exit 1 when none',
    'comem -p demo entries count deal-pipeline --by stage': 'how many are in each stage',
  },
  stdout: 'value',
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'the count comes from a header');
    if (flags.by !== undefined) {
      const { showSummary } = await import('./summary.ts');
      return showSummary(ctx, args.LIST, flags, { verb: 'entries count', allKnown: true });
    }
    refuseGroupFlags(flags);
    const { limit = Number.POSITIVE_INFINITY, failEmpty } = ctx.settings;
    const { count: all, finished } = await countChosen(ctx, args.LIST, flags);
    const count = Math.min(limit, Math.max(0, all - (flags.offset ?? 0)));
    await ctx.out.scalar(count, { count });
    finished();
    if (count === 0 && failEmpty) throw noRows();
  },
});

/** @throws usage for flags of groups without --by */
function refuseGroupFlags({ sort, one, ...flags }: RowFlags): void {
  if (sort) throw usage('--sort puts groups in order, and without --by there are none', 'add --by COLUMN');
  if (one && !hasRowFlags(flags))
    throw usage('--one needs a condition, such as --where', 'the count of all entries is one number');
}
