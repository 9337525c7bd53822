import { targets } from '../../cli/arguments.ts';
import { defineCommand, flag } from '../../cli/define.ts';
import { refuseRaw } from '../../cli/show.ts';
import { Failure } from '../../core/errors.ts';
import { countEntries, selection, selectionFlags } from './read.ts';

export default defineCommand({
  path: 'entries count',
  summary: 'Count the entries of a list',
  description:
    'Prints a bare number; in JSON {"count": n}. With --fail-empty a count of 0 is exit 1. --offset and --limit count the rows that `entries list` would print under them. The server is asked for its total; a saved view has none, so its entries are read.',
  operations: ['listLists', 'getList', 'listEntries'],
  args: [targets.list],
  flags: { ...selectionFlags, offset: flag.integer('N', 'skip this many entries', { minimum: 0 }) },
  examples: [
    { run: 'comem -p demo entries count deal-pipeline', says: 'all that are not archived' },
    { run: 'comem -p demo entries count deal-pipeline --filter stage=Invested --fail-empty', says: 'exit 1 when none' },
  ],
  stdout: 'value',
  async run(ctx, { args, flags }) {
    refuseRaw(ctx, 'the count comes from a header');
    const { limit = Number.POSITIVE_INFINITY, failEmpty } = ctx.settings;
    const all = await countEntries(ctx, await selection(ctx, args.LIST, flags));
    const count = Math.min(limit, Math.max(0, all - (flags.offset ?? 0)));
    await ctx.out.scalar(count, { count });
    if (count === 0 && failEmpty) throw new Failure('no', 'no entries, and --fail-empty was given');
  },
});
